"""`agentos remember`, `recall`, `list`, `show`, `edit`, `forget`, `feedback`, `revert`: an agent's memories."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from ...modules.clock import system_clock
from ...modules.text.counting import counted
from . import editing, personal, shown
from .calls import ToolAnswer, ask, is_elsewhere
from .options import Agent, AsJson, Home, Limit, Project, Session, Since, Tags, Type, Until, Yes
from .outcome import CommandFailure, ExitCode
from .terminal import ask as confirmed
from .terminal import read_input, say, say_json
from .wording import as_commands

EDITING = ("editing",)
MemoryId = Annotated[str, typer.Argument(metavar="ID", help="An id, or its beginning.")]


def remember(
    text: Annotated[list[str], typer.Argument(help="What to store; - reads it from standard input.")],
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
    supersedes: Annotated[
        list[str] | None, typer.Option("--supersedes", help="The id of a memory that it replaces; repeatable.")
    ] = None,
    valid_until: Annotated[
        str | None, typer.Option("--valid-until", help="When it stops holding; a date is its last day.")
    ] = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Store a fact, an event or a how-to."""
    from ...modules.context import lessons

    content = read_input() if text == ["-"] else " ".join(text)
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
        valid_until=valid_until,
    )
    shown.tell(answer, as_json)
    if lessons.TAG in (tags or ()):
        say(f"a suggestion until you confirm it: agentos rules confirm {answer.data['id']}", err=True)


