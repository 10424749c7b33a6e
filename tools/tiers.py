"""The tier tools: a recall over every tier, and how the tiers stand."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from ..modules.agentos import AgentOS
from ..modules.context.tokens import cut
from ..modules.framing import NOTICE, quote
from ..modules.tiers.models import Knowledge, Page, RetrievedPage
from ..modules.tiers.service import RECALLED
from .tool import Tool

TOOLSET = "tiers"
TEXT_TOKENS = 150
SUMMARY_TOKENS = 60


@dataclass(frozen=True)
class PageView:
    """A question with its answers, cut; `memory_ids` lead to the turns whole."""

    page: str
    at: datetime | None
    user: str
    assistant: str
    memory_ids: list[str]


@dataclass(frozen=True)
class RetrievedPageView(PageView):
    """A page that was found, and what its segment is about."""

    score: float
    about: list[str]


@dataclass(frozen=True)
class KnowledgeView:
    """What is known; `evidence` are the turns that say so."""

    id: str
    kind: str
    text: str
    confidence: float
    evidence: list[str]


@dataclass(frozen=True)
class TierRecallView:
    """What the tiers have to say; `notes` say what is degraded."""

    short_term: list[PageView]
    retrieved_pages: list[RetrievedPageView]
    user_knowledge: list[KnowledgeView]
    assistant_knowledge: list[KnowledgeView]
    notes: list[str]


@dataclass(frozen=True)
class SegmentView:
    """A segment of mid-term memory: pages about one topic, and how much they are used."""

    id: str
    heat: float
    visits: int
    interactions: int
    promotions: int
    keywords: list[str]
    summary: str


@dataclass(frozen=True)
class TierStatusView:
    """Turns in working, pages in short-term, segments in mid-term, else memories; and what waits."""

    working: int
    short: int
    mid: int
    long: int
    procedural: int
    hottest: list[SegmentView]
    pages_due: int
    promotions_waiting: int
    promotions_failed: int
    segments_evicted: int


async def tiers_recall(
    agentos: AgentOS,
    namespace: str,
    *,
    query: str,
    session: Annotated[str | None, Field(description="also its last pages")] = None,
    limit: int = 7,
    tiers: list[Literal["short", "mid", "long"]] | None = None,
    include_assistant_knowledge: bool = True,
) -> TierRecallView:
    """Recall from conversations by tier: last pages, pages on the topic, knowledge of user and assistant."""
    found = await agentos.tiers.recall(
        namespace, query, session, limit, tiers or RECALLED, include_assistant_knowledge=include_assistant_knowledge
    )
    return TierRecallView(
        [_page(page) for page in found.short_term],
        [_retrieved(page) for page in found.pages],
        _known(found.user_knowledge),
        _known(found.assistant_knowledge),
        list(found.notes),
    )


async def tiers_status(agentos: AgentOS, namespace: str) -> TierStatusView:
    """What each tier of memory holds, the hottest topics, and what waits."""
    status = await agentos.tiers.status(namespace)
    counts = {tier.value: count for tier, count in status.counts.items()}
    hottest = [
        SegmentView(
            id=one.segment.id,
            heat=round(one.heat, 3),
            visits=one.segment.visits,
            interactions=one.segment.interactions,
            promotions=one.segment.promotions,
            keywords=list(one.segment.keywords),
            summary=cut(one.segment.summary, SUMMARY_TOKENS),
        )
        for one in status.hottest
    ]
    return TierStatusView(
        **counts,
        hottest=hottest,
        pages_due=status.due_pages,
        promotions_waiting=status.promotions,
        promotions_failed=status.dead,
        segments_evicted=status.evicted_segments,
    )


def _page(page: Page) -> PageView:
    return PageView(
        page=page.id,
        at=page.occurred_at,
        user=cut(page.said_by("user"), TEXT_TOKENS),
        assistant=cut(page.said_by("assistant"), TEXT_TOKENS),
        memory_ids=[turn.memory_id for turn in page.turns],
    )


def _retrieved(found: RetrievedPage) -> RetrievedPageView:
    return RetrievedPageView(**vars(_page(found.page)), score=found.score, about=list(found.about))


def _known(found: Sequence[Knowledge]) -> list[KnowledgeView]:
    return [
        KnowledgeView(each.memory_id, each.kind, cut(each.text, TEXT_TOKENS), each.confidence, list(each.evidence))
        for each in found
    ]


def _recall_text(result: TierRecallView) -> str:
    lines: list[str] = []
    for title, pages in (("Last pages:", result.short_term), ("Earlier:", result.retrieved_pages)):
        lines += [title] if pages else []
        lines += [f"- {page.at:%Y-%m-%d} {_said(page)}" for page in pages if page.at is not None]
    for title, known in (("Of the user:", result.user_knowledge), ("Of you:", result.assistant_knowledge)):
        lines += [title] if known else []
        lines += [f"- {each.id} {each.kind}: {quote(each.text)}" for each in known]
    notes = [f"Note: {note}" for note in result.notes]
    return "\n".join([NOTICE, *lines, *notes] if lines else ["Nothing found.", *notes])


def _said(page: PageView) -> str:
    sides = (("user", page.user), ("assistant", page.assistant))
    return ", ".join(f"{role}: {quote(text)}" for role, text in sides if text)


def _status_text(result: TierStatusView) -> str:
    lines = [
        f"working {result.working} turns, short {result.short} pages, mid {result.mid} segments, "
        f"long {result.long}, procedural {result.procedural}",
        f"waiting: {result.pages_due} pages, {result.promotions_waiting} promotions "
        f"({result.promotions_failed} failed); {result.segments_evicted} segments evicted",
    ]
    lines += [NOTICE] if result.hottest else []
    lines += [
        f"- {one.id} heat {one.heat:.2f}, {', '.join(map(quote, one.keywords[:5]))}: {quote(one.summary)}"
        for one in result.hottest
    ]
    return "\n".join(lines)


TIER_TOOLS = (
    Tool(tiers_recall, "Recall by tier", _recall_text, read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(tiers_status, "How the tiers stand", _status_text, read_only=True, idempotent=True, toolset=TOOLSET),
)
