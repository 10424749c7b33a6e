"""Arguments of a tool: a strict model from its signature, the slim schema that clients see, and ids spelled out.

Of an id, the beginning is enough, as long as no other begins so.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from ..modules.agentos import AgentOS
from ..modules.errors import InvalidInput

MAX_PROBLEMS = 3
OF_IDS = frozenset(
    {
        *("by", "consolidation", "goal_id", "id", "insight_id", "memory_id", "memory_ids", "parent_goal_id"),
        *("segment", "supersedes"),
    }
)
"""The arguments that hold ids, in every tool."""
MOST_IDS = 100
"""The most ids that are spelled out for one argument: more than any tool takes, which refuses a longer list itself."""


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
        kept = {key: value for key, value in entry.items() if (key, value) != ("additionalProperties", True)}
        kept.pop("default", None)
        options = [option for option in kept.get("anyOf", []) if option != {"type": "null"}]
        if len(options) != 1:
            return kept
        del kept["anyOf"]
        return {**options[0], **kept}

    mapped: dict[str, Any] = _map(schema, slim)
    return mapped


_NUMBER, _WHOLE, _TRUTH = "must be a number, as 0.5", "must be a whole number, as 20", "must be true or false"
PLAIN = {
    **dict.fromkeys(("float_type", "float_parsing"), _NUMBER),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), _WHOLE),
    **dict.fromkeys(("bool_type", "bool_parsing"), _TRUTH),
    "string_type": "must be a text",
    "list_type": 'must be a list, as ["a", "b"]',
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
        field = ".".join(str(part) for part in problem["loc"] if not _is_branch(part))[:80]
        if problem["type"] == "extra_forbidden":
            accepted = ", ".join(model.model_fields)
            lines.append((field, f"is not an argument of this tool; accepted: {accepted}"))
        elif problem["type"] == "missing":
            lines.append((field, "is required"))
        else:
            lines.append((field, PLAIN.get(problem["type"]) or problem["msg"].replace("Input should be", "must be")))
    unique = list(dict(lines).items())
    more = len(unique) - MAX_PROBLEMS
    first, *rest = unique[: MAX_PROBLEMS if more <= 0 else MAX_PROBLEMS - 1]
    text = "\n".join([first[1], *(f"{field}: {problem}" for field, problem in rest)])
    return InvalidInput(first[0], text + (f"\nand {more + 1} more" if more > 0 else ""))


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

    async def whole(name: str, value: Any) -> Any:
        if isinstance(value, str):
            return await agentos.abbreviations.whole(namespace, name, value)
        if not isinstance(value, list) or len(different := dict.fromkeys(value)) > MOST_IDS:
            return value
        ids = {one: await whole(name, one) for one in different}
        return [ids[one] for one in value]

    return {name: await whole(name, value) if name in OF_IDS else value for name, value in given.items()}
