"""Rules, which hold at every moment, and lessons, which are shown before the tool that they name runs, and no other.

Both are memories with the tag `rule`. A rule is one that a person made or confirmed at a terminal: whatever an agent
stores is none. A lesson informs, with its source. Its metadata say when:
`{"trigger": {"tool": "Bash", "contains": "git push"}}`.
`tool` is a name, or the beginning of names with a final `*`; `contains` is part of what the tool is given, in any
case; both may be lists, of which one must fit. `severity` (critical, warning, info) says which are shown first.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from ..framing import quote
from ..memory.models import Memory
from ..proving import LessonStanding
from .phrases import Phrases

TAG = "rule"
SEVERITIES = ("critical", "warning", "info")
MAX_GIVEN_CHARS = 20_000
SOURCE_CHARS = 40


def trigger_of(memory: Memory) -> Mapping[str, Any]:
    """Return when a rule is shown; empty for a rule that is for no tool."""
    trigger = memory.metadata.get("trigger")
    return trigger if isinstance(trigger, dict) and _texts(trigger.get("tool")) else {}


def severity_of(memory: Memory) -> str:
    """Return how much a rule matters, one of SEVERITIES; `warning` where it does not say."""
    severity = memory.metadata.get("severity")
    return severity if isinstance(severity, str) and severity in SEVERITIES else "warning"


def origin_of(memory: Memory, said: Phrases) -> str:
    """Return where a rule or a lesson comes from, quoted: its source is whatever its author said."""
    return said.by.format(source=quote(memory.source, SOURCE_CHARS)) if memory.source else said.no_source


def applies(memory: Memory, tool: str, given: object) -> bool:
    """Return whether a rule is to be shown before `tool` runs with what it is `given`."""
    trigger = trigger_of(memory)
    if not any(_names(pattern, tool.lower()) for pattern in _texts(trigger.get("tool"))):
        return False
    wanted = _texts(trigger.get("contains"))
    if not wanted:
        return "contains" not in trigger
    text = _as_text(given)
    return any(part in text for part in wanted)


def rank(memory: Memory) -> tuple[int, float]:
    """Return the key that sorts rules into the order in which they are shown."""
    return SEVERITIES.index(severity_of(memory)), -memory.importance


def by_standing(
    matching: Sequence[tuple[Memory, bool]], standings: Mapping[str, LessonStanding], session: str
) -> list[tuple[Memory, bool]]:
    """Return lessons, each with whether a person confirmed it, by how they stand: those first that help.

    Of those that do not, half are left out, another half in each session: the others show how runs go without them.
    What a person confirmed is only told last.
    """
    ordered = sorted(matching, key=lambda one: _PLACES.get(standings.get(one[0].id, LessonStanding.UNPROVEN), 1))
    return [
        (memory, sure)
        for memory, sure in ordered
        if sure
        or standings.get(memory.id) is not LessonStanding.QUIET
        or zlib.crc32(f"{memory.id} {session}".encode()) % 2
    ]


_PLACES = {LessonStanding.HELPS: 0, LessonStanding.QUIET: 2}


def _names(pattern: str, tool: str) -> bool:
    return tool.startswith(pattern[:-1]) if pattern.endswith("*") else tool == pattern


def _texts(value: object) -> list[str]:
    several = value if isinstance(value, list) else [value]
    return [text.lower() for text in several if isinstance(text, str) and text]


def _as_text(given: object) -> str:
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return text[:MAX_GIVEN_CHARS].lower()
