"""Erases a memory with what tells the same: the facts found in it alone, and the summaries made of it."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ..memory.models import Memory
from .contest_ends import clear_traces

if TYPE_CHECKING:
    from ...storage.repositories.rows import TransactionRows


async def erase(rows: "TransactionRows", memory: Memory, at: datetime, action: str) -> None:
    """Erase a memory with everything derived from it, and note it in the audit log as `action`.

    Unconfirmed facts that were found in it alone are erased too. So are summaries of it, as they may tell what it said.
    """
    await _erase(rows, [memory], set(), at, action)


async def erase_summaries(rows: "TransactionRows", memory: Memory, at: datetime, action: str) -> None:
    """Erase the summaries that were made of a memory; their other sources can be summarised again."""
    await _erase(rows, await rows.memories.summaries_of(memory), {memory.id}, at, action)


async def _erase(
    rows: "TransactionRows", memories: Sequence[Memory], begun: set[str], at: datetime, action: str
) -> None:
    """Erase memories, each after what is derived from it, but for those that have `begun`.

    In an imported store summaries may be made of each other, in a ring or a chain of any length.
    """
    waiting, erased = [*reversed(memories)], set[str]()
    while waiting:
        memory = waiting[-1]
        if memory.id not in begun:
            begun.add(memory.id)
            derived = [*await rows.memories.found_in_alone(memory), *await rows.memories.summaries_of(memory)]
            waiting += [one for one in reversed(derived) if one.id not in begun]
            continue
        waiting.pop()
        if memory.id not in erased:
            erased.add(memory.id)
            await clear_traces(rows, memory.namespace, memory.id, at)
            await rows.memories.delete(memory, at, action)
