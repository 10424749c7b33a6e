"""Fitting a snapshot into a token budget: entries join in turn while everything still fits."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidInput
from ..views.snapshot import MORE, Entry, Snapshot, SnapshotMemory
from ..views.told import as_json
from .tokens import cut, estimate

MAX_OMITTED = 9_999
SEPARATOR = 1
SECTION_ORDER = ("proactive_insights", "active_goals", "top_memories", "autonomous_tasks", "recent_patterns")
"""Whose turn it is: what needs attention first, what informs after it."""
DID_NOT_FIT = "did not fit: raise max_tokens"
LEAST_CONTENT = 12
"""So many tokens of a memory are worth telling where no more fit."""


@dataclass(frozen=True)
class Cost:
    """Tokens of something, as text and as JSON: clients show the model one or the other."""

    text: int
    json: int

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.text + other.text, self.json + other.json)

    @classmethod
    def of(cls, snapshot: Snapshot) -> "Cost":
        """What a snapshot costs."""
        return cls(estimate(snapshot.as_text()), estimate(as_json(snapshot)))

    @property
    def dearer(self) -> int:
        """What it costs at most."""
        return max(self.text, self.json)


def cost(snapshot: Snapshot) -> int:
    """Tokens of a snapshot in its dearer form."""
    return Cost.of(snapshot).dearer


def fit(
    empty: Snapshot,
    sections: Mapping[str, Sequence[Any]],
    max_tokens: int,
    stable_order: Mapping[str, Callable[[Any], Any]],
    more_memories: Sequence[SnapshotMemory] = (),
) -> Snapshot:
    """The snapshot filled from `sections` (each best first), never above `max_tokens`.

    Sections take turns, so that none starves another; an entry that does not fit is left out and counted
    in `omitted`. What is left then is filled with `more_memories`, the last of them cut. Raises InvalidInput when not
    even the empty snapshot fits. Sections named in `stable_order` are shown in the order of that key, whatever their
    ranks.
    """
    chosen: dict[str, list[Any]] = {name: [] for name in SECTION_ORDER}
    taken: list[tuple[str, bool]] = []
    total = sum(len(sections[name]) for name in SECTION_ORDER)

    def compose() -> Snapshot:
        left = total - sum(is_asked for _, is_asked in taken)
        shown: dict[str, Any] = {
            name: tuple(sorted(entries, key=stable_order[name]) if name in stable_order else entries)
            for name, entries in chosen.items()
        }
        return dataclasses.replace(_without(empty, sections, chosen), omitted=left, hints=(MORE,) * bool(left), **shown)

    bare = dataclasses.replace(empty, omitted=MAX_OMITTED, hints=(MORE,))
    least = cost(_without(bare, sections, {}))
    if least > max_tokens:
        raise InvalidInput("max_tokens", f"must be at least {least} here")
    spent = Cost.of(bare)

    def choose(name: str, entry: Entry, *, is_asked: bool) -> bool:
        nonlocal spent
        if (spent + price(entry)).dearer > max_tokens:
            return False
        chosen[name].append(entry)
        taken.append((name, is_asked))
        spent += price(entry)
        return True

    waiting = [(name, entry) for name, entry in _in_turn(sections) if not choose(name, entry, is_asked=True)]
    fillers = list(more_memories)
    # The prices are of single entries, and somewhat too high; what counts is the whole.
    while fillers or waiting:
        spent, before = Cost.of(compose()), len(taken)
        waiting = [(name, entry) for name, entry in waiting if not choose(name, entry, is_asked=True)]
        while fillers and choose("top_memories", fillers[0], is_asked=False):
            del fillers[0]
        if len(taken) == before:
            break
    if fillers:
        room = max_tokens - (spent + price(dataclasses.replace(fillers[0], content=""))).dearer - SEPARATOR
        if room >= LEAST_CONTENT:
            short = dataclasses.replace(fillers[0], content=cut(fillers[0].content, room))
            choose("top_memories", short, is_asked=False)
    while cost(snapshot := compose()) > max_tokens:
        chosen[taken.pop()[0]].pop()
    return snapshot


def _without(
    snapshot: Snapshot, sections: Mapping[str, Sequence[Any]], chosen: Mapping[str, Sequence[Any]]
) -> Snapshot:
    """The snapshot with the sections named that are empty only because nothing of them fits."""
    unfit = {name: DID_NOT_FIT for name in SECTION_ORDER if sections[name] and not chosen.get(name)}
    return dataclasses.replace(snapshot, empty={**(snapshot.empty or {}), **unfit} or None)


def price(entry: Entry) -> Cost:
    """What an entry adds."""
    return Cost(estimate(entry.line()) + SEPARATOR, estimate(as_json(entry)) + SEPARATOR)


def _in_turn(sections: Mapping[str, Sequence[Any]]) -> list[tuple[str, Any]]:
    """The entries, one of each section after the other."""
    rounds = max((len(sections[name]) for name in SECTION_ORDER), default=0)
    return [
        (name, sections[name][turn]) for turn in range(rounds) for name in SECTION_ORDER if turn < len(sections[name])
    ]
