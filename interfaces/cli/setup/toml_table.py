"""TOML: one table is inserted into or removed from a file; every other byte stays."""

import copy
import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import Any

from ....modules.records import dataclass
from .documents import Edit, Facts, Unreadable, lacks, merged, newline_of, separator_after, without_separator

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
MAX_DEPTH = 100
"""Levels of nesting that a file of settings may have: what reads and compares them recurses."""


@dataclass(frozen=True)
class TomlLines:
    """Some whole lines: a header, a key with its value, or an empty line or comment."""

    start: int
    end: int
    text: str
    data: dict[str, Any]

    @property
    def is_header(self) -> bool:
        return self.text.lstrip().startswith("[")

    @property
    def path(self) -> tuple[str, ...]:
        """The table that a header opens, or the key that is assigned."""
        keys: list[str] = []
        data: Any = self.data
        while isinstance(data, dict) and len(data) == 1 and (self.is_header or not keys):
            key, data = next(iter(data.items()))
            keys.append(key)
        return tuple(keys)


@dataclass(frozen=True)
class TomlTable:
    """The table at `path`, as `("mcp_servers", "agentos")`; its dicts are tables below it."""

    path: tuple[str, ...]

    def entry(self, text: str) -> Any | None:
        """Return the content of the table; None where there is none. Raises Unreadable."""
        data: Any = _data(text)
        for key in self.path:
            if not isinstance(data, dict):
                raise Unreadable(f"{'.'.join(self.path[:-1])} is not a table")
            if key not in data:
                return None
            data = data[key]
        return data

    def put(self, text: str, wanted: Any) -> Edit:
        """Append the table, or change what it lacks. Raises Unreadable."""
        expected = copy.deepcopy(_data(text))
        present = self.entry(text)
        holder = expected
        for key in self.path[:-1]:
            holder = holder.setdefault(key, {})
        holder[self.path[-1]] = merged(present, wanted)
        if present is None:
            separator = separator_after(text)
            edit = Edit(text + separator + _table(self.path, wanted, newline_of(text)), {"separator": separator})
        else:
            edit = Edit(self._completed(text, self.path, present, wanted))
        if _parsed(edit.text) != expected:
            raise Unreadable(f"[{_header(self.path)}] is in a form that setup cannot edit; change it by hand")
        return edit

    def remove(self, text: str, facts: Facts) -> str:
        """Remove the table and those below it. Raises Unreadable."""
        if self.entry(text) is None:
            return text
        expected = copy.deepcopy(_data(text))
        holder = expected
        for key in self.path[:-1]:
            holder = holder[key]
        del holder[self.path[-1]]
        for start, end in reversed(list(self._ranges(text))):
            text = without_separator(text[:start], text[end:], facts)
        if _without_empty(_parsed(text)) != _without_empty(expected):
            raise Unreadable(f"[{_header(self.path)}] is in a form that setup cannot edit; remove it by hand")
        return text

    def _ranges(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the ranges of our tables, from each header to its last value; neighbours are one range."""
        start = end = None
        ours = False
        for statement in _statements(text):
            if statement.is_header:
                ours = statement.path[: len(self.path)] == self.path
                if not ours and start is not None and end is not None:
                    yield start, end
                    start = None
            if ours and statement.data:
                start, end = statement.start if start is None else start, statement.end
        if start is not None and end is not None:
            yield start, end

    def _completed(self, text: str, path: tuple[str, ...], entry: Any, wanted: dict[str, Any]) -> str:
        """Return the text with what the entry lacks, key by key."""
        for name, value in wanted.items():
            if not lacks(entry.get(name), value):
                continue
            newline = newline_of(text)
            header, keys = _section(text, (*path, name) if isinstance(value, dict) else path)
            if isinstance(value, dict) and header is not None:
                text = self._completed(text, (*path, name), entry[name], value)
                continue
            if isinstance(value, dict):
                header, keys = _section(text, path)
            line = f"{_key(name)} = {_value(merged(entry.get(name), value))}{newline}"
            known = next((statement for statement in keys if statement.path == (name,)), None)
            if known is not None:
                text = text[: known.start] + line + text[known.end :]
            elif header is not None:
                end = keys[-1].end if keys else header.end
                head = text[:end] if text[:end].endswith("\n") else text[:end] + newline
                text = head + line + text[end:]
        return text


def _statements(text: str) -> Iterator[TomlLines]:
    """Yield the statements of a file, each with all its lines."""
    start = end = 0
    for line in text.splitlines(keepends=True):
        end += len(line)
        try:
            data = tomllib.loads(text[start:end])
        except tomllib.TOMLDecodeError:
            continue  # a value of several lines
        yield TomlLines(start, end, text[start:end], data)
        start = end


def _section(text: str, path: tuple[str, ...]) -> tuple[TomlLines | None, list[TomlLines]]:
    """Return the header of a table, and the keys that follow it."""
    header: TomlLines | None = None
    keys: list[TomlLines] = []
    for statement in _statements(text):
        if statement.is_header:
            if header is not None:
                break
            header = statement if statement.path == path else None
        elif header is not None and statement.data:
            keys.append(statement)
    return header, keys


def _data(text: str) -> dict[str, Any]:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Unreadable(str(error)) from error
    except RecursionError as error:
        raise Unreadable("it is nested too deeply") from error
    level: list[Any] = [data]
    for _ in range(MAX_DEPTH):
        level = [below for each in level for below in (each.values() if isinstance(each, dict) else each)]
        level = [each for each in level if isinstance(each, (dict, list))]
    if level:
        raise Unreadable("it is nested too deeply")
    return data


def _parsed(text: str) -> dict[str, Any] | None:
    """Return the data of an edited text; None where the edit broke it."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _without_empty(data: Any) -> Any:
    """Return tables without empty ones: a table that exists only by a header below it goes with that header."""
    if not isinstance(data, dict):
        return data
    cleaned = {key: _without_empty(value) for key, value in data.items()}
    return {key: value for key, value in cleaned.items() if value != {}}


def _table(path: Sequence[str], entry: dict[str, Any], newline: str) -> str:
    """Return a table and those below it, as text."""
    values = {key: value for key, value in entry.items() if not isinstance(value, dict)}
    lines = [f"[{_header(path)}]", *(f"{_key(key)} = {_value(value)}" for key, value in values.items())]
    text = "".join(line + newline for line in lines)
    for key, value in entry.items():
        if isinstance(value, dict):
            text += newline + _table((*path, key), value, newline)
    return text


def _header(path: Sequence[str]) -> str:
    return ".".join(map(_key, path))


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    """Return a value as TOML: its strings are those of JSON, except for DEL."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_value(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str | bool | int | float):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    return str(value)  # a date, as it was
