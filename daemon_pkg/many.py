"""The work in the background of many stores: one look at what is due in any of them, and the jobs of those."""

import asyncio
import logging
import random
import secrets
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, Protocol

from ..modules.agentos import AgentOS
from ..modules.clock import Clock
from ..modules.errors import AgentOSError
from ..modules.memory.ports import VectorIndex
from ..modules.records import dataclass
from ..modules.tenants.ports import Tenants
from ..modules.version import VERSION
from . import plugged
from .index_worker import IndexWorker
from .scheduler import TICK_S, Scheduler
from .stores import Stores

AT_ONCE = 2
"""In how many stores jobs run at once."""
MOST_IN_A_ROUND = 16
"""How many stores are visited between two looks: the others are due again at the next one, here or elsewhere."""

log = logging.getLogger(__name__)


class StoreWork:
    """The jobs, the tasks and the index of one of many stores; it waits for hints, and does not look by itself."""

    def __init__(self, agentos: AgentOS, scheduler: Scheduler, worker: IndexWorker) -> None:
        self._agentos = agentos
        self._scheduler = scheduler
        self._worker = worker

    async def do_due(self) -> None:
        """Run the jobs that are due, and give vectors to what has none."""
        await self._agentos.jobs.heartbeat()
        await self._scheduler.run_due()
        await self._worker.step()


@asynccontextmanager
async def store_work(agentos: AgentOS, index: VectorIndex, version: str, daemon: int) -> AsyncIterator[StoreWork]:
    """Yield the work of a store while it is open, for a daemon with this number. Raises AgentOSError."""
    jobs, observers = await asyncio.gather(asyncio.to_thread(plugged.jobs), asyncio.to_thread(plugged.observers))
    plugged.subscribe(agentos, observers)
    worker = IndexWorker(agentos.embedding, index)
    scheduler = Scheduler(agentos, plugged.all_jobs(jobs, agentos.features), worker)
    if not agentos.memory.limits:
        await agentos.jobs.daemon_started(version, daemon)
        await scheduler.start_hinted()
    agentos.embedding.embed_later()
    try:
        yield StoreWork(agentos, scheduler, worker)
    finally:
        scheduler.stop()
        with suppress(AgentOSError):
            await agentos.jobs.daemon_stopped()
        await worker.close()


class Working(Protocol):
    """An open store, as far as its work goes."""

    @property
    def work(self) -> StoreWork: ...


class StoreOpening(Protocol):
    """The stores of a process (`Stores`)."""

    @property
    def names(self) -> list[str]: ...
    def using(self, name: str, *, is_asked_for: bool = True) -> AbstractAsyncContextManager[Working]: ...
    def close_idle(self) -> None: ...
    def end(self, names: Collection[str]) -> None: ...


class ManyStoresWork:
    """Visits the stores in which something is due. Several processes may do so: each job runs under its lease."""

    def __init__(
        self, directory: Tenants, stores: StoreOpening, own: str, clock: Clock, every_s: float = TICK_S
    ) -> None:
        """`own` is the store of the process itself, which has a scheduler of its own."""
        self._directory = directory
        self._stores = stores
        self._own = own
        self._clock = clock
        self._every_s = every_s

    async def run(self) -> None:
        """Go round until cancelled; a failure is logged."""
        while True:
            await asyncio.sleep(random.uniform(0.8, 1.2) * self._every_s)  # several processes look at different times
            try:
                await self.go_round()
            except AgentOSError as error:
                log.warning("the jobs that are due in the stores cannot be read: %s", error)
            except Exception:
                log.exception("the round through the stores failed")

    async def go_round(self) -> None:
        """Look once at what is due in all stores, do that in some of them; close those that are idle or suspended."""
        if names := self._stores.names:
            self._stores.end(await self._directory.ended(names))
        due = [one for one in await self._directory.due(self._clock(), self._stores.names) if one != self._own]
        random.shuffle(due)
        open_ones = frozenset(self._stores.names)
        due.sort(key=lambda name: name not in open_ones)
        turn = asyncio.Semaphore(AT_ONCE)
        await asyncio.gather(*(self._visit(name, turn) for name in due[:MOST_IN_A_ROUND]))
        self._stores.close_idle()

    async def _visit(self, name: str, turn: asyncio.Semaphore) -> None:
        try:
            async with turn, self._stores.using(name, is_asked_for=False) as store:
                await store.work.do_due()
        except AgentOSError as error:
            log.info("the jobs of a store wait: %s", error)
        except Exception:
            log.exception("the jobs of a store failed")


class ManyStores(Protocol):
    """The other stores of a database, over the connections and the models of the one that was opened."""

    directory: Tenants

    def opened(self, name: str) -> AbstractAsyncContextManager[tuple[AgentOS, VectorIndex]]:
        """Yield the services over another store, and its index; close them at the end. Raises AgentOSError."""


@dataclass(frozen=True)
class ServedStore:
    """An open store: the application that answers for it, its work, and what ends its streams."""

    app: Any
    work: StoreWork
    end: Callable[[], None]


DoorOf = Callable[[AgentOS], AbstractAsyncContextManager[tuple[Any, Callable[[], None]]]]
"""Makes the application over the services of a store, and what ends its streams."""


@asynccontextmanager
async def many_stores(
    others: ManyStores, door_of: DoorOf, own: str, most: int, clock: Clock, every_s: float = TICK_S
) -> AsyncIterator[Stores[ServedStore]]:
    """Yield the stores beside the `own` one, of which up to `most` are open at once for callers.

    Every `every_s` seconds it is looked in which of all stores anything is due.
    """
    daemon = secrets.randbits(62)

    @asynccontextmanager
    async def opened(name: str) -> AsyncIterator[ServedStore]:
        async with (
            others.opened(name) as (agentos, index),
            store_work(agentos, index, VERSION, daemon) as work,
            door_of(agentos) as (app, end),
        ):
            yield ServedStore(app, work, end)

    stores: Stores[ServedStore] = Stores(opened, most)
    rounds = asyncio.create_task(ManyStoresWork(others.directory, stores, own, clock, every_s).run(), name="stores")
    try:
        yield stores
    finally:
        rounds.cancel()
        await asyncio.gather(rounds, return_exceptions=True)
        await stores.close()
