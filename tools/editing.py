"""Tools for tidying up: changing goals, showing them as a tree, forgetting memories by topic."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from ..modules import inputs
from ..modules.agentos import AgentOS
from ..modules.errors import InvalidInput
from ..modules.goals.service import GoalChanges
from ..modules.memory.models import MemoryFilter, SearchHit
from ..modules.views import forgetting as forgetting_views
from ..modules.views import goals as goal_views
from ..modules.views.labels import labels_of
from .tool import Tool

TOOLSET = "editing"
SUPPORTS = 0.1
"""The least support of a memory that is about a topic: what is not has less than a tenth of that, mostly."""
NEAR, LEAST = 0.5, 0.3
"""Where support was not judged: the least similarity, as a share of the nearest one's, and as it is."""


async def goal_update(
    agentos: AgentOS,
    namespace: str,
    *,
    goal_id: str,
    title: str | None = None,
    description: str | None = None,
    priority: Annotated[float | None, Field(description="0 to 1")] = None,
    urgency: float | None = None,
    deadline: Annotated[str | None, Field(description="ISO 8601; UTC if without a zone; none removes it")] = None,
    parent_goal_id: Annotated[str | None, Field(description="none makes it top-level")] = None,
    tags: list[str] | None = None,
    notes: str | None = None,
) -> goal_views.GoalView:
    """Edit a goal or change its parent. Only the given fields change."""
    changes = GoalChanges(title, description, priority, urgency, deadline, parent_goal_id, tags)
    return goal_views.goal_view(await agentos.goals.edit(namespace, goal_id, changes, notes))


async def goal_tree(
    agentos: AgentOS,
    namespace: str,
    *,
    status: Literal["active", "paused", "completed", "abandoned", "all"] = "all",
    limit: Annotated[int, Field(description="1 to 200")] = 100,
) -> goal_views.GoalTree:
    """Show goals as a tree, each below its parent."""
    inputs.count("limit", limit, 1, 200)
    return goal_views.tree(await agentos.goals.tree(namespace, status), limit)


async def memory_forget(
    agentos: AgentOS,
    namespace: str,
    *,
    topic: Annotated[str | None, Field(description="shows the matches; changes nothing")] = None,
    memory_ids: Annotated[list[str] | None, Field(description="forgets these, up to 50")] = None,
    mode: Literal["forget", "archive", "erase"] = "forget",
    limit: Annotated[int, Field(description="with topic: 1 to 50")] = 20,
) -> forgetting_views.Forgotten:
    """Forget memories by topic, in two calls: the first shows them, the second lists those to forget."""
    if (topic is None) == (memory_ids is None):
        raise InvalidInput("topic", "give either topic, to preview, or memory_ids, to forget")
    if topic is not None:
        found = await agentos.memory.recall(
            namespace, inputs.text("topic", topic), MemoryFilter(), _count("limit", limit)
        )
        memories = [hit.memory for hit in _about(found.hits)]
        return forgetting_views.preview(memories, await labels_of(agentos.lifecycle, namespace, memories), mode)
    return await _forgotten(agentos, namespace, memory_ids or (), mode)


def _about(hits: Sequence[SearchHit]) -> Sequence[SearchHit]:
    """Return the hits about the topic, as a small store finds others too; all of them if found by words alone."""
    nearest = max((hit.similarity or 0.0 for hit in hits), default=0.0)
    least = max(NEAR * nearest, LEAST) if nearest else 0.0
    return [
        hit
        for hit in hits
        if (hit.support >= SUPPORTS if hit.support is not None else (hit.similarity or 0.0) >= least)
    ]


async def _forgotten(
    agentos: AgentOS, namespace: str, memory_ids: Sequence[str], mode: str
) -> forgetting_views.Forgotten:
    chosen = list(dict.fromkeys(memory_ids))
    _count("memory_ids", len(chosen))
    for memory_id in chosen:  # all or nothing: an unknown id is reported before anything is changed
        await agentos.memory.get(namespace, memory_id)
    if mode == "erase":
        await agentos.memory.delete(namespace, *chosen)
    else:
        say = agentos.lifecycle.archive if mode == "archive" else agentos.lifecycle.forget
        for memory_id in chosen:
            await say(namespace, memory_id)
    return forgetting_views.Forgotten(mode, len(chosen))


def _count(field: str, number: int) -> int:
    if not 1 <= number <= 50:
        raise InvalidInput(field, "must be 1 to 50")
    return number


EDITING_TOOLS = (
    Tool(goal_tree, "Goals as a tree", read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(goal_update, "Change a goal", idempotent=True, toolset=TOOLSET, edits=True),
    Tool(memory_forget, "Forget by topic", destructive=True, toolset=TOOLSET),
)
