"""Domain events over the queue: each handler of an event gets it once, and again where it fails."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from .service import Handler, QueueService


class EventBus:
    """Who listens to what. A task is put into the queue for each handler, of the type `event/handler`."""

    def __init__(self, queue: QueueService, handlers: dict[str, Handler]) -> None:
        self._queue = queue
        self._handlers = handlers

    def subscribe(self, event: str, name: str, handler: Handler) -> None:
        """Let a handler hear an event from now on. Its `name` is kept with what waits for it: it must not change."""
        self._handlers[f"{event}/{name}"] = handler

    def listeners(self, event: str) -> Sequence[str]:
        """The types of the tasks that an event makes: for whoever puts them within a transaction of their own."""
        return [type_ for type_ in self._handlers if type_.startswith(f"{event}/")]

    async def publish(
        self, namespace: str, event: str, key: str, payload: Mapping[str, Any], run_at: datetime | None = None
    ) -> int:
        """Tell everybody who listens; how many had not been told. The same `key` again is the same event."""
        told = [await self._queue.put(namespace, type_, key, payload, run_at) for type_ in self.listeners(event)]
        return sum(told)
