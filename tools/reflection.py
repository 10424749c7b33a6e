"""The reflection tools."""

from typing import Annotated, Literal

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.sessions.models import Project
from ..modules.views import reflection as views
from .tool import Tool

Days = Annotated[int | None, Field(description="default 7")]


async def reflection_log(
    agentos: AgentOS,
    namespace: str,
    here: Project | None = None,
    *,
    action: Annotated[str, Field(description="short and the same each time, e.g. 'run tests'")],
    outcome: str,
    success: bool,
    context: str | None = None,
    goal_id: str | None = None,
    tags: list[str] | None = None,
    project: str | None = None,
) -> views.LoggedAction:
    """Log an action and its outcome, so that patterns can be found."""
    own = await agentos.sessions.belonging(namespace, project, here)
    labels = (*(tags or ()), *([] if own is None else [own.id]))
    entry = await agentos.reflection.log(namespace, action, outcome, success, context, goal_id, labels)
    return views.LoggedAction(entry.id)


async def reflection_analyze(agentos: AgentOS, namespace: str, *, lookback_days: Days = None) -> views.AnalysisView:
    """Find repeated failures, what works, and what is inefficient, with a suggested action for each."""
    return views.analysis(await agentos.reflection.analyze(namespace, lookback_days))


async def reflection_get_patterns(
    agentos: AgentOS,
    namespace: str,
    *,
    pattern_type: Literal["repeated_failure", "success_pattern", "inefficiency"] | None = None,
) -> views.PatternList:
    """List the patterns found so far."""
    return views.patterns(await agentos.reflection.patterns(namespace, pattern_type))


async def reflection_get_summary(
    agentos: AgentOS, namespace: str, *, days: Days = None
) -> views.ReflectionsSummaryView:
    """Summarise the last days: success rate, common failures, what works, recommendations."""
    return views.summary(await agentos.reflection.summary(namespace, days))


REFLECTION_TOOLS = (
    Tool(reflection_log, "Log an action", is_placed=True),
    Tool(reflection_analyze, "Find patterns", idempotent=True),
    Tool(reflection_get_patterns, "Patterns found", read_only=True, idempotent=True),
    Tool(reflection_get_summary, "Summary of the last days", read_only=True, idempotent=True),
)
