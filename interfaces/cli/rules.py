"""`agentos rules`: instructions that agents get at every moment, because a person made or confirmed them as rules.

Whatever an agent stores with the tag `rule` is a suggestion until somebody at a terminal confirms it.
"""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...modules.context import lessons
from ...modules.context.phrases import phrases
from ...modules.memory.models import Memory, MemoryFilter, MemoryType
from ...modules.store_request import StoreRequest
from . import person
from .groups import ListingGroup
from .opened import with_store
from .options import Agent, AsJson, Home
from .outcome import CommandFailure, ExitCode
from .terminal import one_line, say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS

MAX_LISTED = 200
IMPORTANCE = 0.8

rules = typer.Typer(cls=ListingGroup, help="Rules that agents always see, or see before a tool runs.")


@rules.command("list")
def show_list(home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """List the rules, and agents' suggestions for rules."""

    async def look(agentos: "AgentOS", own: str) -> tuple[list[Memory], set[str]]:
        namespace = agent or own
        rules = sorted(await agentos.memory.vouched(namespace, lessons.TAG), key=lessons.rank)
        sure = {one.id for one in rules}
        page = await agentos.memory.page(namespace, MemoryFilter(tags=(lessons.TAG,)), MAX_LISTED)
        return [*rules, *(one for one in page.memories if one.id not in sure)], sure

    found, sure = with_store(home, look)
    if as_json:
        say_json({"rules": [_facts(memory, memory.id in sure) for memory in found]})
        return
    for memory in found:
        say(f"{'rule      ' if memory.id in sure else 'suggested '} {_line(memory)}")
    if not found:
        say("there are no rules; add one with agentos rules add TEXT", err=True)


@rules.command()
def add(
    text: Annotated[list[str], typer.Argument(help="The rule, as agents should read it.")],
    tool: Annotated[list[str] | None, typer.Option("--tool", help="Only before this tool runs, such as Bash.")] = None,
    contains: Annotated[
        list[str] | None, typer.Option("--contains", help="Only when the tool's input contains this text.")
    ] = None,
    home: Home = None,
    agent: Agent = None,
) -> None:
    """Add a rule, at a terminal only."""
    person.required()
    trigger = {"tool": tool or ["*"], **({"contains": contains} if contains else {})}
    metadata: dict[str, Any] = {"trigger": trigger} if tool or contains else {}
    request = StoreRequest(
        " ".join(text), MemoryType.PROCEDURAL, IMPORTANCE, [lessons.TAG], metadata, source="user", kind="rule"
    )

    async def make(agentos: "AgentOS", own: str) -> Memory:
        from ...modules.memory.service import MemoryChanges

        namespace = agent or own
        stored = await agentos.memory.store(namespace, request)
        memory = stored.memory
        if stored.duplicate:  # whoever stored the text first did not decide when and where it holds
            changes = MemoryChanges(None, MemoryType.PROCEDURAL, IMPORTANCE, [lessons.TAG], metadata)
            memory = await agentos.memory.update(namespace, memory.id, changes)
        return await agentos.lifecycle.vouch(namespace, memory)

    say(f"rule {_line(with_store(home, make))}")


@rules.command()
def confirm(
    memory_id: Annotated[str, typer.Argument(metavar="ID", help="The id of a suggestion, or its beginning.")],
    home: Home = None,
    agent: Agent = None,
) -> None:
    """Make a suggestion a rule, at a terminal only. Changing its text withdraws the confirmation."""
    person.required()

    async def look(agentos: "AgentOS", own: str) -> Memory:
        namespace = agent or own
        full_id = await agentos.abbreviations.expand(namespace, "memory_id", memory_id)
        return (await agentos.memory.get(namespace, full_id))[0]

    shown = with_store(home, look)
    say(_line(shown))
    if lessons.TAG not in shown.tags:
        raise CommandFailure(
            f"{shown.id} has no tag {lessons.TAG}: agentos edit {shown.id} --tag {lessons.TAG}", ExitCode.REFUSED
        )
    person.typed_yes("Type yes to make this a rule for all agents: ")
    with_store(home, lambda agentos, own: agentos.lifecycle.vouch(agent or own, shown))
    say(f"{shown.id} is a rule")


def _line(memory: Memory) -> str:
    trigger = lessons.trigger_of(memory)
    project = memory.metadata.get("project_name", memory.metadata.get("project"))
    when = f", before {one_line(str(trigger.get('tool')))}" if trigger else ""
    when += f" with {one_line(str(trigger['contains']))}" if "contains" in trigger else ""
    when += f", in project {one_line(str(project))}" if project is not None else ""
    origin = lessons.origin_of(memory, phrases())
    return f"{memory.id} {memory.occurred_at:%Y-%m-%d} {origin}{when}: {one_line(memory.content)}"


def _facts(memory: Memory, sure: bool) -> dict[str, Any]:
    return {
        "id": memory.id,
        "rule": sure,
        "text": memory.content,
        "source": memory.source,
        "trigger": dict(lessons.trigger_of(memory)),
        "project": memory.metadata.get("project"),
    }
