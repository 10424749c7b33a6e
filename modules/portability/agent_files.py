"""A section for files that agents read at each start: confirmed rules, then what is worth knowing, framed as data."""

import json
from collections.abc import Sequence

from ..context.tokens import estimate
from ..framing import NOTICE, quote
from ..memory.models import Memory
from ..records import dataclass

HEADING = "Known from earlier work (AgentOS)"
RULES = "Rules that the user confirmed:"
KNOWN = "What was kept:"


@dataclass(frozen=True)
class Section:
    """A section of Markdown, how many rules and memories are in it, and how many of these had no room."""

    text: str
    rules: int
    memories: int
    left_out: int
    tokens: int


def section(rules: Sequence[Memory], memories: Sequence[Memory], max_tokens: int) -> Section:
    """Render rules and memories, each whole in one quoted line, the first ones first, within a budget of tokens."""
    lines = [f"## {HEADING}", "", NOTICE]
    counts = [0, 0]
    spent = estimate("\n".join(lines))
    for place, (title, entries) in enumerate(((RULES, rules), (KNOWN, memories))):
        for memory in entries:
            line = f"- {quote(memory.content)} ({memory.occurred_at:%Y-%m-%d})"
            new = [line] if counts[place] else ["", title, "", line]
            cost = estimate("\n".join([*new, ""]))
            if spent + cost <= max_tokens:
                spent += cost
                counts[place] += 1
                lines += new
    left_out = len(rules) + len(memories) - sum(counts)
    text = "\n".join([*lines, ""]) if any(counts) else ""
    return Section(text, counts[0], counts[1], left_out, spent if text else 0)


def parse_section_line(headings: Sequence[str], text: str) -> str | None:
    """Return the memory's text in a line of our section, "" for a line of its frame; None for any other line."""
    if HEADING not in headings:
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except ValueError:
        return ""
    return value if isinstance(value, str) else ""
