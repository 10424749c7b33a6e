"""Conversations as results."""

from collections.abc import Mapping, Sequence
from dataclasses import field

from ..extraction.models import ExtractionOutcome
from ..framing import NOTICE, quote
from ..memory.models import Memory
from ..records import dataclass
from ..turns.models import Added, SessionBranch, Turn
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
class FactFound:
    """A fact that a conversation states, stored as a candidate."""

    id: str
    text: Text


@dataclass(frozen=True)
class ConversationAdded:
    """The traces of a conversation: its turns, of which `new` were not there before, and the facts that they state.

    `memory_ids` are those of the turns, in order; `skipped` counts what was not stored, by reason, and `redacted` the
    secrets that were replaced, by kind; `notes` say what was degraded.
    """

    session: str
    new: int
    known: int
    memory_ids: tuple[str, ...]
    new_facts: int
    facts: tuple[FactFound, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    redacted: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return what was stored, found and left out."""
        known = f" (known before: {self.known})" if self.known else ""
        head = f"Turns stored in {quote(self.session)}: {self.new}{known}. New facts: {self.new_facts}."
        skipped = ", ".join(f"{reason} ({count})" for reason, count in self.skipped.items())
        lines = [head, *(f"- {one.id}: {quote(one.text)}" for one in self.facts)]
        return "\n".join([*lines, *([f"Not stored: {skipped}."] if skipped else []), *self.notes])


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


def conversation(
    session: str,
    turns: Sequence[Turn],
    new: int,
    read: ExtractionOutcome | None,
    facts: Sequence[Memory],
    skipped: Mapping[str, int],
) -> ConversationAdded:
    """Return the view of a stored conversation and what was read in it."""
    return ConversationAdded(
        session,
        new,
        len(turns) - new,
        tuple(turn.memory_id for turn in turns),
        read.new if read else 0,
        tuple(FactFound(fact.id, fact.content) for fact in facts),
        {reason: count for reason, count in skipped.items() if count},
        notes=read.notes if read else (),
    )


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


def branched(branch: SessionBranch) -> Branched:
    """Return the view of a session that goes on from another."""
    return Branched(branch.session, branch.parent, branch.place, not branch.is_new)
