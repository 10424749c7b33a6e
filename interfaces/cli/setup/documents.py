"""The operations of every format: find our entry in a text, insert it, and remove it without a trace."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Protocol

from ....modules.records import dataclass

Facts = Mapping[str, Any]
"""The data (as JSON) that undo an insertion to the byte; private to the document, opaque to everyone else."""

NO_FACTS: Facts = {}


class Unreadable(ValueError):
    """A file is not as its client expects, or cannot be edited without a risk; the message says what is wrong."""


@dataclass(frozen=True)
class Edit:
    """A text with our entry in it, and the data needed to remove it."""

    text: str
    facts: Facts = field(default_factory=dict)


class ConfigDocument(Protocol):
    """A format, and the place of our entry in it. Pure: texts in, texts out."""

    def entry(self, text: str) -> Any | None:
        """Return AgentOS's entry; None if there is none. Raises Unreadable."""

    def put(self, text: str, wanted: Any) -> Edit:
        """Return the text with our entry as wanted; what someone else added to it stays. Raises Unreadable."""

    def remove(self, text: str, facts: Facts) -> str:
        """Return the text without our entry, to the byte as before if `facts` are those of `put`. Raises Unreadable."""


def newline_of(text: str) -> str:
    """Return the line end of a text."""
    return "\r\n" if "\r\n" in text else "\n"


def separator_after(text: str) -> str:
    """Return the separator between the end of a text and a paragraph that is appended to it."""
    if not text:
        return ""
    newline = newline_of(text)
    return newline if text.endswith("\n") else newline * 2


def without_separator(before: str, after: str, facts: Facts) -> str:
    """Return the texts around something appended after a separator, joined as before it was appended."""
    separator = facts.get("separator")
    if separator is None:  # put there by hand: one of two empty lines is removed with it
        newline = newline_of(before)
        separator = newline if before.endswith(newline * 2) and (not after or after.startswith(newline)) else ""
    return before.removesuffix(separator) + after


def lacks(entry: Any, wanted: Any) -> bool:
    """Return whether an entry lacks something that is wanted; anything else in it is its owner's."""
    if isinstance(wanted, dict):
        return not isinstance(entry, dict) or any(
            name not in entry or lacks(entry[name], value) for name, value in wanted.items()
        )
    return bool(entry != wanted)


def merged(entry: Any, wanted: Any) -> Any:
    """Return an entry with everything that is wanted, and all else that it had."""
    if not (isinstance(entry, dict) and isinstance(wanted, dict)):
        return wanted
    return {**entry, **{name: merged(entry.get(name), value) for name, value in wanted.items()}}
