"""Resolve conflicts of an arriving memory by the rules of `facts` and by the caller's explicit arguments."""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from typing import Protocol

from ..errors import Conflict
from ..facts.conflicts import CONTRADICTED, contested, judge
from ..facts.models import CONTRADICTS, SUPERSEDES, ContestQuestion, FactState, Relation
from ..records import dataclass
from . import lifecycle
from .lifecycle import Verdict
from .models import Change, Memory, MemoryType, Status

REPEATED_WITHIN = timedelta(minutes=1)
"""The same text again so soon, from the same source, is a call that was repeated, and no evidence."""
ARRIVALS = frozenset({"supersede", "correct", "close", "history", "contest"})
"""Actions of a memory that came and met others: when they are undone it is archived, or loses its slot."""

REVERT = "revert"
"""The action that undoes another."""
SUPERSEDED = "superseded"
"""The action of a memory that was there already and now supersedes others: undone, it stays."""
STATED_BY_CALLER = "said by the caller"


@dataclass(frozen=True)
class Decision:
    """Changes to make all at once: the standing of each memory named, relations, a question to a human.

    `memory_id` is the memory that the decision is about; `approval` names an approval that it carries out. Memories in
    `unless_contradicted` stay as they are where another contested memory contradicts them. A decision that is to happen
    `once` is skipped if its relations are there already. One that `upholds` says that its memory holds: no memory that
    may have replaced it does.
    """

    action: str
    memory_id: str
    reason: str
    standings: Mapping[str, FactState] = field(default_factory=dict)
    relations: Sequence[Relation] = ()
    request: ContestQuestion | None = None
    approval: str | None = None
    unless_contradicted: Sequence[str] = ()
    once: bool = False
    upholds: bool = False


@dataclass(frozen=True)
class Addition:
    """A memory that is to be stored, once for each text, by the hash of its content.

    With a `judge` the others of its slot, and those named by `supersedes`, are judged; `by` says who answers for that.
    """

    memory: Memory
    content_hash: str
    judge: "ConflictResolver | None" = None
    supersedes: Sequence[str] = ()
    by: str = "agent"


@dataclass(frozen=True)
class AddOutcome:
    """The outcome of storing a memory: the memory as it stands, whether it is new, and what was judged.

    `times` is how often an event of this text is known by now.
    """

    memory: Memory
    is_new: bool
    change: Change | None = None
    times: int = 1


CLOCKS_APART = timedelta(days=1)
"""A memory that was written so much later than one that arrives was written by a clock that was ahead."""


class ConflictResolver(Protocol):
    """Decides about a memory that arrives; pure, so that it can run within the transaction that stores it."""

    def arrived(self, new: Memory, rivals: Sequence[Memory], named: Sequence[Memory]) -> Decision | None:
        """Decide about a new memory beside those of its slot, and those that it was said to supersede."""

    def repeated(self, known: Memory, again: Memory, named: Sequence[Memory] = ()) -> Decision | None:
        """Decide about a memory whose very text was stored again, and those that it was said to supersede.

        Raises Conflict where it may not supersede them without a human.
        """


class RuleResolver:
    """Judges by the rules of `facts`."""

    def arrived(self, new: Memory, rivals: Sequence[Memory], named: Sequence[Memory]) -> Decision | None:
        ids = {memory.id for memory in named}
        rivals = [rival for rival in rivals if rival.id not in ids]
        judged = _by_rules(new, rivals)
        if not named:
            return judged
        outright = _contest(new, named) if _unsure(new, named) else _supersede(new, named, new.holds_from)
        if judged is None:
            return outright
        status = Status.CONTESTED if Status.CONTESTED in (_status(judged, new), _status(outright, new)) else None
        own = judged.standings.get(new.id, new.standing)
        return replace(
            outright,
            reason=f"{outright.reason}; {judged.reason}",
            standings={
                **judged.standings,
                **outright.standings,
                new.id: own if status is None else replace(own, status=status),
            },
            relations=(*outright.relations, *judged.relations),
            request=outright.request or judged.request,
        )

    def repeated(self, known: Memory, again: Memory, named: Sequence[Memory] = ()) -> Decision | None:
        confirmed = self._confirmed(known, again)
        if not named:
            return confirmed
        if _unsure(again, named) or _unsure(known, named):
            raise Conflict(
                f"supersedes: memory {known.id} has too little confidence or trust to supersede this without a "
                "human: agentos approvals"
            )
        own = known.standing if confirmed is None else confirmed.standings[known.id]
        outright = _supersede(known, named, again.holds_from)
        return replace(outright, action=SUPERSEDED, standings={**outright.standings, known.id: own})

    def _confirmed(self, known: Memory, again: Memory) -> Decision | None:
        is_repeated = again.source == known.source and again.created_at - known.created_at < REPEATED_WITHIN
        if again.trust < lifecycle.TRUSTED or is_repeated:
            return None
        standing = replace(known.standing, confirmations=known.confirmations + 1)
        if known.status is Status.STALE or (known.status is Status.CANDIDATE and again.status is Status.ACTIVE):
            standing = replace(standing, status=Status.ACTIVE)
        return Decision(Verdict.CONFIRM, known.id, "stored again", {known.id: standing}, upholds=True)


