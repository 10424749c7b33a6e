"""Fitting a snapshot into a token budget: entries join in turn while everything still fits."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..errors import InvalidInput
from ..records import dataclass
from ..views.snapshot import MORE, Snapshot, SnapshotEntry, SnapshotMemory
from ..views.texts import as_json
from .tokens import cut, estimate

MAX_OMITTED = 9_999
SEPARATOR = 1
SECTION_ORDER = (
    "pending_approvals",
    "questions",
    "proactive_insights",
    "active_goals",
    "top_memories",
    "autonomous_tasks",
    "recent_patterns",
)
"""The order in which sections take turns: what needs attention first, what informs after it."""
MEMORIES = "top_memories"
DID_NOT_FIT = "did not fit: raise max_tokens"
LEAST_CONTENT = 6
"""The fewest tokens of a memory that are worth telling where no more fit."""
ROUNDS = 3
"""How often the room that is left is filled again: prices are of single entries, and somewhat too high."""


@dataclass(frozen=True)
class Cost:
    """Tokens of something, as text and as JSON: clients show the model one or the other."""

    text: int
    json: int

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.text + other.text, self.json + other.json)

    @classmethod
    def of(cls, snapshot: Snapshot) -> "Cost":
        """Return what a snapshot costs."""
        return cls(estimate(snapshot.as_text()), estimate(as_json(snapshot)))

    @classmethod
    def added_by(cls, entry: SnapshotEntry) -> "Cost":
        """Return what an entry adds, at most."""
        return cls(estimate(entry.line()) + SEPARATOR, estimate(as_json(entry)) + SEPARATOR)

    @property
    def dearer(self) -> int:
        """The tokens of its dearer form."""
        return max(self.text, self.json)


def fit(
    empty: Snapshot,
    sections: Mapping[str, Sequence[Any]],
    max_tokens: int,
    stable_order: Mapping[str, Callable[[Any], Any]],
    more_memories: Iterable[SnapshotMemory] = (),
) -> Snapshot:
    """Return the snapshot filled from `sections` (each best first), never above `max_tokens`.

    Sections take turns, so that none starves another; an entry that does not fit is left out and counted
    in `omitted`. What is left then is filled with `more_memories`, of which it asks for no more than fit;
    the last of them is cut. Raises InvalidInput when not
    even the empty snapshot fits. Sections named in `stable_order` are shown in the order of that key, whatever their
    ranks.
    """
    filling = _Filling(empty, sections, max_tokens, stable_order)
    if (least := filling.spent.dearer) > max_tokens:
        raise InvalidInput("max_tokens", f"must be at least {least} here")
    waiting = filling.offered(_in_turn(sections))
    fillers = iter(more_memories)
    filler = next(fillers, None)
    for _ in range(ROUNDS):
        if not waiting and filler is None:
            break
        filling.measure()
        before = (len(waiting), filler)
        waiting = filling.offered(waiting)
        while filler is not None and filling.takes(MEMORIES, filler, is_asked=False):
            filler = next(fillers, None)
        if (len(waiting), filler) == before:
            break
    if filler is not None:
        filling.add(MEMORIES, filler, is_asked=False)
    return filling.fitting()


class _Filling:
    """A snapshot in the making: what was chosen for it, and what it costs so far."""

    def __init__(
        self,
        empty: Snapshot,
        sections: Mapping[str, Sequence[Any]],
        max_tokens: int,
        stable_order: Mapping[str, Callable[[Any], Any]],
    ) -> None:
        self._empty = empty
        self._sections = sections
        self._max_tokens = max_tokens
        self._stable_order = stable_order
        self._chosen: dict[str, list[Any]] = {name: [] for name in SECTION_ORDER}
        self._taken: list[tuple[str, bool]] = []
        self.spent = Cost.of(dataclasses.replace(self.snapshot(), omitted=MAX_OMITTED, hints=(MORE,)))

    def snapshot(self) -> Snapshot:
        """Return the snapshot as it is now; sections that are empty only because nothing of them fits say so."""
        asked = sum(len(self._sections[name]) for name in SECTION_ORDER)
        left = asked - sum(is_asked for _, is_asked in self._taken)
        unfit = {name: DID_NOT_FIT for name in SECTION_ORDER if self._sections[name] and not self._chosen[name]}
        shown: dict[str, Any] = {
            name: tuple(sorted(entries, key=self._stable_order[name]) if name in self._stable_order else entries)
            for name, entries in self._chosen.items()
        }
        empty = {**(self._empty.empty or {}), **unfit} or None
        beside = self._empty.performance_summary.total_memories - len(shown[MEMORIES])
        return dataclasses.replace(
            self._empty, omitted=left, hints=(MORE,) * bool(left), empty=empty, not_shown=max(0, beside), **shown
        )

    def measure(self) -> None:
        """Count what it costs as a whole."""
        self.spent = Cost.of(self.snapshot())

    def offered(self, entries: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
        """Take what fits, and return the rest."""
        return [(name, entry) for name, entry in entries if not self.takes(name, entry, is_asked=True)]

    def takes(self, name: str, entry: SnapshotEntry, *, is_asked: bool) -> bool:
        """Take an entry if it fits; return whether it does."""
        spent = self.spent + Cost.added_by(entry)
        if spent.dearer > self._max_tokens:
            return False
        self.add(name, entry, is_asked=is_asked)
        self.spent = spent
        return True

    def add(self, name: str, entry: SnapshotEntry, *, is_asked: bool) -> None:
        """Take an entry, whether it fits or not: `fitting` cuts the last one."""
        self._chosen[name].append(entry)
        self._taken.append((name, is_asked))

    def fitting(self) -> Snapshot:
        """Return the snapshot, once what was taken last is cut or left out until it costs no more than it may."""
        while (excess := Cost.of(snapshot := self.snapshot()).dearer - self._max_tokens) > 0:
            name, _ = self._taken[-1]
            last = self._chosen[name].pop()
            shorter = estimate(last.content) - excess - SEPARATOR if name == MEMORIES else 0
            if shorter >= LEAST_CONTENT:
                self._chosen[name].append(dataclasses.replace(last, content=cut(last.content, shorter)))
            else:
                self._taken.pop()
        return snapshot


def _in_turn(sections: Mapping[str, Sequence[Any]]) -> list[tuple[str, Any]]:
    """Return the entries, one of each section after the other."""
    rounds = max((len(sections[name]) for name in SECTION_ORDER), default=0)
    return [
        (name, sections[name][turn]) for turn in range(rounds) for name in SECTION_ORDER if turn < len(sections[name])
    ]
