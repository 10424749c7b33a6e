"""JSON with or without comments: a member is put into or removed from an object or array; every other byte stays."""

import copy
import json
import re
from collections.abc import Sequence
from typing import Any

from ....modules.records import dataclass
from .documents import Edit, Facts, Unreadable, lacks, merged, newline_of

_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.S)
_REST_OF_LINE = re.compile(r"(?:[ \t]*/\*(?:(?!\*/)[^\n])*\*/)*+(?:[ \t]*+//[^\r\n]*+)?(?=[ \t]*\r?\n)")
_DECODER = json.JSONDecoder()

Key = str | int
"""The name of an object's member, or the place of an array's."""


@dataclass(frozen=True)
class JsonNode:
    """A value and its range in the text; it has `members` only if it is a container on the requested path."""

    start: int
    end: int
    value: Any
    members: "tuple[Member, ...]" = ()


@dataclass(frozen=True)
class Member:
    """A member of an object or array: its name or place, where it starts, and its value."""

    key: Key
    start: int
    node: JsonNode


@dataclass(frozen=True)
class JsonMember:
    """The member at `path`, as `("mcpServers", "agentos")`, or `("hooks", "Stop", 0)` for the first of an array.

    A member is inserted into an array only behind its last one; containers created on the way to it are objects, and an
    array must be there already.
    """

    path: tuple[Key, ...]

    def entry(self, text: str) -> Any | None:
        """Return the value of the member; None where there is none. Raises Unreadable."""
        node = _found(_root(text, self.path), self.path)
        return None if node is None else node.value

    def put(self, text: str, wanted: Any) -> Edit:
        """Insert the member behind the last one of its object, or change what it lacks. Raises Unreadable."""
        root = _root(text, self.path)
        if root is None:
            return _verified(_begun(text, self.path, wanted), _nested(self.path, wanted))
        expected = copy.deepcopy(root.value)
        _assign(expected, self.path, merged(self.entry(text), wanted))
        present = _found(root, self.path)
        if present is not None:
            return _verified(Edit(_completed(text, self.path, present.value, wanted)), expected)
        depth = next(n for n in range(len(self.path) - 1, -1, -1) if _found(root, self.path[:n]) is not None)
        return _verified(_inserted(text, self.path[:depth], self.path[depth:], wanted), expected)

    def remove(self, text: str, facts: Facts) -> str:
        """Remove the member, and the objects that were created for it. Raises Unreadable."""
        root = _root(text, self.path)
        if root is None or _found(root, self.path) is None:
            return text
        expected = copy.deepcopy(root.value)
        made = int(facts.get("made", 0))
        for depth in range(len(self.path), len(self.path) - made - 1, -1):
            if depth < len(self.path) and _at(text, self.path[:depth]).members:
                break  # someone else uses it by now
            interior = facts.get("interior") if depth == len(self.path) - made else None
            text = _without(text, self.path[:depth], interior)
            _delete(expected, self.path[:depth])
        left = _root_of(text)
        if left.value != expected:
            raise Unreadable("it cannot be edited safely; remove the entry by hand")
        outside = text[: left.start].strip() + text[left.end :].strip()
        if "blank" in facts and not left.members and outside == facts["blank"].strip():
            return str(facts["blank"])
        return text


def _begun(text: str, path: Sequence[Key], wanted: Any) -> Edit:
    """Return a new document, where there was none except perhaps comments."""
    newline = newline_of(text)
    start = text if not text.strip() or text.endswith("\n") else text + newline
    written = json.dumps(_nested(path, wanted), indent=2, ensure_ascii=False).replace("\n", newline)
    return Edit((start if text.strip() else "") + written + newline, {"blank": text, "made": len(path) - 1})


