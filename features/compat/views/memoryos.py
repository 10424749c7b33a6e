"""Results with MemoryOS's names; every field that its clients read is present, empty or not."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ....modules.framing import NOTICE, named, quote
from ....modules.records import dataclass
from ....modules.turns import executions
from ....modules.views.labels import NEWER
from ....modules.views.texts import Minute

if TYPE_CHECKING:
    from ...profile.models import Known, Profile
    from ...tiers.models import Knowledge, RetrievedPage, TierPage, TierRecall

SHOWN_CHARS = 500


@dataclass(frozen=True)
class MemoryAdded:
    """Confirmation that a question and its answer were stored."""

    status: str
    message: str
    user_id: str
    timestamp: Minute

    def as_text(self) -> str:
        """Return the result as text."""
        return f"{self.message}."


@dataclass(frozen=True)
class QaPage:
    """A question and its answer in short-term memory."""

    user_input: str
    agent_response: str
    timestamp: Minute | None = None
    meta_data: dict[str, Any] | None = None


@dataclass(frozen=True)
class RetrievedQa:
    """A question and its answer that were found."""

    user_input: str
    agent_response: str
    timestamp: Minute | None = None
    meta_info: str = ""


@dataclass(frozen=True)
class KnowledgeEntry:
    """A known fact."""

    knowledge: str
    timestamp: Minute
    newer: str | None = None

    def line(self, title: str) -> str:
        """Return the entry as one line."""
        newer = f", {NEWER}{self.newer}" if self.newer else ""
        return f"- {title}: {quote(self.knowledge, SHOWN_CHARS)} ({self.timestamp:%Y-%m-%d}{newer})"


@dataclass(frozen=True)
class Retrieved:
    """The answers of every tier to a query."""

    status: str
    query: str
    timestamp: Minute
    user_profile: str
    short_term_memory: tuple[QaPage, ...]
    short_term_count: int
    retrieved_pages: tuple[RetrievedQa, ...]
    retrieved_user_knowledge: tuple[KnowledgeEntry, ...]
    retrieved_assistant_knowledge: tuple[KnowledgeEntry, ...]
    total_pages_found: int
    total_user_knowledge_found: int
    total_assistant_knowledge_found: int
    notice: str = ""

    def as_text(self) -> str:
        """Return what was found, tier by tier."""
        pages: tuple[QaPage | RetrievedQa, ...] = (*self.retrieved_pages, *self.short_term_memory)
        lines = _profile_lines(self.user_profile)
        lines += [f"- {quote(p.user_input, SHOWN_CHARS)} → {quote(p.agent_response, SHOWN_CHARS)}" for p in pages]
        lines += [one.line("knows") for one in self.retrieved_user_knowledge]
        lines += [one.line("assistant") for one in self.retrieved_assistant_knowledge]
        return "\n".join([self.notice, *lines]) if lines else "Nothing is known yet."


@dataclass(frozen=True)
class UserProfile:
    """The profile of a user."""

    status: str
    timestamp: Minute
    user_id: str
    user_profile: str
    user_knowledge: tuple[KnowledgeEntry, ...]
    user_knowledge_count: int
    assistant_knowledge: tuple[KnowledgeEntry, ...]
    assistant_knowledge_count: int
    notice: str = ""

    def as_text(self) -> str:
        """Return the profile as lines."""
        lines = _profile_lines(self.user_profile)
        lines += [one.line("knows") for one in self.user_knowledge]
        lines += [one.line("assistant") for one in self.assistant_knowledge]
        return "\n".join([self.notice, *lines]) if lines else "Nothing is known of the user yet."


@dataclass(frozen=True)
class AddedData:
    """The message that was kept."""

    status: str
    message_id: str
    timestamp: Minute
    details: str


@dataclass(frozen=True)
class ExchangeAdded:
    """Confirmation that a message and its answer were stored."""

    success: bool
    message: str
    data: AddedData

    def as_text(self) -> str:
        """Return the result as text."""
        return f"{named(self.data.message_id)}: {self.data.details}."


@dataclass(frozen=True)
class Conversation:
    """A message with its answer, what was executed for it, and how well it fits a query."""

    message_id: str
    conversation_timestamp: Minute
    user_input: str
    agent_response: str
    relevance_score: float
    meta_data: dict[str, Any] | None = None
    tags: tuple[str, ...] = ()
    execution: dict[str, Any] | None = None

    def line(self) -> str:
        """Return the message as one line."""
        exchange = f"{quote(self.user_input, SHOWN_CHARS)} → {quote(self.agent_response, SHOWN_CHARS)}"
        ran = executions.read(self.execution or {}).text
        shown = f" ({quote(ran, SHOWN_CHARS)})" if ran else ""
        return f"- {self.message_id} {self.conversation_timestamp:%Y-%m-%d %H:%M}: {exchange}{shown}"


@dataclass(frozen=True)
class RetrievedData:
    """The conversations that were found, best first."""

    status: str
    query: str
    retrieval_timestamp: Minute
    conversations: tuple[Conversation, ...]
    total_found: int
    returned_count: int
    max_results_applied: int
    explanation: str = ""
    tags_filter: tuple[str, ...] = ()


@dataclass(frozen=True)
class ConversationsRetrieved:
    """Messages that a search through conversations found."""

    success: bool
    message: str
    data: RetrievedData
    notice: str = ""

    def as_text(self) -> str:
        """Return the conversations as lines."""
        lines = [one.line() for one in self.data.conversations]
        return "\n".join([self.notice, *lines]) if lines else "Nothing found."


def retrieved(
    query: str, found: "TierRecall", profile: "Profile", metadata: Sequence[dict[str, Any]], limit: int
) -> Retrieved:
    """Return the view of what every tier has to say.

    `metadata` is what was noted on the pages of short-term memory.
    """
    short = tuple(
        QaPage(page.text_by("user"), page.text_by("assistant"), page.occurred_at, noted or None)
        for page, noted in zip(found.short_term, metadata, strict=True)
    )
    users, assistants = _knowledge(found.user_knowledge[:limit]), _knowledge(found.assistant_knowledge[:limit])
    summary = profile_text(profile)
    pages = tuple(_retrieved(one) for one in found.pages)
    return Retrieved(
        "success",
        query,
        found.at,
        summary,
        short,
        len(short),
        pages,
        users,
        assistants,
        len(pages),
        len(found.user_knowledge),
        len(found.assistant_knowledge),
        NOTICE if any((summary, short, pages, users, assistants)) else "",
    )


def user_profile(namespace: str, profile: "Profile", now: datetime) -> UserProfile:
    """Return the view of what is known of a user."""
    knows, assistant, summary = (
        _knowledge(profile.knowledge),
        _knowledge(profile.assistant_knowledge),
        profile_text(profile),
    )
    notice = NOTICE if any((summary, knows, assistant)) else ""
    return UserProfile("success", now, namespace, summary, knows, len(knows), assistant, len(assistant), notice)


def conversations(message: str, data: RetrievedData) -> ConversationsRetrieved:
    """Return the view of what a search through conversations found."""
    return ConversationsRetrieved(True, message, data, NOTICE if data.conversations else "")


def profile_text(profile: "Profile") -> str:
    """Return a profile as text, a line an attribute and a line a trait; "" where nothing is known."""
    lines = [
        f"{entry.key}: {', '.join(one.value for one in entry.values)}" for entry in profile.entries if entry.values
    ]
    return "\n".join([*lines, *(f"{trait.name} ({trait.level.value})" for trait in profile.traits)])


def _retrieved(found: "RetrievedPage") -> RetrievedQa:
    page: TierPage = found.page
    return RetrievedQa(page.text_by("user"), page.text_by("assistant"), page.occurred_at, ", ".join(found.about))


def _knowledge(found: "Sequence[Knowledge] | Sequence[Known]") -> tuple[KnowledgeEntry, ...]:
    return tuple(KnowledgeEntry(one.text, one.occurred_at, getattr(one, "newer", None)) for one in found)


def _profile_lines(summary: str) -> list[str]:
    return [f"- profile: {quote(summary, 2000)}"] if summary else []
