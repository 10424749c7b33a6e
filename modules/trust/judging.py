"""Derive from recorded judgements the evidence for and against each memory. Pure."""

from collections.abc import Iterable, Iterator

from ..facts.models import FactState
from ..memory.lifecycle import Verdict
from ..memory.lifecycle_service import RESOLVE
from ..memory.models import Status
from .models import HEAVIEST, HUMAN, Judged, TrustJudgement

REVERT = "revert"
ACTIONS = (Verdict.CONFIRM.value, Verdict.REJECT.value, Verdict.REUSE.value, RESOLVE, REVERT)
"""Actions that bear on trust. To be superseded does not: what was right has merely changed."""
FOR, AGAINST, BUILT_ON = 1.5, HEAVIEST, 1.0
"""Weights of a confirmation or a contest won, of a rejection or a contest lost, and of an answer built on a memory."""


def judgements(judged: Iterable[Judged]) -> list[TrustJudgement]:
    """Return what judgements say, in their order; nothing of those that were undone."""
    return [one for each in judged if each.change.reverted_by is None for one in _of(each)]


def _of(judged: Judged) -> Iterator[TrustJudgement]:
    change = judged.change
    judge = HUMAN if change.by == HUMAN else judged.judge
    about = change.memory_id
    if change.action == Verdict.CONFIRM:
        yield TrustJudgement(judge, judged.authors.get(about, ""), about, True, FOR)
    elif change.action == Verdict.REJECT:
        yield TrustJudgement(judge, judged.authors.get(about, ""), about, False, AGAINST)
    elif change.action == Verdict.REUSE:
        yield TrustJudgement(judge, judged.authors.get(about, ""), about, True, BUILT_ON, observed=True)
    elif change.action == RESOLVE and change.by == HUMAN:
        for name, after in change.after.items():
            won = _won(change.before[name], after)
            if won is not None:
                yield TrustJudgement(judge, judged.authors.get(name, ""), name, won, FOR if won else AGAINST)


def _won(before: FactState, after: FactState) -> bool | None:
    """Return whether a memory has won a contest that a person settled; None where it was not about it."""
    if after.confirmations > before.confirmations:
        return True
    ended = after.valid_to is not None and before.valid_to is None
    return False if ended or (after.status == Status.ARCHIVED and before.status != Status.ARCHIVED) else None
