"""Ask providers how many tokens their models read, beside the requests that need to know it, and seldom."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import Any

from .. import windows
from ..windows import Windows
from .upstream import Call, Headers, Unreachable, Upstream

AGAIN_S, WITHIN_S = 600.0, 10.0
"""When a provider is asked again about a model that it did not tell of, and how long it may take."""
MAX_BYTES = 8 * 1024 * 1024
MOST_ASKED = 1_000

log = logging.getLogger(__name__)


class ModelList:
    """Asks a provider about a model of which nothing is known: the next request knows it."""

    def __init__(self, upstream: Upstream, known: Windows) -> None:
        self._upstream = upstream
        self._windows = known
        self._asked: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._asking: set[asyncio.Task[None]] = set()

    def seek(self, provider: str, model: str, headers: Headers) -> None:
        """Let a provider be asked about a model, with a client's own headers, unless it is known or was asked."""
        now = time.monotonic()
        if not model or self._windows.known(model) is not None or now < self._asked.get((provider, model), now):
            return
        self._asked[provider, model] = now + AGAIN_S
        if len(self._asked) > MOST_ASKED:
            self._asked.popitem(last=False)
        left_out = (b"content-length", b"content-type", b"content-encoding", b"accept-encoding")
        own = [one for one in headers if one[0].lower() not in left_out]
        task = asyncio.create_task(self._sought(provider, model, [*own, (b"accept-encoding", b"identity")]))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def settled(self) -> None:
        """Return once nothing is being asked."""
        await asyncio.gather(*self._asking)

    async def close(self) -> None:
        """Ask nothing any more."""
        for task in self._asking:
            task.cancel()
        await asyncio.gather(*self._asking, return_exceptions=True)

    async def _sought(self, provider: str, model: str, headers: Headers) -> None:
        try:
            async with asyncio.timeout(WITHIN_S):
                for method, target, content in self._places(provider, model):
                    document = await self._answer(provider, method, target, headers, content)
                    self._windows.hear(windows.listed(document))
                    if target.endswith(b"/api/show") and (size := windows.shown(document)) is not None:
                        self._windows.hear({model: size})
                    if self._windows.known(model) is not None:
                        return
        except TimeoutError:
            log.info("the provider %s tells nothing of its models in time", provider)

    def _places(self, provider: str, model: str) -> list[tuple[str, bytes, bytes]]:
        """Return where a window may be told: the list of models, LM Studio's, and what Ollama runs and shows."""
        shown = ("POST", b"/api/show", json.dumps({"model": model}).encode())
        places = [] if provider == "ollama" else [("GET", b"/models", b"")]
        if self._upstream.is_on_this_machine(provider):
            places += [("GET", b"/api/v0/models", b""), ("GET", b"/api/ps", b""), shown]
        return places

    async def _answer(self, provider: str, method: str, target: bytes, headers: Headers, content: bytes) -> object:
        more = [(b"content-type", b"application/json")] if content else []
        call = Call(provider, method, target, [*headers, *more], content)
        try:
            response = await self._upstream.asked(call, from_root=target.startswith(b"/api/"))
        except Unreachable:
            return None
        try:
            body = b""
            async for chunk in _pieces(response):
                body += chunk
                if len(body) > MAX_BYTES:
                    return None
            return json.loads(body) if response.status_code == 200 else None
        except (ValueError, RecursionError):
            return None
        finally:
            await response.aclose()


async def _pieces(response: Any) -> AsyncIterator[bytes]:
    """Yield the pieces of an answer, as long as it comes."""
    import httpx2

    try:
        async for chunk in response.aiter_raw():
            yield chunk
    except httpx2.TransportError:
        return
