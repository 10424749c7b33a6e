"""The objects of a database beside its rows, to compare with those that the migrations create."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any

from . import migrate
from .driver import connect

_LISTED = (
    "SELECT type, name, CASE WHEN type IN ('view', 'trigger') THEN sql ELSE '' END FROM sqlite_master "
    "WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
)
_NO_CODE = re.compile(r"[\s\"'`\[\];]++|--[^\n]*+")

Objects = Mapping[tuple[str, str], str]
"""(Kind, name) to the code of views and triggers; "" for tables and indexes."""


def of(rows: Callable[[str], Sequence[Any]]) -> Objects:
    """Return the objects of a database that `rows` reads."""
    return {(kind, name): _NO_CODE.sub(" ", sql or "").strip().lower() for kind, name, sql in rows(_LISTED)}


def expected_objects(version: int) -> Objects:
    """Return the objects that the first `version` migrations create."""
    with closing(connect(":memory:", isolation_level=None)) as connection:
        migrate.apply_to(connection, migrate.known()[:version])
        return of(lambda sql: connection.execute(sql).fetchall())
