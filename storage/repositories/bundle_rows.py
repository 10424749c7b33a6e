"""Rows of a bundle: how one refers to another without its number, and what a value may be."""

import base64
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from ...modules import identifiers
from ...modules.errors import StorageRefused
from ...modules.memory.models import MemoryType
from ...modules.records import dataclass
from ..engine.times import from_us

NUMBER = "seq"
"""A row's number in its table: the order of arrival, which differs from store to store."""

BLOB = "base64"

Row = dict[str, Any]
"""Column to value, as JSON: bytes are an object with BLOB."""


@dataclass(frozen=True)
class ReferringColumn:
    """A column that refers to another table's row by `key`: its id or its number."""

    column: str
    table: str
    key: str


@dataclass(frozen=True)
class Table:
    """A table's columns without its own number, and the links of these to other tables.

    `keyed` where the columns, beside the number, have a key that tells rows apart. `truths` are the columns that are
    true or false, which a bundle holds as 1 and 0.
    """

    name: str
    columns: tuple[str, ...]
    numbered: bool
    keyed: bool
    links: tuple[ReferringColumn, ...]
    truths: frozenset[str] = frozenset()

    @cached_property
    def by_number(self) -> tuple[ReferringColumn, ...]:
        """The links by number, which a bundle holds as ids."""
        return tuple(link for link in self.links if link.key == NUMBER)


def selection(table: Table, namespaces: Sequence[str] | None) -> tuple[str, list[str]]:
    """Return the query, with parameters, for rows of some namespaces, or of all, in order; ids stand for numbers."""
    condition, parameters = _condition(table, namespaces)
    if table.name == "readings":
        condition = f"{condition} AND t.version > 0"  # version 0 means unread: it depends on this store's order
    return rows_in_order(table, condition), parameters


def rows_in_order(table: Table, condition: str = "TRUE") -> str:
    """Return the query for the rows `t` of a table that meet a condition, in order; ids stand for numbers."""
    selected = ", ".join(_selected(table, column) for column in table.columns)
    joins = " ".join(
        f"LEFT JOIN {link.table} l{place} ON l{place}.{NUMBER} = t.{link.column}"
        for place, link in enumerate(table.by_number)
    )
    order = f"t.{NUMBER}" if table.numbered else ", ".join(f"t.{column}" for column in table.columns)
    return f"SELECT {selected} FROM {table.name} t {joins} WHERE {condition} ORDER BY {order}"


def _selected(table: Table, column: str) -> str:
    for place, link in enumerate(table.by_number):
        if link.column == column:
            return f"l{place}.id"
    return f"t.{column}"


def _condition(table: Table, namespaces: Sequence[str] | None) -> tuple[str, list[str]]:
    """Return the SQL condition, with parameters, for rows of some namespaces: by own column, else by the first link."""
    if namespaces is None:
        return "TRUE", []
    marks = ", ".join("?" * len(namespaces))
    if table.name == "namespaces":
        return f"t.id IN ({marks})", list(namespaces)
    if "namespace" in table.columns:
        return f"t.namespace IN ({marks})", list(namespaces)
    if table.name == "attachment_parts":
        of_them = f"SELECT content_hash FROM attachments WHERE namespace IN ({marks})"
        return f"t.content_hash IN ({of_them})", list(namespaces)
    link = table.links[0]
    return (f"t.{link.column} IN (SELECT {link.key} FROM {link.table} WHERE namespace IN ({marks}))", list(namespaces))


def json_row(table: Table, values: Sequence[Any]) -> Row:
    """Return a row of `selection` as a bundle holds it."""
    return {column: json_value(value) for column, value in zip(table.columns, values, strict=True)}


def json_value(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    return {BLOB: base64.b64encode(value).decode("ascii")} if isinstance(value, bytes) else value


def stored_value(value: Any) -> Any:
    """Return the value of a column from JSON. Raises ValueError when it is no such value."""
    if isinstance(value, Mapping):
        if set(value) != {BLOB} or not isinstance(value[BLOB], str):
            raise ValueError("contains an object that is not bytes")
        return base64.b64decode(value[BLOB], validate=True)
    if isinstance(value, list):
        raise ValueError("holds a list")
    if isinstance(value, bool):
        raise ValueError("contains true or false, which no column does")
    return value


def stored_row(table: Table, row: Row) -> Row:
    """Return what is kept of a bundle's row, numbers still told by ids. Raises ValueError as `stored_value` does."""
    values = {column: stored_value(row[column]) for column in table.columns}
    return values | {column: bool(values[column]) for column in table.truths if values[column] is not None}


def acceptable_value(column: str, value: Any) -> Any:
    """Return `stored_value` of a value that the services could have written. Raises ValueError for any other.

    One row that cannot be read would make all of an agent's memories unreadable.
    """
    stored = stored_value(value)
    if isinstance(stored, int):
        _check_integer(column, stored)
    elif isinstance(stored, str):
        stored.encode()
        if "\x00" in stored:
            raise ValueError(f"{column} contains a NUL character")
        if column == "id":
            identifiers.namespace(column, stored)
        elif column == "memory_type" and stored not in set(MemoryType):
            raise ValueError("memory_type is none that there is")
        elif column == "tags" and not _is_list_of_texts(_json(stored)):
            raise ValueError("tags is not a list of strings")
        elif column in OBJECTS and not isinstance(_json(stored), dict):
            raise ValueError(f"{column} is not an object")
    return stored


OBJECTS = ("metadata", "payload", "structured")
"""Columns that are JSON objects as texts."""


def _check_integer(column: str, value: int) -> None:
    """Raise ValueError unless the number is in the range of times, the largest numbers stored."""
    try:
        from_us(value)
    except StorageRefused:
        raise ValueError(f"{column} is out of range") from None


def _json(text: str) -> Any:
    """Return the value of a JSON text. Raises ValueError, also for an unpaired surrogate in it."""
    value = json.loads(text)
    json.dumps(value, ensure_ascii=False).encode()
    return value


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)
