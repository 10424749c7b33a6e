"""The domain types of connectors."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path

from ...modules.records import dataclass


@dataclass(frozen=True)
class Signal:
    """One thing that a program has noted, in a sentence.

    `reference` names it among those of its connector, and stays when the text changes (a count rises, a ticket is
    closed). `at` is when it was last so, in UTC. What `is_event` happened then; anything else holds. `until` is the
    last day (ISO 8601) of what ends.
    """

    reference: str
    text: str
    at: datetime
    is_event: bool = False
    until: str | None = None


@dataclass(frozen=True)
class Connector:
    """A kind of programs: its name, what it reads, where that lies by default, and how a file of it is read.

    `read` yields the signals of a file as of a moment, those of most weight first; it blocks, and raises InvalidInput
    for a file that is none of its formats, or OSError. `places` returns the files that exist on this machine.
    """

    name: str
    reads: str
    places: Callable[[], Sequence[Path]]
    read: Callable[[Path, datetime], Iterable[Signal]]


@dataclass(frozen=True)
class Offer:
    """A signal as it would be kept: `text` without secrets, and the id of the memory that is to be brought up to date.

    None: it is new.
    """

    signal: Signal
    text: str
    memory_id: str | None = None


@dataclass(frozen=True)
class Offers:
    """What a collection would keep; the rest is told by count.

    `known` signals are kept already, or were put away by somebody; `earlier` are older than was asked for, `beyond`
    more than a day may bring. `unread` tells by path what could not be read.
    """

    offers: Sequence[Offer]
    known: int
    earlier: int
    beyond: int
    unread: dict[str, str]


@dataclass(frozen=True)
class Kept:
    """What came of offers: how many memories are new and how many were brought up to date; by text what was refused."""

    new: int
    renewed: int
    refused: dict[str, str]
