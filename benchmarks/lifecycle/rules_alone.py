"""The rules without a server: what the pure functions of `modules/truth` make of every pair, in seconds."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from agentos.modules.truth.attributes import canonical_slot
from agentos.modules.truth.judgement import judge
from agentos.modules.truth.models import Action, AskedSlot, Judgement
from agentos.modules.truth.questions import asked_slot
from agentos.modules.truth.statements import read_statement

from .cases import Pair, Said, Split, Update, conflicts, near_pairs, updates

_CLOSING = frozenset({Action.SUPERSEDE, Action.CORRECT, Action.CLOSE})


@dataclass(frozen=True)
class _Slot:
    subject: str
    attribute: str
    value: str | None
    confidence: float
    polarity: bool


@dataclass(frozen=True)
class Claim:
    """A memory as judgement reads it."""

    id: str
    content: str
    occurred_at: datetime
    slot: _Slot | None
    valid_from: datetime | None
    valid_to: datetime | None
    status: str = "active"
    confidence: float = 0.7
    trust: float = 1.0
    confirmations: int = 0
    rejections: int = 0


def report(split: Split, seed: int, count: int, *, with_misses: bool) -> str:
    """Hit rates, and every miss, of updates, questions, near pairs and contradictions."""
    return "\n".join(
        [
            *_updates(updates(split, seed, count, groups=6), with_misses),
            *_near(near_pairs(split, seed, count), with_misses),
            *_conflicts(conflicts(split, seed, max(50, count // 4)), with_misses),
        ]
    )


def claimed(name: str, said: Said) -> Claim:
    """A statement as the rules read it."""
    statement = read_statement(said.text, said.at)
    if statement is None:
        return Claim(name, said.text, said.at, None, None, None)
    subject, attribute = canonical_slot(statement.subject, statement.attribute)
    slot = _Slot(subject, attribute, statement.value, statement.confidence, statement.polarity)
    return Claim(name, said.text, said.at, slot, statement.since, statement.until)


def judged(first: Said, second: Said) -> tuple[Claim, Claim, Judgement | None]:
    """Both claims, and the judgement on the second; None where it does not meet the first."""
    earlier, later = claimed("first", first), claimed("second", second)
    if earlier.slot is None or later.slot is None:
        return earlier, later, None
    if (earlier.slot.subject, earlier.slot.attribute) != (later.slot.subject, later.slot.attribute):
        return earlier, later, None
    return earlier, later, judge(later, [earlier])


def _updates(cases: Sequence[Update], with_misses: bool) -> list[str]:
    hits: dict[str, Counter[str]] = defaultdict(Counter)
    misses = []
    reasons: Counter[str] = Counter()
    for case in cases:
        order = (case.new, case.old) if case.backfilled else (case.old, case.new)
        earlier, later, judgement = judged(*order)
        if case.backfilled:
            held = judgement is not None and judgement.standing.valid_to is not None
        else:
            held = judgement is not None and judgement.action in _CLOSING and "first" in judgement.revised
        asked = asked_slot(case.question)
        newest = earlier if case.backfilled else later
        is_asked = _is_about(asked, newest)
        hits[case.attribute].update(cases=1, updates=held, questions=is_asked)
        if not held:
            action = judgement.action.value if judgement else _why_apart(earlier, later)
            reasons[action] += 1
            misses.append(f"UPDATE {case.attribute}: {action}\n    {_shown(earlier)}\n    {_shown(later)}")
        if not is_asked:
            misses.append(f"QUESTION {case.attribute}: {case.question} → {asked}\n    {_shown(newest)}")
    lines = [f"{'attribute':32} cases updates questions"]
    lines += [
        f"{name:32} {count['cases']:5} {count['updates']:7} {count['questions']:9}"
        for name, count in sorted(hits.items())
    ]
    total: Counter[str] = sum(hits.values(), Counter())
    summary = f"{'all updates':32} {total['cases']:5} {total['updates']:7} {total['questions']:9}"
    summary += f"\n{'missed':32} {', '.join(f'{reason} {count}' for reason, count in reasons.most_common())}"
    return [*misses, *lines, summary] if with_misses else [summary]


def _why_apart(earlier: Claim, later: Claim) -> str:
    """Why two claims never met."""
    if earlier.slot is None and later.slot is None:
        return "neither read"
    if earlier.slot is None or later.slot is None:
        return "first not read" if earlier.slot is None else "second not read"
    if earlier.slot.subject != later.slot.subject:
        return "other subject"
    return "other attribute"


def _is_about(asked: AskedSlot | None, claim: Claim) -> bool:
    if asked is None or claim.slot is None:
        return False
    return canonical_slot(asked.subject, asked.attribute) == (claim.slot.subject, claim.slot.attribute)


def _near(cases: Sequence[Pair], with_misses: bool) -> list[str]:
    hits: dict[str, Counter[str]] = defaultdict(Counter)
    misses = []
    for case in cases:
        earlier, later, judgement = judged(case.first, case.second)
        is_wrong = judgement is not None and _touches(case, judgement)
        hits[case.kind].update(cases=1, wrong=is_wrong)
        if is_wrong and judgement is not None:
            misses.append(f"NEAR {case.kind}: {judgement.action.value}\n    {_shown(earlier)}\n    {_shown(later)}")
    lines = _table(hits, "near pairs", "wrong")
    return [*misses, *lines] if with_misses else lines[-1:]


def _touches(case: Pair, judgement: Judgement) -> bool:
    """Whether it changes a pair that should be left alone; what is told of the past may be closed."""
    closed = judgement.standing.valid_to is not None
    is_history = case.kind == "past" and case.asked == "first" and not judgement.revised
    return bool(judgement.revised) or judgement.standing.status != "active" or (closed and not is_history)


def _conflicts(cases: Sequence[Pair], with_misses: bool) -> list[str]:
    hits: dict[str, Counter[str]] = defaultdict(Counter)
    misses = []
    for case in cases:
        earlier, later, judgement = judged(case.first, case.second)
        held = judgement is not None and judgement.action is Action.CONTEST
        hits[case.kind].update(cases=1, contested=held)
        if not held:
            action = judgement.action.value if judgement else "never met"
            misses.append(f"CONFLICT {case.kind}: {action}\n    {_shown(earlier)}\n    {_shown(later)}")
    lines = _table(hits, "contradictions", "contested")
    return [*misses, *lines] if with_misses else lines[-1:]


def _table(hits: dict[str, Counter[str]], name: str, counted: str) -> list[str]:
    lines = [f"{name:32} cases {counted}"]
    lines += [f"{kind:32} {count['cases']:5} {count[counted]:7}" for kind, count in sorted(hits.items())]
    total: Counter[str] = sum(hits.values(), Counter())
    return [*lines, f"{'all ' + name:32} {total['cases']:5} {total[counted]:7}"]


def _shown(claim: Claim) -> str:
    slot = claim.slot
    read = f"{slot.subject} | {slot.attribute} | {slot.value} | {slot.confidence:.2f}" if slot else "nothing read"
    return (
        f"{claim.occurred_at:%Y-%m-%d} {claim.content}  [{read}{'' if slot is None or slot.polarity else ' | denied'}]"
    )
