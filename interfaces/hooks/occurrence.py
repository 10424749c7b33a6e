"""A hook's report to the daemon: one shape for every client, as JSON of limited size."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

MAX_BYTES = 48 * 1024
"""The most bytes of an occurrence; the daemon reads lines of 64 KiB."""

MAX_ENTRIES = 60
MAX_DEPTH = 6
HOLDING_TEXT = ("prompt", "given", "response", "error", "reply")
"""Fields that may hold anything, also secrets."""
NAMING = ("session", "folder", "key", "tool", "source")
"""Fields that name something: a secret may be part of the value, but the field's name does not make it one."""
REDACTED_BY = "redacted_by"
"""The field of a spooled report with the version whose rules have redacted it."""

_CUTS = (8_000, 2_000, 500, 100)


class Occurrence(NamedTuple):
    """An event in a client; fields that the client did not report are empty.

    `key` is the same when the same event is reported again. `session` is the client's name of its session, `folder`
    where it works. `source` says how a session started, or who wrote a prompt. `at` is in seconds since the epoch.
    """

    event: str
    client: str
    agent: str
    session: str
    folder: str
    key: str
    at: str
    source: str = ""
    prompt: str = ""
    tool: str = ""
    given: Any = None
    response: Any = None
    error: str = ""
    reply: str = ""
    failed: bool = False


def bounded(hook: Occurrence) -> dict[str, Any]:
    """Return an occurrence as JSON of at most MAX_BYTES; long texts lose as much of their middle as needed."""
    for chars in _CUTS:
        fields = {name: _cut(value, chars, 0) for name, value in hook._asdict().items()}
        if len(json.dumps(fields).encode()) <= MAX_BYTES:
            return fields
    return {**fields, "given": None, "response": None, "prompt": hook.prompt[:500], "reply": hook.reply[:500]}


def of_json(fields: Mapping[str, Any]) -> Occurrence | None:
    """Return the occurrence in a JSON object; None when it is not one."""
    texts = [name for name in Occurrence._fields if name not in ("given", "response", "failed")]
    known = {name: value for name, value in fields.items() if name in Occurrence._fields}
    if not all(isinstance(known.get(name, ""), str) for name in texts):
        return None
    if not all(known.get(name) for name in ("event", "client", "session", "folder", "key", "at")):
        return None
    return Occurrence(**{"agent": "", **known})


def _cut(value: Any, chars: int, depth: int) -> Any:
    if isinstance(value, str):
        text = value.encode("utf-8", "replace").decode().replace("\x00", " ")
        return text if len(text) <= chars else f"{text[: chars // 2]} … {text[-(chars // 2) :]}"
    if depth >= MAX_DEPTH and isinstance(value, (list, dict)):
        return None
    if isinstance(value, list):
        return [_cut(entry, chars, depth + 1) for entry in value[:MAX_ENTRIES]]
    if isinstance(value, dict):
        entries = list(value.items())[:MAX_ENTRIES]
        return {str(name)[:200]: _cut(entry, chars, depth + 1) for name, entry in entries}
    return value if isinstance(value, (bool, int, float)) else None
