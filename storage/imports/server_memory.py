"""MCP server-memory: its knowledge graph as JSON lines, as a list, or as one object with both kinds of lists.

Each observation is a memory, each relation a sentence, and an entity without observations what it is.
"""

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

SOURCE = "import: server-memory"
MAX_FILE_BYTES = 256 * MiB
LOOKED_AT = 50
_TEXT = ("content", "text", "observation", "value")
_WHEN = ("created_at", "createdAt", "timestamp", "date")


def is_here(path: Path) -> bool:
    if not path.is_file() or path.suffix not in (".json", ".jsonl", ".ndjson", ".txt", ""):
        return False
    found = islice(values(read_file(path, MAX_FILE_BYTES), _is_known), LOOKED_AT)
    return any(isinstance(one, tuple) and (_is_known(one[1]) or _is_graph(one[1])) for one in found)


def read(path: Path) -> Iterator[Record]:
    for one in values(read_file(path, MAX_FILE_BYTES), _is_known):
        if isinstance(one, Refused):
            yield one
            continue
        where, value = one
        if _is_graph(value):
            yield from _graph(value)
        else:
            yield from _record(where, value)


def _is_known(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in ("entity", "relation")


def _is_graph(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("entities"), list) and "relations" in value


def _graph(value: dict[str, Any]) -> Iterator[Record]:
    relations = value["relations"] if isinstance(value["relations"], list) else []
    for kind, found in (("entity", value["entities"]), ("relation", relations)):
        for number, one in enumerate(found, start=1):
            typed = {"entityType": one.get("type"), **one, "type": kind} if _is_map(one) else one
            yield from _record(f"{kind} {number}", typed)


def _record(where: str, value: Any) -> Iterator[Record]:
    if not _is_map(value):
        yield Refused(where, "is not an object")
    elif value.get("type") == "entity":
        yield from _entity(where, value)
    elif value.get("type") == "relation":
        yield _relation(where, value)
    elif not str(value.get("type", "")).startswith("_"):  # some forks begin a file with a line about itself
        yield Refused(where, "is neither an entity nor a relation")


def _entity(where: str, value: dict[str, Any]) -> Iterator[Record]:
    name = _text(value.get("name"))
    if not name:
        yield Refused(where, "has no name")
        return
    kind = _text(value.get("entityType", value.get("entity_type")))
    tags, more = tags_of(kind)
    metadata = {"entity": name, **more}
    given = value.get("observations")
    observations = given if isinstance(given, list) else [given] if given else []
    if not observations:
        yield MemoryEntry(f"{name}: {kind}" if kind else name, tags=tags, metadata=metadata, source=SOURCE, where=where)
    for number, one in enumerate(observations, start=1):
        own = one if _is_map(one) else {}
        text = next((_text(own[key]) for key in _TEXT if own.get(key)), "") if own else _text(one)
        here = f"{where}, observation {number}"
        if text:
            when = next((iso(own[key]) for key in _WHEN if own.get(key)), None)
            yield MemoryEntry(
                f"{name}: {text}", tags=tags, metadata=metadata, source=SOURCE, occurred_at=when, where=here
            )
        else:
            yield Refused(here, "holds no text")


def _relation(where: str, value: dict[str, Any]) -> Record:
    kind = value.get("relationType", value.get("relation_type"))
    source, kind, target = (_text(one) for one in (value.get("from"), kind, value.get("to")))
    if not (source and kind and target):
        return Refused(where, "lacks from, to or relationType")
    text = f"{source} {in_words(kind)} {target}"
    return MemoryEntry(text, tags=("relation",), metadata={"entity": source}, source=SOURCE, where=where)


def _is_map(value: object) -> bool:
    return isinstance(value, dict)


def _text(value: object) -> str:
    """A text or a number as a text; nothing of what is neither."""
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
