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
from ...modules.events.hints import Hints, Topic
from . import failures
from .direct import ANSWERED_BY, CONNECT_S, POOLED
from .pool import Pool, noticing

PAUSE_S = 0.05
"""The shortest time between two messages: one message reports all changes within it."""
AGAIN_S, LONGEST_PAUSE_S = 1.0, 30.0
SEND_WITHIN_S = 1.0

log = logging.getLogger(__name__)


def channel_of(schema: str) -> str:
    """Return the channel on which the processes of a schema notify each other of changes."""
    return f"{schema}_changes"


def presence_of(schema: str) -> str:
    """Return the name of the lock that every listening process of a schema shares, for as long as it lives."""
    return f"{schema}_in_use"


class SharedHints(Hints):
    """Hints that reach every process on the same store, once it waits for one.

    A message is sent after the commit, beside it: NOTIFY in a transaction would let all commits of the server wait for
    each other. It names the store and the topics, nothing that was stored. Behind a pooler, known by the number
    of the server's process, hints are only sent, not received.
    """

    def __init__(self, pool: Pool, url: str, schema: str) -> None:
        """`url` leads to the server itself."""
        super().__init__()
        self._pool = pool
        self._url = url
        self._channel = channel_of(schema)
        self._presence = presence_of(schema)
        self._process = secrets.token_hex(6)
        self._tenant = 0
        self._waiting: set[Topic] = set()
        self._sending: asyncio.Task[None] | None = None
        self._listening: asyncio.Task[None] | None = None
        self._closed = False

    def of_store(self, tenant: int) -> None:
        """Say which store's hints are given and taken."""
        self._tenant = tenant

    async def beyond(self, number: int, *topics: Topic, timeout_s: float | None = None) -> bool:
        if self._listening is None and not self._closed:
            self._listening = asyncio.create_task(self._listen_on(), name="hints")
        return await super().beyond(number, *topics, timeout_s=timeout_s)

    def tell(self, topics: Collection[Topic]) -> None:
        """Give hints to this process now, and to the others soon; does not block."""
        if not topics:
            return
        self.give(topics)
        self._waiting.update(topics)
        if not self._closed and (self._sending is None or self._sending.done()):
            self._sending = asyncio.create_task(self._send(), name="hints-sending")

    async def _send(self) -> None:
        while self._waiting:
            payload = " ".join([self._process, str(self._tenant), *sorted(self._waiting)])
            self._waiting.clear()
            try:
                async with asyncio.timeout(SEND_WITHIN_S), self._pool.connected() as connection:
                    await connection.execute("SELECT pg_notify($1, $2)", (self._channel, payload))
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
                    self.give([*Topic])  # hints sent before this were missed
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
        if process != self._process and tenant == str(self._tenant):
            self.give([topic for topic in Topic if topic in topics])

    async def close(self) -> None:
        """Send what waits, and stop listening."""
        self._closed = True
        if self._sending is not None:
            await asyncio.wait([self._sending])
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.wait([self._listening])
