"""The stores of one schema as a whole: whose a key is, and where there is work."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from ...modules.errors import NotFound
from ...modules.tenants.models import Tenant
from ..engine.times import to_us
from .database import OF_NONE, Postgres

_RESTS = timedelta(days=1)
"""How long the jobs of a store wait in which nothing has changed, and that nobody uses."""

_COUNTS = (
    "SELECT count(*) AS known, count(suspended_at) AS suspended, "
    "count(*) FILTER (WHERE memories >= max_memories OR bytes >= max_bytes) AS full FROM stores_known()"
)


class TenantDirectory:
    """Implements `modules.tenants.ports.Tenants`."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres.beside(OF_NONE)  # which goes on while a store is suspended, the process's own too

    async def of_key(self, prefix: str, digest: bytes | None) -> list[Tenant]:
        rows = await self._postgres.read(
            "SELECT store, number, is_suspended, is_paused, most_calls FROM stores_of_key(?, ?)", (prefix, digest)
        )
        return [Tenant(*row) for row in rows]

    async def due(self, now: datetime, open_ones: Collection[str]) -> list[str]:
        rests = _RESTS // timedelta(microseconds=1)
        rows = await self._postgres.read(
            "SELECT name FROM stores_due(?, ?, ?) AS due (name)", (to_us(now), [*open_ones], rests)
        )
        return [row["name"] for row in rows]

    async def counts(self) -> Mapping[str, int]:
        [row] = await self._postgres.read(_COUNTS)
        return {name: int(row[name]) for name in ("known", "suspended", "full")}

    async def ended(self, open_ones: Collection[str]) -> list[str]:
        rows = await self._postgres.read("SELECT name FROM stores_ended(?) AS ended (name)", ([*open_ones],))
        return [row["name"] for row in rows]

    async def number(self, name: str) -> int:
        """Return the number of a store. Raises NotFound."""
        rows = await self._postgres.read("SELECT id FROM tenants WHERE name = ?", (name,))
        if not rows:
            raise NotFound(f"there is no store {name[:60]!r}; agentos tenants lists them")
        return int(rows[0]["id"])
