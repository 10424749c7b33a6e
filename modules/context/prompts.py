"""Prompts that are worth a search: those that say something, not commands of the client and not a mere yes."""

import re

from ..text.replies import is_mere_reply

MAX_QUERY_CHARS = 2_000

_COMMAND = re.compile(r"[/!#][\w:.-]*(?:\s|$)|<[a-z][\w-]*>")


def query_of(prompt: str) -> str:
    """Return what to search for on behalf of a prompt; "" where the prompt is not worth a search."""
    text = prompt.strip()
    if _COMMAND.match(text) or is_mere_reply(text):
        return ""
    return text[:MAX_QUERY_CHARS]
