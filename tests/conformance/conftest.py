"""What the conformance sets drive: our application at a real address, with the key that their client cannot send."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from agentos.interfaces.http.uvicorn_server import HttpListener
from tests.integration.conftest import *  # noqa: F403 - the fixtures that the next ones stand on
from tests.integration.http.conftest import OWNER_KEY, bound, make_key, serve  # noqa: F401 - fixtures

Listen = Callable[..., Awaitable[str]]


class WithKey:
    """An application, begun already, whose callers all have the owner's key."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            for ended in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{ended}.complete"})
            return
        key = (b"authorization", b"Bearer " + OWNER_KEY.encode())
        await self._app({**scope, "headers": [*scope["headers"], key]}, receive, send)


@pytest.fixture
async def listen() -> AsyncIterator[Listen]:
    """Serves an application at a port of this machine, until the test ends: its address."""
    open_ones: list[HttpListener] = []

    async def start(app: Any) -> str:
        open_ones.append(HttpListener(WithKey(app), "127.0.0.1", 0))
        await open_ones[-1].start()
        host, port = open_ones[-1].address
        return f"http://{host}:{port}"

    yield start
    for one in open_ones:
        await one.close()
