"""Erasing that leaves no remains: deleted words leave the segments of the text index.

FTS5 only marks a deletion: the words stay in its older segments until those are merged. That is done after an erase, in
short transactions, so that others write in between.
"""

from collections.abc import Awaitable, Callable

from ..engine.ports import Connection, Work
from . import text_index

PAGES_AT_ONCE = 500
MOST_ROUNDS = 20_000
"""Many times the rounds that a million memories take."""
_NOTHING_LEFT = 2
"""A merge that changes fewer rows than this had nothing left to merge."""
_CHANGES = "SELECT total_changes()"


async def merge_segments(write: Callable[[Work[int]], Awaitable[int]]) -> None:
    """Merge all segments of each text index, in transactions that `write` runs."""
    for index in text_index.indexes(with_aside=True):
        pages = -PAGES_AT_ONCE  # negative starts a merge of all segments; positive continues it
        for _ in range(MOST_ROUNDS):

            async def merge(connection: Connection, index: str = index, pages: int = pages) -> int:
                before = await connection.fetch_value(_CHANGES)
                await connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('merge', ?)", (pages,))
                return int(await connection.fetch_value(_CHANGES) - before)

            if await write(merge) < _NOTHING_LEFT:
                break
            pages = PAGES_AT_ONCE
