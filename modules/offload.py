"""Offloading: read long texts in a thread, short ones at once."""

import asyncio
from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

READ_AT_ONCE_CHARS = 2_000
"""The longest text that is read at once: a longer one takes longer than a thread costs, a tenth of a millisecond."""


async def read(chars: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what `work` makes of texts with `chars` characters in all; it runs in a thread where they are many."""
    if chars <= READ_AT_ONCE_CHARS:
        return work(*args, **kwargs)
    return await asyncio.to_thread(work, *args, **kwargs)


def size(value: object) -> int:
    """Return how many characters the texts in a JSON value have, names included; dataclasses count as nothing."""
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
    """Return how many characters some texts have."""
    return sum(map(len, texts))
