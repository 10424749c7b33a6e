"""The arguments that memory tools share, and the filter made of them."""

from typing import Literal

from ..modules import inputs
from ..modules.memory.models import MemoryFilter, MemoryType

Type = Literal["episodic", "semantic", "procedural", "working"]
Tags = list[str] | None


def filter_of(
    memory_type: str | None,
    tags: list[str] | None,
    since: str | None,
    until: str | None,
    min_importance: float,
    session: str | None,
    until_field: str = "until",
    as_of: str | None = None,
    include_superseded: bool = False,
) -> MemoryFilter:
    """Return the filter that a tool's arguments ask for. Raises InvalidInput."""
    return MemoryFilter(
        memory_type=None if memory_type is None else MemoryType(memory_type),
        tags=inputs.tags("tags", tags or ()),
        since=inputs.moment("since", since),
        until=inputs.moment(until_field, until),
        min_importance=inputs.unit_interval("min_importance", min_importance),
        session=None if session is None else inputs.text("session", session),
        as_of=inputs.end_of_day_if_date_only("as_of", as_of),
        include_superseded=include_superseded,
    )
