"""Domain events over the queue: each handler of an event gets it once, and again if it fails."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from .service import Handler, QueueService


class EventBus:
    """The handlers of events. A task is queued for each handler, of the type `event/handler`."""

    def __init__(self, queue: QueueService, handlers: dict[str, Handler]) -> None:
        self._queue = queue
        self._handlers = handlers

    def subscribe(self, event: str, name: str, handler: Handler) -> None:
        """Subscribe a handler to an event. Its `name` is stored with pending tasks: it must not change."""
        self._handlers[f"{event}/{name}"] = handler

    def listeners(self, event: str) -> Sequence[str]:
        """Return the task types that an event makes, for callers that queue them within their own transaction."""
        return [type_ for type_ in self._handlers if type_.startswith(f"{event}/")]

    async def publish(
        self, namespace: str, event: str, key: str, payload: Mapping[str, Any], run_at: datetime | None = None
    ) -> int:
        """Queue a task for each handler; return how many were new. The same `key` again is the same event."""
        told = [await self._queue.put(namespace, type_, key, payload, run_at) for type_ in self.listeners(event)]
        return sum(told)
