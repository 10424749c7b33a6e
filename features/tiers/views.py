"""Tiers as results: what each has to say, how they stand, what was evicted from them."""

from collections.abc import Sequence

from ...modules.context.tokens import cut
from ...modules.framing import NOTICE, quote
from ...modules.records import dataclass
from ...modules.views.labels import NEWER
from ...modules.views.texts import Minute
from .models import Knowledge, RestoredSegment, RetrievedPage, Segment, TierPage, TierRecall, TierStatus

TEXT_TOKENS = 150
SUMMARY_TOKENS = 60
EVIDENCE = 3
"""The number of turns that are named as evidence."""


@dataclass(frozen=True)
class PageView:
    """A question with its answers, cut; `memory_ids` lead to the turns whole."""

    memory_ids: tuple[str, ...]
    at: Minute | None = None
    user: str = ""
    assistant: str = ""

    def line(self) -> str:
        """Return the page as one line."""
        sides = (("user", self.user), ("assistant", self.assistant))
        texts = ", ".join(f"{role}: {quote(text)}" for role, text in sides if text)
        return f"- {f'{self.at:%Y-%m-%d %H:%M} ' if self.at else ''}{texts} ({', '.join(self.memory_ids)})"


@dataclass(frozen=True)
class KnowledgeView:
    """A known fact; `evidence` are the turns that state it, `newer` is what may have replaced it."""

    id: str
    kind: str
    text: str
    evidence: tuple[str, ...] = ()
    newer: str | None = None

    def line(self) -> str:
        """Return it as one line."""
        evidence = f" ({', '.join(self.evidence)})" if self.evidence else ""
        newer = f", {NEWER}{self.newer}" if self.newer else ""
        return f"- {self.id} {self.kind}{newer}: {quote(self.text)}{evidence}"


@dataclass(frozen=True)
class TierRecallView:
    """The answers of the tiers; `notes` say what is degraded."""

    short_term: tuple[PageView, ...]
    retrieved_pages: tuple[PageView, ...]
    user_knowledge: tuple[KnowledgeView, ...]
    assistant_knowledge: tuple[KnowledgeView, ...]
    notice: str = ""
    notes: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return what was found, tier by tier."""
        lines: list[str] = []
        for title, found in (
            ("Last pages:", self.short_term),
            ("Earlier:", self.retrieved_pages),
            ("Of the user:", self.user_knowledge),
            ("Of you:", self.assistant_knowledge),
        ):
            lines += [title, *(one.line() for one in found)] if found else []
        notes = [f"Note: {note}" for note in self.notes]
        return "\n".join([self.notice, *lines, *notes] if lines else ["Nothing found.", *notes])


@dataclass(frozen=True)
class SegmentView:
    """A segment of mid-term memory: pages about one topic, and how much they are used."""

    id: str
    heat: float
    keywords: tuple[str, ...]
    summary: str

    def line(self) -> str:
        """Return the segment as one line."""
        return f"- {self.id} heat {self.heat:.2f}, {', '.join(map(quote, self.keywords))}: {quote(self.summary)}"


@dataclass(frozen=True)
class EvictedView:
    """A segment that was archived to make room; tiers_restore brings it back."""

    id: str
    evicted_at: Minute
    pages: int
    keywords: tuple[str, ...]
    summary: str

    def line(self) -> str:
        """Return the segment as one line."""
        head = f"- {self.id} evicted {self.evicted_at:%Y-%m-%d %H:%M}, {self.pages} pages"
        return f"{head}, {', '.join(map(quote, self.keywords))}: {quote(self.summary)}"


@dataclass(frozen=True)
class RestoredView:
    """A segment that is in mid-term memory again, and those that were `evicted` for it."""

    id: str
    summary: str
    notice: str
    evicted: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return what is back."""
        gone = f"; evicted for it: {', '.join(self.evicted)}" if self.evicted else ""
        return f"{self.notice}\n{self.id} is in mid-term memory{gone}: {quote(self.summary)}"


@dataclass(frozen=True, kw_only=True)
class TierStatusView:
    """Turns in working, pages in short-term, segments in mid-term, else memories; and what waits."""

    working: int
    short: int
    mid: int
    long: int
    procedural: int
    pages_due: int
    promotions_waiting: int
    promotions_failed: int
    segments_evicted: int
    notice: str = ""
    hottest: tuple[SegmentView, ...] = ()
    evicted: tuple[EvictedView, ...] = ()

    def as_text(self) -> str:
        """Return the counts, then the segments."""
        lines = [
            f"working {self.working} turns, short {self.short} pages, mid {self.mid} segments, "
            f"long {self.long}, procedural {self.procedural}",
            f"waiting: {self.pages_due} pages, {self.promotions_waiting} promotions "
            f"({self.promotions_failed} failed); {self.segments_evicted} segments evicted",
        ]
        lines += [self.notice] if self.notice else []
        return "\n".join([*lines, *(one.line() for one in self.hottest), *(one.line() for one in self.evicted)])


def recalled(found: TierRecall) -> TierRecallView:
    """Return the view of what the tiers have to say."""
    short, pages = tuple(map(_page, found.short_term)), tuple(map(_retrieved, found.pages))
    user, assistant = _known(found.user_knowledge), _known(found.assistant_knowledge)
    notice = NOTICE if any((short, pages, user, assistant)) else ""
    return TierRecallView(short, pages, user, assistant, notice, tuple(found.notes))


def status(found: TierStatus, archived: Sequence[Segment]) -> TierStatusView:
    """Return the view of how the tiers stand, with segments that were evicted."""
    hottest = tuple(
        SegmentView(
            one.segment.id,
            round(one.heat, 2),
            tuple(one.segment.keywords)[:5],
            cut(one.segment.summary, SUMMARY_TOKENS),
        )
        for one in found.hottest
    )
    evicted = tuple(
        EvictedView(one.id, one.archived_at, one.pages, tuple(one.keywords)[:5], cut(one.summary, SUMMARY_TOKENS))
        for one in archived
        if one.archived_at is not None
    )
    return TierStatusView(
        **{tier.value: count for tier, count in found.counts.items()},
        pages_due=found.due_pages,
        promotions_waiting=found.promotions,
        promotions_failed=found.dead,
        segments_evicted=found.evicted_segments,
        notice=NOTICE if hottest or evicted else "",
        hottest=hottest,
        evicted=evicted,
    )


def restored(done: RestoredSegment) -> RestoredView:
    """Return the view of a segment that was brought back."""
    return RestoredView(done.segment.id, cut(done.segment.summary, SUMMARY_TOKENS), NOTICE, tuple(done.archived))


def _page(page: TierPage) -> PageView:
    return PageView(
        tuple(turn.memory_id for turn in page.turns),
        page.occurred_at,
        cut(page.text_by("user"), TEXT_TOKENS),
        cut(page.text_by("assistant"), TEXT_TOKENS),
    )


def _retrieved(found: RetrievedPage) -> PageView:
    return _page(found.page)


def _known(found: Sequence[Knowledge]) -> tuple[KnowledgeView, ...]:
    return tuple(
        KnowledgeView(one.memory_id, one.kind, cut(one.text, TEXT_TOKENS), tuple(one.evidence)[:EVIDENCE], one.newer)
        for one in found
    )