def _inserted(text: str, holder: tuple[Key, ...], path: tuple[Key, ...], wanted: Any) -> Edit:
    node = _at(text, holder)
    if not isinstance(node.value, list if isinstance(path[0], int) else dict):
        raise Unreadable(f"{_name(holder) or 'its content'} is not an {_kind(path[0])}")
    value = _nested(path[1:], wanted)
    facts: dict[str, Any] = {"made": len(path) - 1}
    newline = newline_of(text)
    if not node.members:
        interior = text[node.start + 1 : node.end - 1]
        outer = _indentation(text, node.start)
        inner = outer + _unit(text)
        written = newline + inner + _member(path[0], value, inner, _unit(text), newline)
        body = interior.rstrip() + written + newline + outer
        return Edit(text[: node.start + 1] + body + text[node.end - 1 :], {**facts, "interior": interior})
    last = node.members[-1]
    comma = _comma(text, last.node.end)
    if "\n" in text[node.start : node.members[0].start]:
        indentation = _indentation(text, last.start)
        written = newline + indentation + _member(path[0], value, indentation, _unit(text), newline)
    else:
        loose = re.match(r'"(?:[^"\\]|\\.)*"\s*:\s', text[last.start :]) or isinstance(path[0], int)
        separators = (", ", ": ") if loose else (",", ":")
        written = separators[0][1:] + _brief(path[0], value, separators)
    anchor = last.node.end if comma is None else comma + 1
    rest = _REST_OF_LINE.match(text, anchor) if "\n" in written else None
    place = anchor if rest is None else rest.end()
    head = text[:place] if comma is not None else text[:anchor] + "," + text[anchor:place]
    return Edit(head + written + ("" if comma is None else ",") + text[place:], facts)


def _completed(text: str, path: tuple[Key, ...], entry: Any, wanted: Any) -> str:
    """Return the text with what the entry lacks, key by key."""
    if not (isinstance(wanted, dict) and isinstance(entry, dict)):
        node = _at(text, path)
        indentation = _indentation(text, node.start)
        written = _written(wanted, indentation, _unit(text), newline_of(text))
        return text[: node.start] + written + text[node.end :]
    for name, value in wanted.items():
        if name not in entry:
            text = _inserted(text, path, (name,), value).text
        elif lacks(entry[name], value):
            text = _completed(text, (*path, name), entry[name], value)
    return text


def _without(text: str, path: tuple[Key, ...], interior: str | None) -> str:
    """Return the text without one member; `interior` is the content of its object before, when it was empty."""
    holder = _at(text, path[:-1])
    index = next(i for i, member in enumerate(holder.members) if member.key == path[-1])
    member = holder.members[index]
    start = len(text[: member.start].rstrip())
    comma = _comma(text, member.node.end)
    end = member.node.end if comma is None else comma + 1
    if len(holder.members) == 1:
        rest = text[holder.start + 1 : start] + text[end : holder.end - 1]
        if interior is not None and rest.strip() == interior.strip():
            rest = interior
        elif not rest.strip():
            rest = ""
        return text[: holder.start + 1] + rest + text[holder.end - 1 :]
    if index == len(holder.members) - 1 and comma is None:
        before = _comma(text, holder.members[index - 1].node.end)
        if before is None:
            raise Unreadable("a comma is missing")
        return text[:before] + text[before + 1 : max(start, before + 1)] + text[end:]
    return text[:start] + text[end:]


def _verified(edit: Edit, expected: Any) -> Edit:
    if _root_of(edit.text).value != expected:
        raise Unreadable("it cannot be edited safely; add the entry by hand")
    return edit


# Reading


def _root(text: str, path: Sequence[Key]) -> JsonNode | None:
    """Return the document, with members along `path`; None for only space and comments. Raises Unreadable."""
    start = _skip(text, 0)
    if start == len(text):
        return None
    try:
        node = _node(text, start, path)
    except RecursionError as error:
        raise Unreadable("it is nested too deeply") from error
    rest = _skip(text, node.end)
    if rest != len(text):
        raise Unreadable(f"{_where(text, rest)}: unexpected text after the end")
    if not isinstance(node.value, dict):
        raise Unreadable("its content is not an object")
    return node


def _root_of(text: str) -> JsonNode:
    root = _root(text, ())
    if root is None:
        raise Unreadable("it is empty")
    return root


def _node(text: str, start: int, path: Sequence[Key] | None) -> JsonNode:
    """Return the value that starts here; with None for `path`, without its members."""
    if text[start : start + 1] not in ("{", "["):
        return _scalar(text, start)
    if path is None:
        try:
            value, end = _DECODER.raw_decode(text, start)  # many times faster, and mostly there are no comments
        except ValueError:
            pass
        else:
            return JsonNode(start, end, value)
    return _object(text, start, path) if text[start] == "{" else _array(text, start, path)


def _scalar(text: str, start: int) -> JsonNode:
    try:
        value, end = _DECODER.raw_decode(text, start)
    except ValueError as error:
        raise Unreadable(f"{_where(text, start)}: expected a value") from error
    return JsonNode(start, end, value)


