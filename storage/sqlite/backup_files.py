"""The backups in a folder: their names, the facts noted beside each, their order, their removal."""

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...modules.backup.models import Backup
from ..embedding.private_file import write_private
from . import folder, row_copy
from .driver import sqlite3

PARTIAL = ".partial"
BEFORE_SCHEMA = "before-schema-"
_TIME = "%Y%m%dT%H%M%SZ"


class BackupFiles:
    """The folder with the backups of one database.

    A backup is `<database>-<UTC time>.db`, with its facts in a `.json` beside it. The database gets this name last: a
    file with another name is no backup. `before-schema-NNN.db` is the copy that a migration keeps.
    """

    def __init__(self, path: Path, database: Path) -> None:
        self.path = path
        self._stem = database.stem
        self._name = re.compile(rf"{re.escape(database.stem)}-(\d{{8}}T\d{{6}}Z)(?:-(\d+))?\.db")

    def fresh(self, at: datetime) -> Path:
        """Return a path that is still free."""
        name = f"{self._stem}-{at.astimezone(UTC).strftime(_TIME)}"
        path, number = self.path / f"{name}.db", 1
        while path.exists():
            number += 1
            path = self.path / f"{name}-{number}.db"
        return path

    def sweep(self) -> None:
        """Remove the remains of a killed backup. Only for the holder of the folder's lock."""
        for path in self.path.glob(f"{self._stem}-*"):
            orphan = path.suffix == ".json" and not path.with_suffix(".db").exists()
            if orphan or PARTIAL in path.name:
                path.unlink(missing_ok=True)
        for path in self.path.glob(f".{self._stem}-*"):  # facts that were being written
            path.unlink(missing_ok=True)

    def commit(self, partial: Path, backup: Backup) -> Backup:
        """Give a checked copy its name, facts first; from then on it is a backup, whatever happens."""
        final = Path(backup.path)
        facts = {
            "created_at": backup.created_at.isoformat(),
            "schema": backup.schema,
            "memories": backup.memories,
            "version": backup.version,
            "digest": backup.digest,
            "bytes": backup.bytes,
            "mark": backup.mark,
        }
        write_private(final.with_suffix(".json"), json.dumps(facts, indent=1).encode())
        folder.sync(self.path)
        partial.rename(final)
        folder.sync(self.path)
        return backup

    def all(self) -> list[Backup]:
        """Return every backup, newest first, without reading any whole; `problem` marks one that cannot be sound."""
        return sorted(self._found(), key=lambda backup: (backup.created_at, backup.name), reverse=True)

    def exist(self) -> bool:
        """Return whether there is any backup that was made of this very database."""
        return self.path.is_dir() and any(self._name.fullmatch(path.name) for path in self.path.iterdir())

    def _found(self) -> Iterator[Backup]:
        if not self.path.is_dir():
            return
        for path in self.path.glob("*.db"):
            named = self._name.fullmatch(path.name)
            if named is not None:
                yield self.describe(path, datetime.strptime(named[1], _TIME).replace(tzinfo=UTC))
            elif path.name.startswith(BEFORE_SCHEMA):
                yield self.describe(path, datetime.fromtimestamp(path.stat().st_mtime, UTC))

    def describe(self, path: Path, made: datetime) -> Backup:
        """Return what is known of a file: from the facts beside it, else by looking into it."""
        size = path.stat().st_size
        facts = _facts(path.with_suffix(".json"))
        if facts is not None:
            problem = None if facts["bytes"] == size else f"has {size} bytes instead of {facts['bytes']}"
            return Backup(path.name, str(path), made, size, facts["schema"], facts["memories"], facts["version"],
                          facts["digest"], facts["mark"], problem)  # fmt: skip
        try:
            schema, memories = contents(path)
        except sqlite3.Error as error:
            return Backup(path.name, str(path), made, size, None, None, problem=f"cannot be read: {error}")
        return Backup(path.name, str(path), made, size, schema, memories)

    def remove(self, backup: Backup) -> None:
        """Delete a backup: the database first, then its facts."""
        path = Path(backup.path)
        path.unlink(missing_ok=True)
        path.with_suffix(".json").unlink(missing_ok=True)


def contents(path: Path) -> tuple[int | None, int | None]:
    """Return the schema and the number of memories of a copy that nobody writes to. Raises sqlite3.Error."""
    with closing(row_copy.opened(path)) as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        schema = memories = None
        if "schema_migrations" in tables:
            [schema] = connection.execute("SELECT max(version) FROM schema_migrations").fetchone()
        if "memories" in tables:
            [memories] = connection.execute("SELECT count(*) FROM memories").fetchone()
    return schema, memories


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal. Blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _facts(path: Path) -> dict[str, Any] | None:
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    known = {"created_at", "schema", "memories", "version", "digest", "bytes", "mark"}
    return facts if isinstance(facts, dict) and known <= set(facts) else None
