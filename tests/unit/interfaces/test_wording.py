"""What commands say names commands and options, where the tools behind them name tools and arguments."""

from agentos.interfaces.cli.wording import COMMANDS, as_commands, of_refusal
from agentos.tools.catalog import all_tools
from tests.tables import every


@every(
    ("message", "shown"),
    [
        ("memory_id: there is no memory 'x'; memory_search and memory_list give valid ids",
         "there is no memory 'x'; agentos recall and agentos list give valid ids"),
        ("memory_type: must be one of a, b", "--type: must be one of a, b"),
        ("parent_goal_id: goal_1 is a part of it", "--parent: goal_1 is a part of it"),
        ("goal_id: this goal is paused; set it to active with goal_update_status first",
         "this goal is paused; set it to active with agentos goals set first"),
        ("by: memory mem_1 holds no more; memory_revert(memory_id='mem_1') brings it back",
         "--by: memory mem_1 holds no more; agentos revert mem_1 brings it back"),
        ("path: there is no /a/b.md", "there is no /a/b.md"),
        ("the store is damaged: agentos doctor tells more", "the store is damaged: agentos doctor tells more"),
        ("my_memory_store.db: cannot be read", "my_memory_store.db: cannot be read"),
    ],
)  # fmt: skip
def test_a_refusal_is_put_in_the_words_of_the_command_line(message: str, shown: str) -> None:
    assert of_refusal(message) == shown


def test_every_tool_that_is_always_there_has_a_command_to_be_named_by() -> None:
    always = {tool.name for tool in all_tools(None) if tool.toolset is None}
    assert always - set(COMMANDS) == set()
    assert all(as_commands(name).startswith("agentos ") for name in COMMANDS)
