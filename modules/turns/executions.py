"""Words by which executions are found again: types of errors, tools, durations."""

import re
from collections.abc import Mapping
from typing import Any

from ..records import dataclass

MAX_ERRORS, MAX_ERROR_CHARS, MAX_TYPE_CHARS = 20, 300, 80
_TYPE = re.compile(r"\b[A-Z]\w{0,60}(?:Error|Exception|Timeout|Warning|Failure)\b")
_TOOLS, _ERRORS, _SUCCESS = ("tools_used", "tools", "tool"), ("errors", "error"), "success"
_DURATIONS = {"duration_ms": "ms", "duration_s": "s", "duration_seconds": "s", "duration": ""}


@dataclass(frozen=True)
class Execution:
    """A run in words, and the tags of its errors; both empty where nothing was executed."""

    text: str = ""
    tags: tuple[str, ...] = ()


def read(details: Mapping[str, Any]) -> Execution:
    """Return what the details of an execution say; fields of other types than expected are left out."""
    tools = [_line(tool) for name in _TOOLS for tool in _several(details.get(name))][:MAX_ERRORS]
    errors = [_error(one) for name in _ERRORS for one in _several(details.get(name))][:MAX_ERRORS]
    took = next((f"took {details[n]} {u}".strip() for n, u in _DURATIONS.items() if _is_number(details.get(n))), "")
    parts = [f"tools {', '.join(tools)}"] if tools else []
    parts += [
        f"error {kind}: {message}" if message and message != kind else f"error {kind}" for kind, message in errors
    ]
    parts += [took] if took else []
    named = {*_TOOLS, *_ERRORS, *_DURATIONS, _SUCCESS}
    others = [
        f"{_line(name)} {_line(value)}" for name, value in details.items() if name not in named and _is_told(value)
    ]
    parts += others[:MAX_ERRORS]
    if isinstance(details.get(_SUCCESS), bool):
        parts.append("succeeded" if details[_SUCCESS] else "failed")
    tags = tuple(dict.fromkeys(f"error:{kind}"[:MAX_TYPE_CHARS] for kind, _ in errors))
    return Execution(f"Execution: {'; '.join(parts)}" if parts else "", tags)


def _error(one: object) -> tuple[str, str]:
    """Return the type of an error and its message."""
    if isinstance(one, Mapping):
        message = _line(one.get("message") or one.get("error") or one.get("detail") or "")
        kind = _line(one.get("type") or one.get("error_type") or one.get("name") or "")
    else:
        message, kind = _line(one), ""
    found = _TYPE.search(message)
    kind = kind or (found[0] if found else message.partition(":")[0] or "error")[:MAX_TYPE_CHARS]
    while message.startswith(f"{kind}: "):  # "TimeoutError: no answer" says its type itself
        message = message.removeprefix(f"{kind}: ")
    return kind, message


def _several(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [] if value in (None, "") else [value]


def _is_told(value: object) -> bool:
    return _is_number(value) or (isinstance(value, str) and bool(value.strip()))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _line(value: object) -> str:
    return " ".join(str(value).split())[:MAX_ERROR_CHARS]
