"""Facets: how many memories each value of a filter would show, of those that the other filters let pass. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..text.scripts import key_form
from .models import Memory, MemoryFilter, Status

Counted = Mapping[str, Sequence[tuple[str, int]]]
"""The values of each facet with their numbers, the most first."""
COUNTABLE = tuple(status for status in Status if status is not Status.FORGOTTEN)
MOST = 12
"""The values that are shown of one facet."""


class Traits(NamedTuple):
    """What facets tell memories apart by; a project is an id or a name, and is shown by its `project_name`."""

    memory_type: str
    status: str
    source: str
    project: str
    project_name: str


def traits_of(memories: Iterable[Memory]) -> Counter[Traits]:
    """Count memories by their traits."""
    return Counter(
        Traits(one.memory_type.value, one.status.value, one.source, one.project, _name(one)) for one in memories
    )


def _name(memory: Memory) -> str:
    return str(memory.metadata.get("project_name") or memory.project)


def tags_of(memories: Iterable[Memory]) -> Sequence[tuple[str, int]]:
    """Return the tags of memories with their numbers, the most frequent first."""
    return Counter(key_form(tag) for one in memories for tag in one.tags).most_common(MOST)


def opened(where: MemoryFilter) -> MemoryFilter:
    """Return a filter without those that facets choose among: what it lets pass is counted by traits."""
    return replace(where, memory_type=None, statuses=COUNTABLE, source=None, projects=())


def _has_status(one: Traits, where: MemoryFilter) -> bool:
    chosen = {status.value for status in where.statuses}
    return one.status in chosen if chosen else one.status != Status.ARCHIVED.value


_PASSES: Mapping[str, Callable[[Traits, MemoryFilter], bool]] = {
    "memory_type": lambda one, where: where.memory_type is None or where.memory_type.value == one.memory_type,
    "status": _has_status,
    "source": lambda one, where: where.source in (None, one.source),
    "project_name": lambda one, where: not where.projects or not {*one[3:]}.isdisjoint(where.projects),
}
"""By the trait that each facet shows: whether a filter lets traits pass, as far as that is up to this facet."""


def counted(traits: Mapping[Traits, int], where: MemoryFilter) -> Counted:
    """Return the values of each facet, counted among those that all other filters let pass."""
    found: dict[str, Counter[str]] = {facet: Counter() for facet in _PASSES}
    for one, number in traits.items():
        refusing = [facet for facet, passes in _PASSES.items() if not passes(one, where)]
        for facet in _PASSES:
            if refusing in ([], [facet]) and (value := getattr(one, facet)):
                found[facet][value] += number
    return {facet: counts.most_common(MOST) for facet, counts in found.items()}
