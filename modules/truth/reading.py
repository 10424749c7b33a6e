"""A reading: what a sentence states, before its dates are resolved."""

from dataclasses import dataclass

from .lexicon import Attribute
from .wording import Clause


@dataclass(frozen=True)
class Reading:
    """What a sentence states, before its dates are resolved; `by_gist` alone it was read with words left over."""

    subject: str
    attribute: str
    value: str | None
    confidence: float
    clause: Clause
    polarity: bool = True
    kind: str = "fact"
    by_gist: bool = False


def reading_of(
    clause: Clause, subject: str, known: Attribute | None, attribute: str, value: str | None, sure: float
) -> Reading:
    kind = known.kind if known else "fact"
    return Reading(subject, attribute, value, round(sure, 3), clause, not clause.negated, kind)