class YieldingResolver(RuleResolver):
    """Judges what a machine found in others' words; that changes the standing of nothing that somebody stated.

    It may say the same again, or what held before; else it stands beside. What was only found as it was
    gives way to it by the rules, so that what is stated later ends what was stated before.
    """

    def arrived(self, new: Memory, rivals: Sequence[Memory], named: Sequence[Memory]) -> Decision | None:
        stated = [rival for rival in rivals if rival.status is not Status.CANDIDATE]
        found = [rival for rival in rivals if rival.status is Status.CANDIDATE]
        return _beside(new, stated) or _among(new, found)

    def repeated(self, known: Memory, again: Memory, named: Sequence[Memory] = ()) -> Decision | None:
        return None  # the same turn may be read again


class DisputingResolver(RuleResolver):
    """Makes an arriving memory wait for a human if it and the one it supersedes were changed independently."""

    def arrived(self, new: Memory, rivals: Sequence[Memory], named: Sequence[Memory]) -> Decision | None:
        return _contest(new, named, "it and the memory here were changed independently")

    def repeated(self, known: Memory, again: Memory, named: Sequence[Memory] = ()) -> Decision | None:
        return None


def _beside(new: Memory, stated: Sequence[Memory]) -> Decision | None:
    """Decide about a memory that was found beside those that were stated; None where it would do more than add."""
    judged = _by_rules(_taken_for_sure(new), stated)
    if judged is None or judged.action not in ("confirm", "history"):
        return None
    others = {name: standing for name, standing in judged.standings.items() if name != new.id}
    if judged.action == "history" and others:
        return None
    own = replace(judged.standings[new.id], status=new.status, confidence=new.confidence)
    return replace(judged, standings={**others, new.id: own})


def _among(new: Memory, found: Sequence[Memory]) -> Decision | None:
    """Decide what a memory that was found does to others that were found: all keep their status and confidence."""
    judged = _by_rules(_taken_for_sure(new), [_taken_for_sure(rival) for rival in found])
    if judged is None or judged.request is not None:
        return None
    as_they_were = {memory.id: memory for memory in (new, *found)}
    standings = {
        name: replace(standing, status=as_they_were[name].status, confidence=as_they_were[name].confidence)
        for name, standing in judged.standings.items()
    }
    return replace(judged, standings=standings)


def _taken_for_sure(memory: Memory) -> Memory:
    return replace(memory, status=Status.ACTIVE, confidence=lifecycle.EXPLICIT_CONFIDENCE)


def _by_rules(new: Memory, rivals: Sequence[Memory]) -> Decision | None:
    if new.slot is None or not rivals or new.memory_type is MemoryType.WORKING:  # what expires ends nothing that lasts
        return None
    # What was written later than now comes of a clock that was ahead: it ends nothing that is told today.
    found = judge(new, [rival for rival in rivals if rival.created_at - new.updated_at < CLOCKS_APART])
    standings = {**found.revised, new.id: found.standing}
    if not found.revised and not found.relations and found.approval is None and found.standing == new.standing:
        return None
    return Decision(str(found.action), new.id, found.reason, standings, found.relations, found.approval)


def from_elsewhere(new: Memory, rivals: Sequence[Memory]) -> Decision | None:
    """About a memory that came with a bundle, beside what holds here: no file decides that another value does."""
    found = contested(new, rivals, "It was imported, and contradicts a memory known here.")
    if found is None:
        return None
    return Decision(str(found.action), new.id, found.reason, {new.id: found.standing}, found.relations, found.approval)


def _unsure(new: Memory, named: Sequence[Memory]) -> bool:
    return not all(lifecycle.may_supersede(new, old) for old in named)


def _supersede(new: Memory, named: Sequence[Memory], since: datetime) -> Decision:
    standings = {old.id: lifecycle.superseded(old, since) for old in named}
    relations = [Relation(new.id, old.id, SUPERSEDES, 1.0, STATED_BY_CALLER) for old in named]
    reason = "the caller gave supersedes"
    return Decision("supersede", new.id, reason, {**standings, new.id: new.standing}, relations)


_UNSURE = "it has too little confidence or trust to supersede by itself"


def _contest(new: Memory, named: Sequence[Memory], reason: str = _UNSURE) -> Decision:
    own = replace(new.standing, status=Status.CONTESTED, confidence=new.confidence * CONTRADICTED)
    relations = [Relation(new.id, old.id, CONTRADICTS, 1.0, STATED_BY_CALLER) for old in named]
    request = ContestQuestion(new.id, tuple(old.id for old in named), reason)
    return Decision("contest", new.id, reason, {new.id: own}, relations, request)


def _status(decision: Decision, new: Memory) -> str | None:
    return decision.standings[new.id].status if new.id in decision.standings else None
