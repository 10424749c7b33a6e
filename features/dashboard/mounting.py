"""The dashboard as HTTP serves it: its pages, and by what a request of a browser is checked."""

from starlette.datastructures import Headers
from starlette.formparsers import MultiPartException
from starlette.requests import Request, cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope

from ...config import Settings
from ...interfaces.http.mounting import DASHBOARD, Mount, Site, StoreDoor
from ...interfaces.http.problems import Problem
from .app import Dashboard, cookies_of
from .html import read_all

MOST_FORM_BYTES = 64 * 1024
SIGN_IN = f"{DASHBOARD}/sign-in"
STATIC = f"{DASHBOARD}/static/"
ENTER = f"{DASHBOARD}/enter"


def mounted(_: Settings) -> Mount:
    """Return the pages."""
    return Mount(site=Site(_served, credential, read_all))


def _served(door: StoreDoor) -> ASGIApp:
    return Dashboard(door)


async def credential(scope: Scope, receive: Receive, place: str) -> tuple[str | None, Receive]:
    """Return what a request to a place will be checked by, and what to receive it from after this. Raises Problem."""
    path: str = scope["path"]
    if path.startswith((STATIC, ENTER)):
        return None, receive
    if path.rstrip("/") == SIGN_IN and scope["method"] == "POST":
        return await _of_form(scope, receive)
    cookie, _ = cookies_of(place)
    return cookie_parser(Headers(scope=scope).get("cookie", "")).get(cookie), receive


async def _of_form(scope: Scope, receive: Receive) -> tuple[str | None, Receive]:
    """Return the key in a form, which is kept for whoever reads it next. Raises Problem."""
    body = b""
    more = True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            break
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > MOST_FORM_BYTES:
            raise Problem("too_large", f"a form is larger than {MOST_FORM_BYTES} bytes", connection="close")

    def again() -> Receive:
        sent = False

        async def replayed() -> Message:
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        return replayed

    try:
        form = await Request(scope, again()).form(max_files=0, max_fields=10)
    except MultiPartException:
        return None, again()
    key = form.get("key")
    return (key.strip() if isinstance(key, str) else None), again()
