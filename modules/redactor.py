"""What the services ask of redaction: nothing that they keep may hold a secret."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Redactor(Protocol):
    """Takes the secrets out of what is to be kept; a marker stands in the place of each."""

    def text(self, value: str) -> str:
        """The text without its secrets."""

    def tags(self, values: Sequence[str]) -> tuple[str, ...]:
        """The tags without their secrets, each once."""

    def json(self, value: T) -> T:
        """A JSON value without its secrets, in names and values at any depth; a name tells of its value."""

    def named(self, name: str, value: str) -> str:
        """A value that stands under a name, as `hunter2` under `password`, without its secrets."""

    def kinds(self, values: object) -> dict[str, int]:
        """How many secrets of which kind there are in texts and JSON values; the most first."""
