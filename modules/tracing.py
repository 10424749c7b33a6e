"""Traces of what is done: spans with names, numbers and codes in them, never a text, id or name of a memory.

Where nothing records them, a span costs a look at a variable.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Protocol

Attributes = Mapping[str, str | int | float | bool]


class Span(Protocol):
    """One thing that is done, from its beginning to its end."""

    def note(self, attributes: Attributes) -> None:
        """Add what is known by now."""

    def rename(self, name: str) -> None:
        """Give it the name that is known by now."""


class Tracer(Protocol):
    """Records spans; one that begins within another is its child."""

    def span(self, name: str, attributes: Attributes, parent: str) -> AbstractContextManager[Span]:
        """Record the block; `parent` is the `traceparent` of who asked for it, "" for none."""


class _Unrecorded:
    """A span that nobody looks at."""

    def note(self, attributes: Attributes) -> None:
        """Forget it."""

    def rename(self, name: str) -> None:
        """Forget it."""


_TRACER: ContextVar[Tracer | None] = ContextVar("tracer", default=None)


@contextmanager
def recorded_by(tracer: Tracer) -> Iterator[None]:
    """Let a tracer record the spans within the block, and of the tasks that it starts."""
    token = _TRACER.set(tracer)
    try:
        yield
    finally:
        _TRACER.reset(token)


def span(name: str, attributes: Attributes | None = None, parent: str = "") -> AbstractContextManager[Span]:
    """Record the block as a span."""
    tracer = _TRACER.get()
    return nullcontext(_Unrecorded()) if tracer is None else tracer.span(name, attributes or {}, parent)
