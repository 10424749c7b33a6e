"""Which prompts are worth a search, and which rules a tool brings up."""

from datetime import UTC, datetime
from typing import Any

from agentos.modules.context import lessons
from agentos.modules.context.prompts import query_of
from agentos.modules.memory.models import Memory, MemoryType
from tests.tables import every

NOW = datetime(2026, 3, 2, tzinfo=UTC)


@every(
    "prompt",
    [
        "",
        "  ",
        "/compact",
        "/review all of it",
        "!ls",
        "# note",
        "ok",
        "Yes, please.",
        "go on",
        "thanks!",
        "2",
        "looks good",
        "<task-notification>done",
    ],
)
def test_commands_and_mere_yeses_are_not_searched_for(prompt: str) -> None:
    assert query_of(prompt) == ""


@every(
    "prompt",
    [
        "Fix the parser",
        "deploy?",
        "Why does login fail",
        "/home/ada/app/main.py is broken",
        "no, use PostgreSQL",
        "日本語の質問",
    ],
)
def test_prompts_that_say_something_are(prompt: str) -> None:
    assert query_of(prompt) == prompt


def rule(trigger: Any, **metadata: Any) -> Memory:
    given = {} if trigger is None else {"trigger": trigger}
    times = dict.fromkeys(("occurred_at", "created_at", "updated_at", "accessed_at"), NOW)
    return Memory(
        id="mem_1", namespace="ada", memory_type=MemoryType.PROCEDURAL, content="x", summary="x", tags=("rule",),
        importance=0.5, metadata={**given, **metadata}, source="", access_count=0, version=1, **times,
    )  # fmt: skip


@every(
    ("trigger", "tool", "given", "shown"),
    [
        ({"tool": "Bash"}, "Bash", {}, True),
        ({"tool": "bash"}, "Bash", {}, True),
        ({"tool": "Bash"}, "BashOutput", {}, False),
        ({"tool": ["Edit", "Write"]}, "Write", {}, True),
        ({"tool": "mcp__github__*"}, "mcp__github__create_issue", {}, True),
        ({"tool": "*"}, "Anything", {}, True),
        ({"tool": "Bash", "contains": "git push"}, "Bash", {"command": "GIT PUSH -f"}, True),
        ({"tool": "Bash", "contains": "git push"}, "Bash", {"command": "git pull"}, False),
        ({"tool": "Bash", "contains": ["rm -rf", "drop table"]}, "Bash", {"command": "psql -c 'DROP TABLE x'"}, True),
        ({"tool": "Bash", "contains": 7}, "Bash", {}, False),
        ({"contains": "x"}, "Bash", {"command": "x"}, False),
        ("Bash", "Bash", {}, False),
        (None, "Bash", {}, False),
    ],
)
def test_a_rule_is_for_the_tool_that_it_names_and_no_other(trigger: Any, tool: str, given: Any, shown: bool) -> None:
    assert lessons.applies(rule(trigger), tool, given) is shown


def test_what_is_critical_comes_first() -> None:
    rules = [rule(None, severity=severity) for severity in ("info", "critical", "odd", "warning")]
    ordered = [lessons.severity_of(one) for one in sorted(rules, key=lessons.rank)]
    assert ordered == ["critical", "warning", "warning", "info"]
