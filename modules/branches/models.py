"""The domain types of branches: what a merge would do, who has to look at it, and what came of it."""

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from ..facts.slots import canonical_slot
from ..memory.models import Memory
from ..records import dataclass
from ..text.scripts import key_form


@dataclass(frozen=True)
class Branch:
    """A namespace that was forked from another, its `origin`."""

    namespace: str
    origin: str
    created_at: datetime
    created_by: str


class Review(StrEnum):
    """When a merge needs a review by someone other than its author: always, or if it changes something watched."""

    ALWAYS = "always"
    WATCHED = "watched"


class WatchKind(StrEnum):
    """The kinds of what is watched: a tag, a slot ("subject/attribute", or a "subject"), or a memory by its id."""

    TAG = "tag"
    SLOT = "slot"
    MEMORY = "memory"


class Demand(StrEnum):
    """What a watched change requires: a review, or a notification."""

    REVIEW = "review"
    NOTIFY = "notify"


@dataclass(frozen=True)
class Watch:
    """An entry of a watchlist."""

    kind: WatchKind
    value: str
    demands: Demand = Demand.REVIEW

    def __str__(self) -> str:
        return f"{self.kind}:{self.value}"

    def names(self, memory: Memory) -> bool:
        """Return whether a memory is what is watched."""
        match self.kind:
            case WatchKind.TAG:
                return any(key_form(tag) == self._tag for tag in memory.tags)
            case WatchKind.MEMORY:
                return memory.id == self.value
            case WatchKind.SLOT:
                slot = memory.slot
                return slot is not None and not self._slots.isdisjoint(
                    ((slot.subject, ""), (slot.subject, slot.attribute))
                )

    @cached_property
    def _tag(self) -> str:
        return key_form(self.value)

    @cached_property
    def _slots(self) -> frozenset[tuple[str, str]]:
        """The slots that the value may mean, as slots are compared; a subject may have a "/" in it too."""
        parts = self.value.split("/")
        splits = (("/".join(parts[:at]), "/".join(parts[at:])) for at in range(1, len(parts) + 1))
        return frozenset(canonical_slot(*one) for one in splits)


@dataclass(frozen=True)
class Governance:
    """The rules of a namespace for what comes from its branches. Its owners are who may administer it."""

    namespace: str
    review: Review = Review.WATCHED
    watches: tuple[Watch, ...] = ()


@dataclass(frozen=True)
class Point:
    """The state in which a memory of the origin was last the same as one of the branch."""

    origin_id: str
    origin_version: int


@dataclass(frozen=True)
class Offered:
    """A memory that is new or changed in a branch.

    `point` is where it came from, `replaces` where what it superseded there came from; `rivals` are memories of the
    origin about the same, `same` is one that has the same text. `files` are the hashes of its files.
    """

    memory: Memory
    point: Point | None = None
    replaces: tuple[Point, ...] = ()
    rivals: tuple[Memory, ...] = ()
    same: Memory | None = None
    files: tuple[str, ...] = ()


class StepKind(StrEnum):
    """The course of a merge with a memory: adds it, puts it in the place of others, or asks a human about it."""

    CREATE = "create"
    MERGE = "merge"
    CONFLICT = "conflict"


@dataclass(frozen=True)
class MergeStep:
    """One step of a merge, with the memories of the origin that it `concerns`, and the `watches` that name one of them.

    One that `revises` changes the text of the one that it concerns; else that is superseded. `files` are the hashes of
    the files that come along.
    """

    kind: StepKind
    memory: Memory
    concerns: tuple[Memory, ...] = ()
    revises: bool = False
    watches: tuple[Watch, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class MergePlan:
    """The plan of a merge. `known` is there already; `left` stays in the branch, as the origin has ended or erased it.

    `authors` are the principals that wrote what it would merge.
    """

    branch: Branch
    steps: tuple[MergeStep, ...] = ()
    known: tuple[tuple[Memory, Memory], ...] = ()
    left: int = 0
    review: Review = Review.WATCHED
    authors: frozenset[str] = frozenset()

    def count(self, kind: StepKind) -> int:
        """Return how many steps are of a kind."""
        return sum(step.kind is kind for step in self.steps)

    @property
    def watched(self) -> tuple[str, ...]:
        """The watches that name something in it."""
        return tuple(sorted({str(watch) for step in self.steps for watch in step.watches}))

    @property
    def needs_review(self) -> bool:
        """Return whether somebody else than its author has to look at it."""
        demanded = (watch.demands for step in self.steps for watch in step.watches)
        return self.review is Review.ALWAYS or Demand.REVIEW in demanded

    @property
    def digest(self) -> str:
        """A digest that changes with each step, its files, and each memory that it would change."""
        states = [
            [step.kind, _state(step.memory), [_state(one) for one in step.concerns], *step.files] for step in self.steps
        ]
        return hashlib.sha256(json.dumps(states).encode()).hexdigest()[:24]

    def __str__(self) -> str:
        counts = [f"{self.count(kind)} {word}" for kind, word in _WORDS.items()]
        return ", ".join(counts)


_WORDS = {StepKind.CREATE: "new", StepKind.MERGE: "changed", StepKind.CONFLICT: "in conflict"}


def _state(memory: Memory) -> Sequence[str | int]:
    return memory.id, memory.version, memory.status


@dataclass(frozen=True)
class Merged:
    """The outcome of a merge, in the namespace of the origin."""

    namespace: str
    branch: str
    approval: str
    at: datetime
    decided_by: str
    created: int
    changed: int
    contested: int

    def __str__(self) -> str:
        waits = f"; {self.contested} contradict known memories and wait in the inbox" if self.contested else ""
        return f"merged {self.branch}: {self.created} new, {self.changed} changed{waits}"
