"""The domain types of usage."""

from dataclasses import astuple, field
from datetime import date, datetime
from enum import StrEnum
from operator import add

from ..records import dataclass

CHARACTERS_A_TOKEN = 4
"""Approximate number for English text."""
QUARTER_MINUTES = 15
"""Counters are of so many minutes each, since the days of every zone are made of such."""


@dataclass(frozen=True)
class CounterKey:
    """The key of a counter: when its quarter of an hour begins, a namespace, a client, and a tool or a model."""

    at: datetime
    namespace: str
    client: str
    name: str


@dataclass(frozen=True)
class UsageKey:
    """What calls are counted by: the day, in the zone that was asked for, a namespace, a client by the name that it
    gives, and a tool.
    """

    day: date
    namespace: str
    client: str
    tool: str


@dataclass(frozen=True)
class Usage:
    """Counts of calls of a tool and of its answers.

    These are characters of text that a model reads, memories in them (`hits`), and how many of those were read,
    confirmed or corrected afterwards in the same session (`used`). `unanswered` are calls that asked for something and
    were given no memory, `helpful` those of whose memories at least one was used.
    """

    calls: int = 0
    failures: int = 0
    characters: int = 0
    hits: int = 0
    used: int = 0
    unanswered: int = 0
    helpful: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(*map(add, astuple(self), astuple(other)))

    @property
    def tokens(self) -> int:
        """The approximate number of tokens that a model has read."""
        return -(-self.characters // CHARACTERS_A_TOKEN)


class Answered(StrEnum):
    """How a question was answered: by nothing, by memories that nobody used, or by some that were used."""

    NOTHING = "nothing"
    ANSWERED = "answered"
    USED = "used"


@dataclass(frozen=True)
class Asked:
    """A question of an agent as it is kept: `hits` memories were given, of which `used` were used afterwards."""

    id: str
    namespace: str
    at: datetime
    client: str
    tool: str
    question: str
    hits: int
    used: int

    @property
    def answered(self) -> Answered:
        """How it was answered."""
        return Answered.USED if self.used else Answered.ANSWERED if self.hits else Answered.NOTHING


@dataclass(frozen=True)
class AskingKey:
    """What questions are counted by: the day, in the zone that was asked for, and the tool."""

    day: date
    tool: str


@dataclass(frozen=True)
class QuestionCounts:
    """How many questions were asked, found nothing and found what was used; and the memories given and used."""

    asked: int
    nothing: int
    helpful: int
    hits: int
    used: int


@dataclass(frozen=True)
class Tokens:
    """The tokens of a model call: uncached input, input read from the cache and written to it; and
    output.
    """

    uncached: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0

    @property
    def asked(self) -> int:
        """All input."""
        return self.uncached + self.cached + self.written

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(
            self.uncached + other.uncached,
            self.cached + other.cached,
            self.written + other.written,
            self.output + other.output,
        )


@dataclass(frozen=True)
class SpendingKey:
    """What is spent is counted by: the day, in the zone that was asked for, a namespace, a client of the gateway, and
    a model.
    """

    day: date
    namespace: str
    client: str
    model: str


@dataclass(frozen=True)
class Spending:
    """Calls of a model, of how many the tokens are `estimated`, since the provider reported none, and the tokens.

    `told` are those of memory in their requests, which is estimated, and `replay` those that the client sent itself,
    its own conversation with every call.
    """

    calls: int = 0
    estimated: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    told: int = 0
    replay: int = 0

    def __add__(self, other: "Spending") -> "Spending":
        return Spending(
            self.calls + other.calls,
            self.estimated + other.estimated,
            self.tokens + other.tokens,
            self.told + other.told,
            self.replay + other.replay,
        )
