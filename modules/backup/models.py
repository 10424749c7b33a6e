"""The domain types of backups."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Backup:
    """A copy of the store that was checked before it got its name; `created_at` is aware, in UTC.

    What is not known of it is None. `digest` is the SHA-256 of the file, `version` the AgentOS that made it,
    `mark` where the store stood: two backups with the same mark hold the same. `problem` says why it cannot be
    used, as far as that can be seen without reading it whole.
    """

    name: str
    path: str
    created_at: datetime
    bytes: int
    schema: int | None
    memories: int | None
    version: str | None = None
    digest: str | None = None
    mark: str | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Restored:
    """What a restore did: which backup the store comes from now, and where the replaced file is kept, if any."""

    backup: Backup
    database: str
    kept_aside: str | None


@dataclass(frozen=True)
class MigrationStep:
    """A change of the schema that is still to be made."""

    version: int
    name: str


@dataclass(frozen=True)
class Rehearsal:
    """What a migration would do, tried on a copy: from which schema to which, by which steps."""

    schema: int
    steps: tuple[MigrationStep, ...]
    memories: int | None