def _object(text: str, start: int, path: Sequence[Key] | None) -> JsonNode:
    members: list[Member] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != "}":
        if text[at : at + 1] != '"':
            raise Unreadable(f"{_where(text, at)}: a name in quotes or }} is expected")
        name = _scalar(text, at)
        colon = _skip(text, name.end)
        if text[colon : colon + 1] != ":":
            raise Unreadable(f"{_where(text, colon)}: expected a colon")
        value = _node(text, _skip(text, colon + 1), path[1:] if path and name.value == path[0] else None)
        members.append(Member(name.value, at, value))
        at = _next(text, value.end, "}")
    return JsonNode(start, at + 1, {member.key: member.node.value for member in members}, tuple(members))


def _array(text: str, start: int, path: Sequence[Key] | None) -> JsonNode:
    members: list[Member] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != "]":
        value = _node(text, at, path[1:] if path and path[0] == len(members) else None)
        members.append(Member(len(members), at, value))
        at = _next(text, value.end, "]")
    return JsonNode(start, at + 1, [member.node.value for member in members], tuple(members))


def _next(text: str, end: int, closing: str) -> int:
    """Return where the next member or the closing bracket begins; a comma before the bracket is tolerated."""
    at = _skip(text, end)
    if text[at : at + 1] == ",":
        return _skip(text, at + 1)
    if text[at : at + 1] != closing:
        raise Unreadable(f"{_where(text, at)}: expected a comma or {closing}")
    return at


def _skip(text: str, at: int) -> int:
    match = _TRIVIA.match(text, at)
    return at if match is None else match.end()


def _comma(text: str, at: int) -> int | None:
    """Return where the comma after a value is, or None."""
    at = _skip(text, at)
    return at if text[at : at + 1] == "," else None


def _found(root: JsonNode | None, path: Sequence[Key]) -> JsonNode | None:
    node = root
    for depth, key in enumerate(path):
        if node is None:
            return None
        if not isinstance(node.value, list if isinstance(key, int) else dict):
            raise Unreadable(f"{_name(path[:depth])} is not an {_kind(key)}")
        matches = [member.node for member in node.members if member.key == key]
        if len(matches) > 1:
            raise Unreadable(f"{_name(path[: depth + 1])} is there twice")
        node = matches[0] if matches else None
    return node


def _at(text: str, path: Sequence[Key]) -> JsonNode:
    node = _found(_root(text, path), path)
    if node is None:
        raise Unreadable(f"{_name(path)} is missing")
    return node


def _name(path: Sequence[Key]) -> str:
    return ".".join(map(str, path))


def _kind(key: Key) -> str:
    return "array" if isinstance(key, int) else "object"


def _where(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at) + 1}"


# Writing


def _nested(path: Sequence[Key], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _assign(data: Any, path: Sequence[Key], value: Any) -> None:
    for key in path[:-1]:
        data = data[key] if isinstance(key, int) else data.setdefault(key, {})
        if not isinstance(data, dict | list):
            raise Unreadable(f"{key} is not an object")
    if isinstance(data, list) and path[-1] == len(data):
        data.append(value)
    else:
        data[path[-1]] = value


def _delete(data: Any, path: Sequence[Key]) -> None:
    for key in path[:-1]:
        data = data[key]
    del data[path[-1]]


def _indentation(text: str, at: int) -> str:
    """Return the space at the beginning of the line that holds a place."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str) -> str:
    """Return the step of indentation, from the first member of the document."""
    root = _root_of(text)
    if root.members and "\n" in text[root.start : root.members[0].start]:
        outer, inner = _indentation(text, root.start), _indentation(text, root.members[0].start)
        return inner.removeprefix(outer) or "  "
    return "  "


def _member(key: Key, value: Any, indentation: str, unit: str, newline: str) -> str:
    written = _written(value, indentation, unit, newline)
    return written if isinstance(key, int) else f"{json.dumps(key)}: {written}"


def _brief(key: Key, value: Any, separators: tuple[str, str]) -> str:
    """Return a member on one line."""
    holder = [value] if isinstance(key, int) else {key: value}
    return json.dumps(holder, ensure_ascii=False, separators=separators)[1:-1]


def _written(value: Any, indentation: str, unit: str, newline: str) -> str:
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline + indentation)
