"""The domain types of usage."""

from dataclasses import dataclass
from datetime import date

CHARACTERS_A_TOKEN = 4
"""Approximate number for English text."""


@dataclass(frozen=True)
class UsageKey:
    """The key of a counter: a day (UTC), a namespace, a client by the name that it gives, and a tool."""

    day: date
    namespace: str
    client: str
    tool: str


@dataclass(frozen=True)
class Usage:
    """Counts of calls of a tool and of its answers.

    These are characters of text that a model reads, memories in them (`hits`), and how many of those were read,
    confirmed or corrected afterwards in the same session (`used`).
    """

    calls: int = 0
    failures: int = 0
    characters: int = 0
    hits: int = 0
    used: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.calls + other.calls,
            self.failures + other.failures,
            self.characters + other.characters,
            self.hits + other.hits,
            self.used + other.used,
        )

    @property
    def tokens(self) -> int:
        """The approximate number of tokens that a model has read."""
        return -(-self.characters // CHARACTERS_A_TOKEN)
