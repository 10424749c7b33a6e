"""Texts in results: quoted and cut for a model to read, whole for a program."""

import dataclasses
import json
from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Annotated, Any, Protocol, runtime_checkable

from pydantic import PlainSerializer, SerializationInfo

from ..framing import disarmed, named

SOURCE_CHARS, MAX_TEXT_CHARS = 200, 500
"""The lengths at which a source and a text for a model are cut."""
CUT = "A text with … is cut: memory_get has all of it."


class Result(Protocol):
    """The result of a tool: a frozen dataclass, dumped without default values, and available as text."""

    def as_text(self) -> str:
        """Return the result for a model to read."""
        ...


@runtime_checkable
class WithContent(Result, Protocol):
    """A result that clients show, such as a picture: it has no structure, which some would hand on in its place."""

    def blocks(self) -> list[dict[str, Any]]:
        """Return the content of MCP that follows its text."""
        ...

    def resource(self) -> tuple[str, str]:
        """Return what a resource has of it: its media type, and its bytes as text. Blocks."""
        ...


class Excerpted(str):
    """A text with the `stretch` of it that answers, which is what a model is shown."""

    stretch: str

    def __new__(cls, text: str, stretch: str) -> "Excerpted":
        """Make one of a text and its stretch."""
        made = super().__new__(cls, text)
        made.stretch = stretch
        return made

    def __reduce__(self) -> tuple[type["Excerpted"], tuple[str, str]]:
        """Return what a copy is made by."""
        return Excerpted, (str(self), self.stretch)


def cut(text: str, max_chars: int = MAX_TEXT_CHARS) -> str:
    """Return a text, or what a model is shown of it, cut where it is longer than `max_chars`."""
    if isinstance(text, Excerpted):
        text = text.stretch
    return text if len(text) <= max_chars else text[: max_chars - 1] + "…"


def _dumped(text: str, info: SerializationInfo) -> str:
    return cut(text) if (info.context or {}).get("for_model") else text


Text = Annotated[str, PlainSerializer(_dumped, return_type=str)]
"""A text that may be long: whole in a structured result, but for clients that hand that to their model."""

Minute = Annotated[
    datetime, PlainSerializer(lambda moment: moment.isoformat(timespec="minutes")[:16] + "Z", return_type=str)
]
"""A moment (UTC), to the minute."""


def facts(view: object, without: Collection[str] = ()) -> str:
    """Return names and values of a view's fields, but of those that say nothing."""
    return ", ".join(f"{field} {_plain(value)}" for field, value in _fields_set(view) if field not in without)


def _fields_set(view: Any) -> Iterator[tuple[str, Any]]:
    for field in dataclasses.fields(view):
        value = getattr(view, field.name)
        if value != field.default:
            yield field.name, value


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, str):
        return named(value, None)
    return disarmed(json.dumps(value, ensure_ascii=False)) if isinstance(value, dict | tuple | list) else str(value)


def plain(view: object) -> Any:
    """Return a view as JSON-ready fields, without default values."""
    if dataclasses.is_dataclass(view):
        return {field: plain(value) for field, value in _fields_set(view)}
    if isinstance(view, dict):
        return {key: plain(value) for key, value in view.items()}
    return [plain(one) for one in view] if isinstance(view, tuple | list) else view


def as_json(view: object) -> str:
    """Return a view as the JSON that clients send to a model."""
    return json.dumps(plain(view), ensure_ascii=False, separators=(",", ":"))
