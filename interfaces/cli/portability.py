"""`agentos export` and `agentos import`: a whole memory written to a file, and read from one."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...modules.text.counting import counted, memories_counted
from . import agent_files, shown
from .opened import with_store
from .options import Agent, AsJson, Home, Yes, expanded, path_of
from .outcome import CommandFailure, ExitCode
from .terminal import ask, can_ask, progress, say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.portability.models import Imported, Progress, Taken, Viewed

    Bring = Callable[[bool, Progress], Callable[[AgentOS, str], Awaitable[Imported | Taken]]]
    """What brings something in, or with True only says what it would."""

SHOWN = 50
LONGEST_HEAD = 65_536


def export(
    file: Annotated[
        Path | None,
        typer.Argument(help="The file to create, usually *.jsonl; *.md makes a readable page.", parser=path_of),
    ] = None,
    agents: Annotated[
        list[str] | None, typer.Option("--agent", help="Only these agents; by default all. Repeatable.")
    ] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", help="A section for agents: claude-md, agents-md, cursor-rules or claude-project."),
    ] = None,
    tokens: Annotated[int, typer.Option("--tokens", help="With --to: the most tokens to write.")] = agent_files.TOKENS,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With --to: only show what would be written.")] = False,
    yes: Yes = False,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Export everything to one file of JSON lines, or the knowledge to a Markdown page.

    With --to, write what agents should know into a section of CLAUDE.md, AGENTS.md, a Cursor rule or a file for a
    Claude project, in this folder or in FILE; the rest of the file stays.
    """
    if to is not None:
        request = agent_files.FileRequest(to, file, agents[0] if agents else None, tokens, dry_run, yes, as_json)
        agent_files.run(request, home)
        return
    if file is None:
        raise typer.BadParameter("name a new file, or give --to", param_hint="FILE")
    target = expanded(file)
    if target.suffix == ".md":
        _view(target, agents, home, as_json)
        return
    made = with_store(home, lambda agentos, _: agentos.portability.export(target, agents or None))
    if as_json:
        say_json(asdict(made))
        return
    say(shown.rows(("what", "rows"), list(made.rows.items())))
    say(f"{made.path}\ncanonical hash {made.canonical_hash}")


def _view(target: Path, agents: list[str] | None, home: Path | None, as_json: bool) -> None:
    async def write(agentos: "AgentOS", _: str) -> "Viewed":
        return await agentos.portability.view(target, agents or await agentos.jobs.namespaces())

    made = with_store(home, write)
    if as_json:
        say_json(asdict(made))
    else:
        say(f"{made.path}: {memories_counted(made.memories)}, {counted(made.goals, 'goal')}")


def import_(
    path: Annotated[
        Path,
        typer.Argument(help="A file made by agentos export, or a file or folder of another system.", parser=path_of),
    ],
    name: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="agentos-1, claude-mem, server-memory, claude-code, codex, gemini-cli, chatgpt, claude, mem0, "
            "basic-memory, instructions, git, or a plugin's; detected by default.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be imported.")] = False,
    yes: Yes = False,
    home: Home = None,
    agent: Agent = None,
    as_json: AsJson = False,
) -> None:
    """Import what is missing; existing data is not changed, and importing again changes nothing.

    It says who signed a file made by agentos export; a revoked key or a wrong signature is refused.
    Exit code 3 if something is refused or left out.
    """
    source = expanded(path)
    if not source.exists():
        raise CommandFailure(f"there is no {source}", ExitCode.WRONG_USE, "invalid_input")
    bring = _bundle(source) if name is None and _is_bundle(source) else _foreign(source, name, agent)

    def brought(*, dry_run: bool) -> "Imported | Taken":
        with progress(quiet=as_json) as report:
            return with_store(home, bring(dry_run, report))

    if not (yes or dry_run):
        planned = brought(dry_run=True)  # what cannot be brought in is refused as such, and not for want of a yes
        if not can_ask():
            raise CommandFailure("nothing was changed; add --yes to import, or --dry-run to preview", ExitCode.REFUSED)
        _show(planned)
        if not ask("Import this?"):
            raise CommandFailure("nothing was changed", ExitCode.REFUSED)
    done = brought(dry_run=dry_run)
    if as_json:
        memories = {"memories": dict(done.memories)} if isinstance(done, _imported()) else {}
        say_json({"dry_run": dry_run, **memories, **asdict(done)})
    else:
        _show(done)
    if not dry_run and _refused(done):
        raise typer.Exit(ExitCode.REFUSED)


def _bundle(source: Path) -> "Bring":
    return lambda dry_run, report: (
        lambda agentos, _: agentos.portability.import_bundle(source, dry_run=dry_run, progress=report)
    )


def _foreign(source: Path, name: str | None, agent: str | None) -> "Bring":
    return lambda dry_run, report: (
        lambda agentos, default: agentos.portability.take(
            agent, source, name, default=default, dry_run=dry_run, progress=report
        )
    )


def _is_bundle(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        begin = file.readline(LONGEST_HEAD)
    return begin.startswith(b'{"agentos_bundle":') or _is_head(begin)


def _is_head(line: bytes) -> bool:
    """Return whether a line is the head of a bundle, however it is written."""
    from ...conformance import reader

    try:
        value = reader.parse(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "agentos_bundle" in value


def _imported() -> "type[Imported]":
    from ...modules.portability.models import Imported

    return Imported


def _refused(done: "Imported | Taken") -> tuple[str, ...]:
    from ...modules.portability.models import Taken

    return done.refused if isinstance(done, Taken) else ()


def _show(found: "Imported | Taken") -> None:
    from ...modules.portability.models import Taken

    if isinstance(found, Taken):
        counts = (found.format, found.new, found.known, len(found.refused))
        say(shown.rows(("from", "new", "there already", "refused"), [counts]))
        if found.examples:
            say(shown.rows(("for example",), [[one.splitlines()[0]] for one in found.examples]))
        if found.refused:
            say(shown.rows(("refused or left out",), [[one] for one in found.refused[:SHOWN]]))
            if len(found.refused) > SHOWN:
                say(f"… and {len(found.refused) - SHOWN} more; --json names all")
        return
    if found.signature:
        say(f"this file is {found.signature}")
    names = list(dict.fromkeys([*found.new, *found.known, *found.left_out]))
    entries = [[name, found.new.get(name, 0), found.known.get(name, 0), found.left_out.get(name, 0)] for name in names]
    say(shown.rows(("what", "new", "there already", "left out"), entries))
    say("memories: " + ", ".join(f"{count} {what}" for what, count in found.memories.items()))
    if found.ignored:
        ignored = ", ".join(sorted(found.ignored))
        say(f"unknown fields were ignored: {ignored}")
    if found.contested:
        say(f"{len(found.contested)} contradict known memories; decide with agentos approvals")
    if found.redacted:
        rows = ", ".join(f"{count} {table.replace('_', ' ')}" for table, count in found.redacted.items())
        say(f"secrets were redacted in {rows}")
