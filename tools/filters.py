"""The arguments that memory tools share, and the filter made of them."""

from typing import Annotated, Literal

from pydantic import Field

from ..modules import inputs
from ..modules.memory.models import MemoryFilter, MemoryType
from ..modules.projects.service import Reach

EVERYTHING = Reach()
Type = Literal["episodic", "semantic", "procedural", "working"]
Tags = list[str] | None
Moment = Annotated[str | None, Field(description="ISO 8601")]
"""The first moment among a tool's arguments says how all of them are written."""


def filter_of(
    memory_type: str | None,
    tags: list[str] | None,
    since: str | None,
    until: str | None,
    min_importance: float,
    session: str | None,
    before: str | None = None,
    as_of: str | None = None,
    include_superseded: bool = False,
    reach: Reach = EVERYTHING,
) -> MemoryFilter:
    """Return the filter that a tool's arguments ask for. Raises InvalidInput."""
    begin, end = inputs.span("since", since, "until", until)
    return MemoryFilter(
        memory_type=None if memory_type is None else MemoryType(memory_type),
        tags=inputs.tags("tags", tags or ()),
        since=begin,
        until=end if before is None else inputs.moment("before", before),
        min_importance=inputs.unit_interval("min_importance", min_importance),
        session=None if session is None else inputs.text("session", session),
        as_of=inputs.end_of_day_if_date_only("as_of", as_of),
        include_superseded=include_superseded,
        projects=reach.projects,
        working_in=reach.working_in,
    )
