"""The tool that lists what is open between memories, and may have the user asked."""

from typing import Annotated

from pydantic import Field

from ..modules import inputs
from ..modules.agentos import AgentOS
from ..modules.approvals.models import Approval
from ..modules.memory.models import Memory
from ..modules.own_actions import RESOLVE_CONTEST
from ..modules.views import open_questions as views
from ..modules.views.labels import labels_of, suspicious_among
from .tool import Tool

TOOLSET = "questions"
MOST = 20


async def memory_questions(
    agentos: AgentOS,
    namespace: str,
    *,
    limit: Annotated[int, Field(description="1 to 20")] = 5,
    ask: Annotated[bool, Field(description="ask the user in forms, if the client has them")] = False,
) -> views.OpenQuestions:
    """List memories that a newer one may replace, and contradictions that only the user settles."""
    most = inputs.count("limit", limit, 1, MOST)
    found = await agentos.lifecycle.open_questions(namespace)
    suspicious = await suspicious_among(one for each in found for one in (each.older, each.newer))
    questions = [one for one in found if suspicious.isdisjoint((one.older.id, one.newer.id))]
    waiting = [one for one in (await agentos.approvals.inbox(namespace)).approvals if one.action == RESOLVE_CONTEST]
    contested = {one.id: await _of(agentos, one) for one in waiting[:most]}
    contested = {name: memories for name, memories in contested.items() if len(memories) > 1}
    shown = [*(one for each in questions[:most] for one in (each.older, each.newer))]
    shown += [one for each in contested.values() for one in each]
    labels = await labels_of(agentos.lifecycle, namespace, shown)
    more = max(0, len(questions) - most) + max(0, len(waiting) - most)
    return views.open_questions(namespace, questions[:most], contested, labels, more)


async def _of(agentos: AgentOS, approval: Approval) -> list[Memory]:
    """Return the memories of a contradiction, the newer first; none where that is gone."""
    names = [str(approval.payload.get("new", "")), *map(str, approval.payload.get("old", ()))]
    found = {one.id: one for one in await agentos.browsing.named(approval.namespace, names)}
    return [found[name] for name in names if name in found] if names[0] in found else []


QUESTION_TOOLS = (Tool(memory_questions, "Open questions", read_only=True, idempotent=True, toolset=TOOLSET),)
