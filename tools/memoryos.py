"""The tools of MemoryOS by their names, arguments and results, over the same services: toolset `memoryos`.

A user's conversation is one session. `user_id` names the namespace, which the caller must be allowed to use.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from ..modules import inputs
from ..modules.agentos import AgentOS
from ..modules.errors import NotFound
from ..modules.framing import NOTICE, quote
from ..modules.memory.models import Memory, MemoryFilter
from ..modules.memory.service import MemoryChanges
from ..modules.profile.models import Known, Profile
from ..modules.tiers.models import Knowledge, Page
from ..modules.turns.models import Added, Turn
from .tool import Tool

TOOLSET = "memoryos"
SESSION = "memoryos"
CONVERSATION, EXECUTION = "conversation", "execution"
"""The tags of pages: of talk alone, or with what was executed for the answer."""
META, RAN = "meta_data", "execution"
AROUND = 6
"""So many turns before and after one are looked at for those of its page."""
SHOWN_CHARS = 500
_FOR_THE_ANSWER = "for your answer; changes nothing here"


@dataclass(frozen=True)
class MemoryAdded:
    """That a question and its answer were kept."""

    status: str
    message: str
    user_id: str
    timestamp: datetime


@dataclass(frozen=True)
class QaPage:
    """A question and its answer in short-term memory."""

    user_input: str
    agent_response: str
    timestamp: datetime | None
    meta_data: dict[str, Any]


@dataclass(frozen=True)
class RetrievedQa:
    """A question and its answer that were found."""

    user_input: str
    agent_response: str
    timestamp: datetime | None
    meta_info: str


@dataclass(frozen=True)
class KnowledgeEntry:
    """Something that is known."""

    knowledge: str
    timestamp: datetime


@dataclass(frozen=True)
class Retrieved:
    """What every tier has to say to a query."""

    status: str
    query: str
    timestamp: datetime
    user_profile: str
    short_term_memory: list[QaPage]
    short_term_count: int
    retrieved_pages: list[RetrievedQa]
    retrieved_user_knowledge: list[KnowledgeEntry]
    retrieved_assistant_knowledge: list[KnowledgeEntry]
    total_pages_found: int
    total_user_knowledge_found: int
    total_assistant_knowledge_found: int


@dataclass(frozen=True)
class UserProfile:
    """What is known of a user."""

    status: str
    timestamp: datetime
    user_id: str
    user_profile: str
    user_knowledge: list[KnowledgeEntry]
    user_knowledge_count: int
    assistant_knowledge: list[KnowledgeEntry]
    assistant_knowledge_count: int


@dataclass(frozen=True)
class AddedData:
    """Which message was kept."""

    status: str
    message_id: str
    timestamp: datetime
    details: str


@dataclass(frozen=True)
class ConversationAdded:
    """That a message with its answer was kept."""

    success: bool
    message: str
    data: AddedData


@dataclass(frozen=True)
class Conversation:
    """A message with its answer, what was executed for it, and how well it fits a query."""

    message_id: str
    conversation_timestamp: datetime
    user_input: str
    agent_response: str
    meta_data: dict[str, Any]
    tags: list[str]
    execution: dict[str, Any]
    relevance_score: float


@dataclass(frozen=True)
class RetrievedData:
    """The conversations that were found, best first."""

    status: str
    query: str
    explanation: str
    retrieval_timestamp: datetime
    tags_filter: list[str]
    conversations: list[Conversation]
    total_found: int
    returned_count: int
    max_results_applied: int


@dataclass(frozen=True)
class ConversationsRetrieved:
    """What a search through conversations brought."""

    success: bool
    message: str
    data: RetrievedData


async def add_memory(
    agentos: AgentOS,
    namespace: str,
    *,
    user_input: str,
    agent_response: str,
    timestamp: str | None = None,
    metadata: dict[str, Any] | None = None,
) -> MemoryAdded:
    """Keep a question and its answer."""
    added = await agentos.turns.add(
        namespace, SESSION, "user", user_input, answer=agent_response, occurred_at=timestamp
    )
    await _describe(agentos, namespace, added, (), {META: metadata} if metadata else {})
    return MemoryAdded("success", "kept" if added.new else "was there", namespace, added.turns[0].occurred_at)


async def retrieve_memory(
    agentos: AgentOS,
    namespace: str,
    *,
    query: str,
    relationship_with_user: Annotated[str, Field(description=_FOR_THE_ANSWER)] = "friend",
    style_hint: Annotated[str, Field(description=_FOR_THE_ANSWER)] = "",
    max_results: int = 10,
) -> Retrieved:
    """Recall for a query: profile, last pages, pages on the topic, knowledge."""
    inputs.text("relationship_with_user", relationship_with_user, allow_empty=True)
    inputs.text("style_hint", style_hint, allow_empty=True)
    inputs.count("max_results", max_results, 1, 50)
    found = await agentos.tiers.recall(namespace, query, SESSION, max_results)
    profile = await agentos.profile.get(namespace, include_knowledge=False)
    users, assistants = found.user_knowledge[:max_results], found.assistant_knowledge[:max_results]
    return Retrieved(
        "success",
        query,
        found.at,
        _told(profile),
        [await _page(agentos, namespace, page) for page in found.short_term],
        len(found.short_term),
        [_retrieved(one.page, one.about) for one in found.pages],
        [_knowledge(one) for one in users],
        [_knowledge(one) for one in assistants],
        len(found.pages),
        len(found.user_knowledge),
        len(found.assistant_knowledge),
    )


async def get_user_profile(
    agentos: AgentOS,
    namespace: str,
    *,
    include_knowledge: bool = True,
    include_assistant_knowledge: bool = False,
) -> UserProfile:
    """What is known of the user."""
    profile = await agentos.profile.get(
        namespace, include_knowledge=include_knowledge, include_assistant_knowledge=include_assistant_knowledge
    )
    knows, assistant = [[_knowledge(one) for one in part] for part in (profile.knowledge, profile.assistant_knowledge)]
    return UserProfile(
        "success", agentos.clock(), namespace, _told(profile), knows, len(knows), assistant, len(assistant)
    )


async def add_conversation_memory(
    agentos: AgentOS,
    namespace: str,
    *,
    user_input: str,
    agent_response: str,
    message_id: Annotated[str | None, Field(description="the same id is the same message")] = None,
    explanation: str = "",
    timestamp: str | None = None,
    meta_data: dict[str, Any] | None = None,
    execution_details: Annotated[
        dict[str, Any] | None, Field(description="tools_used, errors, duration_ms, success")
    ] = None,
) -> ConversationAdded:
    """Keep a message and its answer, with what was executed for it."""
    inputs.text("explanation", explanation, allow_empty=True)
    added = await agentos.turns.add(
        namespace, SESSION, "user", user_input, answer=agent_response, occurred_at=timestamp, key=message_id
    )
    told = {name: value for name, value in ((META, meta_data), (RAN, execution_details)) if value}
    tag = EXECUTION if execution_details else CONVERSATION
    await _describe(agentos, namespace, added, (tag,), {**told, "message_id": message_id} if message_id else told)
    kept = added.turns[0]
    name, details = message_id or kept.memory_id, f"{'kept' if added.new else 'was there'}, tagged {tag}"
    return ConversationAdded(True, "kept", AddedData("success", name, kept.occurred_at, details))


async def retrieve_conversation_memory(
    agentos: AgentOS,
    namespace: str,
    *,
    query: str,
    explanation: str = "",
    message_id: str | None = None,
    max_results: int = 10,
    tags_filter: Annotated[list[str] | None, Field(description="conversation or execution")] = None,
) -> ConversationsRetrieved:
    """Find messages with their answers."""
    inputs.count("max_results", max_results, 1, 50)
    inputs.text("explanation", explanation, allow_empty=True)
    where = MemoryFilter(session=SESSION, tags=tuple(tags_filter or ()))
    found = await agentos.memory.search(namespace, query, where, min(3 * max_results, 150))
    pages: dict[str, Conversation] = {}
    for hit in found.hits:
        page, turns = await _around(agentos, namespace, hit.memory)
        if page not in pages:
            pages[page] = await _conversation(agentos, namespace, turns, hit.score)
    every = [one for one in pages.values() if message_id is None or one.message_id == message_id]
    data = RetrievedData(
        "success",
        query,
        explanation,
        agentos.clock(),
        list(tags_filter or ()),
        every[:max_results],
        len(every),
        min(len(every), max_results),
        max_results,
    )
    return ConversationsRetrieved(True, "; ".join(found.notes) or f"{data.returned_count} found", data)


async def _describe(
    agentos: AgentOS, namespace: str, added: Added, tags: Sequence[str], metadata: dict[str, Any]
) -> None:
    """Note on the turns of a page what came with it; the question's has it all. Twice is once."""
    for number, turn in enumerate(added.turns):
        told = metadata if number == 0 and metadata else None
        if tags or told:
            await agentos.memory.update(namespace, turn.memory_id, MemoryChanges(tags=tags or None, metadata=told))


