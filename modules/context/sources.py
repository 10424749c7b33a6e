"""Where the parts of a context come from: the other services, each as the compiler wants it."""

from collections.abc import Sequence
from datetime import datetime

from ..profile.service import ProfileService
from ..turns.models import Turn
from ..turns.service import MAX_LIMIT, WINDOW, TurnService
from .ports import About, Inherited, Material, Window

INHERITED = 20
"""How many turns are told of what a branch inherits, beside those that are in its window."""


def window_of(turns: TurnService) -> Window:
    """The working window of a session, which borrows from the session that it branched off while it is short."""
    return turns.window


def inherited_of(turns: TurnService) -> Inherited:
    """What a branch took over and has no more in its window, what would be missed most first."""

    async def inherited(namespace: str, session: str) -> Sequence[Material]:
        before = (await turns.lineage(namespace, session))[1:]
        if not before:
            return []
        shown = {turn.memory_id for turn in await turns.window(namespace, session, WINDOW)}
        found: list[Turn] = []
        for stretch in before:
            after = -1 if stretch.until is None else max(-1, stretch.until - MAX_LIMIT)
            told = await turns.turns(namespace, stretch.session, after, MAX_LIMIT)
            found += [turn for turn in told if stretch.until is None or turn.place <= stretch.until]
        waiting = [turn for turn in found if turn.memory_id not in shown]
        best = sorted(waiting, key=_missed, reverse=True)[:INHERITED]
        return [Material(turn.text, f"{turn.occurred_at:%Y-%m-%d} {turn.role}", turn.memory_id) for turn in best]

    return inherited


def profile_of(profile: ProfileService) -> About:
    """How to answer the user, then what is known of them, key by key."""

    async def about(namespace: str, query: str, limit: int) -> Sequence[Material]:
        hints = await profile.hints(namespace)
        known = await profile.get(namespace, None, include_knowledge=False, include_traits=False)
        told = [
            Material(f"{entry.key}: {', '.join(value.value for value in entry.values)}", entry.values[0].status)
            for entry in known.entries
            if entry.values
        ]
        return [*([Material(hints, "how to answer the user")] if hints else []), *told][:limit]

    return about


def _missed(turn: Turn) -> tuple[float, datetime, int]:
    """How much a turn would be missed: its salience, where that is not known the middle; then the newest."""
    return (0.5 if turn.salience is None else turn.salience, turn.occurred_at, turn.place)
