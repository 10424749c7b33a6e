"""The tool that answers a question from memory."""

from collections.abc import Sequence
from typing import Literal

from ...modules.agentos import AgentOS
from ...modules.identifiers import Source
from ...modules.sessions.models import Project
from ...tools.filters import filter_of
from ...tools.tool import Tool
from .views import Answer, Near, Said


async def memory_ask(
    agentos: AgentOS,
    namespace: str,
    sources: Sequence[Source] = (),
    here: Project | None = None,
    *,
    question: str,
    project: str | None = None,
    as_of: str | None = None,
    by: Literal["rules", "model"] = "rules",
) -> Answer:
    """Answer a question from memory; each sentence names its memories."""
    from .service import ask

    reach = await agentos.projects.reach(namespace, project, here, [one.namespace for one in sources])
    where = filter_of(None, None, None, None, 0.0, None, as_of=as_of, reach=reach)
    reply, nearest, notes = await ask(
        agentos.memory,
        agentos.lifecycle,
        agentos.language,
        namespace,
        question,
        where,
        sources,
        by_model=by == "model",
    )
    return Answer(
        reply.outcome.value,
        tuple(Said(one.text, one.memories) for one in reply.sentences),
        reply.choices,
        tuple(Near(hit.memory.id, hit.memory.summary) for hit in nearest),
        notes,
    )


TOOLS = (
    Tool(
        memory_ask,
        "Ask memory",
        read_only=True,
        idempotent=True,
        toolset="ask",
        sources="by policy",
        is_placed=True,
        may_lag=True,
    ),
)
