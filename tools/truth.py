"""The tools that judge memories: what an agent says of one, and how a judgement is undone."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from ..modules.agentos import AgentOS
from .tool import Tool
from .views import MemoryView, fields_of


@dataclass(frozen=True)
class JudgedMemory(MemoryView):
    """The memory as it stands now; `change` undoes what was said, null where nothing changed."""

    change: str | None


@dataclass(frozen=True)
class Reverted:
    """What was undone, and the memories as they stand again."""

    undone: str
    results: list[MemoryView]


async def memory_feedback(
    agentos: AgentOS,
    namespace: str,
    *,
    memory_id: str,
    verdict: Literal["confirm", "reject", "supersede"],
    by: Annotated[str | None, Field(description="id of what supersedes it")] = None,
) -> JudgedMemory:
    """Say that a memory proved right, proved wrong, or was replaced by another."""
    memory, change = await agentos.judgements.feedback(namespace, memory_id, verdict, by)
    [fields] = await fields_of(agentos, namespace, [memory])
    return JudgedMemory(**fields, change=None if change is None else change.id)


def _judged_text(result: JudgedMemory) -> str:
    if result.superseded_by is not None:
        return f"{result.id} is superseded by {result.superseded_by}; memory_revert undoes it."
    return f"{result.id} is {result.status}, confidence {result.confidence:.2f}."


async def memory_revert(agentos: AgentOS, namespace: str, *, memory_id: str, keep_both: bool = False) -> Reverted:
    """Undo the last judgement about a memory: superseded, contested, archived, forgotten, fed back."""
    change, memories = await agentos.judgements.revert(namespace, memory_id, keep_both=keep_both)
    views = [MemoryView(**fields) for fields in await fields_of(agentos, namespace, memories)]
    return Reverted(change.reason, views)


def _reverted_text(result: Reverted) -> str:
    stands = ", ".join(f"{view.id} is {view.status}" for view in result.results)
    return f"Done: {result.undone}. Now {stands or 'none of them is left'}."


TRUTH_TOOLS = (
    Tool(memory_feedback, "Judge a memory", _judged_text),
    Tool(memory_revert, "Undo a judgement", _reverted_text),
)
