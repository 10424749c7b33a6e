"""The consolidation tools: long conversations as summaries, seen before they are made, and taken back."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.consolidation.models import Consolidation, Level, Plan, Summary
from ..modules.consolidation.service import WINDOW_TURNS
from ..modules.errors import InvalidInput
from ..modules.framing import NOTICE, quote
from .tool import Tool

TOOLSET = "consolidation"
SHOWN_CHARS = 300

Keep = Annotated[int, Field(description="last turns to leave out")]


@dataclass(frozen=True)
class SummaryView:
    """A summary; `id` is null in a preview. `sources` are ids of turns, or of summaries one level below."""

    id: str | None
    level: int
    method: str
    text: str
    tokens: int
    sources: list[str]


@dataclass(frozen=True)
class Consolidated:
    """What was done, or would be: `consolidation` undoes it, null where nothing was done.

    Tokens are those of the turns covered and of the summaries that cover them; `session_tokens` are of the session.
    """

    consolidation: str | None
    preview: bool
    method: str
    summaries: list[SummaryView]
    turns: int
    tokens_before: int
    tokens_after: int
    session_tokens: list[int]
    left_alone: int
    reason: str
    notes: list[str]


@dataclass(frozen=True)
class ConsolidationView:
    """A consolidation; it counts no more once it was undone."""

    id: str
    session: str | None
    at: datetime
    method: str
    summaries: list[str]
    turns: int
    tokens_before: int
    tokens_after: int
    undone_at: datetime | None


@dataclass(frozen=True)
class Consolidations:
    """What was consolidated, newest first, and the summaries that stand."""

    consolidations: list[ConsolidationView]
    summaries: list[SummaryView]


async def consolidate(
    agentos: AgentOS,
    namespace: str,
    *,
    session: str | None = None,
    action: Literal["preview", "apply", "undo"] = "preview",
    consolidation: Annotated[str | None, Field(description="id, for undo")] = None,
    keep: Keep = WINDOW_TURNS,
) -> Consolidated:
    """Summarise the older turns of a session by topic; the turns stay. Preview changes nothing and shows exactly what
    apply does; undo takes a consolidation's summaries back."""
    if (action == "undo") != (consolidation is not None):
        raise InvalidInput("consolidation", "is the id of what to undo: give it with undo, and only then")
    if consolidation is not None:
        return _undone(await agentos.consolidation.undo(namespace, consolidation))
    if session is None:
        raise InvalidInput("session", "is required: the name of the session to summarise")
    if action == "preview":
        return _consolidated(await agentos.consolidation.preview(namespace, session, keep), None)
    done = await agentos.consolidation.consolidate(namespace, session, keep)
    return _consolidated(done.plan, done.consolidation, done.summaries)


def _consolidated(plan: Plan, made: Consolidation | None, summaries: tuple[Summary, ...] = ()) -> Consolidated:
    drafted = [
        SummaryView(
            None, int(draft.level), draft.method, draft.text, draft.tokens, [source.id for source in draft.sources]
        )
        for draft in plan.drafts
    ]
    return Consolidated(
        None if made is None else made.id,
        made is None and bool(drafted),
        plan.method,
        drafted if made is None else [_view(summary) for summary in summaries],
        len({source.id for draft in plan.episodes for source in draft.sources}) if made is None else made.sources,
        plan.tokens_before if made is None else made.tokens_before,
        plan.tokens_after if made is None else made.tokens_after,
        [plan.session_before, plan.session_after],
        plan.left_alone,
        plan.reason,
        list(plan.notes),
    )


def _undone(made: Consolidation) -> Consolidated:
    reason = f"{made.id} was undone: its {len(made.summaries)} summaries are archived"
    return Consolidated(
        made.id, False, made.method, [], made.sources, made.tokens_before, made.tokens_after, [], 0, reason, []
    )


def _consolidated_text(result: Consolidated) -> str:
    if not result.summaries:
        return "\n".join([f"Nothing else to do: {result.reason}." if not result.consolidation else result.reason + "."])
    how = "by rules, extractive" if result.method == "rules" else "by a language model"
    head = (
        f"{len(result.summaries)} summaries of {result.turns} turns ({how}): {result.tokens_before} -> "
        f"{result.tokens_after} tokens. "
    )
    if result.preview:
        head += "Preview: nothing was changed."
    else:
        head += f"Undo: consolidate(action='undo', consolidation={result.consolidation!r})."
    return "\n".join([head, NOTICE, *map(_line, result.summaries), *(f"Note: {note}" for note in result.notes)])


async def consolidation_list(
    agentos: AgentOS,
    namespace: str,
    *,
    session: str | None = None,
    level: Annotated[int | None, Field(description="1 episodes, 2 patterns, 3 principles")] = None,
    limit: int = 10,
) -> Consolidations:
    """Summaries with their sources, and the consolidations that made them."""
    if level is not None and level not in list(Level):
        raise InvalidInput("level", "must be 1 (episodes), 2 (patterns) or 3 (principles)")
    chosen = None if level is None else Level(level)
    made = await agentos.consolidation.consolidations(namespace, session, limit)
    summaries = await agentos.consolidation.summaries(namespace, session, chosen, limit)
    return Consolidations(
        [
            ConsolidationView(
                each.id,
                each.session,
                each.at,
                each.method,
                list(each.summaries),
                each.sources,
                each.tokens_before,
                each.tokens_after,
                each.undone_at,
            )
            for each in made
        ],
        [_view(summary) for summary in summaries],
    )


def _consolidations_text(result: Consolidations) -> str:
    if not result.consolidations:
        return "Nothing was consolidated yet."
    lines = [
        f"- {each.id} {each.at:%Y-%m-%d %H:%M} session {quote(each.session or '')}: {len(each.summaries)} summaries of "
        f"{each.turns} turns, {each.tokens_before} -> {each.tokens_after} tokens{', undone' if each.undone_at else ''}"
        for each in result.consolidations
    ]
    return "\n".join([*lines, NOTICE, *map(_line, result.summaries)] if result.summaries else lines)


def _view(summary: Summary) -> SummaryView:
    return SummaryView(
        summary.id, int(summary.level), summary.method, summary.text, summary.tokens, list(summary.sources)
    )


def _line(summary: SummaryView) -> str:
    name = f"{summary.id} " if summary.id else ""
    return f"- {name}level {summary.level}, of {len(summary.sources)}: {quote(summary.text, SHOWN_CHARS)}"


CONSOLIDATION_TOOLS = (
    Tool(consolidate, "Consolidate a session", _consolidated_text, toolset=TOOLSET),
    Tool(consolidation_list, "List summaries", _consolidations_text, read_only=True, toolset=TOOLSET),
)