async def _around(agentos: AgentOS, namespace: str, memory: Memory) -> tuple[str, list[Turn]]:
    """The page that a turn stands on, and its turns."""
    first = max((memory.place or 0) - AROUND - 1, -1)
    near = await agentos.turns.turns(namespace, SESSION, first, 2 * AROUND + 1)
    page = next((turn.page for turn in near if turn.memory_id == memory.id), memory.id)
    return page, [turn for turn in near if turn.page == page]


async def _conversation(agentos: AgentOS, namespace: str, turns: Sequence[Turn], score: float) -> Conversation:
    memory = await _memory(agentos, namespace, turns[0].memory_id if turns else "")
    told = {} if memory is None else memory.metadata
    return Conversation(
        str(told.get("message_id", turns[0].memory_id if turns else "")),
        turns[0].occurred_at if turns else agentos.clock(),
        "\n".join(turn.text for turn in turns if turn.role == "user"),
        "\n".join(turn.text for turn in turns if turn.role == "assistant"),
        _object(told.get(META)),
        [] if memory is None else list(memory.tags),
        _object(told.get(RAN)),
        round(score, 4),
    )


async def _page(agentos: AgentOS, namespace: str, page: Page) -> QaPage:
    memory = await _memory(agentos, namespace, page.turns[0].memory_id)
    meta = {} if memory is None else _object(memory.metadata.get(META))
    return QaPage(page.said_by("user"), page.said_by("assistant"), page.occurred_at, meta)


