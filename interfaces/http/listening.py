"""Listening: the streams of `subscriptions/listen`, which tell clients of MCP what has changed of what they watch.

The SDK speaks the protocol of a stream; what comes into it is read from the log of changes, as for server-sent events.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import anyio
import mcp.types as types
from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
)

from ...modules.agentos import AgentOS
from ...modules.errors import AgentOSError
from ...modules.events.models import SUBJECTS
from ...modules.principals.models import Caller
from ...tools.bound import Opener
from ...tools.resources import Address, ResourceKind, address_of, others_of
from .auth import caller_of
from .problems import Problem
from .rest.streams import CHECKED_EVERY_S, Streams, renewed

METHOD = "subscriptions/listen"
MOST_WATCHED = 64
MOST_BUFFERED = 256
"""What waits for a client that does not read; then its stream ends."""
AT_ONCE = 100
REST_S = 0.25
"""How long a stream rests after a change: whoever is told reads again, and many changes are told as one."""
ENDS_AFTER_S = 3600.0
"""How long a stream lasts: its client then listens again."""

log = logging.getLogger(__name__)


class Listening:
    """Serves the streams: each hears of the namespaces that its caller may read, for as long as it may read them."""

    def __init__(self, opener: Opener, streams: Streams, kinds: Sequence[ResourceKind]) -> None:
        self._opener = opener
        self._streams = streams
        self._kinds = kinds

    async def __call__(
        self, context: ServerRequestContext[Any, Any], params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Tell what changes until the client leaves, or may not hear of it any more. Raises MCPError.

        What the caller may not read, and what is no address, is left out of what the acknowledgment names.
        """
        assert context.request is not None, "over HTTP each message comes with its request"
        scope = context.request.scope
        wanted = params.notifications
        caller = caller_of(scope)
        watched = _watched(caller, wanted.resource_subscriptions or (), self._kinds)
        heeded = types.SubscriptionFilter(
            resources_list_changed=wanted.resources_list_changed or None, resource_subscriptions=[*watched] or None
        )
        agentos = await self._opener()
        bus = InMemorySubscriptionBus()
        handler = ListenHandler(bus, max_subscriptions=1, max_buffered_events=MOST_BUFFERED)
        # What is there before it is acknowledged: all that comes after that is told.
        begin = await agentos.events.latest()
        listed = await others_of(agentos, caller) if wanted.resources_list_changed else None
        followed = _Followed(agentos, scope["state"]["renew"], watched, listed, bus)
        with self._streams.ended_by(handler.close):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(followed.until_it_ends, begin, handler.close)
                result = await handler(context, params.model_copy(update={"notifications": heeded}))
                tasks.cancel_scope.cancel()
        return result


Watched = Mapping[str, tuple[str, Address]]
"""The addresses that a stream watches, as its client wrote them, with their namespaces."""


def _watched(caller: Caller, uris: Sequence[str], kinds: Sequence[ResourceKind]) -> Watched:
    if len(uris) > MOST_WATCHED:
        raise MCPError(code=types.INVALID_PARAMS, message=f"a stream can watch at most {MOST_WATCHED} resources")
    watched: dict[str, tuple[str, Address]] = {}
    for uri in uris:
        address = address_of(uri, kinds)
        if address is None:
            continue
        try:
            watched[uri] = caller.reading(address.namespace, "namespace"), address
        except AgentOSError:
            continue
    return watched


class _Followed:
    """The log of changes as one stream hears of it."""

    def __init__(
        self,
        agentos: AgentOS,
        renew: Callable[[], Awaitable[Caller]],
        watched: Watched,
        listed: list[str] | None,
        bus: InMemorySubscriptionBus,
    ) -> None:
        """Follow what is `watched`, and with `listed` which other namespaces the caller may read: these are now."""
        self._agentos = agentos
        self._renew = renew
        self._watched = watched
        self._listed = listed
        self._bus = bus

    async def until_it_ends(self, cursor: int, close: Callable[[], None]) -> None:
        """Tell each change, until the credential or a right has ended; then close the stream."""
        try:
            await self._tell(cursor)
        except (Problem, AgentOSError) as error:
            log.debug("a stream ended: %s", error)
        except Exception:
            log.exception("a stream failed")
        finally:
            close()

    async def _tell(self, cursor: int) -> None:
        events, ends_at, checked_at = self._agentos.events, time.monotonic() + ENDS_AFTER_S, time.monotonic()
        namespaces = {namespace for namespace, _ in self._watched.values()}
        while time.monotonic() < ends_at:
            await events.wait(cursor, CHECKED_EVERY_S)
            page = await events.follow(cursor, namespaces, SUBJECTS, AT_ONCE)
            moved, cursor = page.cursor != cursor, page.cursor
            updated = [
                ResourceUpdated(uri)
                for uri, (namespace, address) in self._watched.items()
                if any(one.namespace == namespace and address.changed_by(one) for one in page.events)
            ]
            if updated or self._listed is not None or time.monotonic() - checked_at >= CHECKED_EVERY_S:
                caller, checked_at = await renewed(self._renew, namespaces), time.monotonic()
                for event in [*updated, *await self._list_changed(caller, moved)]:
                    await self._bus.publish(event)
            if moved:
                await anyio.sleep(REST_S)

    async def _list_changed(self, caller: Caller, moved: bool) -> list[ServerEvent]:
        if self._listed is None or not (moved or caller.namespaces is not None):
            return []
        before, self._listed = self._listed, await others_of(self._agentos, caller)
        return [] if before == self._listed else [ResourcesListChanged()]
