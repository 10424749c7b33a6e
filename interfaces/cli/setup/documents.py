"""What every format can do: find our entry in a text, put it there, take it out and leave no trace."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

Facts = Mapping[str, Any]
"""What an insertion must remember to be undone to the byte (as JSON); a document's own, opaque to everyone else."""

NO_FACTS: Facts = {}


class Unreadable(ValueError):
    """A file is not what its client expects, or cannot be edited without a risk; the message says what is wrong."""


@dataclass(frozen=True)
class Edit:
    """A text with our entry in it, and what is to be remembered to take it out."""

    text: str
    facts: Facts = field(default_factory=dict)


class Document(Protocol):
    """A format, and the place of our entry in it. Pure: texts in, texts out."""

    def entry(self, text: str) -> Any | None:
        """Our entry as it is; None where there is none. Raises Unreadable."""

    def put(self, text: str, wanted: Any) -> Edit:
        """The text with our entry as wanted; what someone else added to it stays. Raises Unreadable."""

    def remove(self, text: str, facts: Facts) -> str:
        """The text without our entry, to the byte as it was when `facts` are those of `put`. Raises Unreadable."""


def newline_of(text: str) -> str:
    """How the lines of a text end."""
    return "\r\n" if "\r\n" in text else "\n"


def separator_after(text: str) -> str:
    """What goes between the end of a text and a paragraph that is appended to it."""
    if not text:
        return ""
    newline = newline_of(text)
    return newline if text.endswith("\n") else newline * 2


def without_separator(before: str, after: str, facts: Facts) -> str:
    """The texts around something that was appended behind a separator, joined as they were before it came."""
    separator = facts.get("separator")
    if separator is None:  # put there by hand: one of two empty lines goes with it
        newline = newline_of(before)
        separator = newline if before.endswith(newline * 2) and (not after or after.startswith(newline)) else ""
    return before.removesuffix(separator) + after


def lacks(entry: Any, wanted: Any) -> bool:
    """Whether an entry misses something of what is wanted; what it has beside that is its owner's."""
    if isinstance(wanted, dict):
        return not isinstance(entry, dict) or any(
            name not in entry or lacks(entry[name], value) for name, value in wanted.items()
        )
    return bool(entry != wanted)


def merged(entry: Any, wanted: Any) -> Any:
    """An entry with everything that is wanted, and all that it had beside that."""
    if not (isinstance(entry, dict) and isinstance(wanted, dict)):
        return wanted
    return {**entry, **{name: merged(entry.get(name), value) for name, value in wanted.items()}}
