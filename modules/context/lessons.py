"""Lessons: rules that are shown before the tool that they name runs, and no other.

A rule is a memory with the tag `rule`. Its metadata say when: `{"trigger": {"tool": "Bash", "contains": "git push"}}`.
`tool` is a name, or the beginning of names with a final `*`; `contains` is part of what the tool is given, in any
case; both may be lists, of which one must fit. `severity` (critical, warning, info) says which are shown first.
"""

import json
from collections.abc import Mapping
from typing import Any

from ..memory.models import Memory

TAG = "rule"
SEVERITIES = ("critical", "warning", "info")
MAX_GIVEN_CHARS = 20_000


def trigger_of(memory: Memory) -> Mapping[str, Any]:
    """When a rule is shown; empty for a rule that is for no tool."""
    trigger = memory.metadata.get("trigger")
    return trigger if isinstance(trigger, dict) and _texts(trigger.get("tool")) else {}


def severity_of(memory: Memory) -> str:
    """How much a rule matters."""
    severity = memory.metadata.get("severity")
    return severity if isinstance(severity, str) and severity in SEVERITIES else "warning"


def applies(memory: Memory, tool: str, given: object) -> bool:
    """Whether a rule is to be shown before `tool` runs with what it is `given`."""
    trigger = trigger_of(memory)
    if not any(_names(pattern, tool.lower()) for pattern in _texts(trigger.get("tool"))):
        return False
    wanted = _texts(trigger.get("contains"))
    if not wanted:
        return "contains" not in trigger
    told = _told(given)
    return any(part in told for part in wanted)


def rank(memory: Memory) -> tuple[int, float]:
    """The order in which rules are shown."""
    return SEVERITIES.index(severity_of(memory)), -memory.importance


def _names(pattern: str, tool: str) -> bool:
    return tool.startswith(pattern[:-1]) if pattern.endswith("*") else tool == pattern


def _texts(value: object) -> list[str]:
    several = value if isinstance(value, list) else [value]
    return [text.lower() for text in several if isinstance(text, str) and text]


def _told(given: object) -> str:
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return text[:MAX_GIVEN_CHARS].lower()
