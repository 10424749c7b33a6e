"""A rehearsal of the migrations that a database still needs, on a private copy of it."""

import tempfile
from pathlib import Path

from ..engine.migration import Migration
from . import migrate, sound_copy
from .backup_files import contents
from .driver import sqlite3


def rehearse(
    source: sqlite3.Connection, database: Path, migrations: list[Migration]
) -> tuple[int, list[Migration], int | None]:
    """Return the schema, the steps still to be made, and the number of memories after them. Blocks.

    Raises what the migration itself would: StorageRefused, sqlite3.Error.
    """
    steps = migrate.outstanding(source, migrations, database)
    with tempfile.TemporaryDirectory(prefix="agentos-rehearsal-") as temporary:
        copy = Path(temporary) / database.name
        sound_copy.make(source, copy)
        migrate.apply(copy, steps)
        sound_copy.check(copy)
        _, memories = contents(copy)
    return len(migrations) - len(steps), steps, memories
