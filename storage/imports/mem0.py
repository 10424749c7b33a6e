"""mem0: the memories of an export, which is a list, or an object with a list under `results` or `memories`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...modules.foreign_files import MiB
from ...modules.foreign_files import read as read_file
from ...modules.portability.models import Entry

SOURCE = "import: mem0"
MAX_FILE_BYTES = 128 * MiB
_OWNERS = ("user_id", "agent_id", "app_id", "run_id")


def is_here(path: Path) -> bool:
    if not path.is_file() or path.suffix != ".json":
        return False
    try:
        entries = _entries(path)
    except ValueError:
        return False
    return bool(entries) and all(
        isinstance(entry, dict) and ("memory" in entry or "text" in entry) for entry in entries
    )


def read(path: Path) -> Iterator[Entry]:
    for entry in _entries(path):
        owners = {name: entry[name] for name in _OWNERS if entry.get(name)}
        own = entry.get("metadata")
        yield Entry(
            str(entry.get("memory") or entry["text"]),
            tags=tuple(str(tag) for tag in entry.get("categories") or ()),
            metadata={**(own if isinstance(own, dict) else {}), **owners, "imported_id": str(entry.get("id", ""))},
            source=SOURCE,
            occurred_at=entry.get("updated_at") or entry.get("created_at"),
        )


def _entries(path: Path) -> list[Any]:
    found = json.loads(read_file(path, MAX_FILE_BYTES))
    if isinstance(found, dict):
        found = found.get("results") or found.get("memories") or []
    if not isinstance(found, list):
        raise ValueError("it holds no list of memories")
    return found
