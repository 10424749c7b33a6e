"""A checkpoint: the state of a session, for when the agent's own context is gone. Pure functions."""

from collections.abc import Sequence

from .models import Event, EventType
from .observations import action_name
from .tool_calls import from_json

PROMPTS, FILES, COMMANDS = 4, 20, 8
MAX_PROMPT_CHARS = 300
MAX_REPLY_CHARS = 400


def render(title: str, events: Sequence[Event]) -> str:
    """Render the state of a session from its last events; "" if nothing happened."""
    asked = [_line(e.text, MAX_PROMPT_CHARS) for e in events if e.type is EventType.TURN and e.role == "user"]
    replies = [_line(e.text, MAX_REPLY_CHARS) for e in events if e.type is EventType.TURN and e.role == "assistant"]
    calls = [from_json(event.structured) for event in events if event.type is EventType.TOOL_CALL]
    changed = list(dict.fromkeys(path for call in calls for path in call.files_modified if call.success is not False))
    ended: dict[str, str] = {}
    for call in calls:
        if name := action_name(call.command):
            ended.pop(name, None)
            ended[name] = (
                "ran" if call.success is None else "passed" if call.success else f"failed: {_line(call.error, 120)}"
            )
    if not (asked or calls):
        return ""
    lines = [f"[checkpoint] {_line(title, 90)}"]
    lines += [f"- asked: {text}" for text in asked[-PROMPTS:]]
    lines += [f"- last said: {replies[-1]}"] if replies else []
    lines += [f"- changed so far: {', '.join(changed[-FILES:])}"] if changed else []
    lines += [f"- {name} {how}" for name, how in list(ended.items())[-COMMANDS:]]
    return "\n".join(lines)


def _line(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
