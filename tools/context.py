"""The context tools: the snapshot, the answer to what it shows, and contexts compiled for a query."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.context.models import CompiledContext, Snapshot
from ..modules.context.rendering import render, render_compiled
from .tool import Tool

TOOLSET = "context"


@dataclass(frozen=True)
class InsightView:
    """An insight or task after the change."""

    id: str
    kind: str
    severity: str
    text: str
    status: str


async def context_get_snapshot(
    agentos: AgentOS,
    namespace: str,
    *,
    include_memories: int = 5,
    include_goals: int = 5,
    include_patterns: int = 3,
    query: Annotated[str | None, Field(description="what this session is about")] = None,
    max_tokens: Annotated[int | None, Field(description="hard limit, default 1500")] = None,
) -> Snapshot:
    """Call first in a session: top memories, active goals, patterns, insights, tasks and state in one answer."""
    return await agentos.context.snapshot(
        namespace, include_memories, include_goals, include_patterns, query, max_tokens
    )


async def insight_update(
    agentos: AgentOS,
    namespace: str,
    *,
    insight_id: str,
    status: Literal["acknowledged", "done", "dismissed", "open"],
) -> InsightView:
    """Say what became of an insight or task of the snapshot; until then it is shown again."""
    insight = await agentos.insights.update(namespace, insight_id, status)
    return InsightView(insight.id, insight.kind.value, insight.severity.value, insight.text, insight.status.value)


async def context_compile(
    agentos: AgentOS,
    namespace: str,
    *,
    query: str = "",
    preset: Annotated[
        Literal["prompt", "compact", "task_state"],
        Field(
            description="compact: to keep at a compaction; task_state: facts, constraints, actions, questions, evidence"
        ),
    ] = "prompt",
    session: str | None = None,
    max_tokens: int = 2000,
    style: Annotated[str, Field(description="hint")] = "",
    relationship: str = "",
    entries: Annotated[int, Field(description="a task_state list")] = 2,
) -> CompiledContext:
    """Compile what memory has for a query: profile, recent turns, graph, procedures, memories."""
    return await agentos.context.compile(namespace, query, preset, max_tokens, session, style, relationship, entries)


CONTEXT_TOOLS = (
    Tool(
        context_compile,
        "Compile a context",
        render_compiled,
        read_only=True,
        idempotent=True,
        toolset=TOOLSET,
    ),
    Tool(context_get_snapshot, "Where things stand", render, read_only=True, idempotent=True),
    Tool(
        insight_update,
        "Answer an insight or task",
        lambda result: f"{result.id} is {result.status}.",
        idempotent=True,
    ),
)
