"""The other stores of a schema, opened over the connections of one that is open."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from ...modules.agentos import AgentOS
from ...modules.memory.ports import VectorIndex
from ...modules.store import Store
from ...modules.tenants.ports import Tenants
from .store import PostgresStore


class OtherStores:
    """Implements `daemon_pkg.many.ManyStores`; `wire` makes the services over a store."""

    def __init__(self, store: Store, wire: Callable[[Store], AgentOS]) -> None:
        assert isinstance(store, PostgresStore), "the settings allow it on PostgreSQL alone"
        self._store = store
        self._wire = wire
        self.directory: Tenants = store.tenants

    @asynccontextmanager
    async def opened(self, name: str) -> AsyncIterator[tuple[AgentOS, VectorIndex]]:
        store = await self._store.beside(name)
        agentos = self._wire(store)
        try:
            yield agentos, store.vector_index()
        finally:
            await agentos.close()
            await store.close()
