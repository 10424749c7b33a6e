"""The tier tools: a recall over every tier, how the tiers stand, and what was evicted from them brought back."""

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
class EvictedView:
    """A segment that was archived to make room; tiers_restore brings it back."""

    id: str
    evicted_at: datetime
    pages: int
    keywords: list[str]
    summary: str


@dataclass(frozen=True)
class RestoredView:
    """A segment that is in mid-term memory again, and those that were evicted for it."""

    id: str
    summary: str
    evicted: list[str]


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
    evicted: list[EvictedView]


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


async def tiers_status(
    agentos: AgentOS,
    namespace: str,
    *,
    evicted: Annotated[int, Field(description="list so many evicted segments")] = 0,
) -> TierStatusView:
    """What each tier of memory holds, the hottest topics, and what waits."""
    status = await agentos.tiers.status(namespace)
    archived = await agentos.tiers.evicted(namespace, evicted) if evicted else []
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
        evicted=[
            EvictedView(one.id, one.archived_at, one.pages, list(one.keywords), cut(one.summary, SUMMARY_TOKENS))
            for one in archived
            if one.archived_at is not None
        ],
    )


async def tiers_restore(agentos: AgentOS, namespace: str, *, segment: str) -> RestoredView:
    """Bring an evicted segment back; where mid-term memory is full, the least retrieved goes."""
    restored = await agentos.tiers.restore(namespace, segment)
    return RestoredView(restored.segment.id, cut(restored.segment.summary, SUMMARY_TOKENS), list(restored.archived))


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
    lines += [NOTICE] if result.hottest or result.evicted else []
    lines += [
        f"- {one.id} heat {one.heat:.2f}, {', '.join(map(quote, one.keywords[:5]))}: {quote(one.summary)}"
        for one in result.hottest
    ]
    lines += [
        f"- {one.id} evicted {one.evicted_at:%Y-%m-%d}, {one.pages} pages, "
        f"{', '.join(map(quote, one.keywords[:5]))}: {quote(one.summary)}"
        for one in result.evicted
    ]
    return "\n".join(lines)


def _restored_text(result: RestoredView) -> str:
    gone = f"; evicted for it: {', '.join(result.evicted)}" if result.evicted else ""
    return f"{NOTICE}\n{result.id} is in mid-term memory{gone}: {quote(result.summary)}"


TIER_TOOLS = (
    Tool(tiers_recall, "Recall by tier", _recall_text, read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(tiers_status, "How the tiers stand", _status_text, read_only=True, idempotent=True, toolset=TOOLSET),
    Tool(tiers_restore, "Bring a segment back", _restored_text, idempotent=True, toolset=TOOLSET),
)
