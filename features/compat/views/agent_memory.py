"""Results of agent-memory by its names."""

from collections.abc import Sequence
from typing import Literal

from ....modules.context import lessons
from ....modules.framing import NOTICE, named, quote
from ....modules.memory.models import Memory, SearchResult
from ....modules.memory.outdated import alone
from ....modules.records import dataclass
from ....modules.views.labels import Labels
from ....modules.views.sessions import narrative_of, observed, project_of, several, title_of, type_of
from ....modules.views.texts import Minute

MENTION = "When you use any of this, say that it comes from memory."


@dataclass(frozen=True)
class Guide:
    """The steps of a search."""

    guide: str

    def as_text(self) -> str:
        """Return the guide."""
        return self.guide


@dataclass(frozen=True)
class ObservationFound:
    """An observation by its title."""

    id: str
    title: str
    type: str
    project: str
    created_at: Minute
    score: float
    label: str = ""

    def line(self) -> str:
        """Return the observation as one line."""
        head = f"- {self.id} {named(self.type)}, {self.created_at:%Y-%m-%d}, {quote(self.project)}"
        return f"{_labelled(head, self.label)}: {quote(self.title)}"


@dataclass(frozen=True)
class SearchHits:
    """Observations, best first; `notes` say what is degraded."""

    results: tuple[ObservationFound, ...]
    notice: str = ""
    hints: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return the observations as lines."""
        return _list(self.notice, [hit.line() for hit in self.results], self.hints, self.notes)


@dataclass(frozen=True)
class ObservationMoment:
    """An observation on a timeline."""

    id: str
    title: str
    type: str
    position: Literal["before", "anchor", "after"]
    created_at: Minute
    label: str = ""

    def line(self) -> str:
        """Return the observation as one line."""
        head = f"- {self.position} {self.id} {named(self.type)}, {self.created_at:%Y-%m-%d %H:%M}"
        return f"{_labelled(head, self.label)}: {quote(self.title)}"


@dataclass(frozen=True)
class Moments:
    """Observations in order of time."""

    results: tuple[ObservationMoment, ...]
    notice: str = ""

    def as_text(self) -> str:
        """Return the observations as lines."""
        return _list(self.notice, [one.line() for one in self.results])


@dataclass(frozen=True)
class WholeObservation:
    """An observation whole."""

    id: str
    title: str
    type: str
    narrative: str
    project: str
    created_at: Minute
    facts: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    files_read: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    subtitle: str = ""
    tool_name: str = ""
    label: str = ""

    def lines(self) -> list[str]:
        """Return the observation as lines."""
        head = f"- {self.id} {named(self.type)}, {self.created_at:%Y-%m-%d}, {quote(self.project)}"
        lines = [
            f"{_labelled(head, self.label)}: {quote(self.title)}",
            f"  {quote(self.narrative)}",
            *(f"  fact: {quote(fact)}" for fact in self.facts),
        ]
        for name, values in (("changed", self.files_modified), ("read", self.files_read), ("about", self.concepts)):
            lines += [f"  {name}: {', '.join(map(quote, values))}"] if values else []
        return [*lines, f"  {quote(self.subtitle)}"] if self.subtitle else lines


@dataclass(frozen=True)
class ObservationRows:
    """Observations whole, in the order of the ids; ids of none are left out."""

    results: tuple[WholeObservation, ...]
    notice: str = ""
    hints: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return the observations as lines."""
        lines = [line for row in self.results for line in row.lines()]
        return _list(self.notice, lines, self.hints, nothing="There are no such observations.")


@dataclass(frozen=True)
class SavedText:
    """Confirmation that a text was saved."""

    saved: bool
    id: str
    title: str

    def as_text(self) -> str:
        """Return what was saved."""
        return f"Saved {self.id}: {quote(self.title)}."


@dataclass(frozen=True)
class LessonCreated:
    """Confirmation that a lesson was saved."""

    saved: bool
    id: str
    title: str
    severity: str
    project: str | None = None

    def as_text(self) -> str:
        """Return what was saved."""
        project = f", for {quote(self.project)}" if self.project else ""
        return f"Saved {self.id} [{self.severity}]{project}: {quote(self.title)}."


