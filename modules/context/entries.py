"""Entries of a briefing: one line each, in groups, fitted into a budget of tokens."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from ..framing import NOTICE
from ..records import dataclass
from ..reflection.models import Pattern
from .tokens import estimate

DATED = ", 2026-01-01 to 2026-12-31"
"""What the dates of a group cost at most."""


@dataclass(frozen=True)
class Briefing:
    """A text for an agent, "" when there is nothing to say, and the entries that it is made of."""

    text: str = ""
    entries: tuple[str, ...] = ()

    def followed_by(self, other: "Briefing") -> "Briefing":
        """Return both, one after the other."""
        return Briefing("\n\n".join(filter(None, (self.text, other.text))), (*self.entries, *other.entries))


@dataclass(frozen=True)
class KeyedLine:
    """A line, and the key by which it is told once; `at` is when it happened, where its group tells that."""

    key: str
    line: str
    at: datetime | None = None


@dataclass(frozen=True)
class Group:
    """Entries under one title, the first ones first to be told; with moments they stand newest first."""

    title: str
    entries: Sequence[KeyedLine]

    def lines(self, chosen: Sequence[KeyedLine]) -> list[str]:
        """Return the group with the entries that were chosen; nothing without any."""
        if not chosen:
            return []
        moments = sorted((entry.at for entry in chosen if entry.at is not None), reverse=True)
        title = [f"## {self.title}{_span(moments)}"] if self.title else []
        if len(moments) == len(chosen):
            chosen = sorted(chosen, key=lambda entry: entry.at or moments[0], reverse=True)
        return [*title, *(entry.line for entry in chosen)]

    @property
    def price(self) -> int:
        """The tokens of its title, at most."""
        return estimate(f"## {self.title}{DATED}") + 1 if self.title else 0


def question_key(older: str, newer: str) -> str:
    """Return the key of the question whether a memory replaces an older one."""
    return f"question:{older}:{newer}"


def pattern_key(pattern: Pattern) -> str:
    """Return the key of the advice on an action."""
    return f"pattern:{pattern.pattern_type}:{pattern.action}"[:200]


def fitted(head: str, groups: Sequence[Group], foot: str, max_tokens: int) -> Briefing:
    """Return as much as fits, groups in turn, so that none starves another; never above `max_tokens`."""
    chosen: list[list[KeyedLine]] = [[] for _ in groups]

    def text() -> str:
        parts = (group.lines(entries) for group, entries in zip(groups, chosen, strict=True))
        return "\n".join([head, NOTICE, *(line for part in parts for line in part), *([foot] if foot else [])])

    waiting = [list(group.entries) for group in groups]
    spent = estimate(text())
    while any(waiting):
        for number, queue in enumerate(waiting):
            if not queue:
                continue
            entry = queue.pop(0)
            price = estimate(entry.line) + 1 + (0 if chosen[number] else groups[number].price)
            if spent + price <= max_tokens:
                chosen[number].append(entry)
                spent += price
    while estimate(text()) > max_tokens and any(chosen):  # prices are of single lines; what counts is the whole
        next(entries for entries in reversed(chosen) if entries).pop()
    return Briefing(text(), tuple(entry.key for entries in chosen for entry in entries))


def without(groups: Iterable[Group], shown: Iterable[str]) -> list[Group]:
    """Return groups without the entries that were shown before, or in an earlier group."""
    seen, left = set(shown), []
    for group in groups:
        fresh = [entry for entry in group.entries if entry.key not in seen]
        seen.update(entry.key for entry in fresh)
        left.append(Group(group.title, fresh))
    return left


def _span(moments: Sequence[datetime]) -> str:
    """Return the days of moments, the newest first, for a title."""
    days = list(dict.fromkeys(f"{moment:%Y-%m-%d}" for moment in moments))
    return f", {days[-1]} to {days[0]}" if len(days) > 1 else f", {days[0]}" if days else ""
