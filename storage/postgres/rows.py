"""Rows and values between PostgreSQL and Python: whole numbers are 64 bits wide, JSON stays text."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from psycopg import AsyncConnection, AsyncCursor, Connection
from psycopg.adapt import Loader
from psycopg.types.numeric import Int8Dumper, NumericBinaryLoader
from psycopg.types.string import StrDumper, TextBinaryLoader, TextLoader


class PostgresRow:
    """Implements `engine.ports.Row`."""

    __slots__ = ("_places", "_values")

    def __init__(self, places: dict[str, int], values: Sequence[Any]) -> None:
        self._places = places
        self._values = tuple(values)

    def __getitem__(self, key: Any, /) -> Any:
        return self._values[self._places[key] if isinstance(key, str) else key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def keys(self) -> list[str]:
        return list(self._places)


def as_rows(cursor: AsyncCursor[Any]) -> Callable[[Sequence[Any]], PostgresRow]:
    """Make a Row of each row that a cursor reads."""
    places: dict[str, int] = {}
    for place, column in enumerate(cursor.description or ()):
        places.setdefault(column.name, place)
    return lambda values: PostgresRow(places, values)


class _NumericLoader(Loader):
    """A sum of whole numbers is a whole number; an average is not."""

    def load(self, data: Any) -> int | float:
        text = bytes(data)
        return int(text) if text.lstrip(b"-").isdigit() else float(text)


class _NumericBinaryLoader(NumericBinaryLoader):
    def load(self, data: Any) -> Any:
        value = super().load(data)
        return float(value) if value.as_tuple().exponent else int(value)


def adapt(connection: AsyncConnection[Any] | Connection[Any]) -> None:
    """Let a connection speak of values as SQLite does."""
    connection.adapters.register_dumper(int, Int8Dumper)
    connection.adapters.register_dumper(str, StrDumper)
    connection.adapters.register_loader("numeric", _NumericLoader)
    connection.adapters.register_loader("numeric", _NumericBinaryLoader)
    connection.adapters.register_loader("json", TextBinaryLoader)
    connection.adapters.register_loader("json", TextLoader)
    connection.adapters.register_loader("jsonb", TextLoader)
