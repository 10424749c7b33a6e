"""Mining of what repeats: habits in exchanges, lessons in attempts.

Pure functions: the same evidence, the same result.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from . import cues
from .models import Action, Attempt, Backing, Habit, Lesson, ProcedureEvidence, SessionMoment, Trigger, UserExchange

LEAST_TURNS = 4
LEAST_SUPPORT = 2
LEAST_FAILURES = 3
MOST_SURE = 0.95
AGAIN = 0.05
"""Confidence that each further session adds in which a habit is observed again."""
MAX_EVIDENCE = 50
MAX_QUOTED_CHARS = 200
BACKED_BY = "backed_by"
"""Metadata key of a global habit: the namespaces that have promoted it, each with support and confidence."""

_WHEN = {
    Trigger.BUG_REPORT: "When a bug is reported",
    Trigger.FEATURE_REQUEST: "When a feature is asked for",
    Trigger.QUESTION: "When a question is asked",
    Trigger.CODE_REVIEW: "When code is to be reviewed",
    Trigger.DEBUGGING: "When the cause of a fault is looked for",
    Trigger.PLANNING: "When work is to be planned",
    Trigger.CLARIFICATION: "When something is to be made clear",
    Trigger.GENERAL: "In general",
}
_WHAT = {
    Action.WRITE_TEST: "write a test",
    Action.READ_CODE: "read the code",
    Action.RUN_TESTS: "run the tests",
    Action.FIX: "fix the code",
    Action.IMPLEMENT: "write the code",
    Action.REFACTOR: "restructure the code",
    Action.EXPLAIN: "explain it",
    Action.ASK_BACK: "ask back",
    Action.SEARCH_MEMORY: "search memory",
    Action.PLAN_STEPS: "plan the steps",
    Action.DOCUMENT: "write documentation",
    Action.SHIP: "commit or deploy",
}


def sentence(trigger: Trigger, action: Action) -> str:
    """Return the text of a procedure, from its two classes alone: stable, and free of names and secrets."""
    return f"{_WHEN[trigger]}, the habit is to {_WHAT[action]}."


def turns(evidence: ProcedureEvidence) -> int:
    """Count the turns of the evidence."""
    return sum(moment.tool is None for moment in evidence.moments)


def exchanges(moments: Iterable[SessionMoment], reader: cues.CueReader) -> list[UserExchange]:
    """Return pairs of a user's turn and what was done until the next one; turns without an answer are left out."""
    found: list[UserExchange] = []
    for session, of_session in groupby(moments, key=lambda moment: moment.session):
        asked: SessionMoment | None = None
        answers: list[SessionMoment] = []
        for moment in of_session:
            if moment.role == "user" and moment.tool is None:
                found += _exchange(session, asked, answers, reader)
                asked, answers = moment, []
            elif moment.role == "assistant" or moment.tool is not None:
                answers.append(moment)
        found += _exchange(session, asked, answers, reader)
    return found


def _exchange(
    session: str, asked: SessionMoment | None, answers: Sequence[SessionMoment], reader: cues.CueReader
) -> list[UserExchange]:
    if asked is None or not answers:
        return []
    trigger = reader.trigger_of(asked.text)
    actions: set[Action] = set()
    for answer in answers:
        actions |= reader.actions_in(answer.text) if answer.tool is None else cues.actions_of(answer.tool, trigger)
    shown = dict.fromkeys(m.memory_id for m in (asked, *answers) if m.memory_id is not None)
    return [UserExchange(session, trigger, frozenset(actions), tuple(shown))]


def habits(evidence: ProcedureEvidence, reader: cues.CueReader) -> list[Habit]:
    """Return the actions that follow a trigger at least twice, the surest first; none from fewer than four turns.

    confidence = min(.95, support / pairs + .05 for each session after the first that shows it again).
    """
    if turns(evidence) < LEAST_TURNS:
        return []
    pairs: Counter[Trigger] = Counter()
    shown: defaultdict[tuple[Trigger, Action], list[UserExchange]] = defaultdict(list)
    for exchange in exchanges(evidence.moments, reader):
        pairs[exchange.trigger] += 1
        for action in exchange.actions:
            shown[exchange.trigger, action].append(exchange)
    found = [
        _habit(trigger, action, pairs[trigger], of_both)
        for (trigger, action), of_both in shown.items()
        if len(of_both) >= LEAST_SUPPORT
    ]
    return sorted(found, key=lambda h: (-h.confidence * h.support, h.trigger, h.action))


