"""Limits of requests: how large, how long, how many at once, how many a minute."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .policy import CurrentPolicy
from .problems import RETRY_AFTER_S, Problem

BODY_WITHIN_S = 30.0
SILENT_S = 10.0
"""How long a body may pause."""
MAX_AT_ONCE = 256
"""The most requests that are served at once; further ones are told to come again."""
MOST_AT_ONCE_OF_A_PRINCIPAL = 96
ALWAYS = frozenset({"/healthz"})
"""What is answered however many requests there are: it waits for nothing."""
EVENT_STREAM = "text/event-stream"
MAX_BUCKETS = 10_000
SHARE_RETRY_S = 5


class BodyLimit:
    """Refuses bodies that are too large or too slow, before anybody reads them; `larger` paths limit themselves."""

    def __init__(
        self, app: ASGIApp, policy: CurrentPolicy, larger: Callable[[str], int], within_s: float = BODY_WITHIN_S
    ) -> None:
        self._app = app
        self._policy = policy
        self._larger = larger
        self._within_s = within_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on. Raises Problem, at the latest when its body is read."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = max(self._policy.value.max_body_bytes, self._larger(scope["path"]))
        declared = Headers(scope=scope).get("content-length", "0")
        if not (declared.isascii() and declared.isdecimal()):
            raise Problem("invalid_input", "the Content-Length is not a number", connection="close")
        if int(declared) > limit:
            raise _too_large(limit)
        received = 0
        is_complete = False
        deadline = time.monotonic() + self._within_s

        async def limited() -> Message:
            nonlocal received, is_complete
            if is_complete:  # what comes now is the end of the connection, for which a stream may wait long
                return await receive()
            try:
                async with asyncio.timeout(min(SILENT_S, max(0.0, deadline - time.monotonic()))):
                    message = await receive()
            except TimeoutError:
                raise Problem("timeout", "the body took too long", connection="close") from None
            if message["type"] == "http.request":
                received += len(message.get("body", b""))
                is_complete = not message.get("more_body", False)
                if received > limit:
                    raise _too_large(limit)
            return message

        await self._app(scope, limited, send)


def _too_large(limit: int) -> Problem:
    return Problem("too_large", f"the body is larger than {limit} bytes", connection="close")


class ConcurrencyLimit:
    """Serves so many requests at once and no more, so that a crowd costs neither memory nor everybody's time.

    A stream of events counts until it begins: then it waits for most of its time, and is counted among the streams.
    """

    def __init__(self, app: ASGIApp, most: int = MAX_AT_ONCE) -> None:
        self._app = app
        self._most = most
        self._now = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on. Raises Problem."""
        if scope["type"] != "http" or scope["path"] in ALWAYS:
            await self._app(scope, receive, send)
            return
        if self._now >= self._most:
            raise Problem("overloaded", "too many requests at once; try again", retry_after=str(RETRY_AFTER_S))
        self._now += 1
        counts = True

        async def watched(message: Message) -> None:
            nonlocal counts
            if counts and message["type"] == "http.response.start" and _is_of_events(message):
                counts = False
                self._now -= 1
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            self._now -= counts


def _is_of_events(start: Message) -> bool:
    return Headers(raw=start["headers"]).get("content-type", "").startswith(EVENT_STREAM)


class Shares:
    """Counts what is under way for each principal, so that none of them takes all there is."""

    def __init__(self, most: int, what: str) -> None:
        self._most = most
        self._what = what
        self._now: dict[str, int] = {}

    @contextmanager
    def one_of(self, principal: str) -> Iterator[None]:
        """Count one while the block runs. Raises Problem where the principal has as many as it may."""
        if self._now.get(principal, 0) >= self._most:
            raise Problem(
                "too_many_requests", f"{self._most} {self._what} already; let one end", retry_after=str(SHARE_RETRY_S)
            )
        self._now[principal] = self._now.get(principal, 0) + 1
        try:
            yield
        finally:
            self._now[principal] -= 1
            if not self._now[principal]:
                del self._now[principal]


class RateLimit:
    """A bucket for each key: a minute's worth of requests at once, then as they drip in."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str, per_minute: int) -> None:
        """Take one request from a key's bucket. Raises Problem where it is empty."""
        now = self._clock()
        left, at = self._buckets.pop(key, (float(per_minute), now))
        left = min(float(per_minute), left + (now - at) * per_minute / 60)
        enough = left >= 1
        self._buckets[key] = (left - 1 if enough else left, now)
        if len(self._buckets) > MAX_BUCKETS:
            self._buckets.popitem(last=False)
        if not enough:
            wait = max(1, ceil((1 - left) * 60 / per_minute))
            raise Problem(
                "too_many_requests", f"more than {per_minute} requests a minute; wait {wait} s", retry_after=str(wait)
            )

    def give_back(self, key: str) -> None:
        """Put back what was taken in vain."""
        if key in self._buckets:
            left, at = self._buckets[key]
            self._buckets[key] = (left + 1, at)
