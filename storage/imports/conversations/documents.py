"""Whole JSON documents out of files, or out of the archive in which an export comes."""

import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....modules.foreign_files import files_below
from ....modules.foreign_files import read as read_file
from ....modules.portability.models import Refused
from .. import json_values
from .turns import MAX_FILE_BYTES

_UNREADABLE = (
    *(OSError, EOFError, zlib.error, zipfile.BadZipFile),
    *(NotImplementedError, RuntimeError, ValueError, RecursionError),
)
EXPORTED = r"conversations[-_ ]?\(?\d{0,6}\)?\.json|conversations/[^/]+\.json"
"""The documents of an export of chats, of ChatGPT and of Claude: one, several that are numbered, by the exporter or by
a browser that downloads one again, or one for each chat."""
MOST_DOCUMENTS = 10_000


def read(file: Path, below: Path) -> Any:
    """Return a document, or what is wrong with it."""
    name = file.name if file == below else str(file.relative_to(below))
    try:
        return json_values.document(read_file(file, MAX_FILE_BYTES, None if file == below else below))
    except OSError as error:
        return Refused(name, error.strerror or str(error))
    except (ValueError, RecursionError):
        return Refused(name, "is truncated, not JSON, or far too large")


def exported(path: Path) -> list[Any]:
    """Return the conversations of an export, and Refused for what cannot be read; none where it is no export."""
    found: list[Any] = []
    for name, document in documents(path, EXPORTED):
        if isinstance(document, dict) and isinstance(document.get("conversations"), list):
            document = document["conversations"]
        elif isinstance(document, dict) and ("mapping" in document or "chat_messages" in document):
            document = [document]
        if isinstance(document, list):
            found += document
        else:
            found.append(document if isinstance(document, Refused) else Refused(name, "has no conversations"))
    return found


def conversations(path: Path, messages: str, kind: type) -> Iterator[tuple[int, Any]]:
    """Yield the conversations of an export by number, or Refused: each has its `messages` in a value of that kind."""
    for number, one in enumerate(exported(path), start=1):
        is_one = isinstance(one, Refused) or (isinstance(one, dict) and isinstance(one.get(messages), kind))
        yield number, one if is_one else Refused(f"conversation {number}", "is not a conversation")


def documents(path: Path, pattern: str) -> list[tuple[str, Any]]:
    """Return the documents of an export whose names fit, each or what is wrong with it, in order of their names.

    A pattern may name the folder that they are in, too. An export is an archive, a folder of them or of documents, or a
    document itself, whatever its name.
    """
    if path.is_dir():
        files = [file for file in files_below(path, ".json") if _fits(pattern, file)]
        within = [one for archive in files_below(path, ".zip") for one in documents(archive, pattern)]
        return [*((file.name, read(file, path)) for file in files[:MOST_DOCUMENTS]), *within]
    if path.suffix != ".zip":
        return [(path.name, read(path, path))] if path.suffix == ".json" and pattern == EXPORTED else []
    found: list[tuple[str, Any]] = []
    try:
        with zipfile.ZipFile(path) as archive:
            fit = [one for one in archive.infolist() if _fits(pattern, Path(one.filename))]
            left = MAX_FILE_BYTES
            for member in sorted(fit, key=lambda one: one.filename)[:MOST_DOCUMENTS]:
                name = Path(member.filename).name
                with archive.open(member) as stream:
                    data = stream.read(left + 1)  # whatever size the archive says it has
                if len(data) > left:
                    found.append((name, Refused(name, "is too large, with those before it")))
                    break
                left -= len(data)
                found.append((name, _parsed(name, data)))
    except _UNREADABLE as error:
        found.append((path.name, Refused(path.name, f"cannot be read: {error}")))
    return found


def _fits(pattern: str, file: Path) -> bool:
    names = (file.name, "/".join(file.parts[-2:]))
    return any(re.fullmatch(pattern, name, re.IGNORECASE) for name in names)


def _parsed(name: str, data: bytes) -> Any:
    try:
        return json_values.document(data)
    except (ValueError, RecursionError):
        return Refused(name, "is truncated, not JSON, or far too large")
