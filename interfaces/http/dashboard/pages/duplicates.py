"""Duplicates: memories that say the same, in groups; those that add nothing are chosen already."""

from collections.abc import Sequence
from typing import Any

from .....modules.errors import InvalidInput
from .....modules.memory.models import Memory
from .....modules.memory.upkeep import Consolidation
from ..visit import Redirect, Shown, Visit
from .listing import Listing

MOST = 100
"""Memories that are shown at once as saying what another says."""


async def show(visit: Visit, path: str) -> Shown:
    """Show groups of the same text, or of what is about the same in other words."""
    similar = bool(visit.given("similar"))
    steps = await visit.agentos.upkeep.consolidation(visit.namespace, MOST, similar=similar)
    act = visit.given("act")
    return Shown(
        "duplicates.html",
        {
            "groups": _grouped(steps),
            "count": len(steps),
            "similar": similar,
            "most": MOST,
            "act": await visit.agentos.acts.look(visit.namespace, act) if act else None,
            "listing": Listing({}),
            "may_write": visit.may("writer"),
        },
    )


def _grouped(steps: Sequence[Consolidation]) -> list[dict[str, Any]]:
    """Return each memory that is kept with those that it makes needless, the largest group first."""
    groups: dict[str, tuple[Memory, list[Consolidation]]] = {}
    for step in steps:
        groups.setdefault(step.kept.id, (step.kept, []))[1].append(step)
    return [{"kept": kept, "others": others} for kept, others in sorted(groups.values(), key=lambda one: -len(one[1]))]


async def act(visit: Visit, path: str) -> Redirect:
    """Refuse every form: those of this page go to the list of memories. Raises InvalidInput."""
    raise InvalidInput("do", "nothing is changed here")
