"""The domain types of acts on many memories."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any

from .. import inputs
from ..errors import InvalidInput
from ..memory.models import MemoryType
from ..records import dataclass


class What(StrEnum):
    """The sort of an act: a verdict about memories, a change of a field, or erasing, the one that nothing undoes."""

    ARCHIVE = "archive"
    FORGET = "forget"
    CONFIRM = "confirm"
    REJECT = "reject"
    RESTORE = "restore"
    ERASE = "erase"
    TAG = "tag"
    UNTAG = "untag"
    RETYPE = "type"
    WEIGH = "importance"


EDITS = frozenset({What.TAG, What.UNTAG, What.RETYPE, What.WEIGH})
"""Acts that change a field; the others but erasing are verdicts."""


@dataclass(frozen=True)
class RequestedAct:
    """The act that is asked for; `value` is the tags, the type or the importance of one that changes a field."""

    what: What
    value: Any = None

    @classmethod
    def of(
        cls, what: str, tags: Sequence[str] = (), memory_type: str = "", importance: float | None = None
    ) -> "RequestedAct":
        """Return the act that fields of a form ask for. Raises InvalidInput."""
        if what not in set(What):
            raise InvalidInput("do", f"must be one of {', '.join(What)}")
        match kind := What(what):
            case What.TAG | What.UNTAG:
                if not tags:
                    raise InvalidInput("tags", "name at least one")
                return cls(kind, list(inputs.tags("tags", tags)))
            case What.RETYPE:
                return cls(kind, inputs.choice("memory_type", memory_type, MemoryType).value)
            case What.WEIGH:
                if importance is None:
                    raise InvalidInput("importance", "is required, a number from 0 to 1")
                return cls(kind, inputs.unit_interval("importance", importance))
        return cls(kind)


class Left(StrEnum):
    """The reason why an act left a memory as it was."""

    GONE = "gone"
    SAME = "same"
    CHANGED = "changed"
    REFUSED = "refused"


class State(StrEnum):
    """The state of an act, or of its undoing: under way, at its end, or ended before that."""

    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"


@dataclass(frozen=True)
class Outcome:
    """The outcome of an act so far: memories that it changed, and of the others how many by reason.

    `undone` of the changed ones are as they were before it; the rest of these somebody has changed since, if it was
    undone.
    """

    changed: int = 0
    undone: int = 0
    left: Mapping[Left, int] = field(default_factory=dict)

    def __add__(self, other: "Outcome") -> "Outcome":
        left = {one: self.left.get(one, 0) + other.left.get(one, 0) for one in Left}
        return Outcome(
            self.changed + other.changed, self.undone + other.undone, {one: n for one, n in left.items() if n}
        )


@dataclass(frozen=True)
class Act:
    """One act: `done` of `total` memories have been looked at; `undoing` is None until somebody undoes it.

    `outcome` is None while it runs. `problem` is why some of it failed.
    """

    id: str
    asked: RequestedAct
    by: str
    at: datetime
    total: int
    done: int
    state: State
    undoing: State | None = None
    outcome: Outcome | None = None
    problem: str | None = None

    @property
    def can_be_undone(self) -> bool:
        """Return whether there is something to undo."""
        is_over = self.state is not State.RUNNING and self.undoing is None
        return is_over and self.asked.what is not What.ERASE and (self.outcome is None or self.outcome.changed > 0)
