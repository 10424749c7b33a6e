"""Earlier work as results: titles first, then observations whole, so that only what is wanted costs tokens."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from ..context.tokens import cut
from ..framing import NOTICE, named, quote
from ..memory.models import Memory, SearchResult
from ..records import dataclass
from ..sessions.models import Event, EventType, Session
from ..sessions.service import TAG
from ..sessions.tool_calls import from_json
from .texts import Minute

TITLE_TOKENS = 40
PROJECT_TOKENS = 14
EVENT_CHARS = 200


@dataclass(frozen=True)
class ObservationHit:
    """An observation by its title; session_get has the rest."""

    id: str
    type: str
    date: date
    title: str
    project: str = ""

    def line(self) -> str:
        """Return the observation as one line."""
        project = f", {quote(self.project)}" if self.project else ""
        return f"- {self.id} {named(self.type)}, {self.date:%Y-%m-%d}{project}: {quote(self.title)}"


@dataclass(frozen=True)
class ObservationHits:
    """Observations, best first; `notes` say what is degraded."""

    results: tuple[ObservationHit, ...]
    notice: str = ""
    notes: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return the observations as lines."""
        found = [self.notice, *(hit.line() for hit in self.results)] if self.results else ["Nothing found."]
        return "\n".join([*found, *(f"Note: {note}" for note in self.notes)])


@dataclass(frozen=True)
class Entry:
    """A session, a prompt or an observation on a timeline; `type` is `session`, `prompt`, or the observation's."""

    id: str
    type: str
    at: Minute
    title: str

    def line(self) -> str:
        """Return the entry as one line."""
        return f"- {self.id} {named(self.type)}, {self.at:%Y-%m-%d %H:%M}: {quote(self.title)}"


@dataclass(frozen=True)
class SessionTimeline:
    """Events in order; sessions come the last active first. `session` is the one that the observations belong to."""

    results: tuple[Entry, ...]
    notice: str = ""
    session: str | None = None

    def as_text(self) -> str:
        """Return the timeline as lines."""
        return "\n".join([self.notice, *(entry.line() for entry in self.results)]) or "Nothing happened yet."


@dataclass(frozen=True)
class SessionView:
    """A session with its state: active, completed or failed."""

    id: str
    state: str
    title: str
    project: str
    client: str
    started_at: Minute
    last_at: Minute
    ended_at: Minute | None = None

    def line(self) -> str:
        """Return the session as one line."""
        when = f"{self.started_at:%Y-%m-%d %H:%M} to {self.last_at:%Y-%m-%d %H:%M}"
        what = quote(self.title) if self.title else "nothing said yet"
        return f"- {self.id} {self.state}, {quote(self.project)}, {named(self.client)}, {when}: {what}"

    def as_text(self) -> str:
        """Return the session as one line, under the notice that it is data."""
        return f"{NOTICE}\n{self.line()}"


@dataclass(frozen=True)
class Sessions:
    """Sessions, the last active first."""

    results: tuple[SessionView, ...]
    notice: str = ""

    def as_text(self) -> str:
        """Return the sessions as lines."""
        return "\n".join([self.notice, *(one.line() for one in self.results)]) if self.results else "No sessions."


@dataclass(frozen=True)
class EventView:
    """An event of a session, shortened."""

    type: str
    text: str


@dataclass(frozen=True)
class ObservationView:
    """An observation whole."""

    id: str
    type: str
    occurred_at: Minute
    title: str
    narrative: str
    project: str = ""
    session: str | None = None
    facts: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    files_read: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    events: tuple[EventView, ...] = ()
    next: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Return the observation as lines."""
        where = [quote(self.project)] if self.project else []
        where += [f"session {self.session}"] if self.session else []
        head = ", ".join([f"- {self.id} {named(self.type)}", f"{self.occurred_at:%Y-%m-%d %H:%M}", *where])
        lines = [f"{head}: {quote(self.title)}", f"  {quote(self.narrative)}"]
        lines += [f"  fact: {quote(fact)}" for fact in self.facts]
        lines += [f"  next: {quote(one)}" for one in self.next]
        for name, values in (("changed", self.files_modified), ("read", self.files_read), ("about", self.concepts)):
            lines += [f"  {name}: {', '.join(map(quote, values))}"] if values else []
        return [*lines, *(f"  {event.type}: {quote(event.text)}" for event in self.events)]


@dataclass(frozen=True)
class Observations:
    """Observations whole, in the order of the ids; `missing` are ids of none."""

    results: tuple[ObservationView, ...]
    notice: str = ""
    missing: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return the observations as lines."""
        lines = [self.notice] if self.results else []
        lines += [line for one in self.results for line in one.lines()]
        return "\n".join([*lines, *(f"No observation {quote(one)}." for one in self.missing)])


