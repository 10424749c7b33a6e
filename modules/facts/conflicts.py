"""Conflicts: what a new claim means for those that say something of the same attribute of the same subject.

What counts is when a thing holds, not when it was stated. Nobody's word is weighed but that of a doubtful newcomer.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from .models import (
    CONTRADICTS,
    EVIDENCE_OF,
    SUPERSEDES,
    Claim,
    ContestQuestion,
    Effect,
    FactState,
    Judgement,
    Relation,
)
from .slots import CERTAIN
from .templates import adds, corrects, doubts_itself, is_of_a_moment
from .values import same_value

TRUSTED, TRUST_GAP = 0.5, 0.3
"""The least trust in the source of what replaces another, and the most by which it may be below the older one's."""
SURE = 0.5
"""The least confidence of a claim that replaces another."""
CONFIRMED, CONTRADICTED = 0.25, 0.6
"""The share of the missing confidence that a confirmation adds, and the share that a contest leaves a newcomer."""
ACTIVE, CONTESTED, HIDDEN = "active", "contested", ("archived", "forgotten")


def judge(new: Claim, rivals: Sequence[Claim]) -> Judgement:
    """Judge a new claim against its rivals: the memories with its namespace, subject and attribute, unless forgotten.

    Nothing follows without a slot that is CERTAIN. The first that applies decides:

    1. The same value as what holds, or the same denial, confirms.
    2. What begins before a known one is history: it ends where that begins.
    3. What says "also", or holds for a time only, stands beside the others; so does a denial of another value.
    4. A doubtful newcomer (`doubt`), or another value of the very same moment, is contested, it alone.
    5. A correction takes the others' place from their beginning; a denial, or a later value, ends them.
    """
    if not _is_certain(new):
        return _alone(new, "It states nothing of record.")
    ordered = sorted((rival for rival in rivals if _meets(new, rival)), key=lambda rival: (_begin(rival), rival.id))
    holding = [rival for rival in ordered if rival.valid_to is None or rival.valid_to > _begin(new)]
    if same := next((rival for rival in reversed(holding) if _says_the_same(new, rival)), None):
        between = [rival for rival in holding if _excludes(new, rival) and _begin(rival) < _begin(new)]
        if not between:
            return _confirm(new, same)
    against = [rival for rival in holding if _excludes(new, rival)]
    if corrects(new.content) and against:
        reason = doubt(new, against)
        return _contest(new, against, reason) if reason else _correct(new, against)
    later = [rival for rival in ordered if _excludes(new, rival) and _holds_later(rival, new)]
    earlier = [rival for rival in against if rival not in later]
    if later:
        return _history(new, later, earlier)
    if not earlier:
        return _alone(new, "It is an additional value.")
    return _decide(new, earlier)


def contested(new: Claim, rivals: Sequence[Claim], reason: str) -> Judgement | None:
    """A claim that waits for a human, with the current rivals that it excludes; None without such rivals."""
    holding = [one for one in rivals if one.valid_to is None or one.valid_to > _begin(new)]
    against = [one for one in holding if one.status == ACTIVE and _meets(new, one) and _excludes(new, one)]
    return _contest(new, against, reason) if _is_certain(new) and against else None


def doubt(new: Claim, against: Sequence[Claim]) -> str:
    """Return why a claim may not replace others, in a sentence; empty where it may."""
    if new.trust < TRUSTED or any(new.trust < rival.trust - TRUST_GAP for rival in against):
        return "Its source is not trusted enough to replace the known memory."
    if new.confidence < SURE:
        return "It is not certain enough to replace the known memory."
    return "It is itself worded as uncertain." if doubts_itself(new.content) else ""


def _is_certain(claim: Claim) -> bool:
    return claim.slot is not None and claim.slot.confidence >= CERTAIN


def _meets(new: Claim, rival: Claim) -> bool:
    if new.slot is None or rival.slot is None or rival.id == new.id or rival.status in HIDDEN:
        return False
    same = (rival.slot.subject, rival.slot.attribute) == (new.slot.subject, new.slot.attribute)
    return same and _is_certain(rival)


def _begin(claim: Claim) -> datetime:
    return claim.valid_from or claim.occurred_at


def _holds_later(rival: Claim, new: Claim) -> bool:
    """Return whether a rival begins after a new claim does: as it says, or since it was stated later.

    "Since March" says that it still is so, "as of March" does not.
    """
    if rival.status == CONTESTED or _begin(rival) <= _begin(new):
        return False
    is_later = rival.occurred_at > new.occurred_at or is_of_a_moment(new.content)
    return rival.valid_from is not None or is_later


def _says_the_same(new: Claim, rival: Claim) -> bool:
    """Return whether a rival that is no doubtful newcomer itself says what a new claim says."""
    assert new.slot is not None and rival.slot is not None
    if rival.status == CONTESTED:
        return False
    return new.slot.polarity == rival.slot.polarity and same_value(new.slot.value, rival.slot.value)


def _excludes(new: Claim, rival: Claim) -> bool:
    """Return whether two claims cannot hold at one time."""
    assert new.slot is not None and rival.slot is not None
    if new.slot.polarity and rival.slot.polarity:
        return not same_value(new.slot.value, rival.slot.value) and not adds(new.content)
    return new.slot.polarity != rival.slot.polarity and same_value(new.slot.value, rival.slot.value)


