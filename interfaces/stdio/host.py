"""The daemon behind its door: MCP sessions of many fronts, and requests of one line."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from ...modules.system.door import BACKLOG, Listener, admits
from .doors import HostDoor
from .front import hello

if TYPE_CHECKING:
    from ..hooks.handler import HookHandler

HELLO_WITHIN_S = 10.0
MAX_LINE_BYTES = 1024 * 1024
"""The longest first line: a turn of a conversation is in it. Only the owner of the home can send one."""

log = logging.getLogger(__name__)

ServeSession = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""Serves one session until its other end closes."""

OpenSession = Callable[[dict[str, str]], ServeSession | str]
"""Returns a function that serves a session with a front's settings, or why it cannot be served here."""

Status = Callable[[], Awaitable[dict[str, Any]]]


class SessionHost:
    """Serves everybody who connects, and detects when nobody is left."""

    def __init__(
        self,
        open_session: OpenSession,
        status: Status,
        hooks: "HookHandler | None" = None,
        doors: Mapping[str, HostDoor] | None = None,
    ) -> None:
        self._open_session = open_session
        self._status = status
        self._hooks = hooks
        self._doors: Mapping[str, HostDoor | None] = {"hook": hooks, **(doors or {})}
        self._answering = 0
        self._server: asyncio.Server | None = None
        self._listener: Listener | None = None
        self._sessions: dict[asyncio.Task[Any], asyncio.StreamWriter] = {}
        self._last: asyncio.StreamWriter | None = None
        self._changed = asyncio.Event()
        self._leave_with_last = False
        self._may_leave = False
        self._linger_s = 0.0
        self._leaving = False

    @property
    def sessions(self) -> int:
        """The number of open sessions."""
        return len(self._sessions)

    async def start(self, listener: Listener, *, leave_with_last: bool) -> None:
        """Begin to serve; with `leave_with_last` listening stops at once when the last session ends."""
        self._listener = listener
        self._leave_with_last = leave_with_last
        self._server = await asyncio.start_server(
            self._connected, sock=listener.socket, backlog=BACKLOG, limit=MAX_LINE_BYTES
        )

    async def until_idle(self, first_s: float, linger_s: float) -> None:
        """Return when no session came within `first_s` seconds, or `linger_s` seconds after the last has gone.

        While hooks are expected it goes on, with or without a session.
        """
        wait_s, self._linger_s = first_s, linger_s
        self._may_leave = True
        while True:
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), None if self._sessions else self._wait(wait_s))
            except TimeoutError:
                if not self._sessions and not self._wait(0.0):  # or one came this very moment
                    self.stop_listening()
            if self._leaving:
                return
            wait_s = self._linger_s

    def linger(self, seconds: float) -> None:
        """Wait so many seconds for another session, from the end of the next one on.

        It changes nothing for a daemon that was started by hand and stays.
        """
        self._linger_s = seconds
        self._leave_with_last = self._may_leave and not seconds

    def _wait(self, least_s: float) -> float:
        """Return how long to wait for somebody who may still come, in seconds."""
        if self._hooks is None:
            return least_s
        return max(least_s, self._hooks.expected_until() - time.monotonic(), 1.0 if self._answering else 0.0)

    def stop_listening(self) -> None:
        """Stop listening: a front that connects now finds no daemon, and starts the next one."""
        self._leaving = True
        if self._server is not None:
            self._server.close()
            self._server = None
            assert self._listener is not None
            self._listener.withdraw()

    async def close(self) -> None:
        """Stop listening and end the sessions; their fronts find another daemon."""
        self.stop_listening()
        for session, writer in self._sessions.items():
            writer.transport.abort()  # else the SDK would answer open requests with errors; the front repeats them
            session.cancel()
        await asyncio.gather(*self._sessions, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serve = None
        try:
            serve = await self._greeted(reader, writer)
            if serve is not None:
                await self._serve(serve, reader, writer)
        except OSError as error:
            log.debug("a connection ended: %s", error)
        finally:
            if writer is self._last:
                pass
            elif serve is not None and self._leave_with_last and self._leaving and not self._sessions:
                self._last = writer  # closed when this process ends, so that its front knows when all is over
            else:
                writer.close()

    async def _serve(self, serve: ServeSession, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        session = asyncio.ensure_future(serve(reader, writer))
        self._sessions[session] = writer
        self._changed.set()
        try:
            await session
        except asyncio.CancelledError:
            log.debug("a session was ended with the daemon")
        except Exception:
            log.exception("a session failed")
        finally:
            del self._sessions[session]
            if self._leave_with_last and not self._sessions and not self._wait(0.0):
                self.stop_listening()
            self._changed.set()

    async def _leave(self, writer: asyncio.StreamWriter) -> None:
        """End this daemon if nobody is served; the end of the connection tells the asker that all is over."""
        if not self._may_leave or self._sessions or self._answering:
            reason = "it serves others" if self._may_leave else "it was started by hand"
            writer.write(hello.answer(accepted=False, reason=reason))
            return
        writer.write(hello.answer(accepted=True))
        self._last = writer
        self.stop_listening()
        self._changed.set()

    async def _answer(
        self, wants: str, greeting: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        fields, door = greeting.get(wants), self._doors.get(wants)
        if door is None or not isinstance(fields, dict):
            writer.write(hello.answer(accepted=False, reason=f"it takes no {wants!r}: is the feature on there?"))
            return
        self._answering += 1
        try:
            answer = await door.answer(fields)
            if not reader.at_eof():  # it has not given up waiting
                writer.write(hello.answer(**answer.content))
                await writer.drain()
                if answer.delivered is not None:
                    await answer.delivered()
        finally:
            self._answering -= 1
            self._changed.set()

    async def _greeted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> ServeSession | None:
        """Read the hello and answer it; return the function that serves the session, if there is to be one."""
        assert self._listener is not None
        try:
            async with asyncio.timeout(HELLO_WITHIN_S):
                if not await admits(self._listener, reader, writer):
                    return None
                greeting = hello.read(await reader.readline())
        except (TimeoutError, ValueError):
            greeting = None
        if greeting is None or self._leaving:  # a front that finds no daemon any more starts the next one
            return None
        serve: ServeSession | str | None = None
        if greeting.get("wants") == "status":
            writer.write(hello.answer(accepted=True, **await self._status()))
        elif greeting.get("wants") == "leave":
            await self._leave(writer)
        elif not hello.same_version(greeting):
            writer.write(hello.answer(accepted=False, reason="it is of another version"))
        elif isinstance(wants := greeting.get("wants"), str) and wants != "session":
            await self._answer(wants, greeting, reader, writer)
        else:
            given = hello.settings_in(greeting)
            serve = "its settings are not texts" if given is None else self._open_session(given)
            refused = {"reason": serve} if isinstance(serve, str) else {}
            writer.write(hello.answer(accepted=not refused, **refused))
        await writer.drain()
        return None if isinstance(serve, str) else serve