def hits(found: SearchResult) -> ObservationHits:
    """Return the view of what a search for observations found."""
    results = tuple(
        ObservationHit(
            hit.memory.id,
            type_of(hit.memory),
            hit.memory.occurred_at.date(),
            cut(title_of(hit.memory), TITLE_TOKENS),
            cut(project_of(hit.memory), PROJECT_TOKENS),
        )
        for hit in found.hits
    )
    return ObservationHits(results, NOTICE if results else "", tuple(found.notes))


def timeline(session: str | None, entries: Sequence[Entry]) -> SessionTimeline:
    """Return the view of what happened."""
    return SessionTimeline(tuple(entries), NOTICE if entries else "", session)


def session_entry(session: Session) -> Entry:
    """Return a session as an entry on a timeline."""
    title = f"{session.project.name}: {session.title or 'nothing said yet'}"
    return Entry(session.id, "session", session.last_at, cut(title, TITLE_TOKENS))


def session(found: Session) -> SessionView:
    """Return the view of a session."""
    title, project = cut(found.title, TITLE_TOKENS), cut(found.project.name, PROJECT_TOKENS)
    times = (found.started_at, found.last_at, found.ended_at)
    return SessionView(found.id, found.state.value, title, project, found.client, *times)


def sessions(found: Sequence[Session]) -> Sessions:
    """Return the view of sessions."""
    return Sessions(tuple(map(session, found)), NOTICE if found else "")


def entry(memory: Memory) -> Entry:
    """Return an observation as an entry on a timeline."""
    return Entry(memory.id, type_of(memory), memory.occurred_at, cut(title_of(memory), TITLE_TOKENS))


def prompt_entry(event: Event) -> Entry:
    """Return a user's prompt as an entry on a timeline."""
    return Entry(event.id, "prompt", event.occurred_at, cut(event.text, TITLE_TOKENS))


def observations(found: Sequence[tuple[Memory, Sequence[Event]]], missing: Sequence[str]) -> Observations:
    """Return the view of observations whole, each with its events."""
    views = tuple(_observation_view(memory, happened) for memory, happened in found)
    return Observations(views, NOTICE if views else "", tuple(missing))


def title_of(memory: Memory) -> str:
    """Return the title of an observation, or the summary of any other memory."""
    return str(observed(memory).get("title", memory.summary))


def type_of(memory: Memory) -> str:
    """Return the sort of work that an observation is of, or the type of any other memory."""
    return str(observed(memory).get("type", memory.memory_type.value))


def project_of(memory: Memory) -> str:
    """Return the name of an observation's project; "" where none is known."""
    return str(memory.metadata.get("project_name", ""))


def observed(memory: Memory) -> dict[str, Any]:
    """Return what an observation says, field by field; nothing for any other memory."""
    fields = memory.metadata.get(TAG)
    return fields if isinstance(fields, dict) else {}


def several(memory: Memory, name: str) -> tuple[str, ...]:
    """Return a field of an observation that is a list of texts."""
    return tuple(str(value) for value in observed(memory).get(name, ()))


def narrative_of(memory: Memory) -> str:
    """Return the narrative of an observation, or the content of any other memory."""
    return str(observed(memory).get("narrative", memory.content))


def _observation_view(memory: Memory, happened: Sequence[Event]) -> ObservationView:
    return ObservationView(
        memory.id,
        type_of(memory),
        memory.occurred_at,
        title_of(memory),
        narrative_of(memory),
        cut(project_of(memory), PROJECT_TOKENS),
        memory.session,
        several(memory, "facts"),
        several(memory, "concepts"),
        several(memory, "files_read"),
        several(memory, "files_modified"),
        tuple(EventView(event.type.value, _event_text(event)) for event in happened),
        several(memory, "next"),
    )


def _event_text(event: Event) -> str:
    if event.type is not EventType.TOOL_CALL:
        return f"{event.role}: {event.text}"[:EVENT_CHARS] if event.role else event.text
    call = from_json(event.structured)
    what = call.command or ", ".join((*call.files_modified, *call.files_read)) or call.subject
    ended = "" if call.success is not False else f" failed: {call.error}"
    return f"{call.tool} {what}{ended}"[:EVENT_CHARS]