async def _memory(agentos: AgentOS, namespace: str, memory_id: str) -> Memory | None:
    try:
        memory, _ = await agentos.memory.get(namespace, memory_id)
    except NotFound:  # it went meanwhile
        return None
    return memory


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _retrieved(page: Page, about: Sequence[str]) -> RetrievedQa:
    return RetrievedQa(page.said_by("user"), page.said_by("assistant"), page.occurred_at, ", ".join(about))


def _knowledge(one: Knowledge | Known) -> KnowledgeEntry:
    return KnowledgeEntry(one.text, one.occurred_at)


def _told(profile: Profile) -> str:
    """A profile as text, a line an attribute and a line a trait; "" where nothing is known."""
    lines = [
        f"{entry.key}: {', '.join(one.value for one in entry.values)}" for entry in profile.entries if entry.values
    ]
    return "\n".join([*lines, *(f"{trait.name} ({trait.level.value})" for trait in profile.traits)])


def _knowledge_lines(title: str, known: Sequence[KnowledgeEntry]) -> list[str]:
    return [f"- {title}: {quote(one.knowledge, SHOWN_CHARS)} ({one.timestamp:%Y-%m-%d})" for one in known]


def _profile_lines(told: str) -> list[str]:
    return [f"- profile: {quote(told, 2000)}"] if told else []


def _retrieved_text(result: Retrieved) -> str:
    pages: list[QaPage | RetrievedQa] = [*result.retrieved_pages, *result.short_term_memory]
    lines = _profile_lines(result.user_profile)
    lines += [f"- {quote(p.user_input, SHOWN_CHARS)} → {quote(p.agent_response, SHOWN_CHARS)}" for p in pages]
    lines += _knowledge_lines("knows", result.retrieved_user_knowledge)
    lines += _knowledge_lines("assistant", result.retrieved_assistant_knowledge)
    return "\n".join([NOTICE, *lines]) if lines else "Nothing is known yet."


def _profile_text(result: UserProfile) -> str:
    lines = [
        *_profile_lines(result.user_profile),
        *_knowledge_lines("knows", result.user_knowledge),
        *_knowledge_lines("assistant", result.assistant_knowledge),
    ]
    return "\n".join([NOTICE, *lines]) if lines else "Nothing is known of the user yet."


def _conversations_text(result: ConversationsRetrieved) -> str:
    lines = [
        f"- {one.message_id} {one.conversation_timestamp:%Y-%m-%d %H:%M}: {quote(one.user_input, SHOWN_CHARS)} → "
        f"{quote(one.agent_response, SHOWN_CHARS)}"
        for one in result.data.conversations
    ]
    return "\n".join([NOTICE, *lines]) if lines else "Nothing found."


_USER = ("user_id",)

MEMORYOS_TOOLS = (
    Tool(add_memory, "Add to memory", lambda result: f"{result.message}.", toolset=TOOLSET, namespace_in=_USER),
    Tool(
        retrieve_memory,
        "Retrieve from memory",
        _retrieved_text,
        read_only=True,
        idempotent=True,
        toolset=TOOLSET,
        namespace_in=_USER,
    ),
    Tool(
        get_user_profile,
        "Profile of the user",
        _profile_text,
        read_only=True,
        idempotent=True,
        toolset=TOOLSET,
        namespace_in=_USER,
    ),
    Tool(
        add_conversation_memory,
        "Add a conversation",
        lambda result: f"{result.data.message_id}: {result.data.details}.",
        toolset=TOOLSET,
        namespace_in=_USER,
    ),
    Tool(
        retrieve_conversation_memory,
        "Retrieve conversations",
        _conversations_text,
        read_only=True,
        idempotent=True,
        toolset=TOOLSET,
        namespace_in=_USER,
    ),
)
