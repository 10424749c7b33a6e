"""The proxy's link to the daemon: one connection for each request, and a session that keeps the daemon alive."""

import asyncio
import contextlib
import logging
import subprocess
import time
from typing import Any

from ....interfaces.stdio.front import hello
from ....interfaces.stdio.front.link import spawn_daemon
from ....interfaces.stdio.front.place import Place
from ....interfaces.stdio.host import MAX_LINE_BYTES
from ....modules.system import door

RETRY_S = 0.2
CONNECTED_WITHIN_S = 5.0
START_AGAIN_AFTER_S = 5.0
REFUSED_AGAIN_S = 10.0
PATIENCE, LEFT_ALONE_S = 3, 5.0
"""So many requests in a row without an answer in time, and the daemon is left alone for a while."""

log = logging.getLogger(__name__)


class DaemonLink:
    """Asks the daemon of a home. `problem` says why it did not answer the last time; "" when it did."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._daemon: subprocess.Popen[bytes] | None = None
        self._started_at = -START_AGAIN_AFTER_S
        self._late = 0
        self._leave_alone_until = 0.0
        self.problem = "the daemon is starting"

    async def ask(self, fields: dict[str, Any], within_s: float) -> dict[str, Any] | None:
        """Return the daemon's answer; None when it gives none within `within_s` seconds, or refuses."""
        if time.monotonic() < self._leave_alone_until:
            return None
        try:
            async with asyncio.timeout(within_s):
                reply = await self._exchanged(fields)
        except TimeoutError:
            self._note_late(within_s)
            return None
        except (OSError, ValueError, asyncio.IncompleteReadError) as error:
            self.problem = f"no daemon answers ({type(error).__name__})"
            return None
        self._late = 0
        self.problem = "" if reply.get("accepted") is True else str(reply.get("reason"))[:200]
        return reply if reply.get("accepted") is True else None

    def _note_late(self, within_s: float) -> None:
        self.problem = f"no answer within {within_s * 1000:.0f} ms"
        self._late += 1
        if self._late >= PATIENCE:
            self._late, self._leave_alone_until = 0, time.monotonic() + LEFT_ALONE_S

    async def _exchanged(self, fields: dict[str, Any]) -> dict[str, Any]:
        reader, writer = await self._connected()
        try:
            writer.write(hello.ask("gateway", {}, gateway=fields))
            await writer.drain()
            reply = hello.read(await reader.readline())
            if reply is None:
                raise ConnectionResetError("it ended")
            return reply
        finally:
            writer.close()

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        connection = await asyncio.to_thread(door.connect, self._place.socket, CONNECTED_WITHIN_S)
        connection.setblocking(False)
        return await asyncio.open_connection(sock=connection, limit=MAX_LINE_BYTES)

    async def stay_attached(self) -> None:
        """Keep a session open, so that the daemon stays, and start a daemon where there is none; runs until cancelled.

        A session is what the daemon of a home counts; nothing is said in this one.
        """
        while True:
            try:
                await self._attached()
                await asyncio.sleep(RETRY_S)
            except OSError:
                self._start_daemon()
                await asyncio.sleep(RETRY_S)

    async def _attached(self) -> None:
        """Hold one session until the daemon ends it. Raises OSError where none listens."""
        reader, writer = await self._connected()
        try:
            writer.write(hello.ask("session", self._place.settings))
            await writer.drain()
            reply = hello.read(await reader.readline())
            if reply is None:
                return
            if reply.get("accepted") is not True:
                log.error("the daemon takes no session of the gateway: %s", reply.get("reason"))
                self.problem = str(reply.get("reason"))[:200]
                await asyncio.sleep(REFUSED_AGAIN_S)
                return
            self.problem = ""
            while await reader.read(2**16):
                pass
            self.problem = "the daemon has ended"
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    def _start_daemon(self) -> None:
        if self._daemon is not None:
            self._daemon.poll()
        if not self._place.daemon or time.monotonic() - self._started_at < START_AGAIN_AFTER_S:
            return
        self._started_at = time.monotonic()
        self._daemon = spawn_daemon(self._place.home)
