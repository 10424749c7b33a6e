"""Arguments of a tool: its model and schema, from its signature; and what clients send, as they mean it, checked.

Models and clients fill optional arguments with null or an empty text, write whole numbers as 5.0 or "5", and lists and
objects as JSON text. A few clients add arguments of their own. What is not certain stays as it was sent. Of an id, the
beginning is enough, as long as no other begins so.
"""

import inspect
import json
import math
import re
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from ..modules.agentos import AgentOS
from ..modules.errors import InvalidInput
from ..modules.framing import quote

MAX_PROBLEMS = 3
OF_IDS = frozenset(
    {
        *("approval_id", "by", "consolidation", "goal_id", "id", "insight_id", "memory_id", "memory_ids"),
        *("parent_goal_id", "ref_id", "segment", "source_ref_id", "supersedes"),
    }
)
"""The arguments that hold ids, in every tool."""
MOST_IDS = 100
"""The most ids that are spelled out for one argument: more than any tool takes, which refuses a longer list itself."""
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


def model_of(
    run: Callable[..., Awaitable[Any]], texts: Sequence[str] = ("agent_id",), lists: Sequence[str] = ()
) -> type[BaseModel]:
    """Return a strict model of the keyword-only parameters of `run`, of optional texts, and of lists of texts."""
    hints = get_type_hints(run, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(run).parameters.items():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            required = parameter.default is inspect.Parameter.empty
            fields[name] = (hints[name], ... if required else parameter.default)
    fields |= {name: (str | None, None) for name in texts}
    fields |= {name: (list[str], ...) for name in lists}
    return create_model(
        f"{run.__name__}_arguments",
        __config__=ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True),
        **fields,
    )


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of the arguments without what only costs tokens: titles, nulls, defaults."""
    return slim(model.model_json_schema())


def slim(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a JSON schema without what only costs tokens: optional values are left out, never null."""
    return _without_nulls(_without_titles(schema))


def _without_titles(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a JSON schema without the titles that pydantic derives from names (never a property named so)."""
    mapped: dict[str, Any] = _map(schema, lambda entry: {key: value for key, value in entry.items() if key != "title"})
    return mapped


def _without_nulls(schema: dict[str, Any]) -> dict[str, Any]:
    def slim(entry: dict[str, Any]) -> dict[str, Any]:
        slimmed = {key: value for key, value in entry.items() if (key, value) != ("additionalProperties", True)}
        slimmed.pop("default", None)
        options = [option for option in slimmed.get("anyOf", []) if option != {"type": "null"}]
        if len(options) != 1:
            return slimmed
        del slimmed["anyOf"]
        return {**options[0], **slimmed}

    mapped: dict[str, Any] = _map(schema, slim)
    return mapped


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
    keep_empty = {*required, *written}
    return {
        name: _value(name, value, known[name], root) if name in known else value
        for name, value in given.items()
        if not (name in known and (value is None or (value == "" and name not in keep_empty)))
    }


def _bound(name: str, value: Mapping[str, Any] | list[Any]) -> None:
    if len(value) > MAX_ENTRIES:
        raise InvalidInput(name, f"has {len(value)} entries, at most {MAX_ENTRIES} are taken")


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


_A_NUMBER, _A_WHOLE, _A_TRUTH = (
    "must be a number, such as 0.5",
    "must be a whole number, such as 20",
    "must be true or false",
)
PLAIN = {
    **dict.fromkeys(("float_type", "float_parsing"), _A_NUMBER),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), _A_WHOLE),
    **dict.fromkeys(("bool_type", "bool_parsing"), _A_TRUTH),
    "string_type": "must be text",
    **dict.fromkeys(("dict_type", "model_type", "dataclass_type"), 'must be an object, such as {"name": "value"}'),
    "list_type": 'must be a list, such as ["a", "b"]',
}
"""What an argument of a wrong type must be, in other words than pydantic's."""


def parse(model: type[BaseModel], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the checked arguments. Raises InvalidInput that names each field, at most three lines."""
    try:
        checked = model.model_validate(arguments)
    except ValidationError as error:
        raise _problems(model, error) from None
    return {name: getattr(checked, name) for name in model.model_fields}


def _problems(model: type[BaseModel], error: ValidationError) -> InvalidInput:
    lines: list[tuple[str, str]] = []
    for problem in error.errors(include_url=False, include_input=False, include_context=False):
        field = _one_line(".".join(str(part) for part in problem["loc"] if not _is_branch(part))[:80])
        if problem["type"] == "extra_forbidden":
            accepted = ", ".join(model.model_fields)
            lines.append((field, f"is not an argument; accepted: {accepted}"))
        elif problem["type"] == "missing":
            lines.append((field, "is required"))
        else:
            lines.append((field, PLAIN.get(problem["type"]) or problem["msg"].replace("Input should be", "must be")))
    unique = list(dict(lines).items())
    more = len(unique) - MAX_PROBLEMS
    first, *rest = unique[: MAX_PROBLEMS if more <= 0 else MAX_PROBLEMS - 1]
    text = "\n".join([first[1], *(f"{field}: {problem}" for field, problem in rest)])
    return InvalidInput(first[0], text + (f"\nand {more + 1} more" if more > 0 else ""))


def _one_line(field: str) -> str:
    """Return a field as it was named; quoted, where the name has lines of its own, which a model would read."""
    return field if field.isprintable() else quote(field)


def _is_branch(part: int | str) -> bool:
    """Return whether a step of a location only names a branch of a union, such as `list[str]`."""
    return isinstance(part, str) and (part in ("str", "int", "float", "bool") or "[" in part)


def _map(schema: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """Return `schema` with every schema object in it changed, from the leaves up; names of properties stay."""
    if isinstance(schema, list):
        return [_map(entry, change) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    mapped = {
        key: {name: _map(entry, change) for name, entry in value.items()}
        if key in ("properties", "$defs")
        else _map(value, change)
        for key, value in schema.items()
    }
    return change(mapped)


async def spelled_out(agentos: AgentOS, namespace: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with whole ids. Raises InvalidInput where a beginning is that of several."""

    async def expand(name: str, value: Any) -> Any:
        if isinstance(value, str):
            return await agentos.abbreviations.expand(namespace, name, value)
        if not isinstance(value, list) or len(different := dict.fromkeys(value)) > MOST_IDS:
            return value
        ids = {one: await expand(name, one) for one in different}
        return [ids[one] for one in value]

    return {name: await expand(name, value) if name in OF_IDS else value for name, value in given.items()}
