"""The connector `editor`: projects and files that editors list as opened lately."""

import json
import os
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import platformdirs

from ....modules import foreign_files
from ....modules.errors import InvalidInput
from ....storage.imports import sqlite_files
from ..models import Connector, Signal
from .texts import day, moment, reference, title

MOST_BYTES = 16 * foreign_files.MiB
MOST_OF_ONE = 200
"""The most entries of one list, which editors keep newest first."""
_LISTED = "history.recentlyOpenedPathsList"
_VIM_MARK = re.compile(r"^> (.{1,1000})\n\t\*\t(\d{9,11})\t", re.MULTILINE)


def _places() -> Sequence[Path]:
    settings = Path(platformdirs.user_config_dir(roaming=True))
    code = [
        settings / name / "User/globalStorage/state.vscdb" for name in ("Code", "Code - Insiders", "VSCodium", "Cursor")
    ]
    jet_brains = sorted((settings / "JetBrains").glob("*/options/recentProjects.xml"))
    return [one for one in (*code, *jet_brains, Path.home() / ".viminfo") if one.is_file()]


def _read(path: Path, now: datetime) -> Iterable[Signal]:
    written = datetime.fromtimestamp(os.stat(path).st_mtime, UTC)
    if path.suffix == ".xml":
        found = _of_jet_brains(foreign_files.read(path, MOST_BYTES), written)
    elif sqlite_files.has_tables(path, "ItemTable"):
        found = _of_code(path, written)
    else:
        text = foreign_files.text(path, MOST_BYTES)
        found = [(name, at) for name, seconds in _VIM_MARK.findall(text) if (at := moment(float(seconds)))]
        if not found and "viminfo" not in text[:200]:
            raise InvalidInput("file", "is no list of an editor: give state.vscdb, recentProjects.xml or .viminfo")
    for name, at in found[:MOST_OF_ONE]:
        text = f"Editor: the user worked on {title(name)}, last on {day(at)}."
        yield Signal(reference("opened", name), text, at)


def _of_code(path: Path, written: datetime) -> list[tuple[str, datetime]]:
    """Return what Visual Studio Code lists; it keeps no times, so all is as old as the file."""
    try:
        with sqlite_files.opened(path) as connection:
            rows = connection.execute("SELECT value FROM ItemTable WHERE key = ?", (_LISTED,)).fetchall()
        entries: Any = json.loads(rows[0]["value"]).get("entries", []) if rows else []
    except (ValueError, AttributeError, RecursionError) as error:
        raise InvalidInput("file", f"its list of opened folders cannot be read: {error}") from error
    named = []
    for entry in entries if isinstance(entries, list) else []:
        workspace = entry.get("workspace") if isinstance(entry, dict) else None
        uri = (workspace or {}).get("configPath") if isinstance(workspace, dict) else None
        uri = uri or (entry.get("folderUri") or entry.get("fileUri") if isinstance(entry, dict) else None)
        if isinstance(uri, str) and (place := _place(uri)):
            named.append((place, written))
    return named


def _of_jet_brains(data: bytes, written: datetime) -> list[tuple[str, datetime]]:
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise InvalidInput("file", f"is not XML: {error}") from error
    found = []
    for entry in root.iter("entry"):
        key = entry.get("key")
        stamps = [one.get("value", "") for one in entry.iter("option") if "Timestamp" in one.get("name", "")]
        at = moment(max((float(one) / 1000 for one in stamps if one.isdecimal()), default=0))
        if key:
            found.append((key.replace("$USER_HOME$", "~"), at or written))
    return sorted(found, key=lambda one: one[1], reverse=True)


def _place(uri: str) -> str:
    """Return the path of a file's URI, and of another one what it names."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    return unquote(parts.path if parts.scheme == "file" else f"{parts.netloc}{parts.path}")


EDITOR = Connector(
    "editor", "lists of opened folders of Visual Studio Code and its variants, JetBrains and Vim", _places, _read
)
