"""`agentos remember`, `recall`, `list`, `show`, `edit`, `forget`, `feedback`, `revert`: an agent's memories by hand."""

import sys
from pathlib import Path
from typing import Annotated, Any

import click
import typer

from ...modules.clock import system_clock
from . import shown
from .calls import REFUSED, ask, server

Home = Annotated[Path | None, typer.Option("--home", help="The data folder; by default AGENTOS_HOME.")]
Agent = Annotated[str | None, typer.Option("--agent", help="Whose memory; by default AGENTOS_AGENT_ID.")]
AsJson = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
Type = Annotated[str | None, typer.Option("--type", help="episodic, semantic, procedural or working.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="May be given several times.")]
Since = Annotated[str | None, typer.Option("--since", help="ISO 8601.")]
Until = Annotated[str | None, typer.Option("--until", help="ISO 8601.")]
Session = Annotated[str | None, typer.Option("--session", help="A conversation's id.")]
Limit = Annotated[int, typer.Option("--limit", "-n", help="At most so many.")]
MemoryId = Annotated[str, typer.Argument(metavar="ID")]


def remember(
    text: Annotated[list[str], typer.Argument(help="What to keep; - reads it from standard input.")],
    memory_type: Annotated[str, typer.Option("--type", help="episodic, semantic, procedural or working.")] = "semantic",
    importance: Annotated[float | None, typer.Option("--importance", help="0 to 1.")] = None,
    tags: Tags = None,
    source: Annotated[str | None, typer.Option("--source", help="Where it comes from.")] = None,
    occurred_at: Annotated[str | None, typer.Option("--occurred-at", help="ISO 8601; now if not given.")] = None,
    session: Session = None,
    subject: Annotated[str | None, typer.Option("--subject", help="Who or what it is about.")] = None,
    attribute: Annotated[str | None, typer.Option("--attribute", help="Which property of it.")] = None,
    value: Annotated[str | None, typer.Option("--value", help="The property's value.")] = None,
    confidence: Annotated[
        float | None, typer.Option("--confidence", help="0 to 1; below .5 it replaces nothing.")
    ] = None,
    supersedes: Annotated[list[str] | None, typer.Option("--supersedes", help="Ids of what it replaces.")] = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Keep a fact, an event or a how-to."""
    content = sys.stdin.read() if text == ["-"] else " ".join(text)
    answer = ask(
        "memory_store",
        home,
        agent,
        content=content.rstrip("\n"),
        memory_type=memory_type,
        importance=importance,
        tags=tags or None,
        source=source,
        occurred_at=occurred_at,
        session=session,
        subject=subject,
        attribute=attribute,
        value=value,
        confidence=confidence,
        supersedes=supersedes or None,
    )
    _tell(answer.data, answer.text, as_json=as_json)


def recall(
    query: Annotated[list[str], typer.Argument(help="What to look for, in your own words.")],
    limit: Limit = 5,
    memory_type: Type = None,
    tags: Tags = None,
    since: Since = None,
    until: Until = None,
    session: Session = None,
    as_of: Annotated[str | None, typer.Option("--as-of", help="What held on that date; ISO 8601.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also what was superseded.")] = False,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Find memories by meaning and by words; exit code 1 when nothing relevant is stored."""
    answer = ask(
        "memory_search",
        home,
        agent,
        query=" ".join(query),
        limit=limit,
        memory_type=memory_type,
        tags=tags or None,
        since=since,
        until=until,
        session=session,
        as_of=as_of,
        include_superseded=everything or None,
        detail="full",
    )
    found = answer.data["results"]
    if as_json:
        shown.as_json(answer.data)
    elif found:
        shown.console().print(shown.memories(found, system_clock(), scores=True))
        for note in answer.data.get("notes", ()):
            typer.echo(note, err=True)
    else:
        typer.echo(answer.text, err=True)
    if not found:
        raise typer.Exit(REFUSED)


def list_memories(
    limit: Limit = 20,
    memory_type: Type = None,
    tags: Tags = None,
    since: Since = None,
    until: Until = None,
    session: Session = None,
    cursor: Annotated[str | None, typer.Option("--cursor", help="Where an earlier list ended.")] = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """List memories, newest first."""
    answer = ask(
        "memory_list",
        home,
        agent,
        limit=limit,
        memory_type=memory_type,
        tags=tags or None,
        since=since,
        until=until,
        session=session,
        cursor=cursor,
        detail="full",
    )
    if as_json:
        for one in answer.data["results"]:
            one.setdefault("tags", [])  # a result leaves out what it has nothing for; programs want one shape
        shown.as_json(answer.data)
        return
    found, total = answer.data["results"], answer.data["total"]
    if found:
        shown.console().print(shown.memories(found, system_clock()))
    more = answer.data.get("next_cursor")
    typer.echo(f"{len(found)} of {total}" + (f"; more: --cursor {more}" if more else ""), err=True)


def show(memory_id: MemoryId, home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """Show one memory whole, with its history."""
    data = ask("memory_get", home, agent, memory_id=memory_id).data
    if as_json:
        shown.as_json(data)
        return
    history = data.pop("history", ())
    content = data.pop("content")
    out = shown.console()
    out.print(shown.facts({name: value for name, value in data.items() if name not in ("summary", "notice")}))
    out.print()
    out.print(shown.rows(["content"], [[line] for line in content.splitlines()]))
    if history:
        out.print()
        entries = [(entry["version"], entry["replaced_at"][:19], entry["content"]) for entry in history]
        out.print(shown.rows(["version", "replaced", "content then"], entries))


def edit(
    memory_id: MemoryId,
    content: Annotated[str | None, typer.Option("--content", help="The new text; - reads standard input.")] = None,
    memory_type: Type = None,
    importance: Annotated[float | None, typer.Option("--importance", help="0 to 1.")] = None,
    tags: Tags = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Correct a memory; without options, its text in your editor. The old text stays in its history."""
    with server(home, agent) as session:
        if content == "-":
            content = sys.stdin.read().rstrip("\n")
        elif content is None and memory_type is None and importance is None and not tags:
            before = session.call("memory_get", memory_id=memory_id).data["content"]
            edited = click.edit(before)
            content = None if edited is None else edited.rstrip("\n")
            if content is None or content == before:
                typer.echo("nothing was changed", err=True)
                return
        answer = session.call(
            "memory_update",
            memory_id=memory_id,
            content=content,
            memory_type=memory_type,
            importance=importance,
            tags=tags or None,
        )
    _tell(answer.data, answer.text, as_json=as_json)


def forget(
    memory_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="One memory; without it, --erase and options.")
    ] = None,
    tags: Tags = None,
    before: Annotated[str | None, typer.Option("--before", help="All that happened earlier; ISO 8601.")] = None,
    memory_type: Type = None,
    session: Session = None,
    archive: Annotated[bool, typer.Option("--archive", help="Only out of sight of searches; can be undone.")] = False,
    erase: Annotated[bool, typer.Option("--erase", help="Gone for good, from every file.")] = False,
    yes: Yes = False,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Forget a memory: hidden everywhere, and erased when the time to change your mind is over."""
    if archive and erase:
        raise typer.BadParameter("give either --archive or --erase")
    has_options = bool(tags or before or memory_type or session)
    if memory_id is None and not (erase and has_options):
        raise typer.BadParameter("give an ID; all that options match can only be erased: --erase, and options")
    if memory_id is not None and has_options:
        raise typer.BadParameter("give either an ID or options")
    mode = "archive" if archive else "erase" if erase else "forget"
    if erase and not yes:
        if not sys.stdin.isatty():
            typer.echo("agentos: nothing was changed; add --yes to do this without being asked", err=True)
            raise typer.Exit(REFUSED)
        what = memory_id or "all memories that the options match"
        typer.confirm(f"{mode.capitalize()} {what}?", abort=True, err=True)
    answer = ask(
        "memory_delete",
        home,
        agent,
        memory_id=memory_id,
        tags=tags or None,
        before=before,
        memory_type=memory_type,
        session=session,
        mode=mode,
    )
    _tell(answer.data, answer.text, as_json=as_json)


def feedback(
    memory_id: MemoryId,
    verdict: Annotated[str, typer.Argument(help="confirm, reject or supersede.")],
    by: Annotated[str | None, typer.Option("--by", help="The id of what supersedes it.")] = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Say whether a memory is true, no longer true, or replaced by another."""
    answer = ask("memory_feedback", home, agent, memory_id=memory_id, verdict=verdict, by=by)
    _tell(answer.data, answer.text, as_json=as_json)


def revert(
    memory_id: MemoryId,
    keep_both: Annotated[bool, typer.Option("--keep-both", help="The newer one stays beside the older one.")] = False,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Undo what a memory did to others: what it superseded holds again."""
    answer = ask("memory_revert", home, agent, memory_id=memory_id, keep_both=keep_both or None)
    _tell(answer.data, answer.text, as_json=as_json)


def _tell(data: dict[str, Any], text: str, *, as_json: bool) -> None:
    if as_json:
        shown.as_json(data)
    else:
        typer.echo(text)
