"""Whether what is being read may lag a little behind: then a standby of the database may be asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context

from .records import dataclass


@dataclass
class _Look:
    has_ended: bool = False


_LOOK: ContextVar[_Look | None] = ContextVar("look", default=None)


@contextmanager
def may_lag(allowed: bool = True) -> Iterator[None]:
    """Say of what is read within the block that nothing is decided by it; tasks that outlive the block read anew."""
    look = _Look(has_ended=not allowed)
    token = _LOOK.set(look)
    try:
        yield
    finally:
        look.has_ended = True
        _LOOK.reset(token)


def current() -> Context:
    """Return the present context for a task that decides by what it reads, whoever has started it."""
    context = copy_context()
    context.run(_LOOK.set, None)
    return context


def is_allowed() -> bool:
    """Return whether what is read now may lag."""
    look = _LOOK.get()
    return look is not None and not look.has_ended
