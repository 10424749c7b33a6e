"""Hints between processes by LISTEN and NOTIFY, on a connection of its own that is made again whenever it breaks."""

import asyncio
import logging
import random
import secrets
from collections.abc import Collection
from typing import Any

import psycopg
from psycopg import AsyncConnection

from ...modules.errors import StorageUnavailable
from ...modules.events.hints import Hints, HintTopic
from . import failures
from .direct import ANSWERED_BY, CONNECT_S, POOLED
from .pool import Pool, noticing

PAUSE_S = 0.05
"""The shortest time between two messages: one message reports all changes within it."""
AGAIN_S, LONGEST_PAUSE_S = 1.0, 30.0
SEND_WITHIN_S = 1.0
MOST_DIGITS = 11

log = logging.getLogger(__name__)


def channel_of(schema: str) -> str:
    """Return the channel on which the processes of a schema notify each other of changes."""
    return f"{schema}_changes"


def presence_of(schema: str) -> str:
    """Return the name of the lock that every listening process of a schema shares, for as long as it lives."""
    return f"{schema}_in_use"


class Line:
    """The connection of a process to the others on a schema: it hears hints for every store, and sends those of each.

    A message is sent after the commit, beside it: NOTIFY in a transaction would let all commits of the server wait for
    each other. It names the store and the topics, nothing that was stored. Behind a pooler, known by the number
    of the server's process, hints are only sent, not received.
    """

    def __init__(self, pool: Pool, url: str, schema: str) -> None:
        """`url` leads to the server itself."""
        self._pool = pool
        self._url = url
        self._channel = channel_of(schema)
        self._presence = presence_of(schema)
        self._process = secrets.token_hex(6)
        self._hearing: dict[int, list[SharedHints]] = {}
        self._waiting: dict[int, set[HintTopic]] = {}
        self._sending: asyncio.Task[None] | None = None
        self._listening: asyncio.Task[None] | None = None
        self._closed = False

    def hear(self, hints: "SharedHints") -> None:
        """Give a store its hints from now on, and begin to listen."""
        known = self._hearing.setdefault(hints.tenant, [])
        if hints not in known:
            known.append(hints)
        if self._listening is None and not self._closed:
            self._listening = asyncio.create_task(self._listen_on(), name="hints")

    def leave(self, hints: "SharedHints") -> None:
        """Give a store no more hints."""
        known = self._hearing.get(hints.tenant, [])
        if hints in known:
            known.remove(hints)
        if not known:
            self._hearing.pop(hints.tenant, None)

    def send(self, tenant: int, topics: Collection[HintTopic]) -> None:
        """Give hints of a store to other processes, soon; does not block."""
        self._waiting.setdefault(tenant, set()).update(topics)
        if not self._closed and (self._sending is None or self._sending.done()):
            self._sending = asyncio.create_task(self._send(), name="hints-sending")

    async def _send(self) -> None:
        while self._waiting:
            waiting, self._waiting = self._waiting, {}
            payloads = [" ".join([self._process, str(one), *sorted(topics)]) for one, topics in waiting.items()]
            try:
                async with asyncio.timeout(SEND_WITHIN_S), self._pool.connected() as connection:
                    await connection.execute(
                        "SELECT pg_notify($1, p) FROM unnest($2::text[]) p", (self._channel, payloads)
                    )
            except (psycopg.Error, StorageUnavailable, TimeoutError) as error:
                log.debug("a hint was not sent: %s", error)
            if not self._closed:
                await asyncio.sleep(PAUSE_S)

    async def _listen_on(self) -> None:
        pause = AGAIN_S
        while True:
            try:
                how: dict[str, Any] = {"autocommit": True, "connect_timeout": CONNECT_S, "prepare_threshold": None}
                async with await AsyncConnection.connect(noticing(self._url), **how) as connection:
                    row = await (await connection.execute(ANSWERED_BY)).fetchone()
                    if row is None or row[0] != connection.info.backend_pid:
                        log.info(POOLED)
                        return
                    present = "SELECT pg_advisory_lock_shared(hashtextextended(%s, 0))"
                    await connection.execute(present, (self._presence,))  # until the connection ends
                    await connection.execute(f'LISTEN "{self._channel}"'.encode())
                    for each in [one for known in self._hearing.values() for one in known]:
                        each.give([*HintTopic])  # hints sent before this were missed
                    pause = AGAIN_S
                    async for message in connection.notifies():
                        self._receive(message.payload)
            except psycopg.Error as error:
                log.info("hints are not heard, again in %.0f s: %s", pause, failures.translate(error))
            await asyncio.sleep(random.uniform(0.5, 1.0) * pause)
            pause = min(2 * pause, LONGEST_PAUSE_S)

    def _receive(self, payload: str) -> None:
        """Handle a notification; its content is untrusted."""
        process, _, rest = payload.partition(" ")
        tenant, *topics = rest.split(" ")
        if process == self._process or not (tenant.isascii() and tenant.isdecimal() and len(tenant) < MOST_DIGITS):
            return
        for hints in self._hearing.get(int(tenant), ()):
            hints.give([topic for topic in HintTopic if topic in topics])

    async def close(self) -> None:
        """Send what waits, and stop listening."""
        self._closed = True
        if self._sending is not None:
            await asyncio.wait([self._sending])
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.wait([self._listening])


class SharedHints(Hints):
    """Hints that reach every process on the same store, once it waits for one."""

    def __init__(self, line: Line) -> None:
        super().__init__()
        self._line = line
        self.tenant = 0

    def of_store(self, tenant: int) -> None:
        """Say which store's hints are given and taken."""
        self.tenant = tenant

    async def beyond(self, number: int, *topics: HintTopic, timeout_s: float | None = None) -> bool:
        self._line.hear(self)
        return await super().beyond(number, *topics, timeout_s=timeout_s)

    def tell(self, topics: Collection[HintTopic]) -> None:
        """Give hints to this process now, and to the others soon; does not block."""
        if topics:
            self.give(topics)
            self._line.send(self.tenant, topics)

    def leave(self) -> None:
        """Hear no more."""
        self._line.leave(self)
