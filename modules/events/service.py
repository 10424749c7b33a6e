"""The event service: reads the log of changes, waits for new ones, and gives each handler every event once."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from .. import inputs
from ..clock import Clock
from ..errors import InvalidInput
from .hints import Hints
from .ids import EventIds
from .models import SUBJECTS, ChangeEvent, EventPage
from .newest import Newest

if TYPE_CHECKING:
    from ...storage.repositories.events import EventsRepository
    from ..principals.ports import ServerKey
    from ..queue.models import Task

MAX_LIMIT = 1_000
ROUNDS = 20
"""Parts of the log that one delivery reads for a handler at most; the next one goes on."""
TASK = "event/"
"""The beginning of the types of tasks that deliver events."""
NAME = re.compile(r"[a-z][a-z0-9_./-]{0,99}")

EventHandler = Callable[[ChangeEvent], Awaitable[None]]
"""Is given an event. It may be given it again after a crash, and must not mind."""
DeliveryHandler = Callable[["Task"], Awaitable[None]]


class EventService:
    """The events of one store.

    Events are read from the log of changes, where each change leaves its trace in its own transaction: an event is
    there if and only if its change is. The log is kept; tasks that deliver are kept for as long as the queue keeps its
    finished tasks.
    """

    def __init__(
        self,
        repository: "EventsRepository",
        add_handler: Callable[[str, DeliveryHandler], None],
        clock: Clock,
        hints: Hints,
        secret: "ServerKey",
    ) -> None:
        self._repository = repository
        self._secret = secret
        self._add_handler = add_handler
        self._clock = clock
        self._types: dict[str, Sequence[str]] = {}
        self._newest = Newest(repository, hints)

    async def after(
        self, cursor: int, namespaces: Collection[str], types: Collection[str] | None = None, limit: int = 100
    ) -> EventPage:
        """Return the events of some namespaces behind a cursor, in order; 0 begins at the first.

        `types` are whole types (`memory.store`) or subjects (`memory`). Raises InvalidInput, also for a cursor that is
        ahead of the log: then an older copy of the store was restored.
        """
        inputs.count("limit", limit, 1, MAX_LIMIT)
        inputs.count("cursor", cursor, 0, 2**62)
        if types is not None:
            _check_types(types)
        if cursor and cursor > (latest := await self._repository.latest_everywhere()):
            raise InvalidInput("cursor", f"is ahead of the log, which ends at {latest}; continue from there")
        return await self._repository.after(cursor, namespaces, types, limit)

    async def follow(
        self, cursor: int, namespaces: Collection[str], types: Collection[str] | None, limit: int
    ) -> EventPage:
        """Return what `after` does, up to the newest event that `wait` has seen: for many that follow the log."""
        page = self._newest.page(cursor, namespaces, types, limit)
        return await self.after(cursor, namespaces, types, limit) if page is None else page

    async def ids(self) -> EventIds:
        """Return what turns the cursors of events into the ids that readers see, and back."""
        secret = await asyncio.to_thread(self._secret.read)
        return EventIds(secret, await self._repository.store_everywhere())

    async def latest(self) -> int:
        """Return the cursor of the newest change, to read on from."""
        return await self._repository.latest_everywhere()

    async def wait(self, cursor: int, timeout_s: float) -> bool:
        """Wait until there is a change behind a cursor, by any process; False if none came in time.

        However many wait, one of them looks at the log: every so often, and at each hint.
        """
        return await self._newest.beyond(cursor, timeout_s)

    def subscribe(self, name: str, types: Sequence[str], handler: EventHandler) -> None:
        """Give every event of these types, or subjects, to a handler: once, and again up to a limit if it fails.

        Its cursor is stored under its `name`, which must not change. A new one hears of what happens after the first
        `deliver`. Raises InvalidInput.
        """
        if not NAME.fullmatch(name):
            raise InvalidInput("name", "must be lowercase letters, digits and _./-, at most 100")
        _check_types(types)

        async def deliver(delivery: "Task") -> None:
            await handler(_event(delivery))

        self._types[name] = tuple(types)
        self._add_handler(TASK + name, deliver)

    async def deliver(self) -> bool:
        """Queue what each handler has not been given yet; return whether there was any. The queue then does it."""
        found = False
        for name, types in self._types.items():
            for _ in range(ROUNDS):
                delivered = await self._repository.deliver_everywhere(name, TASK + name, types, self._clock())
                found = found or delivered.queued > 0
                if not delivered.more:
                    break
        return found


def _check_types(types: Collection[str]) -> None:
    for type_ in types:
        if type_.split(".")[0] not in SUBJECTS:
            raise InvalidInput("types", f"must start with one of {', '.join(SUBJECTS)}, such as memory or memory.store")


def _event(delivery: "Task") -> ChangeEvent:
    data = delivery.payload
    at = datetime.fromisoformat(data["at"])
    return ChangeEvent(data["cursor"], at, delivery.namespace, data["type"], data["subject"], data["detail"])
