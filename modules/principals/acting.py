"""The caller on whose behalf work is done, for what is noted of a change: what may be touched is not read from here."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .models import DAEMON, Caller, Door, RequestKey

_CALLER: ContextVar[Caller | None] = ContextVar("caller", default=None)


@contextmanager
def acting(caller: Caller) -> Iterator[None]:
    """Name the caller of what is done within the block, and of the tasks that it starts."""
    token = _CALLER.set(caller)
    try:
        yield
    finally:
        _CALLER.reset(token)


def actor() -> tuple[str, str, str]:
    """Return principal, door and request id of what is being done; the daemon's where nobody asked for it."""
    caller = _CALLER.get()
    return (DAEMON, Door.DAEMON, "") if caller is None else (caller.principal, caller.door, caller.request_id)


def asker() -> tuple[str, ...]:
    """Return principal, door and folder of who asked for what is being done: a session; nothing where nobody did."""
    caller = _CALLER.get()
    return () if caller is None else (caller.principal, caller.door, caller.folder)


def requested() -> tuple[str, RequestKey] | None:
    """Return the principal and the key of a request that may come again; None where it has none."""
    caller = _CALLER.get()
    return None if caller is None or caller.request_key is None else (caller.principal, caller.request_key)


def is_person() -> bool:
    """Return whether what is done is done for a person, so that what they are shown does not count as used."""
    caller = _CALLER.get()
    return caller is not None and caller.is_person