def recall(
    query: Annotated[list[str], typer.Argument(help="What to look for, in your own words.")],
    limit: Limit = 5,
    memory_type: Type = None,
    tags: Tags = None,
    since: Since = None,
    until: Until = None,
    session: Session = None,
    project: Project = None,
    as_of: Annotated[str | None, typer.Option("--as-of", help="Answer as of this date; ISO 8601.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Include superseded memories.")] = False,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Find memories by meaning and by words; exit code 1 when nothing relevant is stored."""
    answer = ask(
        "memory_search",
        home,
        agent,
        **_chosen(limit, memory_type, tags, since, until, session, project),
        query=" ".join(query),
        as_of=as_of,
        include_superseded=everything or None,
    )
    found = answer.data["results"]
    if as_json:
        say_json(answer.data)
    elif found:
        say(shown.memories(found, system_clock(), scores=True))
        for note in answer.data.get("notes", ()):
            say(note, err=True)
        _say_elsewhere(answer)
    else:
        say(as_commands(answer.text), err=True)
    if not found:
        raise typer.Exit(ExitCode.NOT_FOUND)


def _chosen(limit: int, memory_type: Type, tags: Tags, *bounds: str | None) -> dict[str, Any]:
    """Return what options say of which memories are wanted; each is told in full."""
    given = dict(zip(("since", "until", "session", "project"), bounds, strict=True))
    return {"limit": limit, "memory_type": memory_type, "tags": tags or None, "detail": "full", **given}


def _say_elsewhere(answer: ToolAnswer) -> None:
    if "elsewhere" in answer.data:
        say(as_commands(answer.data["elsewhere"]), err=True)


def list_memories(
    limit: Limit = 20,
    memory_type: Type = None,
    tags: Tags = None,
    since: Since = None,
    until: Until = None,
    session: Session = None,
    project: Project = None,
    cursor: Annotated[str | None, typer.Option("--cursor", help="The cursor that an earlier list ended with.")] = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """List memories, newest first."""
    answer = ask(
        "memory_list",
        home,
        agent,
        **_chosen(limit, memory_type, tags, since, until, session, project),
        cursor=cursor,
    )
    if as_json:
        for one in answer.data["results"]:
            one.setdefault("tags", [])  # a result leaves out what it has nothing for; programs want one shape
        say_json(answer.data)
        return
    found, total = answer.data["results"], answer.data["total"]
    if found:
        say(shown.memories(found, system_clock()))
    more = answer.data.get("next_cursor")
    say(f"{len(found)} of {total}" + (f"; more: --cursor {more}" if more else ""), err=True)
    _say_elsewhere(answer)


def show(memory_id: MemoryId, home: Home = None, agent: Agent = None, as_json: AsJson = False) -> None:
    """Show one memory in full, with its history."""
    data = ask("memory_get", home, agent, memory_id=memory_id).data
    if as_json:
        say_json(data)
        return
    history, decisions, lineage = (data.pop(name, ()) for name in ("history", "decisions", "lineage"))
    content = data.pop("content")
    data["trust parts"] = ", ".join(f"{name} {part}" for name, part in data.pop("trust_parts").items())
    links: dict[str, list[str]] = {}
    for link in lineage:
        links.setdefault(link["relation"], []).append(link["id"])
    say(shown.facts({name: value for name, value in (data | links).items() if name not in ("summary", "notice")}))
    say()
    say(shown.content(content))
    if decisions:
        say()
        judged = [
            (shown.local(entry["at"]), entry["action"], entry["by"], entry.get("reason", "")) for entry in decisions
        ]
        say(shown.rows(["at", "judged", "by", "why"], judged))
    if history:
        say()
        entries = [(entry["version"], entry["replaced_at"][:19], entry["content"]) for entry in history]
        say(shown.rows(["version", "replaced", "content then"], entries))


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
    """Correct a memory; without options, edit its text in your editor. The old text stays in its history."""
    if content is None and memory_type is None and importance is None and not tags:
        _edit_by_hand(memory_id, home, agent, as_json)
        return
    text = read_input().rstrip("\n") if content == "-" else content
    changed = {"content": text, "memory_type": memory_type, "importance": importance, "tags": tags or None}
    shown.tell(ask("memory_update", home, agent, memory_id=memory_id, **changed), as_json)


def _edit_by_hand(memory_id: str, home: Path | None, agent: str | None, as_json: bool) -> None:
    before = ask("memory_get", home, agent, memory_id=memory_id).data
    draft = editing.EditedText(before["content"])
    edited = draft.edited()
    if edited is None:
        say("nothing was changed", err=True)
        return
    try:  # in a new session: the editing may have taken long
        answer = ask(
            "memory_update", home, agent, memory_id=before["id"], content=edited, version=before.get("version", 1)
        )
    except CommandFailure as refused:
        raise draft.with_path(refused) from refused
    draft.discard()
    shown.tell(answer, as_json)


def forget(
    memory_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]", help="A memory; without it, name several with --about, or with --erase and filters."
        ),
    ] = None,
    about: Annotated[
        str | None,
        typer.Option("--about", metavar="TOPIC", help="All memories that a search finds; shows them first."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="With --about: the most to forget.")] = 20,
    tags: Tags = None,
    before: Annotated[
        str | None, typer.Option("--before", help="All memories of events before this time; ISO 8601.")
    ] = None,
    memory_type: Type = None,
    session: Session = None,
    archive: Annotated[bool, typer.Option("--archive", help="Only hide it from searches; can be undone.")] = False,
    erase: Annotated[bool, typer.Option("--erase", help="Erase for good, from every file except backups.")] = False,
    yes: Yes = False,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Forget a memory: it is hidden everywhere, and erased after a waiting period."""
    if archive and erase:
        raise typer.BadParameter("give either --archive or --erase")
    has_options = bool(tags or before or memory_type or session)
    if memory_id is None and about is None and not (erase and has_options):
        raise typer.BadParameter(
            "name a memory by its ID, or several with --about; --tag, --before, --type and --session need --erase"
        )
    if [memory_id is not None, about is not None, has_options].count(True) > 1:
        raise typer.BadParameter("give an ID, or --about, or other options")
    mode = "archive" if archive else "erase" if erase else "forget"
    if about is not None:
        _forget_about(about, limit, mode, yes, home, agent, as_json)
        return
    if erase and not yes:
        what = "all memories that the options match" if memory_id is None else _described(memory_id, home, agent)
        if not confirmed(f"Erase {what}?"):
            raise CommandFailure("nothing was changed; add --yes to confirm", ExitCode.REFUSED)
    chosen = {"tags": tags or None, "before": before, "memory_type": memory_type, "session": session}
    try:
        done = ask("memory_delete", home, agent, memory_id=memory_id, mode=mode, **chosen)
        if not done.data["deleted"]:
            raise CommandFailure("no stored memory matches; nothing was changed", ExitCode.NOT_FOUND)
        shown.tell(done, as_json)
    except CommandFailure as refused:
        if memory_id is None or as_json or is_elsewhere(home):
            raise
        personal.forget(memory_id, mode, home, agent, refused)
    if erase and not is_elsewhere(home) and (backups := _backups(home)):
        contain = "still contains" if backups == 1 else "still contain"
        say(f"{counted(backups, 'older backup')} {contain} it; agentos backups lists the files", err=True)


def _described(memory_id: str, home: Path | None, agent: str | None) -> str:
    """Return a memory's id and text for a question about it. Raises CommandFailure where there is none."""
    found = ask("memory_get", home, agent, memory_id=memory_id).data
    return f'{found["id"]} "{found["content"]}"'


def _backups(home: Path | None) -> int:
    import asyncio

    from ... import config, database

    return len(asyncio.run(database.backups(config.of_home(home), system_clock).all()))


def _forget_about(
    topic: str, limit: int, mode: str, yes: bool, home: Path | None, agent: str | None, as_json: bool
) -> None:
    """Show what is about a topic, and forget it once that is confirmed. Raises CommandFailure where it is not."""
    looked = ask("memory_forget", home, agent, EDITING, topic=topic, limit=limit, mode=mode)
    found = looked.data.get("would_forget", [])
    if not found:
        raise CommandFailure("no stored memory is about it; nothing was changed", ExitCode.NOT_FOUND)
    if not as_json:
        say(
            shown.rows(
                ("id", "at", "memory"), [(shown.short_id(one["id"]), one["date"], one["content"]) for one in found]
            )
        )
    if not (yes or (not as_json and confirmed(f"{mode.capitalize()} these {len(found)}?"))):
        if as_json:
            say_json(looked.data)
            raise typer.Exit(ExitCode.REFUSED)
        raise CommandFailure("nothing was changed; add --yes to confirm", ExitCode.REFUSED)
    chosen = [one["id"] for one in found]
    done = ask("memory_forget", home, agent, EDITING, memory_ids=chosen, mode=mode)
    if as_json or mode == "erase":
        shown.tell(done, as_json)
        return
    say(f"{mode}: {len(chosen)} of {len(chosen)}. To undo it:")
    where = "".join(f" {option} {shlex.quote(str(it))}" for option, it in (("--home", home), ("--agent", agent)) if it)
    say("\n".join(f"  agentos revert {memory_id}{where}" for memory_id in chosen))


def feedback(
    memory_id: MemoryId,
    verdict: Annotated[str, typer.Argument(help="confirm, reject or supersede.")],
    by: Annotated[str | None, typer.Option("--by", help="The id of the memory that supersedes it.")] = None,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Say whether a memory is true, no longer true, or replaced by another."""
    if verdict == "confirm" and by is None and not as_json and personal.decides(home):
        personal.confirm(memory_id, home, agent)
        return
    answer = ask("memory_feedback", home, agent, memory_id=memory_id, verdict=verdict, by=by)
    shown.tell(answer, as_json)


def revert(
    memory_id: MemoryId,
    keep_both: Annotated[bool, typer.Option("--keep-both", help="Keep both the newer and the older memory.")] = False,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Undo the last change of a memory's state; what it superseded becomes current again."""
    answer = ask("memory_revert", home, agent, memory_id=memory_id, keep_both=keep_both or None)
    shown.tell(answer, as_json)
