"""Duplicates: memories that say the same, in groups; of the same text, those that add nothing are chosen already."""

import asyncio
from typing import Any

from ....modules.facts.models import RELATES_TO, Relation
from ....modules.memory.groups import Alike, grouped
from .. import html
from ..visit import Shown, Visit
from .listing import Listing
from .memories import MOST_MERGED

MOST = 100
"""Memories that are shown at once as saying what another says."""
ALIKE = 0.9
"""The cosine from which on memories are shown as about the same."""

SAME, SIMILAR = "0", "1"
"""What asks for one kind; by default it is the first that has something."""


async def show(visit: Visit, path: str) -> Shown:
    """Show groups of the same text, or of what is about the same in other words."""
    asked = visit.given("similar")
    groups = [] if asked == SIMILAR else await _same(visit)
    similar = not groups and asked != SAME
    if similar:
        groups = await visit.agentos.upkeep.alike(visit.namespace, ALIKE, MOST)
    act = visit.given("act")
    return Shown(
        "duplicates.html",
        {
            "groups": await asyncio.to_thread(_marked, groups),
            "count": sum(len(one.others) for one in groups),
            "similar": similar,
            "most": MOST,
            "most_merged": MOST_MERGED,
            "act": await visit.agentos.acts.look(visit.namespace, act) if act else None,
            "listing": Listing({"similar": SIMILAR if similar else SAME}, visit.text),
            "may_write": visit.may_write,
        },
    )


async def _same(visit: Visit) -> list[Alike]:
    steps = await visit.agentos.upkeep.consolidation(visit.namespace, MOST)
    memories = {one.id: one for step in steps for one in (step.archived, step.retained)}
    return grouped([Relation(s.archived.id, s.retained.id, RELATES_TO, s.similarity) for s in steps], memories)


def _marked(groups: list[Alike]) -> list[dict[str, Any]]:
    """Return groups with the words marked in which the others differ from the first; at most MOST others. Blocks."""
    marked, left = [], MOST
    for group in groups:
        others = [
            {"memory": one, "share": share, "pieces": html.differing(group.first.content, one.content)[1]}
            for one, share in group.others[:left]
        ]
        left -= len(others)
        if others:
            marked.append({"first": group.first, "others": others, "more": len(group.others) - len(others)})
    return marked
