"""mem0: the memories of an export, whether a list, pages of results, JSON lines, or the points of a vector store."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ...modules.foreign_files import MiB
from ...modules.foreign_files import read as read_file
from ...modules.portability.models import MemoryEntry, Record, Refused
from .json_values import values
from .moments import iso
from .relations import in_words
from .tagging import tags_of

SOURCE = "import: mem0"
MAX_FILE_BYTES = 256 * MiB
LOOKED_AT = 50
_TEXT = ("memory", "text", "content", "data", "fact")
_LISTS = ("results", "memories", "data", "items", "points")
_OWNERS = ("user_id", "agent_id", "app_id", "run_id", "actor_id", "role")
_TARGETS = ("destination", "target")


def is_here(path: Path) -> bool:
    if not path.is_file() or path.suffix not in (".json", ".jsonl", ".ndjson"):
        return False
    found = islice(_entries(path), LOOKED_AT)
    return any(isinstance(one, tuple) and (_is_known(one[1]) or _is_relation(one[1])) for one in found)


def read(path: Path) -> Iterator[Record]:
    for one in _entries(path):
        yield one if isinstance(one, Refused) else _record(*one)


def _entries(path: Path) -> Iterator[tuple[str, Any] | Refused]:
    """Every entry with where it is, out of whatever lists of lists an export has put it into."""
    for one in values(read_file(path, MAX_FILE_BYTES), _is_known):
        if isinstance(one, Refused):
            yield one
        else:
            yield from _within(*one)


def _within(where: str, value: Any, depth: int = 3) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        for number, entry in enumerate(value, start=1):
            yield from _within(f"entry {number}", entry, depth)
        return
    if not isinstance(value, dict) or _is_known(value) or _is_relation(value) or not depth:
        yield where, value
        return
    lists = [(key, value[key]) for key in (*_LISTS, "relations") if isinstance(value.get(key), list | dict)]
    if not lists:  # by user, as {"ann": [...]}
        lists = [(key, entry) for key, entry in value.items() if isinstance(entry, list)]
    if not lists:
        yield where, value
    for key, entry in lists:
        for here, one in _within(key, entry, depth - 1):
            yield (here if here.startswith(key) else f"{key}, {here}"), one


def _is_known(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("payload"), dict):
        return _is_known(value["payload"])
    return any(key in value and not isinstance(value[key], list | dict) for key in _TEXT)


def _is_relation(value: Any) -> bool:
    return isinstance(value, dict) and "source" in value and any(key in value for key in _TARGETS)


def _record(where: str, value: Any) -> Record:
    if _is_relation(value) and not _is_known(value):
        return _relation(where, value)
    if not _is_known(value):
        return Refused(where, "is not a memory")
    entry = {**value, **value["payload"]} if isinstance(value.get("payload"), dict) else value
    where = f"{where} ({entry['id']})" if isinstance(entry.get("id"), str | int) else where
    text = next((entry[key] for key in _TEXT if entry.get(key) is not None), None)
    if not isinstance(text, str) or not text.strip():
        return Refused(where, "holds no text")
    when = entry.get("updated_at") or entry.get("created_at")
    moment = iso(when)
    if when and moment is None:
        return Refused(where, f"{str(when)[:60]!r} is not a date")
    tags, more = tags_of(entry.get("categories"), entry.get("tags"))
    own = next((one for one in (entry.get("metadata"), entry.get("metadata_")) if isinstance(one, dict)), {})
    owners = {name: entry[name] for name in _OWNERS if entry.get(name)}
    return MemoryEntry(
        text,
        tags=tags,
        metadata={**own, **more, **owners, "imported_id": str(entry.get("id", ""))},
        source=SOURCE,
        occurred_at=moment,
        where=where,
    )


def _relation(where: str, value: dict[str, Any]) -> Record:
    kind = value.get("relationship") or value.get("relation") or "is related to"
    target = next((value[key] for key in _TARGETS if value.get(key)), None)
    if not all(isinstance(one, str) and one.strip() for one in (value["source"], kind, target)):
        return Refused(where, "lacks source, relationship or target")
    return MemoryEntry(f"{value['source']} {in_words(kind)} {target}", tags=("relation",), source=SOURCE, where=where)
