"""The tools of MemoryOS by their names, arguments and results, over the same services: toolset `memoryos`.

A user's conversation is one session. `user_id` names the namespace, which the caller must be allowed to use.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from ....modules import inputs
from ....modules.agentos import AgentOS
from ....modules.errors import NotFound
from ....modules.memory.models import Kind, Memory, MemoryFilter
from ....modules.memory.service import MemoryChanges
from ....modules.store_request import StoreRequest
from ....modules.turns import executions
from ....modules.turns.models import Added, Turn
from ....tools.tool import Tool
from ..views import memoryos as views

if TYPE_CHECKING:
    from ...profile.models import Profile
    from ...tiers.models import TierPage
    from ...tiers.service import TierService

TOOLSET = "memoryos"
SESSION = "memoryos"
CONVERSATION, EXECUTION = "conversation", "execution"
"""The tags of pages: with conversation alone, or with what was executed for the answer."""
META, RAN, TURN = "meta_data", "execution", "turn"
AROUND = 6
"""The number of turns before and after one that are searched for those of its page."""
_FOR_THE_ANSWER = "for your answer; changes nothing here"


async def add_memory(
    agentos: AgentOS,
    namespace: str,
    *,
    user_input: str,
    agent_response: str,
    timestamp: str | None = None,
    metadata: dict[str, Any] | None = None,
) -> views.MemoryAdded:
    """Store a question and its answer."""
    turn_metadata = inputs.metadata("metadata", {META: metadata} if metadata else {})
    added = await agentos.turns.add(
        namespace, SESSION, "user", user_input, answer=agent_response, occurred_at=timestamp
    )
    await _describe(agentos, namespace, added, (), turn_metadata)
    return views.MemoryAdded("success", "kept" if added.new else "was there", namespace, added.turns[0].occurred_at)


async def retrieve_memory(
    agentos: AgentOS,
    namespace: str,
    *,
    query: str,
    relationship_with_user: Annotated[str, Field(description=_FOR_THE_ANSWER)] = "friend",
    style_hint: Annotated[str, Field(description=_FOR_THE_ANSWER)] = "",
    max_results: int = 10,
) -> views.Retrieved:
    """Recall for a query: profile, last pages, pages on the topic, knowledge."""
    inputs.text("relationship_with_user", relationship_with_user, allow_empty=True)
    inputs.text("style_hint", style_hint, allow_empty=True)
    inputs.count("max_results", max_results, 1, 50)
    tiers: TierService = agentos.of_feature("tiers")
    found = await tiers.recall(namespace, query, SESSION, max_results)
    profile: Profile = await agentos.of_feature("profile").get(namespace, include_knowledge=False)
    noted = [await _noted(agentos, namespace, page) for page in found.short_term]
    return views.retrieved(query, found, profile, noted, max_results)


async def get_user_profile(
    agentos: AgentOS,
    namespace: str,
    *,
    include_knowledge: bool = True,
    include_assistant_knowledge: bool = False,
) -> views.UserProfile:
    """Read the user's profile."""
    profile: Profile = await agentos.of_feature("profile").get(
        namespace, include_knowledge=include_knowledge, include_assistant_knowledge=include_assistant_knowledge
    )
    return views.user_profile(namespace, profile, agentos.clock())


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
) -> views.ExchangeAdded:
    """Store a message and its answer, with what was executed for it."""
    inputs.text("explanation", explanation, allow_empty=True)
    given = ((META, meta_data), (RAN, execution_details), ("message_id", message_id))
    turn_metadata = inputs.metadata("meta_data", {name: value for name, value in given if value})
    added = await agentos.turns.add(
        namespace, SESSION, "user", user_input, answer=agent_response, occurred_at=timestamp, key=message_id
    )
    tag = EXECUTION if execution_details else CONVERSATION
    ran = executions.read(execution_details or {})
    await _describe(agentos, namespace, added, (tag, *ran.tags), turn_metadata)
    turn = added.turns[0]
    if added.new and ran.text:
        request = StoreRequest(
            ran.text,
            "episodic",
            tags=(EXECUTION, *ran.tags),
            occurred_at=timestamp,
            kind="note",
            metadata={TURN: turn.memory_id},
        )
        await agentos.memory.store(namespace, request)
    name, details = message_id or turn.memory_id, f"{'kept' if added.new else 'was there'}, tagged {tag}"
    data = views.AddedData("success", name, turn.occurred_at, details)
    return views.ExchangeAdded(True, "kept", data)


