"""The context tools: the snapshot, responses to what it shows, and contexts compiled for a query."""

from typing import Annotated, Literal

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.principals.models import Caller, Door
from ..modules.sessions.models import Project
from ..modules.views.contexts import Context
from ..modules.views.insights import InsightView, insight
from ..modules.views.snapshot import Snapshot
from .tool import Tool

TOOLSET = "context"


async def context_get_snapshot(
    agentos: AgentOS,
    namespace: str,
    caller: Caller,
    here: Project | None = None,
    *,
    include_memories: Annotated[int | None, Field(description="default: as many as fit")] = None,
    include_goals: int = 5,
    include_patterns: int = 3,
    query: Annotated[str | None, Field(description="what this session is about")] = None,
    project: str | None = None,
    max_tokens: Annotated[int | None, Field(description="default 1500")] = None,
    full: Annotated[bool, Field(description="repeat the briefing")] = False,
) -> Snapshot:
    """Call first in a session: memories, goals, patterns, insights and tasks; after a briefing, what is new."""
    reach = await agentos.projects.reach(namespace, project, here)
    of = reach.working_in or reach.projects
    briefed = None
    if here is not None and here.id in of and not full and caller.door is Door.STDIO:
        briefed = await agentos.sessions.briefed(namespace, here)
    return await agentos.context.snapshot(
        namespace, include_memories, include_goals, include_patterns, query, max_tokens, of, briefed
    )


async def insight_update(
    agentos: AgentOS,
    namespace: str,
    *,
    insight_id: str,
    status: Literal["acknowledged", "done", "dismissed", "open"],
) -> InsightView:
    """Set the status of an insight or task of the snapshot; until then it is shown again."""
    return insight(await agentos.insights.update(namespace, insight_id, status))


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
) -> Context:
    """Compile a context for a query: profile, recent turns, graph, procedures, memories."""
    compiled = await agentos.context.compile(
        namespace, query, preset, max_tokens, session, style, relationship, entries
    )
    return compiled.context


CONTEXT_TOOLS = (
    Tool(context_compile, "Compile a context", read_only=True, idempotent=True, toolset=TOOLSET, may_lag=True),
    Tool(
        context_get_snapshot,
        "Snapshot of the context",
        read_only=True,
        idempotent=True,
        is_placed=True,
        asks_who=True,
        may_lag=True,
    ),
    Tool(insight_update, "Answer an insight or task", idempotent=True),
)
