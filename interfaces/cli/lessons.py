"""`agentos lessons`: whether what agents were told before a tool ran was followed, and whether it helps."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from . import shown
from .groups import ListingGroup
from .opened import with_store
from .options import Agent, AsJson, Home
from .terminal import one_line, say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.proving import ProvenLesson, Rate

MAX_TEXT_CHARS = 80

lessons = typer.Typer(
    cls=ListingGroup, help="Lessons that name a tool: whether they are followed, and whether they help."
)

Id = Annotated[str, typer.Argument(metavar="ID", help="The id of a lesson, or its beginning.")]


@lessons.command("list")
def show_list(home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """List the lessons, with how often runs of their tools failed without them and after them."""

    async def look(agentos: "AgentOS", own: str) -> "list[ProvenLesson]":
        await agentos.lessons.prove()
        return list(await agentos.lessons.page(agent or own))

    found = with_store(home, look)
    if as_json:
        say_json({"lessons": [asdict(one) for one in found]})
        return
    if not found:
        say("there are no lessons that name a tool; agentos rules add TEXT --tool NAME makes one", err=True)
        return
    say(
        shown.rows(
            ("lesson", "stands", "told", "failed without", "failed after", "text"),
            [(one.id, one.standing, one.told, _rate(one.before), _rate(one.after), _text(one)) for one in found],
        )
    )


@lessons.command()
def show(memory_id: Id, home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """Show one lesson with its evidence."""

    async def look(agentos: "AgentOS", own: str) -> "ProvenLesson":
        await agentos.lessons.prove()
        return await agentos.lessons.get(agent or own, await _full(agentos, agent or own, memory_id))

    _tell(with_store(home, look), as_json)


@lessons.command()
def retire(memory_id: Id, home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """Tell a lesson no longer; agentos lessons restore brings it back."""

    async def done(agentos: "AgentOS", own: str) -> "ProvenLesson":
        return await agentos.lessons.retire(agent or own, await _full(agentos, agent or own, memory_id), "human")

    _tell(with_store(home, done), as_json)


@lessons.command()
def restore(memory_id: Id, home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """Tell a retired lesson again. From then on no figures retire it."""

    async def done(agentos: "AgentOS", own: str) -> "ProvenLesson":
        return await agentos.lessons.restore(agent or own, await _full(agentos, agent or own, memory_id), "human")

    _tell(with_store(home, done), as_json)


async def _full(agentos: "AgentOS", namespace: str, memory_id: str) -> str:
    return await agentos.abbreviations.expand(namespace, "memory_id", memory_id)


def _tell(one: "ProvenLesson", as_json: bool) -> None:
    if as_json:
        say_json(asdict(one))
        return
    say(f"{one.id} {one.standing}, for {one_line(one.tool)}: {one_line(one.text)}")
    say(f"told {one.told} times; failed without it {_rate(one.before)}, after it {_rate(one.after)}")
    say(f"followed {one.followed}, not followed {one.ignored}; runs that count on no side: {one.unknown}")
    if one.note:
        say(one_line(one.note))


def _rate(rate: "Rate") -> str:
    if rate.share is None:
        return "no runs"
    return f"{rate.failed} of {rate.runs} ({rate.share:.0%}, {rate.low:.0%} to {rate.high:.0%})"


def _text(one: "ProvenLesson") -> str:
    text = one_line(one.text)
    return text if len(text) <= MAX_TEXT_CHARS else f"{text[: MAX_TEXT_CHARS - 1]}…"
