"""Databases of other systems, read without touching them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

HEADER = b"SQLite format 3\x00"


def has_tables(path: Path, *names: str) -> bool:
    """Whether a path is a SQLite file with all of these tables."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        if file.read(len(HEADER)) != HEADER:
            return False
    with opened(path) as connection:
        found = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return found >= set(names)


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """The file for reading alone, whoever else uses it."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        yield connection
