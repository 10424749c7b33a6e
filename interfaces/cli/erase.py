"""`agentos erase`: all memories about a subject gone for good, looked for afterwards in every file, and certified."""

import json
import os
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...conformance import erasure, reader
from ...modules.text.counting import counted, memories_counted
from . import person, shown
from .opened import passing_folder, settings_here, with_caller, with_store
from .options import Agent, AsJson, Home, Yes, expanded, path_of
from .outcome import CommandFailure, ExitCode
from .signing import bundle_lines, moment, new_file, signed, signer
from .terminal import one_line, say, say_json

if TYPE_CHECKING:
    from ...modules.agentos import AgentOS
    from ...modules.principals.models import Caller

OF_THE_SERVER = "the database server: its log, its disk until VACUUM FULL, its replicas, archives and backups"
OF_SYNC = "what sync knows of other devices' records: its feature is off"
CARRIED_OUT = "copies outside this home: exports, passports, backups, other machines"
MODELS = "models"
"""The folder of downloaded models: their vocabularies hold common names, and nothing that anybody stored."""
SEALED = "sealed_memories"
LABELS = {
    "files": "files that name it still",
    "tables": "tables that still name it",
    "attachments": "its files that others have too",
    "sealed": "nobody here can read",
    "namespaces": "others name it too",
    "rights": "may not be erased by you",
}
CHUNK = 1 << 20
LONGEST_SOUGHT = 60
"""Bytes of a text that are looked for: more may lie on two pages of the database."""


