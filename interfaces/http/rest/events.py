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
from .operations import OperationRequest, Stream
from .streams import CHECKED_EVERY_S, renewed

AT_ONCE = 100
ALIVE_EVERY_S = 15.0
ENDS_AFTER_S = 900.0
"""How long a stream lasts: its client then comes again with the last id, and is checked anew."""
RETRY_MS = 1_000
UNKNOWN_ID = b": that Last-Event-ID is no event's id here; this stream begins now\n"


async def stream_events(
    asked: OperationRequest,
    *,
    cursor: Annotated[int | None, Field(ge=0, description="the last event's id; none: from now on")] = None,
    types: Annotated[list[str] | None, Field(description="memory, memory.store, goal, …; none: all")] = None,
    namespace: str | None = None,
) -> Stream:
    """Follow every change as server-sent events, without texts. Last-Event-ID resumes a stream that was cut.

    A stream begins now, and a comment says so, where this id is unknown here, such as an older version's.
    """
    asked.closing.enter_context(asked.behind.streams.one_of(asked.caller.principal))
    events = (await asked.agentos()).events
    ids, latest = await events.ids(), await events.latest()
    last = asked.headers.get("last-event-id", "") if cursor is None else ""
    resumed = _cursor_of(last, ids, latest) if last else None
    begin = ids.cursor(cursor) if cursor is not None else latest if resumed is None else resumed
    if begin > latest:
        raise InvalidInput("cursor", "is no event's id in this store; leave it out to begin now, or begin with 0")
    wanted = None if namespace is None else asked.caller.reading(namespace, "namespace")
    page = await events.after(begin, await _namespaces(asked, asked.caller, wanted), types, AT_ONCE)
    note = UNKNOWN_ID if last and resumed is None else b""
    return Stream(_stream(asked, ids, begin, page, types, wanted, note), EVENT_STREAM)


async def _stream(
    asked: OperationRequest,
    ids: EventIds,
    begin: int,
    page: EventPage,
    types: list[str] | None,
    wanted: str | None,
    note: bytes,
) -> AsyncIterator[bytes]:
    events = (await asked.agentos()).events
    ends_at = time.monotonic() + ENDS_AFTER_S
    yield (
        note + f"retry: {RETRY_MS}\nid: {ids.place(begin)}\n\n".encode()
    )  # who is cut off before any event goes on from here
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


async def _namespaces(asked: OperationRequest, caller: Caller, wanted: str | None) -> list[str]:
    return [wanted] if wanted is not None else await (await asked.agentos()).principals.readable(caller)


def _line(event: ChangeEvent, shown: int) -> bytes:
    data = json.dumps(event.told(), ensure_ascii=False, separators=(",", ":"))
    return f"id: {shown}\nevent: {event.type}\ndata: {data}\n\n".encode("utf-8", "replace")


def _cursor_of(last: str, ids: EventIds, latest: int) -> int | None:
    """Return the place in the log that a Last-Event-ID names; None where it names none of this store."""
    if not (last.isascii() and last.isdecimal() and len(last) <= 18):
        return None
    cursor = ids.cursor(int(last))
    return cursor if cursor <= latest else None
