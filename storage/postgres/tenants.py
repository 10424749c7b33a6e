"""The stores of one schema as a whole: whose a key is, where there is work, and what none of them has."""

from collections.abc import Collection
from datetime import datetime, timedelta
from pathlib import Path
from typing import NoReturn

from ...modules.backup.models import Backup, Rehearsal
from ...modules.errors import NotFound, PermissionDenied
from ...modules.tenants.models import Tenant
from ..engine.times import to_us
from .database import Postgres

_RESTS = timedelta(days=1)
"""How long the jobs of a store wait in which nothing has changed, and that nobody uses."""


class TenantDirectory:
    """Implements `modules.tenants.ports.Tenants`."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres

    async def of_key(self, prefix: str, digest: bytes | None) -> list[Tenant]:
        rows = await self._postgres.read(
            "SELECT store, is_suspended, most_calls FROM stores_of_key(?, ?)", (prefix, digest)
        )
        return [
            Tenant(row["store"], is_suspended=row["is_suspended"], calls_per_minute=row["most_calls"]) for row in rows
        ]

    async def due(self, now: datetime, open_ones: Collection[str]) -> list[str]:
        rests = _RESTS // timedelta(microseconds=1)
        rows = await self._postgres.read(
            "SELECT name FROM stores_due(?, ?, ?) AS due (name)", (to_us(now), [*open_ones], rests)
        )
        return [row["name"] for row in rows]

    async def ended(self, open_ones: Collection[str]) -> list[str]:
        rows = await self._postgres.read("SELECT name FROM stores_ended(?) AS ended (name)", ([*open_ones],))
        return [row["name"] for row in rows]

    async def number(self, name: str) -> int:
        """Return the number of a store. Raises NotFound."""
        rows = await self._postgres.read("SELECT id FROM tenants WHERE name = ?", (name,))
        if not rows:
            raise NotFound(f"there is no store {name[:60]!r}")
        return int(rows[0]["id"])


class NoBackups:
    """Implements `modules.backup.ports.BackupStorage` for one of many stores: a dump would hold the others' too."""

    async def make(self, at: datetime, folder: Path | None) -> Backup:
        self._refuse()

    async def found(self, folder: Path | None) -> list[Backup]:
        return []

    async def remove(self, backup: Backup) -> None:
        self._refuse()

    async def mark(self) -> str:
        return ""

    async def require(self, source: Path | None) -> None:
        raise NotFound("this store has no backups of its own: export it, or ask the operator")

    async def restore(self, source: Path | None, at: datetime) -> NoReturn:
        self._refuse()

    async def rehearse(self) -> Rehearsal:
        self._refuse()

    async def holds_data(self) -> bool:
        return True

    @staticmethod
    def _refuse() -> NoReturn:
        raise PermissionDenied("backups hold every store: the operator makes them; export this one instead")
