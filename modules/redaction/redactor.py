"""The redactor: texts, tags and JSON values with markers in the place of what looks like a secret.

Nothing here keeps, logs or returns a secret: callers get the redacted text and how many of which kind there were. The
rules are loaded with the first text.
"""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class SecretRedactor:
    """Implements `modules.redactor.Redactor` by the rules of this folder; switched off, it changes nothing."""

    def __init__(self, *, enabled: bool = True) -> None:
        self._enabled = enabled

    def text(self, value: str) -> str:
        """The text without its secrets."""
        if not self._enabled:
            return value
        from .rules import redact

        return redact(value).text

    def tags(self, values: Sequence[str]) -> tuple[str, ...]:
        """The tags without their secrets, each once."""
        return tuple(dict.fromkeys(self.text(value) for value in values))

    def json(self, value: T) -> T:
        """A JSON value without its secrets, in names and values at any depth; a name tells of its value."""
        if not self._enabled:
            return value
        from .rules import Walk

        clean: T = Walk().value(value)
        return clean

    def named(self, name: str, value: str) -> str:
        """A value that stands under a name, as `hunter2` under `password`, without its secrets."""
        if not self._enabled:
            return value
        from .rules import Walk

        return str(Walk().under(name, value))

    def kinds(self, values: object) -> dict[str, int]:
        """How many secrets of which kind there are in texts and JSON values; the most first."""
        if not self._enabled:
            return {}
        from .rules import Walk

        walk = Walk()
        walk.value(values)
        return dict(walk.kinds.most_common())
