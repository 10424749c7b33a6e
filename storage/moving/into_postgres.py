"""The target of a move that is a store in PostgreSQL; imported where one is wanted, as its driver is an extra."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from ...modules.clock import Clock
from ..postgres.one_store import NUMBERS
from ..postgres.store import PostgresStore
from .copying import Target
from .targets import OpenTarget


@asynccontextmanager
async def in_postgres(home: Path, url: str, clock: Clock, *, schema: str, tenant: str) -> AsyncIterator[OpenTarget]:
    """Yield a store in PostgreSQL. Raises StorageUnavailable, StorageRefused."""
    store = await PostgresStore.open(home, url, clock, schema=schema, tenant=tenant)
    try:
        yield OpenTarget(Target(store.engine, NUMBERS), store.sharing.audit)
    finally:
        await store.close()
