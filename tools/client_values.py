"""Arguments as clients send them, read as the tool's schema means them; what is not certain stays as it was sent.

Models and clients fill optional arguments with null or an empty text, write whole numbers as 5.0 or "5", and lists and
objects as JSON text. A few clients add arguments of their own.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

ADDED_BY_CLIENTS: Mapping[str, str] = {
    "random_string": "Cursor, for tools without required arguments",
    "wait_for_previous": "Gemini CLI's scheduler",
    "waitForPreviousTools": "Antigravity's scheduler",
    "toolAction": "Antigravity's display",
    "toolSummary": "Antigravity's display",
    "toolCallId": "n8n",
    "tool": "n8n",
    "sessionId": "n8n, from its chat trigger",
    "action": "n8n, from its chat trigger",
    "chatInput": "n8n, from its chat trigger",
}
"""Arguments that clients add by themselves, and which: dropped where a tool has none of that name."""

MAX_JSON_TEXT_CHARS = 2**20
_WHOLE = re.compile(r"[+-]?\d{1,18}(?:\.0{1,18})?", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d{1,18}(?:\.\d{1,18})?(?:[eE][+-]?\d{1,3})?", re.ASCII)
_TRUTHS = {"true": True, "false": False}

_Schema = Mapping[str, Any]


def as_meant(schema: _Schema, given: Mapping[str, Any], *, keep_empty_ids: bool = False) -> dict[str, Any]:
    """The arguments of a call as `schema` means them.

    With `keep_empty_ids` the empty id of one thing does not count as left out: a tool that deletes must not take it
    for a wish to delete more.
    """
    known = schema.get("properties", {})
    named = {name: value for name, value in given.items() if name in known or name not in ADDED_BY_CLIENTS}
    read = _properties(named, schema, schema)
    if keep_empty_ids:
        read |= {name: "" for name, value in named.items() if value == "" and name.endswith("_id") and name in known}
    return read


def _properties(given: Mapping[str, Any], schema: _Schema, root: _Schema) -> dict[str, Any]:
    known, required = schema["properties"], schema.get("required", ())
    return {
        name: _value(value, known[name], root) if name in known else value
        for name, value in given.items()
        if not (name in known and (value is None or (value == "" and name not in required)))
    }


def _value(value: Any, schema: _Schema, root: _Schema) -> Any:
    options = list(_options(schema, root))
    kinds = {option.get("type", _kind_of_choice(option)) for option in options}
    if isinstance(value, str) and not kinds & {"string", None}:
        value = _read(value.strip(), kinds, value)
    if isinstance(value, float) and "integer" in kinds and "number" not in kinds and value.is_integer():
        return int(value)
    if isinstance(value, list):
        items = next((option["items"] for option in options if option.get("items")), None)
        return value if items is None else [_value(entry, items, root) for entry in value]
    if isinstance(value, dict):
        shape = next((option for option in options if option.get("properties")), None)
        return value if shape is None else _properties(value, shape, root)
    return value


def _options(schema: _Schema, root: _Schema) -> Iterator[_Schema]:
    """The branches of a schema, with references followed."""
    if "$ref" in schema:
        yield from _options(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    elif "anyOf" in schema:
        for option in schema["anyOf"]:
            yield from _options(option, root)
    else:
        yield schema


def _kind_of_choice(schema: _Schema) -> str | None:
    return "string" if isinstance(schema.get("const"), str) else None


def _read(text: str, kinds: set[str | None], sent: str) -> Any:
    """What a text stands for where no text is wanted; `sent` when that is not certain."""
    if "boolean" in kinds and text.lower() in _TRUTHS:
        return _TRUTHS[text.lower()]
    if "integer" in kinds and _WHOLE.fullmatch(text):
        return int(text.partition(".")[0])
    if "number" in kinds and _NUMBER.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    begins = {"array": "[", "object": "{"}
    if any(kind in kinds and text.startswith(begin) for kind, begin in begins.items()):
        return _from_json(text, sent)
    return sent


def _from_json(text: str, sent: str) -> Any:
    if len(text) > MAX_JSON_TEXT_CHARS:
        return sent
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return sent
