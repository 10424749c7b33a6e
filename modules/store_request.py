"""The request to memory to keep a text, which any module may make."""

from collections.abc import Mapping, Sequence
from typing import Any

from .records import dataclass


@dataclass(frozen=True)
class StoreRequest:
    """One text to keep, as the caller gives it: nothing is checked, and nothing redacted yet.

    `session` is the id of the conversation that it is a turn of. It states that the `attribute` of the `subject` is the
    `value`; `confidence` below .5 makes it a candidate. It replaces the memories with the ids in `supersedes`. A text
    of a given `kind` is that, and states nothing. An importance is kept as it is given; without one it is computed.
    `place` are the fields of the project that it is kept for, unless it is about the user. It holds until
    `valid_until`, a date or date-time; a bare date is its last day.
    """

    content: str
    memory_type: str = "semantic"
    importance: float | None = None
    tags: Sequence[str] = ()
    metadata: Mapping[str, Any] | None = None
    source: str = ""
    occurred_at: str | None = None
    session: str | None = None
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    confidence: float | None = None
    supersedes: Sequence[str] = ()
    kind: str | None = None
    place: Mapping[str, str] | None = None
    valid_until: str | None = None
