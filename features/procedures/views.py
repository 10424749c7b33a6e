"""Habits and lessons as results."""

from collections.abc import Sequence

from ...modules.framing import NOTICE, named, quote
from ...modules.records import dataclass
from .models import Mined, Procedure, Relevant, StoredLesson

MAX_SHOWN_CHARS = 400
METHOD = "rules"


@dataclass(frozen=True)
class ProcedureView:
    """A habit: `action` usually follows `trigger`, seen `support` times; `scope` is own, or global once promoted."""

    id: str
    trigger: str
    action: str
    text: str
    confidence: float
    support: int
    scope: str = "own"
    status: str = "active"

    def line(self) -> str:
        """Return the habit as one line."""
        scope = "" if self.scope == "own" else f", {self.scope}"
        status = "" if self.status == "active" else f", {self.status}"
        rule = f"{named(self.trigger)} → {named(self.action)} {quote(self.text, MAX_SHOWN_CHARS)}"
        return f"- {self.id} {rule} {self.confidence:.2f}, seen {self.support} times{scope}{status}"


@dataclass(frozen=True)
class LessonView:
    """An action that failed repeatedly, and what then worked; a candidate until memory_feedback confirms it."""

    id: str
    action: str
    text: str
    status: str

    def line(self) -> str:
        """Return the lesson as one line."""
        return f"- {self.id} lesson ({self.status}) about {quote(self.action)}: {quote(self.text, MAX_SHOWN_CHARS)}"


@dataclass(frozen=True)
class RelevantProcedures:
    """Habits and lessons for a query, best first."""

    trigger: str
    procedures: tuple[ProcedureView, ...]
    method: str
    lessons: tuple[LessonView, ...] = ()
    notice: str = ""

    def as_text(self) -> str:
        """Return the habits and lessons as lines."""
        lines = _lines(self.procedures, self.lessons)
        return "\n".join([f"{self.trigger}:", *([self.notice, *lines] if lines else ["nothing is known yet"])])


@dataclass(frozen=True)
class MinedProcedures:
    """All habits and lessons there are, and what this mining changed."""

    turns: int
    made: int
    changed: int
    removed: int
    procedures: tuple[ProcedureView, ...]
    method: str
    demoted: int = 0
    lessons: tuple[LessonView, ...] = ()
    notice: str = ""

    def as_text(self) -> str:
        """Return what was changed, then the habits and lessons as lines."""
        head = f"{self.turns} turns: {self.made} new, {self.changed} changed, {self.removed} removed."
        if self.demoted:
            head += f" {self.demoted} of this agent's global habits are no longer backed by what it does."
        lines = _lines(self.procedures, self.lessons)
        return "\n".join([head, *([self.notice, *lines] if lines else [])])


@dataclass(frozen=True)
class Promoted:
    """A habit that every agent of this store has now."""

    id: str
    scope: str

    def as_text(self) -> str:
        """Return what was promoted."""
        return f"Promoted {self.id}: its scope is {self.scope}."


def mined(found: Mined) -> MinedProcedures:
    """Return the view of what mining found."""
    habits, lessons = _procedures(found.procedures), _lessons(found.lessons)
    return MinedProcedures(
        found.turns,
        found.made,
        found.changed,
        found.removed,
        habits,
        METHOD,
        found.demoted,
        lessons,
        NOTICE if habits or lessons else "",
    )


def relevant(found: Relevant) -> RelevantProcedures:
    """Return the view of what is usually done."""
    habits, lessons = _procedures(found.procedures), _lessons(found.lessons)
    return RelevantProcedures(found.trigger.value, habits, METHOD, lessons, NOTICE if habits or lessons else "")


def promoted(one: Procedure) -> Promoted:
    """Return the view of a habit that was promoted."""
    return Promoted(one.memory_id, "global" if one.is_global else "own")


def _lines(habits: Sequence[ProcedureView], lessons: Sequence[LessonView]) -> list[str]:
    return [*(one.line() for one in habits), *(one.line() for one in lessons)]


def _procedure(one: Procedure) -> ProcedureView:
    return ProcedureView(
        one.memory_id,
        one.trigger.value,
        one.action.value,
        one.content,
        round(one.confidence, 2),
        one.support,
        "global" if one.is_global else "own",
        one.status,
    )


def _procedures(found: Sequence[Procedure]) -> tuple[ProcedureView, ...]:
    return tuple(map(_procedure, found))


def _lessons(found: Sequence[StoredLesson]) -> tuple[LessonView, ...]:
    return tuple(LessonView(one.memory_id, one.action, one.content, one.status) for one in found)
