"""What the services ask of redaction: nothing that they keep may hold a secret."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

T = TypeVar("T")


class Clean(str):
    """A text in which secrets were looked for: it is not looked at again, by whichever service it is handed to."""

    __slots__ = ()


def part_of(text: str, part: str) -> str:
    """A part of a text, as clean as the text is."""
    return Clean(part) if isinstance(text, Clean) else part


class Redactor(Protocol):
    """Takes the secrets out of what is to be kept; a marker stands in the place of each. What is long is read beside
    the event loop.
    """

    async def text(self, value: str) -> str:
        """The text without its secrets."""

    async def tags(self, values: Sequence[str]) -> tuple[str, ...]:
        """The tags without their secrets, each once."""

    async def json(self, value: T) -> T:
        """A JSON value without its secrets, in names and values at any depth; a name tells of its value."""

    async def named(self, name: str, value: str) -> str:
        """A value that stands under a name, as `hunter2` under `password`, without its secrets."""

    async def kinds(self, values: object) -> dict[str, int]:
        """How many secrets of which kind there are in texts and JSON values; the most first."""

    def counting(self) -> AbstractContextManager[Mapping[str, int]]:
        """Counts the secrets that are taken out within the block, by kind, whichever service has them taken out."""
