"""The numbers of a store in PostgreSQL, read without opening it: nothing is made or changed."""

from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import psycopg

from ...modules.health.overview import BackupOverview, StoreOverview
from ..engine.times import from_us
from ..examination.overview import newest, read, size
from . import failures
from .direct import NOW
from .directions import NEAR
from .dumps import found
from .reading import PostgresReader
from .replica import ReplicaBehind, lag

LOOK_S = 2.0
"""How long a standby is waited for."""
BYTES_OF = "octet_length({})"
_SIZE = (
    "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c "
    "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = $2 AND c.relname LIKE $3"
)


def overview(
    home: Path, url: str, schema: str, tenant: str, replica: tuple[str, float], now: datetime
) -> StoreOverview:
    """Return what a store holds now; sizes of the database are those of all stores in the schema. Blocks."""
    sizes = {"database": 0, "index": 0, **{name: size(home / name) for name in ("backups", "models", "logs")}}
    backup: BackupOverview | None = newest(found(home / "backups"))
    try:
        with closing(PostgresReader(url, schema, tenant)) as reader:
            if not reader.has("schema_migrations"):
                return StoreOverview(sizes, backup)
            sizes["database"] = reader.asked(_SIZE, schema, "r", "%")
            sizes["index"] = reader.asked(_SIZE, schema, "i", NEAR)
            shared = from_us(reader.asked(NOW))  # by which daemons record that they live
            standby = _standby(reader, *replica)
            store = read(reader, sizes, backup, now, bytes_of=BYTES_OF, index="", shared=shared)
            return replace(store, standby=standby)
    except psycopg.Error as error:
        return StoreOverview(sizes, backup, str(failures.translate(error)))


def _standby(reader: PostgresReader, url: str, bound_s: float) -> str | None:
    if not url:
        return None
    try:
        return f"answers reads, {lag(reader.connection, url, min(bound_s, LOOK_S)):.1f} s behind at most"
    except (ReplicaBehind, psycopg.Error) as error:
        problem = str(error) if isinstance(error, ReplicaBehind) else "it cannot be asked"
        return f"{problem}: the primary answers reads; agentos doctor has details"
