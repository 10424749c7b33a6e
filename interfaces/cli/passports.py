"""`agentos passport` and `agentos history`: a part of a memory carried away, looked into, and brought in elsewhere."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...conformance import reader
from ...conformance.parts import ACTIVE, Part, Scope, counts, timeline
from ...modules.text.counting import memories_counted
from . import shown
from .opened import passing_folder, settings_here, with_store
from .options import Agent, AsJson, Home, expanded, path_of
from .outcome import CommandFailure, ExitCode
from .signing import INTEGRITY, bundle_lines, envelope, sealed_lines, signer, write_new
from .terminal import one_line, say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.portability.models import Imported

history = typer.Typer(help="Show, export or replay one memory's lineage.", no_args_is_help=True)

Signed = Annotated[bool, typer.Option("--sign", help="Seal and sign it with this home's key.")]
NewFile = Annotated[Path, typer.Argument(metavar="FILE", help="The file to create, usually *.jsonl.", parser=path_of)]
Root = Annotated[str, typer.Argument(metavar="ID", help="A memory's id, or its beginning.")]


def passport(
    file: NewFile,
    scope: Annotated[
        Scope, typer.Option("--scope", help="Which memories to export: all, personal, team or project.")
    ] = Scope.ALL,
    agent: Agent = None,
    sign: Signed = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Export the memories of a scope for another system, where agentos import imports them.

    agentos import --dry-run shows beforehand what is new, what already exists, and what contradicts it.
    """
    part = carried(home, agent).scoped(scope)
    _write(part, file, "passport", home, sign, as_json, scope=scope.value)


@history.command()
def show(memory_id: Root, agent: Agent = None, home: Home = None, as_json: AsJson = False) -> None:
    """Show what a memory was derived from and what was derived from it, oldest first."""
    part = _lineage(home, agent, memory_id)
    found = timeline(part)
    if as_json:
        say_json({"root": memory_id, "rows": counts(part), "timeline": [_entry(*one) for one in found]})
        return
    say(shown.rows(("at", "what", "memory", ""), [(_day(at), what, name, more) for at, what, name, more in found]))


@history.command()
def export(
    memory_id: Root,
    file: NewFile,
    agent: Agent = None,
    sign: Signed = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Write a memory and its lineage to a file."""
    _write(_lineage(home, agent, memory_id), file, "history", home, sign, as_json, root=memory_id)


@history.command()
def replay(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file made by agentos history or agentos passport.", parser=path_of)
    ],
    into: Annotated[str, typer.Option("--into", help="The new agent, without memories.")],
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Import a history into an empty namespace, as a branch."""
    with bundle_lines(expanded(file)) as lines:
        part = Part.of(lines).moved(into)

    done = replayed(part, into, home)
    if as_json:
        say_json({"into": into, "new": dict(done.new), "left_out": dict(done.left_out)})
    else:
        say(shown.rows(("what", "rows"), list(done.new.items())))


def replayed(part: Part, into: str, home: Path | None) -> "Imported":
    """Bring a part into an agent's namespace that has no memories yet. Raises Conflict where it has some."""

    async def bring(agentos: "AgentOS", _: str) -> "Imported":
        from ...modules import identifiers
        from ...modules.errors import Conflict
        from ...modules.memory.models import MemoryFilter, Status

        namespace = identifiers.agent("into", into)
        where = MemoryFilter(include_superseded=True, statuses=tuple(Status))
        if (await agentos.memory.page(namespace, where, 1, 0)).memories:
            raise Conflict(f"{into} already has memories; nothing was changed. Choose an agent without memories")
        return await brought(agentos, part, home)

    return with_store(home, bring)


async def brought(agentos: "AgentOS", part: Part, home: Path | None) -> "Imported":
    """Import a part, in addition to what exists."""
    with passing_folder(home) as own:
        moved = own / "part.jsonl"
        moved.write_bytes(b"".join(part.lines()))
        return await agentos.portability.import_bundle(moved)


def carried(home: Path | None, agent: str | None) -> Part:
    """Return what a home's agent has, as of one moment. Raises Complaint, CommandFailure."""
    with passing_folder(home) as own:
        path = own / "all.jsonl"

        async def write(agentos: "AgentOS", default: str) -> Any:
            return await agentos.portability.export(path, [agent or default])

        with_store(home, write)
        with bundle_lines(path) as lines:
            return Part.of(lines)


def _lineage(home: Path | None, agent: str | None, memory_id: str) -> Part:
    part = carried(home, agent)
    found = [name for name in part.memories if memory_id and name.startswith(memory_id)]
    if len(found) != 1:
        problem = (
            "there is no memory with this id; agentos recall and agentos list give valid ids"
            if not found
            else "several memories have ids that begin with it; give more of it"
        )
        raise CommandFailure(f"{memory_id or 'an empty id'}: {problem}", ExitCode.NOT_FOUND)
    return part.lineage(found[0])


def _write(part: Part, file: Path, kind: str, home: Path | None, sign: bool, as_json: bool, **asked: str) -> None:
    now = datetime.now(UTC)
    namespaces = sorted({row["namespace"] for row in part.memories.values()})
    lines = part.lines(lambda digest: envelope(kind, digest, now, namespaces=namespaces, **asked))
    key, author = signer(settings_here(home).home) if sign else (None, None)
    lines = sealed_lines(lines, key, author, now)
    write_new(expanded(file), b"".join(lines))
    about = reader.parse(lines[0])["envelope"]
    if as_json:
        say_json({"path": str(file), "signed_by": author, "rows": dict(counts(part)), **about})
        return
    say(
        f"{file}: {memories_counted(len(part.memories))}"
        + (f", signed by {author}" if author else "")
        + f"\n{about['uri']}"
    )


def _entry(at: int, what: str, name: str, more: str) -> dict[str, Any]:
    return {"at": _day(at), "what": what, "memory_id": name, "more": more}


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1_000_000, UTC).isoformat(timespec="seconds")


def page(part: Part, seal: dict[str, Any], as_html: bool) -> str:
    """Return what a bundle holds and how it stands to its seal: plain text, or HTML that loads and runs nothing."""
    rows = [(row["namespace"], row.get("status", ACTIVE), row["content"]) for row in part.memories.values()]
    name = seal["envelope"].get("uri") or f"a bundle of schema {part.head.get('schema')}"
    signature = "" if seal["signature"] == "unsigned" else f", signature {seal['signature']}"
    title = f"{name}: {INTEGRITY[seal['integrity']]}{signature}"
    if as_html:
        return table_page(title, ("agent", "status", "memory"), rows)
    lines = [f"{one_line(whose)}  {status}  {one_line(content)}" for whose, status, content in rows]
    return "\n".join([one_line(title), *lines])


def table_page(title: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as a page of HTML; what is in it is text, whatever it looks like."""
    from html import escape

    body = "\n".join("".join(["<tr>", *(f"<td>{escape(str(cell))}</td>" for cell in row), "</tr>"]) for row in rows)
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">\n'
        f"<title>{escape(title)}</title>\n<h1>{escape(title)}</h1>\n"
        f"<table><tr>{''.join(f'<th>{escape(name)}</th>' for name in names)}</tr>\n{body}\n</table></html>\n"
    )
