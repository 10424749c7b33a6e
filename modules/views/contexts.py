"""Compiled contexts as results: each part in its tags, which no quoted text can close."""

from ..framing import quote
from ..records import dataclass


@dataclass(frozen=True)
class ContextEntry:
    """A recalled text; `label` says what it is and how old, `id` which memory, where it is one.

    `text` of a long record is the stretch that matches.
    """

    text: str
    label: str = ""
    id: str | None = None

    def line(self) -> str:
        """Return the entry as one line."""
        head = " ".join(filter(None, (self.id, self.label)))
        return f"- {head}: {quote(self.text)}" if head else f"- {quote(self.text)}"


@dataclass(frozen=True)
class ContextPart:
    """A named part of a compiled context, with its entries in order."""

    name: str
    entries: tuple[ContextEntry, ...]


@dataclass(frozen=True)
class Context:
    """A context for a prompt, of parts in a stable order.

    `hints` say how to answer, `omitted` how many entries did not fit, `notes` what is degraded or was left out.
    """

    notice: str
    parts: tuple[ContextPart, ...]
    hints: tuple[str, ...] = ()
    omitted: int = 0
    notes: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return the context for a model to read."""
        lines = [self.notice, *self.hints]
        for part in self.parts:
            lines += [f"<{part.name}>", *(entry.line() for entry in part.entries), f"</{part.name}>"]
        lines += [f"{self.omitted} more did not fit: raise max_tokens, or search."] if self.omitted else []
        return "\n".join([*lines, *(f"Note: {note}" for note in self.notes)])


def hints(style: str, relationship: str) -> tuple[str, ...]:
    """Return how to answer, as the caller wants it."""
    lines = [f"Answer in this style: {quote(style)}"] if style else []
    return tuple([*lines, f"Whoever asks is to you: {quote(relationship)}"] if relationship else lines)
