"""Consolidations as results: the summaries that are made of turns, and taken back."""

from collections.abc import Sequence

from ...modules.framing import NOTICE, quote
from ...modules.records import dataclass
from ...modules.text.counting import counted
from ...modules.views.texts import Minute
from .models import Consolidation, Plan, Summary

SHOWN_CHARS = 300


@dataclass(frozen=True)
class DraftView:
    """A summary of `turns` turns, or of so many summaries one level below; without an `id` in a preview."""

    level: int
    text: str
    of: int
    id: str | None = None

    def line(self) -> str:
        """Return the summary as one line."""
        name = f"{self.id} " if self.id else ""
        return f"- {name}level {self.level}, of {self.of}: {quote(self.text, SHOWN_CHARS)}"


@dataclass(frozen=True, kw_only=True)
class Consolidated:
    """The summaries that were made, or would be; `consolidation` is the id that undoes them, if any were.

    Tokens are those of the turns covered and of the summaries that cover them.
    """

    method: str
    summaries: tuple[DraftView, ...]
    turns: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    preview: bool = False
    consolidation: str | None = None
    reason: str = ""
    notice: str = ""
    hints: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return what was done, and the summaries."""
        if not self.summaries:
            return f"{self.reason}." if self.consolidation else f"Nothing else to do: {self.reason}."
        how = "by rules, extractive" if self.method == "rules" else "by a language model"
        spared = f"{self.tokens_before} -> {self.tokens_after} tokens"
        made = counted(len(self.summaries), "summary", "summaries")
        head = f"{made} of {counted(self.turns, 'turn')} ({how}): {spared}."
        lines = [" ".join([head, *self.hints]), self.notice, *(one.line() for one in self.summaries)]
        return "\n".join([*lines, *(f"Note: {note}" for note in self.notes)])


@dataclass(frozen=True)
class SummaryView:
    """A summary; `sources` are ids of turns, or of summaries one level below."""

    id: str
    level: int
    method: str
    text: str
    sources: tuple[str, ...]

    def line(self) -> str:
        """Return the summary as one line."""
        made = f"{self.id} level {self.level} by {self.method} of {', '.join(self.sources)}"
        return f"- {made}: {quote(self.text, SHOWN_CHARS)}"


@dataclass(frozen=True)
class ConsolidationView:
    """A consolidation; it counts no more once it was undone."""

    id: str
    at: Minute
    method: str
    summaries: int
    turns: int
    tokens_before: int
    tokens_after: int
    session: str | None = None
    undone_at: Minute | None = None

    def line(self) -> str:
        """Return the consolidation as one line."""
        head = f"- {self.id} {self.at:%Y-%m-%d %H:%M} session {quote(self.session or '')}: {self.summaries} summaries"
        undone = ", undone" if self.undone_at else ""
        return (
            f"{head} by {self.method} of {self.turns} turns, {self.tokens_before} -> {self.tokens_after} tokens{undone}"
        )


@dataclass(frozen=True)
class Consolidations:
    """Consolidations, newest first, and the summaries that still exist."""

    consolidations: tuple[ConsolidationView, ...]
    summaries: tuple[SummaryView, ...]
    notice: str = ""

    def as_text(self) -> str:
        """Return both as lines."""
        if not self.consolidations:
            return "Nothing was consolidated yet."
        lines = [one.line() for one in self.consolidations]
        lines += [self.notice] if self.summaries else []
        return "\n".join([*lines, *(one.line() for one in self.summaries)])


def consolidated(plan: Plan, made: Consolidation | None, stored: Sequence[Summary] = ()) -> Consolidated:
    """Return the view of what a consolidation did, or would do."""
    drafts = tuple(DraftView(int(one.level), one.text, len(one.sources)) for one in plan.drafts)
    summaries = tuple(DraftView(int(one.level), one.text, len(one.sources), one.id) for one in stored)
    preview = made is None and bool(drafts)
    hints = ["Preview: nothing was changed."] if preview else []
    hints += [] if made is None else [f"Undo: consolidate(action='undo', consolidation={made.id!r})."]
    return Consolidated(
        method=plan.method.value,
        summaries=drafts if made is None else summaries,
        turns=len({source.id for one in plan.episodes for source in one.sources}) if made is None else made.sources,
        tokens_before=plan.tokens_before if made is None else made.tokens_before,
        tokens_after=plan.tokens_after if made is None else made.tokens_after,
        preview=preview,
        consolidation=None if made is None else made.id,
        reason=plan.reason,
        notice=NOTICE if drafts or summaries else "",
        hints=tuple(hints),
        notes=tuple(plan.notes),
    )


def undone(made: Consolidation) -> Consolidated:
    """Return the view of a consolidation that was undone."""
    reason = f"{made.id} was undone: its {len(made.summaries)} summaries are archived"
    return Consolidated(method=str(made.method), summaries=(), consolidation=made.id, reason=reason)


def consolidations(made: Sequence[Consolidation], stored: Sequence[Summary]) -> Consolidations:
    """Return the view of consolidations and of the summaries that stand."""
    views = tuple(
        ConsolidationView(
            one.id,
            one.at,
            str(one.method),
            len(one.summaries),
            one.sources,
            one.tokens_before,
            one.tokens_after,
            one.session,
            one.undone_at,
        )
        for one in made
    )
    summaries = tuple(
        SummaryView(one.id, int(one.level), str(one.method), one.text, tuple(one.sources)) for one in stored
    )
    return Consolidations(views, summaries, NOTICE if summaries else "")
