"""What tokens cost, by a table of prices that the user owns: providers change theirs, and we ship none."""

from collections.abc import Mapping
from dataclasses import dataclass

from .models import Tokens

_PER = 1_000_000


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
    """Return the price of a model by the longest beginning of its name; None where the table has none."""
    known = [name for name in prices if model.startswith(name)]
    return prices[max(known, key=len)] if known else None
