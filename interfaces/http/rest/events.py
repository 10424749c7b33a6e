"""Server-sent events: every change in the namespaces that a caller may read, in order, resumable where it was cut."""

import json
import time
from collections.abc import AsyncIterator
from typing import Annotated

from pydantic import Field

from ....modules.errors import AgentOSError, InvalidInput
from ....modules.events.ids import EventIds
from ....modules.events.models import ChangeEvent, EventPage
from ....modules.principals.models import Caller
from ..limits import EVENT_STREAM
from ..problems import Problem
from .operations import Asked, Stream
from .streams import CHECKED_EVERY_S, renewed

AT_ONCE = 100
ALIVE_EVERY_S = 15.0
ENDS_AFTER_S = 900.0
"""How long a stream lasts: its client then comes again with the last id, and is checked anew."""
RETRY_MS = 1_000


async def stream_events(
    asked: Asked,
    *,
    cursor: Annotated[int | None, Field(ge=0, description="the last event's id; none: from now on")] = None,
    types: Annotated[list[str] | None, Field(description="memory, memory.store, goal, …; none: all")] = None,
    namespace: str | None = None,
) -> Stream:
    """Follow every change as server-sent events. Last-Event-ID goes on where a stream was cut; texts are not in it."""
    asked.closing.enter_context(asked.behind.streams.one_of(asked.caller.principal))
    events = (await asked.agentos()).events
    if cursor is None:
        cursor = _last_id(asked.headers.get("last-event-id"))
    ids, latest = await events.ids(), await events.latest()
    begin = latest if cursor is None else ids.cursor(cursor)
    if begin > latest:
        raise InvalidInput("cursor", "is no event's id in this store; leave it out to begin now, or begin with 0")
    wanted = None if namespace is None else asked.caller.reading(namespace, "namespace")
    page = await events.after(begin, await _namespaces(asked, asked.caller, wanted), types, AT_ONCE)
    return Stream(_stream(asked, ids, begin, page, types, wanted), EVENT_STREAM)


async def _stream(
    asked: Asked, ids: EventIds, begin: int, page: EventPage, types: list[str] | None, wanted: str | None
) -> AsyncIterator[bytes]:
    events = (await asked.agentos()).events
    ends_at = time.monotonic() + ENDS_AFTER_S
    yield f"retry: {RETRY_MS}\nid: {ids.place(begin)}\n\n".encode()  # who is cut off before any event goes on from here
    alive_at = time.monotonic()
    while True:
        for event in page.events:
            yield _line(event, ids.shown(event.cursor))
        if time.monotonic() >= ends_at:
            return
        try:  # a stream has no place for an error: who comes again goes on where it ended, or is told why not
            is_quiet = not page.has_more and not await events.wait(page.cursor, CHECKED_EVERY_S)
            caller = await renewed(asked.renew, [wanted] if wanted is not None else [])
            page = await events.follow(page.cursor, await _namespaces(asked, caller, wanted), types, AT_ONCE)
        except (Problem, AgentOSError):
            return
        if is_quiet and time.monotonic() - alive_at >= ALIVE_EVERY_S:
            alive_at = time.monotonic()
            yield b": alive\n\n"


async def _namespaces(asked: Asked, caller: Caller, wanted: str | None) -> list[str]:
    return [wanted] if wanted is not None else await (await asked.agentos()).principals.readable(caller)


def _line(event: ChangeEvent, shown: int) -> bytes:
    fields = {
        "type": event.type,
        "subject": event.subject,
        "namespace": event.namespace,
        "at": event.at.isoformat(),
        "detail": dict(event.detail),
    }
    data = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    return f"id: {shown}\nevent: {event.type}\ndata: {data}\n\n".encode("utf-8", "replace")


def _last_id(given: str | None) -> int | None:
    if given is None or given == "":
        return None
    if not (given.isascii() and given.isdecimal() and len(given) <= 18):
        raise InvalidInput("Last-Event-ID", "must be the id of an event of this stream")
    return int(given)
