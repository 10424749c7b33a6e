"""Erases a memory with what tells the same: the facts found in it alone, and the summaries made of it."""

from datetime import datetime

from ..memory.models import Memory
from .contest_ends import clear_traces
from .rows import Rows


async def erase(rows: Rows, memory: Memory, at: datetime, action: str) -> None:
    """Erase a memory with everything derived from it, and note it in the audit log as `action`.

    Unconfirmed facts that were found in it alone are erased too. So are summaries of it, as they may tell what it said.
    """
    for fact in await rows.memories.found_in_alone(memory):
        await erase(rows, fact, at, action)
    await erase_summaries(rows, memory, at, action)
    await clear_traces(rows, memory.namespace, memory.id, at)
    await rows.memories.delete(memory, at, action)


async def erase_summaries(rows: Rows, memory: Memory, at: datetime, action: str) -> None:
    """Erase the summaries that were made of a memory; their other sources can be summarised again."""
    for made in await rows.memories.summaries_of(memory):
        await erase(rows, made, at, action)
