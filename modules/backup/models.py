"""The domain types of backups."""

from datetime import datetime

from ..records import dataclass


@dataclass(frozen=True)
class Backup:
    """A copy of the store that was verified before it got its name; `created_at` is aware, in UTC.

    Unknown fields are None. `digest` is the SHA-256 of the file, `version` the AgentOS that made it, `mark` the state
    of the store: two backups with the same mark hold the same. `problem` says why it cannot be used, as far as that can
    be seen without reading it whole.
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
    """The result of a restore: the backup that the store comes from now, and what it replaced, if anything.

    That is the path of a file, or the name of a schema.
    """

    backup: Backup
    database: str
    replaced: str | None


@dataclass(frozen=True)
class MigrationStep:
    """A migration of the schema that is still pending."""

    version: int
    name: str


@dataclass(frozen=True)
class Rehearsal:
    """The dry run of a migration on a copy: from which schema, by which steps."""

    schema: int
    steps: tuple[MigrationStep, ...]
    memories: int | None