async def retrieve_conversation_memory(
    agentos: AgentOS,
    namespace: str,
    *,
    query: str,
    explanation: str = "",
    message_id: str | None = None,
    max_results: int = 10,
    tags_filter: Annotated[list[str] | None, Field(description="conversation or execution")] = None,
) -> views.ConversationsRetrieved:
    """Find messages with their answers."""
    inputs.count("max_results", max_results, 1, 50)
    inputs.text("explanation", explanation, allow_empty=True)
    where = MemoryFilter(session=SESSION, tags=tuple(tags_filter or ()))
    found = await agentos.memory.search(namespace, query, where, min(3 * max_results, 150))
    ran = MemoryFilter(tags=tuple({EXECUTION, *(tags_filter or ())}), kinds=(Kind.NOTE,))
    executed = await agentos.memory.search(namespace, query, ran, max_results)
    hits = [(hit.memory, hit.score) for hit in found.hits]
    for hit in executed.hits:  # what was executed is a note beside its turn
        memory = await _memory(agentos, namespace, str(hit.memory.metadata.get(TURN, "")))
        hits += [] if memory is None else [(memory, hit.score)]
    pages: dict[str, views.Conversation] = {}
    for memory, score in sorted(hits, key=lambda one: -one[1]):
        page, turns = await _around(agentos, namespace, memory)
        if page not in pages:
            pages[page] = await _conversation(agentos, namespace, turns, score)
    matching = [one for one in pages.values() if message_id is None or one.message_id == message_id]
    shown = tuple(matching[:max_results])
    data = views.RetrievedData(
        "success",
        query,
        agentos.clock(),
        shown,
        len(matching),
        len(shown),
        max_results,
        explanation,
        tuple(tags_filter or ()),
    )
    return views.conversations("; ".join(found.notes) or f"{len(shown)} found", data)


async def _describe(
    agentos: AgentOS, namespace: str, added: Added, tags: Sequence[str], metadata: dict[str, Any]
) -> None:
    """Add a page's tags to its turns, and the metadata to the question's turn. Repeating it changes nothing."""
    for number, turn in enumerate(added.turns):
        page_meta = metadata if number == 0 and metadata else None
        if tags or page_meta:
            await agentos.memory.update(namespace, turn.memory_id, MemoryChanges(tags=tags or None, metadata=page_meta))


async def _around(agentos: AgentOS, namespace: str, memory: Memory) -> tuple[str, list[Turn]]:
    """Return the page of a turn, and the turns on it."""
    first = max((memory.place or 0) - AROUND - 1, -1)
    near = await agentos.turns.turns(namespace, SESSION, first, 2 * AROUND + 1)
    page = next((turn.page for turn in near if turn.memory_id == memory.id), memory.id)
    return page, [turn for turn in near if turn.page == page]


async def _conversation(agentos: AgentOS, namespace: str, turns: Sequence[Turn], score: float) -> views.Conversation:
    memory = await _memory(agentos, namespace, turns[0].memory_id if turns else "")
    metadata = {} if memory is None else memory.metadata
    return views.Conversation(
        str(metadata.get("message_id", turns[0].memory_id if turns else "")),
        turns[0].occurred_at if turns else agentos.clock(),
        "\n".join(turn.text for turn in turns if turn.role == "user"),
        "\n".join(turn.text for turn in turns if turn.role == "assistant"),
        round(score, 4),
        _object(metadata.get(META)) or None,
        () if memory is None else tuple(memory.tags),
        _object(metadata.get(RAN)) or None,
    )


async def _noted(agentos: AgentOS, namespace: str, page: "TierPage") -> dict[str, Any]:
    """Return the metadata that was stored with a page."""
    memory = await _memory(agentos, namespace, page.turns[0].memory_id)
    return {} if memory is None else _object(memory.metadata.get(META))


async def _memory(agentos: AgentOS, namespace: str, memory_id: str) -> Memory | None:
    try:
        memory, _ = await agentos.memory.get(namespace, memory_id)
    except NotFound:  # erased meanwhile
        return None
    return memory


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


_USER = ("user_id",)

MEMORYOS_TOOLS = (
    Tool(add_memory, "Add to memory", toolset=TOOLSET, namespace_in=_USER),
    Tool(retrieve_memory, "Retrieve from memory", read_only=True, idempotent=True, toolset=TOOLSET, namespace_in=_USER),
    Tool(get_user_profile, "Profile of the user", read_only=True, idempotent=True, toolset=TOOLSET, namespace_in=_USER),
    Tool(add_conversation_memory, "Add a conversation", toolset=TOOLSET, namespace_in=_USER),
    Tool(
        retrieve_conversation_memory,
        "Retrieve conversations",
        read_only=True,
        idempotent=True,
        toolset=TOOLSET,
        namespace_in=_USER,
    ),
)