@dataclass(frozen=True)
class LessonHit:
    """A lesson; `trigger_count` is how often it was shown."""

    id: str
    title: str
    rule: str
    severity: str
    score: float
    trigger_count: int = 0
    project: str | None = None
    trigger_tool: str | None = None
    trigger_pattern: str | None = None

    def line(self) -> str:
        """Return the lesson as one line."""
        trigger = [one for one in (self.trigger_tool, self.trigger_pattern) if one]
        when = f" before {quote(' '.join(trigger))}" if trigger else ""
        return f"- {self.id} [{self.severity}]{when} {quote(self.rule, 500)}"


@dataclass(frozen=True)
class LessonHits:
    """Lessons, best first."""

    results: tuple[LessonHit, ...]
    notice: str = ""
    notes: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return the lessons as lines."""
        return _list(self.notice, [hit.line() for hit in self.results], notes=self.notes)


def hits(found: SearchResult, labels: Labels) -> SearchHits:
    """Return the view of what a search for observations found."""
    results = tuple(
        ObservationFound(
            hit.memory.id,
            title_of(hit.memory),
            kind_of(hit.memory),
            project_of(hit.memory),
            hit.memory.occurred_at,
            round(hit.score, 4),
            labels.of_hit(hit),
        )
        for hit in alone(found.hits)
    )
    return SearchHits(results, NOTICE if results else "", (MENTION,) if results else (), tuple(found.notes))


def moments(before: Sequence[Memory], anchor: Memory, after: Sequence[Memory], labels: Labels) -> Moments:
    """Return the view of what is around an observation."""
    results = [_moment(memory, "before", labels) for memory in before]
    results.append(_moment(anchor, "anchor", labels))
    results += [_moment(memory, "after", labels) for memory in after]
    return Moments(tuple(results), NOTICE)


def rows(found: Sequence[Memory], labels: Labels) -> ObservationRows:
    """Return the view of observations whole."""
    views = tuple(
        WholeObservation(
            memory.id,
            title_of(memory),
            kind_of(memory),
            narrative_of(memory),
            project_of(memory),
            memory.occurred_at,
            several(memory, "facts"),
            several(memory, "concepts"),
            several(memory, "files_read"),
            several(memory, "files_modified"),
            str(observed(memory).get("subtitle", "")),
            str(observed(memory).get("tool", "")),
            labels.of(memory),
        )
        for memory in found
    )
    return ObservationRows(views, NOTICE if views else "", (MENTION,) if views else ())


def lesson_hits(found: SearchResult) -> LessonHits:
    """Return the view of what a search for lessons found."""
    results = tuple(lesson_hit(hit.memory, hit.score) for hit in found.hits)
    return LessonHits(results, NOTICE if results else "", tuple(found.notes))


def kind_of(memory: Memory) -> str:
    """Return the type of an observation, or the kind of any other memory."""
    found = type_of(memory)
    return memory.kind.value if found == memory.memory_type.value else found


def _moment(memory: Memory, position: Literal["before", "anchor", "after"], labels: Labels) -> ObservationMoment:
    return ObservationMoment(
        memory.id, title_of(memory), kind_of(memory), position, memory.occurred_at, labels.of(memory)
    )


def _labelled(head: str, label: str) -> str:
    return f"{head}, {label}" if label else head


def lesson_hit(memory: Memory, score: float = 0.0) -> LessonHit:
    """Return the view of a lesson."""
    trigger = lessons.trigger_of(memory)
    return LessonHit(
        memory.id,
        str(memory.metadata.get("title", memory.summary)),
        memory.content.removeprefix(f"{memory.metadata.get('title')}\n"),
        lessons.severity_of(memory),
        round(score, 4),
        memory.access_count,
        memory.metadata.get("project_name"),
        _joined(trigger.get("tool")),
        _joined(trigger.get("contains")),
    )


def _joined(value: object) -> str | None:
    if value is None:
        return None
    return "|".join(map(str, value)) if isinstance(value, list) else str(value)


def _list(
    notice: str,
    lines: Sequence[str],
    hints: Sequence[str] = (),
    notes: Sequence[str] = (),
    nothing: str = "Nothing found.",
) -> str:
    found = [notice, *lines, *hints] if lines else [nothing]
    return "\n".join([*found, *(f"Note: {note}" for note in notes)])
