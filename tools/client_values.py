"""Arguments as clients send them, read as the tool's schema means them; what is not certain stays as it was sent.

Models and clients fill optional arguments with null or an empty text, write whole numbers as 5.0 or "5", and lists and
objects as JSON text. A few clients add arguments of their own.
"""

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ..modules.errors import InvalidInput

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
MAY_FILTER = frozenset({"tool", "sessionId", "action", "chatInput"})
"""Those of them that may also be a filter by another name: what deletes refuses them."""

NESTED = "params"
"""The one argument in which clients of MemoryOS put all others, as `{"params": {…}}`."""
MAX_JSON_TEXT_CHARS = 2**20
MAX_ENTRIES = 1_000
"""The most entries of a list or an object: more than any tool takes, and read in a moment."""

_WHOLE = re.compile(r"[+-]?\d{1,18}(?:\.0{1,18})?", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d{1,18}(?:\.\d{1,18})?(?:[eE][+-]?\d{1,3})?", re.ASCII)
_TRUTHS = {"true": True, "false": False}

_Schema = Mapping[str, Any]


def as_meant(schema: _Schema, given: Mapping[str, Any], *, written: Collection[str] = ()) -> dict[str, Any]:
    """The arguments of a call as `schema` means them; an empty text stays for the fields that are `written`.

    Raises InvalidInput for a list or an object that no tool can take.
    """
    known = schema.get("properties", {})
    nested = given.get(NESTED)
    if isinstance(nested, dict) and len(given) == 1 and NESTED not in known:
        given = nested
    named = {name: value for name, value in given.items() if name in known or name not in ADDED_BY_CLIENTS}
    return _properties(named, schema, schema, written)


def as_asked(schema: _Schema, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call that deletes: only null counts as left out, else it would delete more than was asked.

    Raises InvalidInput for what is empty; what has a name that the tool does not know stays, to be refused, but for
    what clients add by themselves and cannot mean anything.
    """
    known = schema["properties"]
    added = ADDED_BY_CLIENTS.keys() - MAY_FILTER - known.keys()
    read = _properties({name: value for name, value in given.items() if name not in added}, schema, schema, known)
    for name, value in read.items():
        if name in known and isinstance(value, str | list | dict) and not value:
            raise InvalidInput(name, "is empty; give it or leave it out")
    return read


def _properties(
    given: Mapping[str, Any], schema: _Schema, root: _Schema, written: Collection[str] = ()
) -> dict[str, Any]:
    known, required = schema["properties"], schema.get("required", ())
    _bound("arguments", given)
    kept = {*required, *written}
    return {
        name: _value(name, value, known[name], root) if name in known else value
        for name, value in given.items()
        if not (name in known and (value is None or (value == "" and name not in kept)))
    }


def _bound(name: str, value: Mapping[str, Any] | list[Any]) -> None:
    if len(value) > MAX_ENTRIES:
        raise InvalidInput(name, f"has {len(value)} entries; the limit is {MAX_ENTRIES}")


def _value(name: str, value: Any, schema: _Schema, root: _Schema) -> Any:
    options = list(_options(schema, root))
    kinds = {option.get("type", _kind_of_choice(option)) for option in options}
    if isinstance(value, str) and not kinds & {"string", None}:
        value = _read(value.strip(), kinds, value)
    if isinstance(value, float) and "integer" in kinds and "number" not in kinds and value.is_integer():
        return int(value)
    if isinstance(value, list):
        _bound(name, value)
        items = next((option["items"] for option in options if option.get("items")), None)
        return value if items is None else [_value(name, entry, items, root) for entry in value]
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
    """Return the value that a text stands for where no text is wanted; `sent` where that is not certain."""
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
