"""Fitting a snapshot into a token budget: entries join in turn while everything still fits."""

import dataclasses
import json
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import InvalidInput
from .models import Snapshot
from .rendering import render
from .tokens import estimate

MAX_OMITTED = 9_999
SEPARATOR = 1
SECTION_ORDER = ("proactive_insights", "active_goals", "top_memories", "autonomous_tasks", "recent_patterns")
"""Whose turn it is: what needs attention first, what informs after it."""


def cost(snapshot: Snapshot) -> int:
    """Tokens of a snapshot in its dearer form, text or JSON: clients show the model one or the other."""
    as_json = json.dumps(dataclasses.asdict(snapshot), ensure_ascii=False, separators=(",", ":"))
    return max(estimate(render(snapshot)), estimate(as_json))


def fit(
    empty: Snapshot,
    sections: dict[str, Sequence[Any]],
    max_tokens: int,
    stable_order: dict[str, Callable[[Any], Any]],
) -> Snapshot:
    """The snapshot filled from `sections` (each best first), never above `max_tokens`.

    Sections take turns, so that none starves another; an entry that does not fit is left out and counted
    in `omitted`. Raises InvalidInput when not even the empty snapshot fits. Sections named in
    `stable_order` are shown in the order of that key, whatever their ranks.
    """
    chosen: dict[str, list[Any]] = {name: [] for name in SECTION_ORDER}
    waiting = {name: list(sections[name]) for name in SECTION_ORDER}
    total = sum(len(entries) for entries in waiting.values())

    def compose() -> Snapshot:
        kept = sum(len(entries) for entries in chosen.values())
        shown: dict[str, Any] = {
            name: tuple(sorted(entries, key=stable_order[name]) if name in stable_order else entries)
            for name, entries in chosen.items()
        }
        return dataclasses.replace(empty, omitted=total - kept, **shown)

    bare = dataclasses.replace(empty, omitted=MAX_OMITTED)
    least = spent = cost(bare)
    if least > max_tokens:
        raise InvalidInput("max_tokens", f"must be at least {least} here")
    taken: list[str] = []
    while any(waiting.values()):
        for name in SECTION_ORDER:
            if not waiting[name]:
                continue
            entry = waiting[name].pop(0)
            alone: dict[str, Any] = {name: (entry,)}
            price = cost(dataclasses.replace(bare, **alone)) - least + SEPARATOR
            if spent + price <= max_tokens:
                chosen[name].append(entry)
                taken.append(name)
                spent += price
    # The prices are of single entries; what counts is the whole.
    while cost(snapshot := compose()) > max_tokens:
        chosen[taken.pop()].pop()
    return snapshot
