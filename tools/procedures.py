"""The procedure tools: what is usually done when, and what was learned from failures."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.framing import NOTICE, quote
from ..modules.procedures.models import KeptLesson, Procedure
from ..modules.procedures.service import MIN_CONFIDENCE, PROMOTED_FROM
from .tool import Tool

TOOLSET = "procedures"
MAX_SHOWN_CHARS = 400


@dataclass(frozen=True)
class ProcedureView:
    """A habit: `action` usually follows `trigger`; `scope` is own, or global where agents have promoted it."""

    id: str
    trigger: str
    action: str
    text: str
    confidence: float
    support: int
    scope: str
    status: str


@dataclass(frozen=True)
class LessonView:
    """What failed again and again, and what worked; a candidate until memory_feedback confirms it."""

    id: str
    action: str
    text: str
    status: str


@dataclass(frozen=True)
class RelevantProcedures:
    """What is usually done about a query, best first."""

    trigger: str
    procedures: list[ProcedureView]
    lessons: list[LessonView]
    method: str


@dataclass(frozen=True)
class MinedProcedures:
    """All habits and lessons there are, and what this mining changed."""

    turns: int
    made: int
    changed: int
    removed: int
    demoted: int
    procedures: list[ProcedureView]
    lessons: list[LessonView]
    method: str


async def procedures_mine(agentos: AgentOS, namespace: str) -> MinedProcedures:
    """Find habits (what usually follows a bug report, a question …) and lessons from repeated failures in what was
    said and done. The daemon does it too.
    """
    mined = await agentos.procedures.mine(namespace)
    return MinedProcedures(
        mined.turns,
        mined.made,
        mined.changed,
        mined.removed,
        mined.demoted,
        list(map(_procedure, mined.procedures)),
        list(map(_lesson, mined.lessons)),
        "rules",
    )


async def procedures_relevant(
    agentos: AgentOS, namespace: str, *, query: str, limit: int = 3, min_confidence: float = MIN_CONFIDENCE
) -> RelevantProcedures:
    """What is usually done about a request like this, and lessons about actions it names."""
    found = await agentos.procedures.relevant(namespace, query, limit, min_confidence)
    return RelevantProcedures(
        found.trigger.value, list(map(_procedure, found.procedures)), list(map(_lesson, found.lessons)), "rules"
    )


async def procedure_promote(
    agentos: AgentOS,
    namespace: str,
    *,
    id: Annotated[str, Field(description=f"a procedure of confidence ≥ {PROMOTED_FROM}")],
) -> ProcedureView:
    """Let every agent of this store have a habit."""
    return _procedure(await agentos.procedures.promote(namespace, id))


def _procedure(one: Procedure) -> ProcedureView:
    return ProcedureView(
        one.memory_id,
        one.trigger.value,
        one.action.value,
        one.content,
        round(one.confidence, 4),
        one.support,
        "global" if one.is_global else "own",
        one.status,
    )


def _lesson(one: KeptLesson) -> LessonView:
    return LessonView(one.memory_id, one.action, one.content, one.status)


def _lines(procedures: list[ProcedureView], lessons: list[LessonView]) -> list[str]:
    lines = [
        f"- {p.id} {quote(p.text, MAX_SHOWN_CHARS)} {p.confidence:.2f}, seen {p.support} times"
        + (", global" if p.scope == "global" else "")
        for p in procedures
    ]
    lines += [
        f"- {one.id} lesson{' (unconfirmed)' if one.status == 'candidate' else ''}: {quote(one.text, MAX_SHOWN_CHARS)}"
        for one in lessons
    ]
    return [NOTICE, *lines] if lines else []


def _relevant_text(result: RelevantProcedures) -> str:
    return "\n".join([f"{result.trigger}:", *(_lines(result.procedures, result.lessons) or ["nothing is known yet"])])


def _mined_text(result: MinedProcedures) -> str:
    head = f"{result.turns} turns: {result.made} new, {result.changed} changed, {result.removed} removed."
    if result.demoted:
        head += f" {result.demoted} of this agent's global habits are no longer backed by what it does."
    return "\n".join([head, *_lines(result.procedures, result.lessons)])


PROCEDURE_TOOLS = (
    Tool(procedures_mine, "Find habits", _mined_text, idempotent=True, toolset=TOOLSET),
    Tool(procedures_relevant, "What is usually done", _relevant_text, read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(
        procedure_promote,
        "Promote a habit",
        lambda result: f"Promoted {result.id}: {result.text}",
        idempotent=True,
        toolset=TOOLSET,
    ),
)
