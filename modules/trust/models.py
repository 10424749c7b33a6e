"""The domain types of trust."""

from collections.abc import Mapping
from dataclasses import field
from typing import NamedTuple

from ..memory.models import Change
from ..records import dataclass

HEAVIEST = 2.0
"""The weight of the heaviest verdict."""
HUMAN = "human"
"""The judge of what a person decided at a terminal, whoever's store it is."""


@dataclass(frozen=True)
class Judged:
    """A judgement as it was recorded: its number, the principal whose credential made it, and who stored what it is of.

    `judge` and the `authors`, by memory, are principals as the audit log has them; "" where that is not known.
    """

    number: int
    change: Change
    judge: str
    authors: Mapping[str, str]


@dataclass(frozen=True)
class TrustJudgement:
    """A judgement's bearing on one memory: for it or against it, by `judge` on what `author` stored, with a weight.

    `observed` says that no one judged: an answer was seen to be built on it.
    """

    judge: str
    author: str
    memory_id: str
    is_for: bool
    weight: float
    observed: bool = False

    @property
    def is_independent(self) -> bool:
        """Return whether it proves anything about its author: one's own word does not, nor one's own answers."""
        return self.author not in ("", self.judge) and not self.observed


class Beta(NamedTuple):
    """A belief about the chance of proving right: a Beta distribution, (1, 1) where nothing is known."""

    good: float = 1.0
    bad: float = 1.0

    @property
    def mean(self) -> float:
        """The expected chance."""
        return self.good / (self.good + self.bad)

    @property
    def variance(self) -> float:
        """The variance of the chance; a heavy verdict moves the mean further, and is no more than one observation."""
        verdicts = (self.good + self.bad - 2) / HEAVIEST
        return self.mean * (1 - self.mean) / (verdicts + 3)

    @property
    def is_known(self) -> bool:
        """Return whether anything was judged."""
        return self.good + self.bad > 2


NOTHING = Beta()


@dataclass(frozen=True)
class Trust:
    """The trust in a memory, 0..1, its 95 % interval, and the five parts that it is the sum of.

    `stored_by` is the principal whose credential stored it, "" where that is not known; `is_judged` says whether
    anybody judged the memory, or independently what that principal stored.
    """

    score: float
    low: float
    high: float
    parts: Mapping[str, float] = field(default_factory=dict)
    stored_by: str = ""
    is_judged: bool = False


@dataclass(frozen=True)
class AgentTrust:
    """The trust of one principal in another, .05 to .98: its own experience, and that of one whom it trusts.

    `direct` is a moving average over `judgements`, None where there are none; `transitive` goes over `through`.
    It is `stable` from five judgements on.
    """

    judge: str
    author: str
    score: float
    direct: float | None
    transitive: float | None
    through: str
    judgements: int
    stable: bool
