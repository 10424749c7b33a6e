"""Memories as text: quoted data with its source, its age and how far it is to be believed."""

import re

from ..modules.framing import quote
from .views import MAX_TEXT_CHARS, MemoryView, label

_PLAIN_TAG = re.compile(r"[\w.-]{1,40}")


def line(memory: MemoryView) -> str:
    """A memory as one line of a list."""
    return f"{heading(memory)}: {brief(memory.content)}"


def heading(memory: MemoryView) -> str:
    """What stands before the text of a memory: what it is, its age, how it stands, its tags."""
    tags = "".join(f" #{tag if _PLAIN_TAG.fullmatch(tag) else quote(tag)}" for tag in memory.tags)
    return f"- {memory.id} {memory.memory_type}, {when(memory)}{origin(memory)}{tags}"


def origin(memory: MemoryView) -> str:
    """Who a memory comes from, if that is known."""
    return f" by {quote(memory.source)}" if memory.source else ""


def in_session(memory: MemoryView) -> str:
    """The conversation that a memory belongs to, if it does."""
    return f", session {quote(memory.session)}" if memory.session else ""


def brief(content: str) -> str:
    """A text, quoted, and cut where it is long."""
    whole = len(content) <= MAX_TEXT_CHARS
    return quote(content, MAX_TEXT_CHARS) + ("" if whole else " (cut: memory_get has it whole)")


def cut_text(content: str, max_chars: int = MAX_TEXT_CHARS) -> str:
    """A text, cut where it is long."""
    return content if len(content) <= max_chars else content[: max_chars - 1] + "…"


def when(memory: MemoryView) -> str:
    """The day of a memory, how long ago that is, and what a reader must know before believing it."""
    known = label(memory)
    return f"{memory.occurred_at:%Y-%m-%d} ({memory.age})" + (f", {known}" if known else "")
