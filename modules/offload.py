"""Offloading: long texts are read in a thread beside the event loop, short ones at once."""

import asyncio
from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

READ_AT_ONCE_CHARS = 2_000
"""Longer texts hold up everybody else for longer than a thread costs, a tenth of a millisecond."""


async def read(chars: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `work` makes of texts with so many characters in all."""
    if chars <= READ_AT_ONCE_CHARS:
        return work(*args, **kwargs)
    return await asyncio.to_thread(work, *args, **kwargs)


def size(value: object) -> int:
    """How many characters the texts in a JSON value have, names included; dataclasses count as nothing."""
    chars, waiting = 0, [value]
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, str):
            chars += len(entry)
        elif isinstance(entry, dict):
            waiting += [*entry.keys(), *entry.values()]
        elif isinstance(entry, list | tuple):
            waiting += entry
    return chars


def length(texts: Iterable[str]) -> int:
    """How many characters some texts have."""
    return sum(map(len, texts))
