"""How risky an action is, and what follows from it."""

from dataclasses import dataclass
from enum import StrEnum

from .. import inputs

IMPACT, IRREVERSIBILITY, SENSITIVITY = 0.4, 0.3, 0.3
NOTIFY_FROM = 0.3
ASK_FROM = 0.7


class Course(StrEnum):
    """What a risk calls for: just do it, do it and say so, or ask a human first."""

    RUN = "run"
    NOTIFY = "notify"
    ASK = "ask"


@dataclass(frozen=True)
class RiskInputs:
    """Each from 0 to 1: how much an action changes, how well it can be undone, how private what it touches is.

    Raises InvalidInput for anything else.
    """

    impact: float
    reversibility: float
    sensitivity: float

    def __post_init__(self) -> None:
        for field in ("impact", "reversibility", "sensitivity"):
            inputs.unit_interval(field, getattr(self, field))

    @property
    def risk(self) -> float:
        """From 0 to 1, to six digits: what is .7 by hand is not .6999… here."""
        parts = IMPACT * self.impact + IRREVERSIBILITY * (1 - self.reversibility) + SENSITIVITY * self.sensitivity
        return round(parts, 6)

    @property
    def course(self) -> Course:
        """What this risk calls for."""
        if self.risk < NOTIFY_FROM:
            return Course.RUN
        return Course.NOTIFY if self.risk < ASK_FROM else Course.ASK
