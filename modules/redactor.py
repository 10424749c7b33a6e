"""The interface of redaction, as the services need it: nothing that they keep may hold a secret."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

T = TypeVar("T")


class Clean(str):
    """A text in which secrets were looked for, so that no service that it is handed to looks again."""

    __slots__ = ()


def part_of(text: str, part: str) -> str:
    """Return a part of a text, as clean as the text is."""
    return Clean(part) if isinstance(text, Clean) else part


class Redactor(Protocol):
    """Takes the secrets out of what is to be kept; a marker stands in the place of each.

    What is long is read beside the event loop.
    """

    async def text(self, value: str) -> str:
        """Return the text without its secrets."""

    async def tags(self, values: Sequence[str]) -> tuple[str, ...]:
        """Return the tags without their secrets, each once."""

    async def json(self, value: T) -> T:
        """Return a JSON value without its secrets, in names and values at any depth; a name tells of its value."""

    async def named(self, name: str, value: str) -> str:
        """Return a value that stands under a name, as `hunter2` under `password`, without its secrets."""

    async def kinds(self, values: object) -> dict[str, int]:
        """Return how many secrets of which kind there are in texts and JSON values; the most first."""

    def counting(self) -> AbstractContextManager[Mapping[str, int]]:
        """Count the secrets that are taken out within the block, by kind, whichever service has them taken out."""
