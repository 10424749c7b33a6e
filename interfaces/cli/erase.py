"""`agentos erase`: all memories about a subject gone for good, looked for afterwards in every file, and certified."""

import json
import os
import tempfile
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...conformance import erasure, reader
from . import personal, shown
from .approvals import is_at_terminal
from .opened import settings_here, with_caller, with_store
from .options import Agent, AsJson, Home, Yes, expanded
from .outcome import Failure, Outcome
from .signing import bundle_lines, moment, signed, signer, write_new
from .terminal import say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.memory.models import Memory
    from ...modules.principals.models import Caller

PAGE = 200
CHUNK = 1 << 20
LONGEST_SOUGHT = 60
"""Bytes of a text that are looked for: more may lie on two pages of the database."""


def erase(
    subject: Annotated[str, typer.Option("--subject", help="A name: erases every memory that contains it.")],
    certificate: Annotated[Path, typer.Option("--certificate", help="The file to create, signed by this home's key.")],
    yes: Yes = False,
    agent: Agent = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Erase every memory that names a subject, hidden ones too, and write a signed certificate of it.

    Every file of the home and its mirror is searched afterwards for the name and the erased texts, and every other
    table for the name; what is left (backups, goals, logs) is told, and certified. Exit code 1: something is left.
    """
    settings = settings_here(home)
    folder = settings.home
    key, author = signer(folder)  # before anything is gone
    if expanded(certificate).exists():
        raise Failure(f"{certificate} exists already; nothing was changed", Outcome.REFUSED)
    if not subject.strip():
        raise Failure("subject: is empty", Outcome.WRONG_USE, "invalid_input")
    namespace, found = with_store(home, lambda agentos, own: _naming(agentos, agent or own, subject))
    if not found:
        raise Failure(f"no memory of {namespace} names {subject}; nothing was changed", Outcome.NOT_FOUND)
    if not as_json:
        say(shown.rows(("id", "memory"), [(shown.short_id(one.id), one.content) for one in found]))
    by = _decided(len(found), yes)

    async def gone(agentos: "AgentOS", _: str) -> None:
        await agentos.memory.delete(namespace, *(one.id for one in found), by=by)

    with_store(home, gone)
    sought = _sought([subject, *(one.content for one in found)])
    elsewhere = (
        [f"{settings.mirror}/{one}" for one in _files_with(Path(settings.mirror), sought)] if settings.mirror else []
    )
    remains = {"files": [*_files_with(folder, sought), *elsewhere, *_encrypted_with(home, sought)]}
    remains["tables"] = _tables_with(home, namespace, subject)
    now = datetime.now(UTC)
    facts = erasure.certificate(namespace, subject, [one.id for one in found], moment(now), author, remains)
    write_new(expanded(certificate), reader.canonical(signed(facts, key, author, now)) + b"\n")
    if as_json:
        say_json({"certificate": str(certificate), **facts})
    else:
        say(f"{len(found)} memories are erased; {certificate} certifies it")
        for where, some in remains.items():
            say(f"{where} that name it still: {', '.join(some) or 'none'}")
    raise typer.Exit(Outcome.NOT_FOUND if any(remains.values()) else Outcome.DONE)


async def _naming(agentos: "AgentOS", namespace: str, subject: str) -> "tuple[str, list[Memory]]":
    """Return the memories of a namespace in which a name occurs, whatever their status, and their earlier versions."""
    from ...modules.memory.models import MemoryFilter, Status

    where = MemoryFilter(include_superseded=True, statuses=tuple(Status))
    wanted, found, cursor = subject.casefold(), [], None
    while True:
        page = await agentos.memory.page(namespace, where, PAGE, 0, cursor)
        for one in page.memories:
            versions = (await agentos.memory.get(namespace, one.id))[1] if one.version > 1 else []
            texts = [one.content, one.summary or "", *one.tags, *(version.content for version in versions)]
            if any(wanted in text.casefold() for text in texts):
                found.append(one)
        if (cursor := page.next_cursor) is None:
            return namespace, found


def _decided(count: int, yes: bool) -> str:
    """Return who decides. Raises Failure where nobody does."""
    from ...modules.memory.lifecycle_service import AGENT, HUMAN

    if is_at_terminal():
        personal.typed_yes(f"Type yes to erase these {count} for good: ")
        return HUMAN
    if not yes:
        raise Failure("nothing was changed; add --yes to do this without being asked", Outcome.REFUSED)
    return AGENT


def _encrypted_with(home: Path | None, sought: Sequence[bytes]) -> list[str]:
    """Return the encrypted files of a home that hold one of the texts, which nobody sees in their bytes."""
    from ... import database

    settings = settings_here(home)
    return [] if settings.uses_postgres else database.encryption(settings, lambda _: None).naming(sought)


def _sought(texts: Sequence[str]) -> list[bytes]:
    """Return the beginnings of texts, in all their spellings."""
    return sorted({one.encode("utf-8", "replace")[:LONGEST_SOUGHT] for text in texts for one in _spellings(text)})


def _files_with(folder: Path, sought: Sequence[bytes]) -> Iterator[str]:
    """Yield the files below a folder in which one of the texts can be read, by their paths there."""
    for root, _, names in os.walk(folder):
        for name in sorted(names):
            path = Path(root) / name
            if path.is_file() and not path.is_symlink() and _has(path, sought):
                yield path.relative_to(folder).as_posix()


def _spellings(text: str) -> Iterator[str]:
    """Yield the ways in which files may hold a text: in small and capital letters, composed or not, as in JSON.

    What is compared has its ASCII letters made small, as the files' bytes have.
    """
    for cased in (text, text.lower(), text.upper(), text.title()):
        for form in ("NFC", "NFD"):
            one = unicodedata.normalize(form, cased)
            for written in (one, json.dumps(one)[1:-1], json.dumps(one, ensure_ascii=False)[1:-1]):
                yield written.encode("utf-8", "replace").lower().decode("utf-8", "replace")


def _has(path: Path, sought: Sequence[bytes]) -> bool:
    kept = b""
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                window = kept + chunk.lower()
                if any(one in window for one in sought):
                    return True
                kept = window[-LONGEST_SOUGHT:]
    except FileNotFoundError:  # it went meanwhile
        return False
    return False


def _tables_with(home: Path | None, namespace: str, subject: str) -> list[str]:
    """Return the tables in which a name occurs, among all that an export of the namespace and its branches holds."""

    async def export(agentos: "AgentOS", caller: "Caller") -> None:
        branches = await agentos.branches.branches(caller, namespace)
        await agentos.portability.export(path, [namespace, *(branch.namespace for branch in branches)])

    with tempfile.TemporaryDirectory(prefix=".look-", dir=settings_here(home).home) as own:
        path = Path(own) / "all.jsonl"
        with_caller(home, export)
        with bundle_lines(path) as lines:
            rows = (line.value for line in reader.read(lines) if line.kind == "row")
            wanted = subject.casefold()
            return sorted({row["table"] for row in rows if any(wanted in one.casefold() for one in _texts(row["row"]))})


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
