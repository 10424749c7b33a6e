"""Whole JSON documents out of files, or out of the archive in which an export comes."""

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

from ....modules.foreign_files import read as read_file
from ....modules.portability.models import Refused
from .turns import MAX_FILE_BYTES

_UNREADABLE = (
    *(OSError, EOFError, zlib.error, zipfile.BadZipFile),
    *(NotImplementedError, RuntimeError, ValueError, RecursionError),
)
EXPORTED = "conversations.json"
"""The document of an export of chats, of ChatGPT and of Claude."""


def read(file: Path, below: Path) -> Any:
    """Return a document, or what is wrong with it."""
    name = file.name if file == below else str(file.relative_to(below))
    try:
        return json.loads(read_file(file, MAX_FILE_BYTES, None if file == below else below))
    except OSError as error:
        return Refused(name, error.strerror or str(error))
    except (ValueError, RecursionError):
        return Refused(name, "is truncated or not JSON")


def exported(path: Path) -> Any:
    """Return the conversations of an export, which is an archive, a folder or the document itself; None without any."""
    if path.is_dir():
        path = path / EXPORTED
        return read(path, path) if path.is_file() else None
    if path.suffix != ".zip":
        return read(path, path) if path.suffix == ".json" else None
    try:
        with zipfile.ZipFile(path) as archive:
            found = next((one for one in archive.infolist() if Path(one.filename).name == EXPORTED), None)
            if found is None:
                return None
            with archive.open(found) as stream:
                data = stream.read(MAX_FILE_BYTES + 1)  # whatever size the archive says it has
        return Refused(EXPORTED, "is too large") if len(data) > MAX_FILE_BYTES else json.loads(data)
    except (
        OSError,
        zlib.error,
        zipfile.BadZipFile,
        NotImplementedError,
        RuntimeError,
        ValueError,
        RecursionError,
        EOFError,
    ) as error:
        return Refused(path.name, f"cannot be read: {error}")