def _decide(new: Claim, against: Sequence[Claim]) -> Judgement:
    assert new.slot is not None
    if reason := doubt(new, against):
        return _contest(new, against, reason)
    if reason := _at_one_moment(new, against):
        return _contest(new, against, reason)
    if new.valid_to is not None and new.slot.polarity:
        return _alone(new, "It holds for a limited time; the known memory stays.")
    return _supersede(new, against)


def _standing(claim: Claim) -> FactState:
    return FactState(
        claim.status, claim.confidence, claim.valid_from, claim.valid_to, claim.confirmations, claim.rejections
    )


def _alone(new: Claim, reason: str) -> Judgement:
    return Judgement(Effect.ADD, _standing(new), reason)


def _confirm(new: Claim, old: Claim) -> Judgement:
    """Confirm a claim by one that says the same, and that ends where the one that it repeats has ended."""
    relation = Relation(new.id, old.id, EVIDENCE_OF, 1.0, "same value")
    own = _standing(new)
    if old.valid_to is not None:
        own = replace(own, valid_to=old.valid_to if own.valid_to is None else min(own.valid_to, old.valid_to))
    if doubt(new, [old]):
        return Judgement(Effect.CONFIRM, own, "The same, but its source cannot confirm.", {}, (relation,))
    before = _standing(old)
    confidence = min(1.0, before.confidence + CONFIRMED * (1 - before.confidence))
    after = replace(before, confidence=confidence, confirmations=before.confirmations + 1)
    return Judgement(Effect.CONFIRM, own, "It says the same again.", {old.id: after}, (relation,))


def _history(new: Claim, later: Sequence[Claim], earlier: Sequence[Claim]) -> Judgement:
    """End a claim where the next one begins; unless it is doubtful, it also ends those before it."""
    assert new.slot is not None
    first = min(later, key=_begin)
    end = _begin(first) if new.valid_to is None else min(_begin(first), new.valid_to)
    if earlier and (reason := doubt(new, earlier) or _at_one_moment(new, earlier)):
        contested = _contest(new, earlier, reason)
        return replace(contested, standing=replace(contested.standing, valid_to=end))
    relations = [Relation(first.id, new.id, SUPERSEDES, 1.0, "holds before it")]
    ended = {one.id: replace(_standing(one), valid_to=_ended(one, _begin(new))) for one in earlier}
    relations += [Relation(new.id, one, SUPERSEDES, 1.0, "holds after it") for one in ended]
    own = replace(_standing(new), valid_to=end)
    return Judgement(Effect.HISTORY, own, "It describes a time before the known memory.", ended, tuple(relations))


def _at_one_moment(new: Claim, others: Sequence[Claim]) -> str:
    """Return the reason if both are for the same moment, which no later statement decides, else "".

    Of a plan the later word decides.
    """
    is_plan = _begin(new) > new.occurred_at
    same = not is_plan and any(_begin(one) == _begin(new) for one in others)
    return "Both are for the same moment." if same else ""


def _supersede(new: Claim, against: Sequence[Claim]) -> Judgement:
    assert new.slot is not None
    begin, standing = _begin(new), _standing(new)
    if begin <= new.occurred_at and any(begin <= _begin(rival) for rival in against):
        begin = new.occurred_at  # its own word for its beginning would leave no time to the older one
        standing = replace(standing, valid_from=begin if new.valid_from else None)
    revised = {
        # A claim that was yet to begin never held, and is not shown until then.
        rival.id: replace(
            _standing(rival),
            valid_to=_ended(rival, begin) if _begin(rival) < begin else min(begin, new.occurred_at),
        )
        for rival in against
    }
    relations = tuple(Relation(new.id, rival.id, SUPERSEDES, 1.0, "later value") for rival in against)
    if new.slot.polarity:
        return Judgement(Effect.SUPERSEDE, standing, "It is the new current value.", revised, relations)
    return Judgement(Effect.CLOSE, standing, "It says that this is no longer true.", revised, relations)


def _ended(rival: Claim, moment: datetime) -> datetime:
    """Return where a claim ends that another one replaces: never later than it ended before."""
    return moment if rival.valid_to is None else min(rival.valid_to, moment)


def _correct(new: Claim, against: Sequence[Claim]) -> Judgement:
    # A claim that was yet to begin would be shown until then: it ends now.
    revised = {rival.id: replace(_standing(rival), valid_to=min(_begin(rival), new.occurred_at)) for rival in against}
    relations = tuple(Relation(new.id, rival.id, SUPERSEDES, 1.0, "correction") for rival in against)
    standing = replace(_standing(new), valid_from=new.valid_from or min(map(_begin, against)))
    return Judgement(Effect.CORRECT, standing, "It corrects the known memory.", revised, relations)


def _contest(new: Claim, against: Sequence[Claim], reason: str) -> Judgement:
    """Let the newcomer wait for a human; what was known stands as it stood."""
    against = [rival for rival in against if rival.status != CONTESTED] or against
    standing = replace(_standing(new), status=CONTESTED, confidence=new.confidence * CONTRADICTED)
    relations = tuple(Relation(new.id, rival.id, CONTRADICTS, 1.0, reason) for rival in against)
    request = ContestQuestion(new.id, tuple(rival.id for rival in against), reason)
    return Judgement(Effect.CONTEST, standing, reason, {}, relations, request)
