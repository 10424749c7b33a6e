"""Erased means erased: words that were deleted leave the text index's segments, and the log of writes.

FTS5 notes a deletion beside the words, which stay in its older segments until those are merged; and the log holds pages
as they were until it begins anew. Both are done after an erase, in short transactions, so that others write in between.
"""

import aiosqlite

from . import text_index
from .sqlite import Sqlite, Work

PAGES_AT_ONCE = 500
MOST_ROUNDS = 20_000
"""Many times what a million memories take."""
_NOTHING_LEFT = 2
"""A merge that changes fewer rows than this has found nothing to do."""


async def forget_words(sqlite: Sqlite) -> None:
    """Take what was deleted out of every file of the store, as far as others let go of the log."""
    for index in text_index.indexes(with_aside=True):
        pages = -PAGES_AT_ONCE  # all segments are to become one; then goes on with that
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
    """Erase by `work`, which says how much that was, and take its words out of every file. Returns what it said."""
    count = await sqlite.write(work)
    if count:
        await forget_words(sqlite)
    return count
