"""`agentos anchors`: notes that follow the code of a folder; nothing is read until a folder is followed."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from ...interfaces.cli import shown
from ...interfaces.cli.opened import with_store
from ...interfaces.cli.options import Agent, AsJson, Home, expanded, path_of
from ...interfaces.cli.terminal import say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.anchoring import Checked
    from .models import Anchor
    from .service import AnchorService

T = TypeVar("T")

anchors = typer.Typer(
    help="Notes that follow the code: renamed, moved, changed or gone is shown with them.", no_args_is_help=True
)

FolderGiven = Annotated[
    Path, typer.Argument(metavar="[FOLDER]", help="A project's folder; by default this one.", parser=path_of)
]
Folder = Annotated[Path, typer.Option("--folder", help="The project's folder; by default this one.", parser=path_of)]
NoteId = Annotated[str, typer.Argument(metavar="MEMORY_ID", help="The note's id, whole.")]
HERE = Path()


@anchors.command()
def follow(folder: FolderGiven = HERE, agent: Agent = None, home: Home = None, as_json: AsJson = False) -> None:
    """Follow the code of a project: anchor its notes that name files or symbols, now and from now on."""

    async def work(service: "AnchorService", namespace: str) -> "tuple[Checked, bool]":
        return await service.follow(agent or namespace, str(expanded(folder))), service.parses

    done, parses = _with(home, work)
    _tell(done, as_json)
    if not parses and not as_json:
        _say_files_alone()


@anchors.command()
def leave(folder: FolderGiven = HERE, agent: Agent = None, home: Home = None, as_json: AsJson = False) -> None:
    """Follow a folder no longer, and forget its anchors; the notes stay."""

    async def work(service: "AnchorService", namespace: str) -> int:
        return await service.leave(agent or namespace, str(expanded(folder)))

    removed = _with(home, work)
    if as_json:
        say_json({"removed": removed})
    else:
        say(f"anchors removed: {removed}")


@anchors.command()
def add(
    note: NoteId,
    place: Annotated[str, typer.Argument(metavar="PLACE", help="PATH, or PATH:SYMBOL as in src/net.py:Client.get.")],
    folder: Folder = HERE,
    commit: Annotated[str, typer.Option("--commit", help="The commit that the note is about; by default HEAD.")] = "",
    agent: Agent = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Anchor a note to a file or a symbol."""

    async def work(service: "AnchorService", namespace: str) -> "Anchor":
        return await service.add(agent or namespace, note, place, str(expanded(folder)), commit)

    anchor = _with(home, work)
    if as_json:
        say_json(_fields(anchor))
    else:
        say(f"{anchor.memory_id} is anchored to {anchor.place}")


@anchors.command("list")
def show_list(
    note: Annotated[str | None, typer.Argument(metavar="[MEMORY_ID]", help="Only this note's.")] = None,
    agent: Agent = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """List the folders that are followed, the anchors, and what became of their code."""

    async def work(service: "AnchorService", namespace: str) -> dict[str, Any]:
        own = agent or namespace
        return {
            "folders": [asdict(one) for one in await service.status() if one.namespace == own],
            "anchors": [_fields(one) for one in await service.listed(own, note)],
        }

    found = _with(home, work)
    if as_json:
        say_json(found)
        return
    folders = [(one["folder"], one["notes"], one["marked"], one["problem"]) for one in found["folders"]]
    say(shown.rows(("folder", "notes", "marked", ""), folders))
    if found["anchors"]:
        rows = [(one["memory_id"], one["place"], one["state"], one["mark"]) for one in found["anchors"]]
        say(shown.rows(("note", "code", "state", ""), rows))


@anchors.command()
def check(home: Home = None, as_json: AsJson = False) -> None:
    """Check the notes of all followed folders now; a job does so every ten minutes, and hooks after edits."""

    async def work(service: "AnchorService", _: str) -> "tuple[Checked, bool]":
        return await service.check(), service.parses

    done, parses = _with(home, work)
    _tell(done, as_json)
    if not parses and not as_json:
        _say_files_alone()


@anchors.command()
def remove(
    note: NoteId,
    place: Annotated[str | None, typer.Argument(metavar="[PLACE]", help="Only this one, as list shows it.")] = None,
    agent: Agent = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Remove the anchors of a note, or one of them; its mark goes with them."""

    async def work(service: "AnchorService", namespace: str) -> int:
        return await service.remove(agent or namespace, note, place)

    removed = _with(home, work)
    if as_json:
        say_json({"removed": removed})
    else:
        say(f"anchors removed: {removed}")


def _tell(done: "Checked", as_json: bool) -> None:
    if as_json:
        say_json(asdict(done))
        return
    say(f"anchors: {done.anchors} checked, {done.found} found; notes marked: {done.marked}, cleared: {done.cleared}")
    for folder, problem in done.words.items():
        say(f"{folder}: {problem}", err=True)


def _say_files_alone() -> None:
    from .service import FILES_ALONE

    say(FILES_ALONE, err=True)


def _fields(one: "Anchor") -> dict[str, Any]:
    return {
        "memory_id": one.memory_id,
        "place": str(one.place),
        "now": str(one.now),
        "state": one.state.value,
        "mark": one.mark,
        "commit": one.commit,
        "given": one.is_given,
    }


def _with(home: Path | None, work: "Callable[[AnchorService, str], Awaitable[T]]") -> T:
    from .service import anchors_of

    async def opened(agentos: "AgentOS", namespace: str) -> T:
        return await work(await anchors_of(agentos), namespace)

    return with_store(home, opened)
