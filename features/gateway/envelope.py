"""The envelope of a request: all but its conversation, by which a program's own request differs from a person's."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...modules.records import dataclass
from . import bodies

MAX_SYSTEM_CHARS = 20_000
MOST_FIELDS = 50
_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens", "num_predict")
_SYSTEMS = ("instructions", "system", "systemInstruction", "system_instruction")
_SETTINGS = ("generationConfig", "generation_config", "options")
_FORMS = ("response_format", "text", "output_config", "output_format", "format")
_FREE_CHOICES = ("auto", "none", "AUTO", "NONE")
_SCHEMAS = ("json_schema", "schema", "format", "parameters", "input_schema")


@dataclass(frozen=True)
class Envelope:
    """What a request says beside its conversation.

    `system` are the client's instructions, `room` is the longest answer in tokens, and `fields` are the names in the
    form that the answer must have: None where it is free. One tool that must be called is such a form. `window` is how
    much the model is to read, where the request says it. A raw prompt is gone on with, as in an editor's line.
    """

    system: str = ""
    has_tools: bool = False
    room: int | None = None
    fields: frozenset[str] | None = None
    window: int | None = None
    is_raw: bool = False


def read(document: Mapping[str, Any], instructions: Sequence[str]) -> Envelope:
    """Return the envelope of a request, whose messages hold these instructions."""
    settings = [document, *(one for name in _SETTINGS if isinstance(one := document.get(name), dict))]
    limits = [one for part in settings for name in _LIMITS if isinstance(one := part.get(name), int) and one >= 0]
    contexts = [one for part in settings if isinstance(one := part.get("num_ctx"), int) and one > 0]
    tools = [*_tools(document.get("tools"))]
    form = _forced(document, tools)
    fields = _form(settings) if form is None else form
    system = "\n".join([*(text for name in _SYSTEMS for text in _texts(document.get(name))), *instructions])
    return Envelope(
        system[:MAX_SYSTEM_CHARS],
        bool(tools) and form is None,
        min(limits) if limits else None,
        fields,
        min(contexts) if contexts else None,
        document.get("raw") is True or bool(document.get("suffix")),
    )


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, dict):  # Gemini's
        return bodies.texts(value.get("parts"))
    return bodies.texts(value)


def _tools(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the tools; Gemini has several in one."""
    for one in value if isinstance(value, list) else ():
        if isinstance(one, dict):
            declared = one.get("functionDeclarations") or one.get("function_declarations")
            yield from (inner for inner in declared if isinstance(inner, dict)) if isinstance(declared, list) else [one]


def _forced(document: Mapping[str, Any], tools: Sequence[Mapping[str, Any]]) -> frozenset[str] | None:
    """Return the arguments of the one tool that the model must call, None where it may answer otherwise."""
    choice = document.get("tool_choice")
    choice = choice.get("type", choice) if isinstance(choice, dict) else choice
    if len(tools) != 1 or choice is None or choice in _FREE_CHOICES:
        return None
    return frozenset(_names(tools[0].get("function", tools[0])))


def _form(settings: Sequence[Mapping[str, Any]]) -> frozenset[str] | None:
    """Return the names in the form of an answer."""
    for part in settings:
        for name in _FORMS:
            value = part.get(name)
            if value == "json" or (isinstance(value, dict) and _prescribes(value)):
                return frozenset(_names(value))
        if part.get("responseMimeType", part.get("response_mime_type")) == "application/json":
            return frozenset(_names(part.get("responseSchema") or part.get("responseJsonSchema")))
    return None


def _prescribes(value: Mapping[str, Any]) -> bool:
    inner = value.get("format", value)
    return isinstance(inner, dict) and (inner.get("type") not in (None, "text") or bool(inner.get("properties")))


def _names(value: Any) -> list[str]:
    """Return the names of a schema's properties, wherever a provider's form has the schema."""
    found: list[str] = []
    waiting = [value]
    while waiting and len(found) < MOST_FIELDS:
        one = waiting.pop()
        if isinstance(one, dict):
            if isinstance(properties := one.get("properties"), dict):
                found += [str(name) for name in properties]
            waiting += [one[name] for name in _SCHEMAS if name in one]
    return found[:MOST_FIELDS]
