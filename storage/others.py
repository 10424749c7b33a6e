"""The other stores of a database, opened over the connections of one that is open."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from ..modules.agentos import AgentOS
from ..modules.errors import WrongSettings
from ..modules.memory.ports import VectorIndex
from ..modules.tenants.ports import Tenants


class OtherStores:
    """Implements `daemon_pkg.many.ManyStores`; `wire` makes the services over a store."""

    def __init__(self, store: Any, wire: Callable[[Any], AgentOS]) -> None:
        """Take an open store. Raises WrongSettings where it has none beside it."""
        if not hasattr(store, "beside"):
            raise WrongSettings(
                "AGENTOS_DATABASE_TENANTS: tenants need PostgreSQL: set AGENTOS_DATABASE_URL=postgresql://…"
            )
        self._store = store
        self._wire = wire
        self.directory: Tenants = store.tenants

    @asynccontextmanager
    async def opened(self, name: str) -> AsyncIterator[tuple[AgentOS, VectorIndex]]:
        store = await self._store.beside(name)
        try:
            agentos = self._wire(store)
            try:
                yield agentos, store.vector_index()
            finally:
                await agentos.close()
        finally:
            await store.close()
