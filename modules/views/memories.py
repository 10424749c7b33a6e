"""Memories as results: the short form for models, and the whole record."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from ..facts.models import Relation
from ..framing import NOTICE, named, quote
from ..memory import formulas
from ..memory.models import Change, Memory, MemoryPage, MemoryVersion, Timeline
from ..records import dataclass
from ..trust.models import Trust
from .labels import Labels, source_of
from .texts import CUT, MAX_TEXT_CHARS, SOURCE_CHARS, Minute, Text, cut, facts

SAME_NUMBER = 1e-6
"""What a database may change of a number."""

EXCERPT_CHARS = 120
"""The characters that are shown of a memory that a new one may replace."""


@dataclass(frozen=True)
class MemoryResult:
    """A memory in short form: `date` is when it happened, `label` a warning about it."""

    id: str
    content: Text
    date: date
    source: str = ""
    label: str = ""
    tags: tuple[str, ...] = ()

    @property
    def is_cut(self) -> bool:
        """Return whether a model sees only a part of it."""
        return cut(self.content) != self.content or self.content.startswith("…") or self.content.endswith("…")

    def line(self) -> str:
        """Return the memory as one line; a colon only where the date is not next to the text."""
        label = f", {self.label}" if self.label else ""
        source = f" by {quote(self.source, SOURCE_CHARS)}" if self.source else ""
        tags = "".join(f" #{named(tag)}" for tag in self.tags)
        about = f"{label}{source}{tags}:" if label or source or tags else ""
        return f"- {self.id} {self.date}{about} {quote(cut(self.content))}"


@dataclass(frozen=True, kw_only=True)
class Record:
    """A memory whole: what it states (`value` is the `attribute` of `subject`), how far it is believed, when it holds.

    `valid_to` is not there while it holds; `superseded_by` is what has replaced it. One that is `upcoming` holds only
    from `valid_from` on. A `summary` that is only the beginning of the content is left out.
    """

    id: str
    content: str
    agent_id: str
    memory_type: str
    kind: str
    status: str
    importance: float
    confidence: float
    occurred_at: datetime
    created_at: datetime
    updated_at: datetime
    last_accessed: datetime
    access_count: int
    version: int
    valid_from: datetime
    label: str = ""
    summary: str = ""
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] | None = None
    source: str = ""
    session: str | None = None
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    upcoming: bool = False
    valid_to: datetime | None = None
    superseded_by: str | None = None
    expires_at: datetime | None = None

    def line(self) -> str:
        """Return the record as one line."""
        return f"- {self.head()}; {facts(self, ('id', 'content', 'label', 'history'))}"

    def head(self) -> str:
        """Return what it is, with what must be known before believing it."""
        return f"{self.id}{', ' if self.label else ''}{self.label}: {quote(self.content)}"


@dataclass(frozen=True)
class MemoryList:
    """A page of memories, newest first; pass `next_cursor` as `cursor` for the next. `elsewhere`: in other projects."""

    results: tuple[MemoryResult, ...] | tuple[Record, ...]
    total: int
    notice: str = ""
    next_cursor: str | None = None
    hints: tuple[str, ...] = ()
    elsewhere: str = ""

    def as_text(self) -> str:
        """Return the page as lines."""
        if not self.results:
            return "\n".join(filter(None, [f"No memories here ({self.total} in all).", self.elsewhere]))
        more = f" More: cursor={self.next_cursor}" if self.next_cursor else ""
        lines = [one.line() for one in self.results]
        said = [self.notice, *lines, f"{len(self.results)} of {self.total}.{more}", *self.hints]
        return "\n".join([*said, self.elsewhere] if self.elsewhere else said)


@dataclass(frozen=True)
class Version:
    """An earlier state of a memory."""

    version: int
    content: str
    memory_type: str
    importance: float
    replaced_at: datetime
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] | None = None

    def line(self) -> str:
        """Return the state as one line."""
        return f"version {self.version}: {quote(self.content)}; {facts(self, ('version', 'content'))}"


@dataclass(frozen=True)
class Link:
    """A relation of a memory to another one, such as `supersedes` or `superseded_by`."""

    relation: str
    id: str


@dataclass(frozen=True)
class Decided:
    """A judgement about a memory: what was done, by agent, human or job, and why."""

    action: str
    by: str
    at: Minute
    reason: Text = ""


@dataclass(frozen=True, kw_only=True)
class Details(Record):
    """A memory whole, with its strength now and where it comes from: `lineage` are its relations, `decisions` what was
    judged about it, `history` its earlier versions, each the newest first.

    `trust` is the sum of `trust_parts`, `trust_interval` holds it with 95 %; `stored_by` is whose credential it was.
    `source_trust` is how far such sources are trusted, by the name that was given. What is `computed`, nobody gave.
    """

    notice: str
    strength: float
    trust: float
    trust_interval: tuple[float, ...]
    trust_parts: dict[str, float]
    source_trust: float
    computed: tuple[str, ...] = ()
    stored_by: str = ""
    lineage: tuple[Link, ...] = ()
    decisions: tuple[Decided, ...] = ()
    history: tuple[Version, ...] = ()

    def as_text(self) -> str:
        """Return the record and its history."""
        fields = facts(self, ("id", "content", "label", "notice", "history", "lineage", "decisions"))
        lines = [self.notice, self.head(), fields]
        lines += [f"{named(link.relation)} {link.id}" for link in self.lineage]
        lines += [
            f"{one.at:%Y-%m-%d %H:%M} {named(one.action)} by {one.by}: {quote(one.reason)}" for one in self.decisions
        ]
        return "\n".join([*lines, *(version.line() for version in self.history)])


@dataclass(frozen=True)
class Moment:
    """A memory on a timeline."""

    id: str
    at: Minute
    text: Text
    label: str = ""


@dataclass(frozen=True)
class TimelineView:
    """The memories before and after one, with it, in order; all of one `session`, if of any."""

    results: tuple[Moment, ...]
    notice: str
    session: str | None = None
    hints: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return the timeline as lines."""
        head = [f"Session {quote(self.session)}:"] if self.session else []
        lines = [
            f"- {one.id} {one.at:%Y-%m-%d %H:%M}{f', {one.label}' if one.label else ''}: {quote(cut(one.text))}"
            for one in self.results
        ]
        return "\n".join([self.notice, *head, *lines, *self.hints])


