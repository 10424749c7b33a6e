"""Results of storing and judging memories, with the call that settles what is open."""

from collections.abc import Sequence

from ..facts.models import CONTRADICTS, EVIDENCE_OF, SUPERSEDES
from ..framing import NOTICE
from ..memory.models import Change, Memory
from ..memory.service import Stored
from ..records import dataclass
from .labels import Labels
from .memories import Excerpt, excerpt

EVERYWHERE = "Kept for every project."
UNDO = "memory_revert undoes it."
CONTESTED = "A human decides what is true: agentos approvals."


@dataclass(frozen=True)
class StoredMemory:
    """The stored memory: `duplicate` if the text was there already, `made_lasting` if it would have expired.

    `superseded`, `contested` and `confirmed` are the ids of those that it replaced, contradicts or says again.
    `may_replace` are older ones that it may replace; whoever stores it knows. `label` is what searches say of it.
    """

    id: str
    duplicate: bool = False
    made_lasting: bool = False
    label: str = ""
    superseded: tuple[str, ...] = ()
    contested: tuple[str, ...] = ()
    confirmed: tuple[str, ...] = ()
    notice: str = ""
    may_replace: tuple[Excerpt, ...] = ()
    hints: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return the result, with questions about what it may replace."""
        sentences = [self._outcome()]
        sentences += [f"It supersedes {', '.join(self.superseded)}."] if self.superseded else []
        sentences += [f"It contradicts {', '.join(self.contested)}."] if self.contested else []
        sentences += [f"It confirms {', '.join(self.confirmed)}."] if self.confirmed else []
        sentences += [f"Searches will say: {self.label}."] if self.label else []
        if not self.may_replace:
            return " ".join([*sentences, *self.hints])
        return "\n".join([" ".join(sentences), self.notice, *(one.line() for one in self.may_replace), *self.hints])

    def _outcome(self) -> str:
        if self.made_lasting:
            return f"Known already as {self.id}, a working memory; it is kept for good now."
        return f"Known already as {self.id}, left unchanged." if self.duplicate else f"Stored {self.id}."


@dataclass(frozen=True)
class JudgedMemory:
    """A memory as it stands now: how far it is believed, or what has replaced it."""

    id: str
    status: str | None = None
    confidence: float = 0.0
    superseded_by: str | None = None
    hints: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return the outcome as text."""
        if self.superseded_by is not None:
            return " ".join([f"{self.id} is superseded by {self.superseded_by}.", *self.hints])
        return f"{self.id} is {self.status}, confidence {self.confidence:.2f}."


@dataclass(frozen=True)
class Stands:
    """The state of a memory."""

    id: str
    status: str
    label: str = ""


@dataclass(frozen=True)
class Reverted:
    """The change that was undone, and the states of the memories after it."""

    undone: str
    results: tuple[Stands, ...]

    def as_text(self) -> str:
        """Return what was undone."""
        stands = ", ".join(f"{one.id} is {one.label or one.status}" for one in self.results)
        return f"Done: {self.undone}. Now {stands or 'none of them is left'}."


@dataclass(frozen=True)
class StoredOne:
    """A stored memory, by its place in the call."""

    index: int
    id: str
    duplicate: bool = False


@dataclass(frozen=True)
class RefusedOne:
    """A refused memory, and why; `field` is the argument."""

    index: int
    code: str
    problem: str
    field: str | None = None


@dataclass(frozen=True)
class StoredBatch:
    """The results of storing many memories; refused ones are not kept."""

    results: tuple[StoredOne, ...]
    refused: tuple[RefusedOne, ...] = ()

    def as_text(self) -> str:
        """The ids in order, and what was refused."""
        lines = [f"Stored {len(self.results)}, refused {len(self.refused)}."]
        lines += [f"- {one.index}: {one.id}{' (known already)' if one.duplicate else ''}" for one in self.results]
        return "\n".join([*lines, *(f"- {one.index} refused: {one.problem}" for one in self.refused)])


def stored(done: Stored, labels: Labels, *, everywhere: bool = False) -> StoredMemory:
    """Return the view of what a store did; `labels` know what has superseded the memory, if something has.

    `everywhere` says that it is kept for all projects though it was stored in one.
    """
    memory, change = done.memory, done.change
    superseded, contested = _ended(change, memory.id), _related(change, CONTRADICTS)
    asked = tuple(excerpt(one, labels) for one in done.may_replace)
    hints = [EVERYWHERE] if everywhere else []
    hints += [UNDO] if superseded else []
    hints += [CONTESTED] if contested else []
    hints += [_ended_hint(ended)] if (ended := _ended_before(change, memory.id, superseded)) else []
    hints += [_question(asked, memory)] if asked else []
    hints += [_same(done.same_as[0], memory)] if done.same_as and not asked else []
    hints += [f"It is known to have happened {done.times} times."] if done.times > 1 else []
    return StoredMemory(
        memory.id,
        done.duplicate,
        done.made_lasting,
        labels.of(memory),
        superseded,
        contested,
        _related(change, EVIDENCE_OF),
        NOTICE if asked else "",
        asked,
        tuple(hints),
    )


def judged(memory: Memory, labels: Labels) -> JudgedMemory:
    """Return the view of a memory after somebody has judged it."""
    if (by := labels.successors.get(memory.id)) is not None:
        return JudgedMemory(memory.id, superseded_by=by, hints=(UNDO,))
    return JudgedMemory(memory.id, memory.status.value, round(memory.confidence, 4))


def reverted(change: Change, memories: Sequence[Memory], labels: Labels) -> Reverted:
    """Return the view of what was undone, and of the memories that it was about."""
    return Reverted(change.reason, tuple(Stands(one.id, one.status.value, labels.of(one)) for one in memories))


def _ended(change: Change | None, memory_id: str) -> tuple[str, ...]:
    """Return the ids of memories that no longer hold since a memory was stored."""
    if change is None:
        return ()
    after, before = change.after, change.before
    return tuple(one for one in after if one != memory_id and after[one].valid_to != before[one].valid_to)


def _ended_before(change: Change | None, memory_id: str, superseded: Sequence[str]) -> tuple[str, ...]:
    """Return the ids of memories that a memory was said to supersede and that had ended before."""
    named = () if change is None else change.relations
    own = (one.to_id for one in named if one.type == SUPERSEDES and one.from_id == memory_id)
    return tuple(one for one in own if one not in superseded)


def _ended_hint(ended: Sequence[str]) -> str:
    return f"{', '.join(ended)} had ended before; what replaced it then still holds."


def _related(change: Change | None, relation: str) -> tuple[str, ...]:
    return () if change is None else tuple(each.to_id for each in change.relations if each.type == relation)


def _same(older: Memory, memory: Memory) -> str:
    """Return what is known already in other words, and how to say that it is true."""
    settles = f'memory_feedback(memory_id="{older.id}", verdict="confirm", agent_id="{memory.namespace}")'
    return f"Same as {older.id}; if that still holds: {settles}."


def _question(asked: Sequence[Excerpt], memory: Memory) -> str:
    """Return how to say that a memory replaces what it may replace, or that both hold."""
    several = len(asked) > 1
    which = "ID" if several else f'"{asked[0].id}"'
    when_so = "For each of these that it replaces" if several else "If it replaces this"
    by = f'by="{memory.id}", agent_id="{memory.namespace}"'
    settles = f'{when_so}: memory_feedback(memory_id={which}, verdict="supersede", {by})'
    return f'{settles}; where both hold, verdict="confirm".'
