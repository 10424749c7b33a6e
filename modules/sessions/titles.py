"""The title of a session."""

from collections.abc import Sequence

from ..text.replies import is_mere_reply
from .models import EventType, NewEvent

MAX_TITLE_CHARS = 90


def title_of(events: Sequence[NewEvent]) -> str:
    """Return the title of a session from the first user turn that says something; "" if there is none."""
    turns = (event.text for event in events if event.type is EventType.TURN and event.role == "user")
    first = next((text for text in turns if not is_mere_reply(text)), "")
    line = " ".join(first.split())
    return line if len(line) <= MAX_TITLE_CHARS else line[: MAX_TITLE_CHARS - 1].rstrip() + "…"