@dataclass(frozen=True)
class Excerpt:
    """An older memory, by the beginning of its text and when it happened."""

    id: str
    content: str
    date: date
    label: str = ""

    def line(self) -> str:
        """Return the excerpt as one line."""
        return f"- {self.id} {self.date}{f', {self.label}' if self.label else ''}: {quote(self.content)}"


@dataclass(frozen=True)
class Changed:
    """A memory after a correction."""

    id: str
    version: int
    importance: float
    note: str = ""

    def as_text(self) -> str:
        """Return what was changed."""
        done = f"Updated {self.id} to version {self.version} (importance {self.importance:.2f})."
        return f"{done} {self.note}" if self.note else done


@dataclass(frozen=True)
class Deletion:
    """The number of memories erased for good, or archived or forgotten, which memory_revert undoes."""

    deleted: int
    mode: str

    def as_text(self) -> str:
        """Return what is gone, and whether it can be undone."""
        if not self.deleted:
            return "No memory matches; nothing was changed."
        what = f"{self.deleted} memor{'y' if self.deleted == 1 else 'ies'}"
        if self.mode == "erase":
            return f"Deleted {what}."
        return f"Hidden: {what} ({self.mode}); memory_revert undoes it."


def memory_result(memory: Memory, labels: Labels, content: str | None = None) -> MemoryResult:
    """Return the lean view of a memory; `content` is what to show of it, if that is not all."""
    label = labels.of(memory)
    shown = memory.content if content is None else content
    return MemoryResult(
        memory.id, shown, memory.occurred_at.date(), source_of(memory, label), label, tuple(memory.tags)
    )