def _habit(trigger: Trigger, action: Action, pairs: int, of_both: Sequence[UserExchange]) -> Habit:
    sessions = frozenset(exchange.session for exchange in of_both)
    confidence = min(MOST_SURE, round(len(of_both) / pairs + AGAIN * (len(sessions) - 1), 6))
    newest = dict.fromkeys(memory_id for exchange in reversed(of_both) for memory_id in exchange.evidence)
    return Habit(trigger, action, len(of_both), pairs, sessions, confidence, tuple(newest)[:MAX_EVIDENCE])


def lessons(attempts: Iterable[Attempt]) -> list[Lesson]:
    """Return the actions that failed three times or more before they worked: of each, the first time that happened."""
    failed: defaultdict[str, list[Attempt]] = defaultdict(list)
    found: dict[str, Lesson] = {}
    for attempt in attempts:
        if attempt.success is False:
            failed[attempt.action].append(attempt)
        elif attempt.action not in found and len(failed[attempt.action]) >= LEAST_FAILURES:
            found[attempt.action] = _lesson(failed.pop(attempt.action), attempt)
        else:
            failed.pop(attempt.action, None)
    return list(found.values())


def _lesson(failed: Sequence[Attempt], worked: Attempt) -> Lesson:
    outcomes = Counter(_brief(attempt.outcome) for attempt in failed)
    [(failure, _)] = outcomes.most_common(1)
    context = _brief(worked.context)
    outcome = _brief(worked.outcome)
    remedy = outcome if not context or context == outcome else f"{outcome} ({context})" if outcome else context
    of_all = (*failed, worked)
    shown = dict.fromkeys(attempt.memory_id for attempt in of_all if attempt.memory_id is not None)
    ids = tuple(attempt.id for attempt in of_all)
    return Lesson(worked.action, len(failed), failure, remedy, ids[-MAX_EVIDENCE:], tuple(shown)[:MAX_EVIDENCE])


def lesson_text(lesson: Lesson) -> str:
    """Return the text of a lesson: what failed, and what worked."""
    failure = f": {lesson.failure}" if lesson.failure else ""
    remedy = f" What worked: {lesson.remedy}" if lesson.remedy else " It worked later."
    return f"'{_brief(lesson.action)}' kept failing{failure}.{remedy}".replace("..", ".")


def names(action: str, query: str) -> bool:
    """Return whether a query mentions an action: each word of its name is in it, in whatever form."""
    asked = _words(query)
    wanted = [word for word in _words(action) if len(word) > 1]
    return bool(wanted) and all(any(_is_form_of(word, other) for other in asked) for word in wanted)


def _words(text: str) -> list[str]:
    return "".join(char if char.isalnum() else " " for char in text.lower()).split()


def _is_form_of(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return short == long or (len(short) >= 3 and len(long) - len(short) <= 4 and long.startswith(short))


def backers_of(metadata: Mapping[str, Any]) -> dict[str, list[float]]:
    """Return the namespaces that back a global habit, with [support, confidence], from its metadata.

    Malformed entries are left out.
    """
    given = metadata.get(BACKED_BY)
    return {
        name: list(by)
        for name, by in (given.items() if isinstance(given, Mapping) else ())
        if isinstance(by, list) and len(by) == 2 and all(type(number) in (int, float) for number in by)
    }


def backed(metadata: Mapping[str, Any], namespace: str, backing: Backing | None) -> dict[str, Any]:
    """Return the metadata of a global habit once a namespace backs it so, or (None) no longer.

    Its numbers are the highest of those who back it, 0 if nobody does.
    """
    backers = {name: by for name, by in backers_of(metadata).items() if name != namespace}
    if backing is not None:
        backers[namespace] = [backing.support, backing.confidence]
    numbers = sorted(backers.items())
    return {
        **metadata,
        "support": max((by[0] for _, by in numbers), default=0),
        "confidence": max((by[1] for _, by in numbers), default=0.0),
        BACKED_BY: dict(numbers),
    }


def _brief(text: str) -> str:
    line = " ".join(text.split()).rstrip(".")
    return line if len(line) <= MAX_QUOTED_CHARS else line[: MAX_QUOTED_CHARS - 1] + "…"
