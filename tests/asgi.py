"""The least that a server needs of an application."""

from typing import Any


async def lived(receive: Any, send: Any) -> None:
    """Begin and end, when the server asks for it."""
    for step in ("startup", "shutdown"):
        await receive()
        await send({"type": f"lifespan.{step}.complete"})


async def ok(scope: Any, receive: Any, send: Any) -> None:
    """Answer every request with two bytes."""
    if scope["type"] == "lifespan":
        await lived(receive, send)
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})
