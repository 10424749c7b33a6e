"""Goals as a tree: each below the one that it is a part of."""

from collections.abc import Sequence

from .models import Goal


def ordered(goals: Sequence[Goal]) -> list[tuple[Goal, int]]:
    """Return the goals with their depth, each followed by its parts.

    A goal whose parent is not among them begins a tree of its own, and so does one that is a part of itself.
    """
    known = {goal.id for goal in goals}
    parts: dict[str | None, list[Goal]] = {}
    for goal in goals:
        parts.setdefault(goal.parent_goal_id if goal.parent_goal_id in known else None, []).append(goal)
    found: dict[str, tuple[Goal, int]] = {}
    waiting = [(goal, 0) for goal in reversed([*parts.get(None, []), *goals])]
    while waiting:
        goal, depth = waiting.pop()
        if goal.id not in found:
            found[goal.id] = (goal, depth)
            waiting += [(part, depth + 1) for part in reversed(parts.get(goal.id, []))]
    return list(found.values())
