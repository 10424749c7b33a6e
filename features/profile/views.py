"""The profile of the user as a result."""

from collections.abc import Iterable
from datetime import date

from ...modules.framing import NOTICE, quote
from ...modules.records import dataclass
from ...modules.views.labels import NEWER
from .models import Known, Profile, ProfileEntry, ProfileValue, Trait

EVIDENCE = 3
"""The number of ids that are named as evidence."""


@dataclass(frozen=True)
class ValueView:
    """A value and the memory that says so; a `candidate` was found in a conversation, and nobody confirmed it yet."""

    value: str
    since: date
    memory_id: str
    until: date | None = None
    status: str = "active"
    may_be_outdated_by: str | None = None

    def as_text(self) -> str:
        """Return the value with what is to be known of it."""
        status = "" if self.status == "active" else f" ({self.status})"
        when = f"until {self.until}" if self.until else f"since {self.since}"
        newer = "" if self.may_be_outdated_by is None else f", {NEWER}{self.may_be_outdated_by}"
        return f"{quote(self.value)}{status} {when} ({self.memory_id}{newer})"


@dataclass(frozen=True)
class EntryView:
    """The value of a key, and its earlier values, the newest first."""

    key: str
    values: tuple[ValueView, ...]
    history: tuple[ValueView, ...] = ()

    def as_text(self) -> str:
        """Return the entry as one line."""
        now = ", ".join(one.as_text() for one in self.values) or "unknown"
        before = "; ".join(one.as_text() for one in self.history if one.until)
        return f"{self.key}: {now}" + (f" (before: {before})" if before else "")


@dataclass(frozen=True)
class TraitView:
    """A trait that so many memories support, and so many speak against; `evidence` are the newest of them."""

    trait: str
    group: str
    level: str
    supporting: int
    contrary: int = 0
    evidence: tuple[str, ...] = ()

    def line(self) -> str:
        """Return the trait as one line."""
        against = f", {self.contrary} against" if self.contrary else ""
        evidence = f"{self.supporting} for{against}: {', '.join(self.evidence)}"
        return f"{self.group}: {self.trait} {self.level} ({evidence})"


@dataclass(frozen=True)
class ProfileKnowledgeView:
    """A fact learnt in conversations, with the turns that state it."""

    memory_id: str
    text: str
    status: str
    date: date
    turns: tuple[str, ...] = ()

    def line(self) -> str:
        """Return it as one line."""
        turns = f", from {', '.join(self.turns)}" if self.turns else ""
        return f"{quote(self.text)} ({self.date}, {self.status}, {self.memory_id}{turns})"


@dataclass(frozen=True)
class ProfileView:
    """The profile of the user; `method` says how it was found."""

    entries: tuple[EntryView, ...]
    method: str
    notice: str = ""
    traits: tuple[TraitView, ...] = ()
    knowledge: tuple[ProfileKnowledgeView, ...] = ()
    assistant_knowledge: tuple[ProfileKnowledgeView, ...] = ()

    def as_text(self) -> str:
        """Return the profile as lines."""
        lines = [entry.as_text() for entry in self.entries]
        lines += [trait.line() for trait in self.traits]
        lines += [f"knows: {one.line()}" for one in self.knowledge]
        lines += [f"assistant: {one.line()}" for one in self.assistant_knowledge]
        return "\n".join([self.notice, *lines]) if lines else "Nothing is known of the user yet."


def profile(found: Profile, *, with_empty: bool) -> ProfileView:
    """Return the view of what is known of the user; keys without anything known only where they were asked for."""
    entries = tuple(entry(one) for one in found.entries if one.values or one.history or with_empty)
    traits, known, assistant = (
        tuple(map(_trait, found.traits)),
        _known(found.knowledge),
        _known(found.assistant_knowledge),
    )
    notice = NOTICE if any((entries, traits, known, assistant)) else ""
    return ProfileView(entries, found.method, notice, traits, known, assistant)


def entry(found: ProfileEntry) -> EntryView:
    """Return the view of what stands under a key."""
    return EntryView(found.key, tuple(map(_value, found.values)), tuple(map(_value, found.history)))


def _value(one: ProfileValue) -> ValueView:
    return ValueView(one.value, one.since.date(), one.memory_id, one.until and one.until.date(), one.status, one.newer)


def _trait(trait: Trait) -> TraitView:
    evidence = tuple(trait.evidence)[:EVIDENCE]
    return TraitView(trait.name, trait.group, trait.level.value, trait.supporting, trait.contrary, evidence)


def _known(found: Iterable[Known]) -> tuple[ProfileKnowledgeView, ...]:
    return tuple(
        ProfileKnowledgeView(one.memory_id, one.text, one.status, one.occurred_at.date(), tuple(one.turns)[:EVIDENCE])
        for one in found
    )