def erase(
    subject: Annotated[str, typer.Option("--subject", help="A name: erases every memory that contains it.")],
    certificate: Annotated[
        Path, typer.Option("--certificate", help="The file to create, signed by this home's key.", parser=path_of)
    ],
    yes: Yes = False,
    agent: Agent = None,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Erase every memory that names a subject, including hidden ones and copies, and write a signed certificate.

    Copies are searched in branches, forks and merged namespaces. Every file of the home and its mirror is searched
    afterwards for the name and the erased texts, and every other table for the name. The answer and certificate list
    what is left: backups, goals, logs, memories of others. Exit code 1: something is left.
    """
    settings = settings_here(home)
    folder = settings.home
    key, author = signer(folder)  # before anything is gone
    if expanded(certificate).exists():
        raise CommandFailure(f"{certificate} already exists; nothing was changed", ExitCode.REFUSED)
    if not subject.strip():
        raise CommandFailure("subject: is empty", ExitCode.WRONG_USE, "invalid_input")
    found = with_caller(home, lambda agentos, caller: agentos.erasure.look(caller, agent or caller.default, subject))
    if not found.own:
        raise CommandFailure(f"no memory of {found.namespace} names {subject}; nothing was changed", ExitCode.NOT_FOUND)
    if not as_json:
        rows = [(shown.short_id(one.id), one.namespace, one.content) for one in found.all]
        say(shown.rows(("id", "agent", "memory"), rows))
    by = _decided(len(found.all), yes)

    async def erased(agentos: "AgentOS", _: str) -> tuple[frozenset[str], list[str]]:
        files = await agentos.erasure.files_of([one.id for one in found.all])
        return files, await agentos.erasure.erase(found, by)

    with new_file(expanded(certificate)) as file:  # where there can be none, nothing is erased
        hashes, not_erased = with_store(home, erased)
        sought = _sought([subject, *(one.content for one in found.all)])
        mirrored = _files_with(Path(settings.mirror), sought) if settings.mirror else ()
        elsewhere = [f"{settings.mirror}/{one}" for one in mirrored]
        remains = {"files": [*_files_with(folder, sought), *elsewhere, *_encrypted_with(home, sought)]}
        remains |= _rows_with(home, [found.namespace, *(one.namespace for one in found.copies)], subject)
        remains["tables"] = [*remains.get("tables", []), *_put_aside(home, subject)]
        remains["namespaces"] = [f"{name}: {count} of others" for name, count in found.elsewhere.items()]
        remains["rights"] = [*found.closed, *not_erased]
        held = with_store(home, lambda agentos, _: agentos.erasure.files_left(sorted(hashes))) if hashes else hashes
        remains |= {"attachments": sorted(held)} if held else {}
        not_searched = [
            CARRIED_OUT,
            "downloaded models",
            *([OF_THE_SERVER] if settings.uses_postgres else []),
            *([] if "sync" in settings.features else [OF_SYNC]),
            *([f"{found.unread} namespaces that you may not read"] if found.unread else []),
        ]
        now = datetime.now(UTC)
        ids = [one.id for one in found.all if one.id not in not_erased]
        facts = erasure.certificate(
            found.namespace, subject, ids, moment(now), author, remains, not_searched, sorted(hashes - held)
        )
        file.write(reader.canonical(signed(facts, key, author, now)) + b"\n")
    if as_json:
        say_json({"certificate": str(certificate), **facts})
    else:
        with_files = f" with {counted(len(hashes), 'file')}" if hashes else ""
        say(f"{memories_counted(len(ids))} erased{with_files}; certificate: {certificate}")
        for where, places in remains.items():
            if places:
                say(f"{LABELS[where]}: {', '.join(map(one_line, places))}")
        say(f"not searched: {', '.join(not_searched)}")
    raise typer.Exit(ExitCode.NOT_FOUND if any(remains.values()) else ExitCode.DONE)


def _decided(count: int, yes: bool) -> str:
    """Return who decides. Raises CommandFailure where nobody does."""
    from ...modules.memory.lifecycle_service import AGENT, HUMAN

    if person.is_there():
        person.typed_yes(f"Type yes to erase these {count} for good: ")
        return HUMAN
    if not yes:
        raise CommandFailure("nothing was changed; add --yes to confirm", ExitCode.REFUSED)
    return AGENT


def _encrypted_with(home: Path | None, sought: Sequence[bytes]) -> list[str]:
    """Return the encrypted files of a home that hold one of the texts, which nobody sees in their bytes."""
    from ... import database

    settings = settings_here(home)
    return [] if settings.uses_postgres else database.encryption(settings, lambda _: None).naming(sought)


def _put_aside(home: Path | None, subject: str) -> list[str]:
    """Return the tables of schemas put aside by restores that name a subject."""
    from ... import database

    return database.put_aside(settings_here(home), subject)


def _sought(texts: Sequence[str]) -> list[bytes]:
    """Return the beginnings of texts, in all their spellings."""
    return sorted({one.encode("utf-8", "replace")[:LONGEST_SOUGHT] for text in texts for one in _spellings(text)})


def _files_with(folder: Path, sought: Sequence[bytes]) -> Iterator[str]:
    """Yield the files below a folder in which one of the texts can be read, by their paths there; not models' own."""
    for root, folders, names in os.walk(folder):
        if root == str(folder) and MODELS in folders:
            folders.remove(MODELS)
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
    tail = b""
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                window = tail + chunk.lower()
                if any(one in window for one in sought):
                    return True
                tail = window[-LONGEST_SOUGHT:]
    except FileNotFoundError:  # it went meanwhile
        return False
    return False


def _rows_with(home: Path | None, namespaces: Sequence[str], subject: str) -> dict[str, list[str]]:
    """Return the tables in which a name occurs, and the sealed memories, which nobody here can read.

    That is among all that an export of the namespaces and their branches holds, and what no export has.
    """

    async def export(agentos: "AgentOS", caller: "Caller") -> set[str]:
        branches = await agentos.branches.branches(caller, namespaces[0])
        whose = dict.fromkeys([*namespaces, *(branch.namespace for branch in branches)])
        await agentos.portability.export(path, list(whose))
        sync = await agentos.sync()
        of_sync = {"sync_records"} if sync is not None and await sync.names(subject) else set[str]()
        beside = {"questions": agentos.recalls.naming, "deeds": agentos.deeds.naming}
        return of_sync | {table for table, naming in beside.items() for one in whose if await naming(one, subject)}

    wanted = subject.casefold()
    sealed: Counter[str] = Counter()
    with passing_folder(home) as own:
        path = own / "all.jsonl"
        tables = with_caller(home, export)
        with bundle_lines(path) as lines:
            for line in reader.read(lines):
                if line.kind != "row":
                    continue
                table, row = line.value["table"], line.value["row"]
                if table == SEALED:
                    sealed[row["namespace"]] += 1
                elif any(wanted in one.casefold() for one in _texts(row)):
                    tables.add(table)
    return {
        "tables": sorted(tables),
        "sealed": [f"{name}: {count} sealed" for name, count in sorted(sealed.items())],
    }


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
