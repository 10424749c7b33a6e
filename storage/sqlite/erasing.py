"""Erasing that leaves no remains: deleted words leave the text index's segments and the write-ahead log.

FTS5 only marks a deletion: the words stay in its older segments until those are merged; and the log keeps old pages
until it starts anew. Both are done after an erase, in short transactions, so that others write in between.
"""

import logging

import aiosqlite

from ...modules.errors import AgentOSError
from . import text_index
from .database import Sqlite, Work

log = logging.getLogger(__name__)

PAGES_AT_ONCE = 500
MOST_ROUNDS = 20_000
"""Many times the rounds that a million memories take."""
_NOTHING_LEFT = 2
"""A merge that changes fewer rows than this had nothing left to merge."""


async def forget_words(sqlite: Sqlite) -> None:
    """Remove deleted words from every file of the store; from the log as far as other processes release it."""
    for index in text_index.indexes(with_aside=True):
        pages = -PAGES_AT_ONCE  # negative starts a merge of all segments; positive continues it
        for _ in range(MOST_ROUNDS):

            async def merge(connection: aiosqlite.Connection, index: str = index, pages: int = pages) -> int:
                before = connection.total_changes
                await connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', ?)", (pages,))
                return connection.total_changes - before

            if await sqlite.write(merge) < _NOTHING_LEFT:
                break
            pages = PAGES_AT_ONCE
    await sqlite.begin_log_anew()


async def erased(sqlite: Sqlite, work: Work[int]) -> int:
    """Erase with `work`, which returns a count, then remove the words from every file; return that count.

    Once the erase is committed it has happened: where the words cannot be removed now, the next erase does that.
    """
    count = await sqlite.write(work)
    if count:
        try:
            await forget_words(sqlite)
        except (AgentOSError, OSError) as error:
            log.warning("erased, but deleted words stay in the files until the next erase: %s", error)
    return count
