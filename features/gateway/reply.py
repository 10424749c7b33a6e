"""What is read from a model's answer: its words, its calls of tools, and the tokens that it took."""

from dataclasses import field
from typing import Any

from ...modules.records import dataclass
from ...modules.usage.models import Tokens

MAX_REPLY_CHARS = 512 * 1024
"""What is kept of an answer's words; what follows passes unread."""


@dataclass
class ReplyParts:
    """The parts read from an answer: each choice's words, each tool call's name and arguments, and the tokens.

    `is_complete` says that the answer came to its end, `tokens` is None where the provider reports none.
    """

    texts: dict[int, list[str]] = field(default_factory=dict)
    calls: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    tokens: Tokens | None = None
    id: str = ""
    is_complete: bool = False
    chars: int = 0

    @property
    def choices(self) -> list[str]:
        """The words of the choices that have any, in order."""
        return [text for _, pieces in sorted(self.texts.items()) if (text := "".join(pieces).strip())]

    @property
    def tool_calls(self) -> list[str]:
        """The tool calls, each its name and its arguments."""
        return ["".join(pieces) for _, pieces in sorted(self.calls.items())]

    def say(self, choice: int, text: object) -> None:
        """Note words of a choice."""
        if isinstance(text, str) and text and self._has_room(text):
            self.texts.setdefault(choice, []).append(text)

    def call(self, choice: int, number: int, text: object) -> None:
        """Note a part of a tool call."""
        if isinstance(text, str) and text and self._has_room(text):
            self.calls.setdefault((choice, number), []).append(text)

    def _has_room(self, text: str) -> bool:
        self.chars += len(text)
        return self.chars <= MAX_REPLY_CHARS


def objects(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list; none of what is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def count(value: object, otherwise: int = 0) -> int:
    """Return a number of tokens or a place; `otherwise` for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else otherwise
