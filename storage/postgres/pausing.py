"""Pausing one store: from then on nobody reads or writes in it, and whoever was writing has ended."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from typing import Any

import psycopg

from ...modules.errors import Conflict, StorageUnavailable
from ...modules.records import dataclass
from . import failures
from .direct import connected, one
from .emptying import act_for

WRITERS_END_WITHIN = "60s"
_REPLACES = "SELECT pg_try_advisory_lock(hashtextextended($1, 0))"
_ALONE = "SELECT pg_advisory_xact_lock(1634169703, $1)"
"""The lock that `enter_store` shares among those who write."""


@dataclass
class Pause:
    """A pause that goes on after the block where `stays` is set."""

    stays: bool = False


@asynccontextmanager
async def paused(url: str, schema: str, tenant: int) -> AsyncIterator[Pause]:
    """Pause a store while the block runs, and longer where it was before.

    Raises Conflict while another process restores, moves or removes it, StorageUnavailable, StorageRefused.
    """
    own = await asyncio.to_thread(taken, url, schema, tenant)
    try:
        pause = Pause(await asyncio.to_thread(_set, url, schema, tenant, True))
        try:
            await asyncio.to_thread(wait_for_writers, url, tenant)
            yield pause
        finally:
            if not pause.stays:
                await asyncio.to_thread(_set, url, schema, tenant, False)
    finally:
        await asyncio.to_thread(release, own)


def taken(url: str, schema: str, tenant: int) -> psycopg.Connection[Any]:
    """Return a connection that lets nobody else replace a store, until it is released. Blocks.

    Raises Conflict, StorageUnavailable.
    """
    try:
        connection = connected(url)
        if one(connection, _REPLACES, f"{schema}/{tenant}"):
            return connection
    except psycopg.Error as error:
        raise failures.translate(error) from error
    connection.close()
    raise Conflict("another process restores, moves or removes this store: wait until it has ended")


def release(connection: psycopg.Connection[Any]) -> None:
    """Let others replace the store again. Blocks."""
    with closing(connection), suppress(psycopg.Error):  # with a connection that is lost, its lock is as well
        connection.execute(b"SELECT pg_advisory_unlock_all()")


def wait_for_writers(url: str, tenant: int) -> None:
    """Wait until nobody writes in a store, in which nobody may begin to. Blocks. Raises StorageUnavailable."""
    try:
        with connected(url) as connection, connection.transaction():
            connection.execute(f"SET LOCAL lock_timeout TO '{WRITERS_END_WITHIN}'")
            connection.execute(_ALONE, (tenant,))
    except psycopg.errors.LockNotAvailable as error:
        raise StorageUnavailable("somebody still writes in this store: nothing was changed; try again") from error
    except psycopg.Error as error:
        raise failures.translate(error) from error


def _set(url: str, schema: str, tenant: int, wanted: bool) -> bool:
    """Return whether it was paused before."""
    try:
        with connected(url) as connection, connection.transaction():
            act_for(connection, schema, tenant)
            return bool(one(connection, "SELECT pause_store($1)", wanted))
    except psycopg.Error as error:
        raise failures.translate(error) from error
