"""`agentos attach` and `agentos attachments`: pictures and files as memories."""

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import shown
from .groups import ListingGroup
from .opened import with_store
from .options import Agent, AsJson, Home, Limit, Tags, Yes, expanded, path_of
from .outcome import CommandFailure, ExitCode
from .signing import new_file
from .terminal import ask, can_ask, say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.attaching import Attached, Attachment

SHORT_HASH = 12

attachments = typer.Typer(
    cls=ListingGroup, help="Files of memories: list, get and remove them; agentos attach adds one."
)
Memory = Annotated[str, typer.Argument(metavar="MEMORY", help="The memory's id, or its beginning.")]
Hash = Annotated[str, typer.Option("--file", help="Which of several: the beginning of its hash.")]


def attach(
    file: Annotated[Path, typer.Argument(help="A picture or file of at most 16 MiB.", parser=path_of)],
    caption: Annotated[str, typer.Option("--caption", help="What it shows; by default its name.")] = "",
    source: Annotated[str, typer.Option("--source", help="Where it is from.")] = "",
    tag: Tags = None,
    anyway: Annotated[bool, typer.Option("--anyway", help="Also a file whose text holds secrets.")] = False,
    agent: Agent = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Keep a picture or file as a memory, found by its caption, its name and the text in it.

    The store has its own copy. Text is taken from PDF, DOCX and plain text; from others where a plugin reads them.
    """
    from ...modules import foreign_files
    from ...modules.attaching import MOST_BYTES

    path = expanded(file)
    try:
        data = foreign_files.read(path, MOST_BYTES)
    except OSError as error:
        raise CommandFailure(f"{file}: {error.strerror or error}", ExitCode.WRONG_USE, "invalid_input") from error

    async def keep(agentos: "AgentOS", own: str) -> "Attached":
        return await agentos.attachments().attach(
            agent or own,
            os.path.basename(path),
            data,
            caption=caption,
            source=source,
            tags=tag or (),
            anyway=anyway,
        )

    done = with_store(home, keep)
    one = done.attachment
    if as_json:
        say_json({**_row(one), "new": done.is_new, "text_chars": done.text_chars, "problem": done.problem})
        return
    text = f", {done.text_chars} characters of text" if done.text_chars else ""
    say(f"{one.memory_id}  {one.media_type}, {one.size:,} bytes{text}{'' if done.is_new else '; it was there already'}")
    if done.problem:
        say(f"{'not all of its' if done.text_chars else 'no'} text was taken: {done.problem}", err=True)


@attachments.command("list")
def list_attachments(
    memory: Annotated[str | None, typer.Option("--memory", help="Only of this memory.")] = None,
    limit: Limit = 50,
    agent: Agent = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """List files of memories, the newest first."""

    async def look(agentos: "AgentOS", own: str) -> "Sequence[Attachment]":
        service = agentos.attachments()
        if memory is None:
            return await service.all(agent or own, limit)
        return await service.of_memory(agent or own, await _whole(agentos, agent or own, memory))

    found = with_store(home, look)
    if as_json:
        say_json({"attachments": [_row(one) for one in found]})
        return
    rows = [
        (shown.short_id(one.memory_id), one.name, one.media_type, f"{one.size:,}", one.content_hash[:SHORT_HASH])
        for one in found
    ]
    say(shown.rows(("id", "file", "type", "bytes", "hash"), rows))


@attachments.command()
def get(
    memory: Memory,
    to: Annotated[Path | None, typer.Option("--to", help="The file to write; by default its own name, here.")] = None,
    file: Hash = "",
    agent: Agent = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Write a memory's file to a new file that only you can read."""

    async def fetch(agentos: "AgentOS", own: str) -> "tuple[Attachment, bytes]":
        return await agentos.attachments().get(agent or own, await _whole(agentos, agent or own, memory), file)

    found, data = with_store(home, fetch)
    target = expanded(to or Path(found.file_name))
    if target.exists():
        raise CommandFailure(f"{target} already exists; nothing was changed", ExitCode.REFUSED)
    with new_file(target) as out:
        out.write(data)
    if as_json:
        say_json({**_row(found), "path": str(target)})
    else:
        say(f"{target}: {found.media_type}, {found.size:,} bytes")


@attachments.command()
def remove(memory: Memory, yes: Yes = False, agent: Agent = None, home: Home = None, as_json: AsJson = False) -> None:
    """Erase a memory with its files; their bytes go too, unless another memory has the same."""
    from ...modules.memory.lifecycle_service import HUMAN

    async def look(agentos: "AgentOS", own: str) -> "Sequence[Attachment]":
        return await agentos.attachments().of_memory(agent or own, await _whole(agentos, agent or own, memory))

    found = with_store(home, look)
    if not found:
        raise CommandFailure(f"memory {memory} has no file; agentos forget {memory} erases it", ExitCode.NOT_FOUND)
    if not yes and not can_ask():
        raise CommandFailure("nothing was changed; add --yes to confirm", ExitCode.REFUSED)
    erased = yes or ask(f"Erase memory {found[0].memory_id} and {', '.join(one.name for one in found)}?")
    if erased:

        async def erase(agentos: "AgentOS", own: str) -> None:
            await agentos.memory.delete(agent or own, found[0].memory_id, by=HUMAN)

        with_store(home, erase)
    if as_json:
        say_json({"erased": [_row(one) for one in found] if erased else []})
    else:
        say(f"erased: {', '.join(one.name for one in found)}" if erased else "nothing was changed")


async def _whole(agentos: "AgentOS", namespace: str, memory: str) -> str:
    """Return the id of which the beginning was given."""
    return await agentos.abbreviations.expand(namespace, "memory", memory)


def _row(one: "Attachment") -> dict[str, Any]:
    return {**asdict(one), "created_at": one.created_at.isoformat()}
