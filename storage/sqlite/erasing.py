"""Erasing that leaves no remains: deleted words leave the segments of the text index.

FTS5 only marks a deletion: the words stay in its older segments until those are merged. That is done after an erase, in
short transactions, so that others write in between. Each such merge adds levels to the index, and FTS5 takes one of
2,000 levels for damaged: long before, the index is built anew instead, which leaves nothing of what was erased either.
"""

from collections.abc import Awaitable, Callable

from ..engine.ports import Connection, Work
from . import text_index

PAGES_AT_ONCE = 500
MOST_ROUNDS = 20_000
"""Many times the rounds that a million memories take."""
MOST_LEVELS = 1_000
"""The levels of an index from which it is built anew: a merge of all its segments adds two."""
_STRUCTURE, _COOKIE_BYTES = 10, 4
"""The row of an index that describes its segments: a cookie, then the number of levels (fts5_index.c)."""
_NOTHING_LEFT = 2
"""A merge that changes fewer rows than this had nothing left to merge."""
_CHANGES = "SELECT total_changes()"


async def merge_segments(write: Callable[[Work[int]], Awaitable[int]]) -> None:
    """Merge all segments of each text index, in transactions that `write` runs; of too many levels, build it anew."""
    for index in text_index.indexes(with_aside=True):

        async def build_anew(connection: Connection, index: str = index) -> int:
            if await _levels(connection, index) < MOST_LEVELS:
                return 0
            await connection.execute(f"INSERT INTO {index} ({index}) VALUES ('rebuild')")
            return 1

        if await write(build_anew):
            continue
        pages = -PAGES_AT_ONCE  # negative starts a merge of all segments; positive continues it
        for _ in range(MOST_ROUNDS):

            async def merge(connection: Connection, index: str = index, pages: int = pages) -> int:
                before = await connection.fetch_value(_CHANGES)
                await connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', ?)", (pages,))
                return int(await connection.fetch_value(_CHANGES) - before)

            if await write(merge) < _NOTHING_LEFT:
                break
            pages = PAGES_AT_ONCE


async def _levels(connection: Connection, index: str) -> int:
    """Return how many levels an index has."""
    structure = await connection.fetch_value(f"SELECT block FROM {index}_data WHERE id = {_STRUCTURE}")
    levels = 0
    for byte in bytes(structure or b"")[_COOKIE_BYTES:]:  # a varint: seven bits a byte, the last one below 128
        levels = levels << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return levels
