"""What the C library keeps of freed memory: little, where that is glibc; elsewhere these functions do nothing."""

import sys
from typing import Any

_ARENAS_MAX = 2
_M_ARENA_MAX = -8
"""The parameter's number in glibc's malloc.h."""


def bound_arenas() -> None:
    """Let threads share two heaps: by default each may get one of its own, and none gives back what another could use.

    Call it before threads begin.
    """
    if mallopt := _of_glibc("mallopt"):
        mallopt(_M_ARENA_MAX, _ARENAS_MAX)


def give_back() -> None:
    """Return to the system what was freed and is kept: some 20 MB after a model is loaded. Takes milliseconds."""
    if trim := _of_glibc("malloc_trim"):
        trim(0)


def _of_glibc(name: str) -> Any:  # a function of C, or None
    if sys.platform != "linux":
        return None
    try:
        import ctypes

        return getattr(ctypes.CDLL(None), name, None)
    except (ImportError, OSError):  # a Python that loads no libraries
        return None
