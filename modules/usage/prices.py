"""Compute the price of tokens from the user's price table; AgentOS ships none, since providers change theirs."""

import re
from collections.abc import Mapping

from ..records import dataclass
from .models import Tokens

_PER = 1_000_000
_EDITION = re.compile(r"[-@:](?:20\d\d[\d-]{0,6}|latest)")
"""What names an edition of a model, which costs what the model does."""


@dataclass(frozen=True)
class Price:
    """The price of a million tokens of a model, in the user's currency; what is read from a cache, and written to it,
    costs what other input costs unless it is given.
    """

    input: float
    output: float
    cached: float | None = None
    written: float | None = None


def cost(tokens: Tokens, price: Price) -> float:
    """Return what a call cost."""
    cached = price.input if price.cached is None else price.cached
    written = price.input if price.written is None else price.written
    return (
        tokens.uncached * price.input + tokens.cached * cached + tokens.written * written + tokens.output * price.output
    ) / _PER


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Return the price of a model, or of the one that it is an edition of; None where the table has none."""
    named = (
        name for name in prices if model == name or (model.startswith(name) and _EDITION.fullmatch(model[len(name) :]))
    )
    return next((prices[name] for name in sorted(named, key=len, reverse=True)), None)