def record_fields(memory: Memory, labels: Labels) -> dict[str, Any]:
    """Return the fields of Record, for it and for the views that extend it."""
    slot = memory.slot
    return {
        "id": memory.id,
        "content": memory.content,
        "agent_id": memory.namespace,
        "memory_type": memory.memory_type.value,
        "kind": memory.kind.value,
        "status": memory.status.value,
        "importance": round(memory.importance, 6),
        "confidence": round(memory.confidence, 6),
        "occurred_at": memory.occurred_at,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "last_accessed": memory.accessed_at,
        "access_count": memory.access_count,
        "version": memory.version,
        "valid_from": memory.holds_from,
        "label": labels.of(memory),
        "summary": "" if " ".join(memory.content.split()).startswith(memory.summary.rstrip("…")) else memory.summary,
        "tags": tuple(memory.tags),
        "metadata": memory.metadata or None,
        "source": memory.source,
        "session": memory.session,
        "subject": None if slot is None else slot.subject,
        "attribute": None if slot is None else slot.attribute,
        "value": None if slot is None else slot.value,
        "upcoming": memory.holds_from > labels.now,
        "valid_to": memory.valid_to,
        "superseded_by": labels.successors.get(memory.id),
        "expires_at": memory.expires_at,
    }


def listed(page: MemoryPage, labels: Labels, *, full: bool, elsewhere: str = "") -> MemoryList:
    """Return the view of a page of a listing, lean or of whole records; with what lies `elsewhere`."""
    notice = NOTICE if page.memories else ""
    if full:
        records = tuple(Record(**record_fields(memory, labels)) for memory in page.memories)
        return MemoryList(records, page.total, notice, page.next_cursor, (), elsewhere)
    lean = tuple(memory_result(memory, labels) for memory in page.memories)
    hints = (CUT,) if any(one.is_cut for one in lean) else ()
    return MemoryList(lean, page.total, notice, page.next_cursor, hints, elsewhere)


_REVERSED = {
    "supersedes": "superseded_by",
    "may_supersede": "may_be_superseded_by",
    "derived_from": "source_of",
    "evidence_of": "supported_by",
}
"""How a relation reads from its other end; of the others both ends are alike."""


def details(
    memory: Memory,
    history: Sequence[MemoryVersion],
    strength: float,
    labels: Labels,
    relations: Sequence[Relation],
    changes: Sequence[Change],
    trust: Trust,
) -> Details:
    """A memory whole."""
    versions = tuple(
        Version(
            one.version,
            one.content,
            one.memory_type.value,
            round(one.importance, 6),
            one.replaced_at,
            tuple(one.tags),
            one.metadata or None,
        )
        for one in history
    )
    by_formula = formulas.importance(memory.content, memory.memory_type)
    return Details(
        **record_fields(memory, labels),
        notice=NOTICE,
        strength=round(strength, 4),
        trust=round(trust.score, 2),
        trust_interval=(round(trust.low, 2), round(trust.high, 2)),
        trust_parts={name: round(part, 2) for name, part in trust.parts.items()},
        source_trust=round(memory.trust, 2),
        computed=("importance",) if abs(memory.importance - by_formula) < SAME_NUMBER else (),
        stored_by=trust.stored_by,
        lineage=tuple(_link(memory, one) for one in relations),
        decisions=tuple(Decided(one.action, one.by, one.at, one.reason) for one in changes),
        history=versions,
    )


def _link(memory: Memory, relation: Relation) -> Link:
    if relation.from_id == memory.id:
        return Link(relation.type, relation.to_id)
    return Link(_REVERSED.get(relation.type, relation.type), relation.from_id)


def timeline(around: Timeline, labels: Labels) -> TimelineView:
    """Return the view of what came before and after a memory."""
    moments = tuple(
        Moment(memory.id, memory.occurred_at, memory.content, labels.of(memory))
        for memory in (*around.before, around.memory, *around.after)
    )
    hints = (CUT,) if any(len(one.text) > MAX_TEXT_CHARS for one in moments) else ()
    return TimelineView(moments, NOTICE, around.memory.session, hints)


def excerpt(memory: Memory, labels: Labels) -> Excerpt:
    """Return the view of the beginning of a memory."""
    return Excerpt(memory.id, cut(memory.content, EXCERPT_CHARS), memory.occurred_at.date(), labels.of(memory))


REWRITTEN = "A person had confirmed it as it read: it is confirmed no more, and waits for them in agentos approvals."


def changed(memory: Memory, *, is_unvouched: bool = False) -> Changed:
    """Return the view of a memory after a correction; `is_unvouched` where that took a person's word from it."""
    return Changed(memory.id, memory.version, round(memory.importance, 6), REWRITTEN if is_unvouched else "")
