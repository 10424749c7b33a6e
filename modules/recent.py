"""Mappings that keep their latest entries alone. Pure."""

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def put(kept: OrderedDict[str, T], key: str, value: T, most: int) -> T:
    """Keep a value as the latest of at most so many; return it."""
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > most:
        kept.popitem(last=False)
    return value


def used(kept: OrderedDict[str, T], key: str, new: Callable[[], T], most: int) -> T:
    """Return the value of a key, or a new one, which is the latest of at most so many from now on."""
    return put(kept, key, kept[key] if key in kept else new(), most)
