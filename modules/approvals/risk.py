"""The risk of an action, and the course that follows from it."""

from enum import StrEnum

from .. import inputs
from ..records import dataclass

IMPACT, IRREVERSIBILITY, SENSITIVITY = 0.4, 0.3, 0.3
NOTIFY_FROM = 0.3
ASK_FROM = 0.7


class Course(StrEnum):
    """The course for a risk: run, run and notify, or ask a human first."""

    RUN = "run"
    NOTIFY = "notify"
    ASK = "ask"


@dataclass(frozen=True)
class RiskInputs:
    """The factors of a risk, each 0..1: how much an action changes, how reversible it is, how private its data are.

    Raises InvalidInput for values out of range.
    """

    impact: float
    reversibility: float
    sensitivity: float

    def __post_init__(self) -> None:
        for field in ("impact", "reversibility", "sensitivity"):
            inputs.unit_interval(field, getattr(self, field))

    @property
    def risk(self) -> float:
        """The risk (0..1), rounded to six digits: .7 by hand is not .6999… here."""
        parts = IMPACT * self.impact + IRREVERSIBILITY * (1 - self.reversibility) + SENSITIVITY * self.sensitivity
        return round(parts, 6)

    def at_least(self, other: "RiskInputs") -> "RiskInputs":
        """Return the worse of two, factor by factor."""
        return RiskInputs(
            max(self.impact, other.impact),
            min(self.reversibility, other.reversibility),
            max(self.sensitivity, other.sensitivity),
        )

    @property
    def course(self) -> Course:
        """The course that this risk calls for."""
        if self.risk < NOTIFY_FROM:
            return Course.RUN
        return Course.NOTIFY if self.risk < ASK_FROM else Course.ASK
