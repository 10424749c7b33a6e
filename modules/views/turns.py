"""Conversations as results."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..framing import NOTICE, quote
from ..turns.models import Added, Branch, Turn
from .texts import Minute, Text


@dataclass(frozen=True)
class TurnAdded:
    """The places of the turns in the session, from 0, and the ids of their memories.

    `duplicate` when all of them were there already.
    """

    session: str
    turns: tuple[int, ...]
    memory_ids: tuple[str, ...]
    duplicate: bool = False

    def as_text(self) -> str:
        """Return where the turns stand."""
        turns = [f"{turn} ({one})" for turn, one in zip(self.turns, self.memory_ids, strict=True)]
        return (
            f"{'Was there already' if self.duplicate else 'Kept'}: turn {' and '.join(turns)} of {quote(self.session)}."
        )


@dataclass(frozen=True)
class TurnView:
    """A turn, by the id of its memory; `salience` (0..1) once it has been worked out."""

    id: str
    turn: int
    role: str
    at: Minute
    text: Text
    salience: float | None = None

    def line(self) -> str:
        """Return the turn as one line."""
        salience = "" if self.salience is None else f", salience {self.salience:.2f}"
        return f"- {self.id} {self.turn} {self.role}, {self.at:%Y-%m-%d %H:%M}{salience}: {quote(self.text)}"


@dataclass(frozen=True)
class TurnWindow:
    """The last turns of a session, in order."""

    session: str
    results: tuple[TurnView, ...]
    notice: str = ""

    def as_text(self) -> str:
        """Return the turns as lines."""
        if not self.results:
            return f"Nothing was said in {quote(self.session)}."
        return "\n".join([self.notice, *(one.line() for one in self.results)])


@dataclass(frozen=True)
class Branched:
    """The branch: what it inherits ends with the turn `inherited_until`, -1 for nothing."""

    session: str
    parent: str
    inherited_until: int
    duplicate: bool = False

    def as_text(self) -> str:
        """Return what the branch inherits."""
        inherited = f"{self.inherited_until + 1} turns" if self.inherited_until >= 0 else "nothing"
        return f"{quote(self.session)} goes on from {quote(self.parent)}, of which it inherits {inherited}."


def added(done: Added) -> TurnAdded:
    """Return the view of stored turns."""
    turns = done.turns
    places, ids = tuple(turn.place for turn in turns), tuple(turn.memory_id for turn in turns)
    return TurnAdded(turns[-1].session, places, ids, done.new == 0)


def window(session: str, turns: Sequence[Turn]) -> TurnWindow:
    """Return the view of the last turns of a session."""
    views = tuple(
        TurnView(
            turn.memory_id,
            turn.place,
            turn.role.value,
            turn.occurred_at,
            turn.text,
            None if turn.salience is None else round(turn.salience, 3),
        )
        for turn in turns
    )
    return TurnWindow(session, views, NOTICE if views else "")


def branched(branch: Branch) -> Branched:
    """Return the view of a session that goes on from another."""
    return Branched(branch.session, branch.parent, branch.place, not branch.is_new)
