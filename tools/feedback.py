"""The tools that judge memories: an agent's feedback on one, and the undoing of a judgement."""

from typing import Annotated, Literal

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.views import stored as views
from ..modules.views.labels import labels_of
from .tool import Tool


async def memory_feedback(
    agentos: AgentOS,
    namespace: str,
    *,
    memory_id: str,
    verdict: Literal["confirm", "reject", "supersede"],
    by: Annotated[str | None, Field(description="id of what supersedes it")] = None,
) -> views.JudgedMemory:
    """Say that a memory proved right, wrong, or was replaced by another."""
    memory, _ = await agentos.lifecycle.feedback(namespace, memory_id, verdict, by)
    return views.judged(memory, await labels_of(agentos.lifecycle, namespace, [memory]))


async def memory_revert(agentos: AgentOS, namespace: str, *, memory_id: str, keep_both: bool = False) -> views.Reverted:
    """Undo the last change of a memory's state: superseded, contested, archived, forgotten, feedback."""
    change, memories = await agentos.lifecycle.revert(namespace, memory_id, keep_both=keep_both)
    return views.reverted(change, memories, await labels_of(agentos.lifecycle, namespace, memories))


FEEDBACK_TOOLS = (Tool(memory_feedback, "Judge a memory"), Tool(memory_revert, "Undo a judgement"))
