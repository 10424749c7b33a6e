"""YAML: one member is inserted into or removed from a mapping of a file; every other byte stays."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ....modules.records import dataclass
from .documents import Edit, Facts, Unreadable, lacks, merged, newline_of, separator_after

INDENT = 2
MAX_NODES = 100_000
"""How much a file of settings may hold, repeated references counted each time: what compares it walks all of it."""
_PLAIN_KEY = re.compile(r"(?!(?i:y|n|yes|no|on|off|true|false|null)$)[A-Za-z_][\w-]*", re.ASCII)
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_EMPTY = " {}"
"""What is put behind the name of a mapping whose only member was ours, where nothing says what was there before."""


@dataclass(frozen=True)
class YamlMember:
    """The member at `path` of nested mappings, as `("mcp_servers", "agentos")`, written one key a line."""

    path: tuple[str, ...]

    def entry(self, text: str) -> Any | None:
        """Return the value of the member; None where there is none. Raises Unreadable."""
        data = _data(text)
        for depth, key in enumerate(self.path):
            if data is None:
                return None
            if not isinstance(data, dict):
                raise Unreadable(f"{'.'.join(self.path[:depth]) or 'the file'} is not a mapping")
            data = data.get(key)
        return data

    def put(self, text: str, wanted: Any) -> Edit:
        """Insert the member, or change what it lacks. Raises Unreadable."""
        present = self.entry(text)
        expected = _apart(_data(text)) or {}
        holder = expected
        for key in self.path[:-1]:
            if holder.get(key) is None:
                holder[key] = {}
            holder = holder[key]
        holder[self.path[-1]] = merged(present, wanted)
        edit = self._inserted(text, wanted) if present is None else Edit(self._completed(text, present, wanted))
        if _parsed(edit.text) != expected:
            raise self.by_hand()
        return edit

    def remove(self, text: str, facts: Facts) -> str:
        """Remove the member, and the mappings that `put` made for it if nothing else is in them. Raises Unreadable."""
        if self.entry(text) is None:
            return text
        expected = _apart(_data(text))
        holder, holders = expected, [expected]
        for key in self.path[:-1]:
            holder = holder[key]
            holders.append(holder)
        del holder[self.path[-1]]
        depth = len(self.path)
        made = int(facts.get("made", 0))
        while made and depth > 1 and not holders[depth - 1]:
            made, depth = made - 1, depth - 1
            del holders[depth - 1][self.path[depth - 1]]
        start, end = self.lines(text, self.path[:depth])
        before, after = text[:start], text[end:]
        if not made:  # else what stands before is the name of a mapping of ours that others now use too
            before = before.removesuffix(str(facts.get("separator", "")))
        if before and after and not (before.endswith("\n") or after.startswith(("\n", "\r"))):
            before += newline_of(text)
        left = before + after
        if depth > 1 and not holders[depth - 1]:
            _, value = _at(left, self.path[: depth - 1])
            at = value.start_mark.index
            left = left[:at] + str(facts.get("empty", _EMPTY)) + left[at:]
        if _without_empty(_parsed(left)) != _without_empty(expected):
            raise self.by_hand()
        return left

    def _inserted(self, text: str, wanted: Any) -> Edit:
        """Return the text with the member, behind the others of the deepest mapping that is there already."""
        newline, depth = newline_of(text), 0
        holder = _root(text)
        while depth < len(self.path) - 1 and (below := _member(holder, self.path[depth])) is not None:
            holder, depth = below[1], depth + 1
        facts: dict[str, Any] = {"made": len(self.path) - 1 - depth}
        if depth == 0:
            indent = holder.start_mark.column if _is_block(holder) else 0
            at, lead = len(text), separator_after(text)
        else:
            key, _ = _at(text, self.path[:depth])
            if not _is_block(holder):
                if holder.value:
                    raise self.by_hand()
                indent, facts["empty"] = key.start_mark.column + INDENT, _between(text, key, holder)
                text = _without(text, key, holder)
                key, holder = _at(text, self.path[:depth])
            else:
                indent = holder.value[0][0].start_mark.column
            at = max(_end_of_lines(text, holder), _end_of_line(text, key.end_mark.index))
            lead = "" if text[:at].endswith("\n") else newline
        facts["separator"] = lead
        block = _block(self.path[depth:], wanted, indent, newline)
        return Edit(text[:at] + lead + block + text[at:], facts)

    def _completed(self, text: str, present: Any, wanted: Any) -> str:
        """Return the text with what the member lacks, key by key."""
        if not (isinstance(present, dict) and isinstance(wanted, dict)):
            return replaced(text, self.lines(text, self.path), self.path, wanted, self.column(text))
        for name, value in wanted.items():
            if not lacks(present.get(name), value):
                continue
            path = (*self.path, name)
            if name not in present:
                text = YamlMember(path)._inserted(text, value).text
                continue
            merged_value = merged(present[name], value)
            text = replaced(text, self.lines(text, path), path, merged_value, YamlMember(path).column(text))
        return text

    def column(self, text: str) -> int:
        """Return the indentation of a member that is there. Raises Unreadable."""
        key, _ = _at(text, self.path)
        return int(key.start_mark.column)

    def lines(self, text: str, path: Sequence[str]) -> tuple[int, int]:
        """Return where the lines of a member begin and end. Raises Unreadable where it shares one with others."""
        key, value = _at(text, path)
        start = text.rfind("\n", 0, key.start_mark.index) + 1
        if text[start : key.start_mark.index].strip():
            raise self.by_hand()
        return start, max(_end_of_lines(text, value), _end_of_line(text, key.end_mark.index))

    def by_hand(self) -> Unreadable:
        """Return the refusal of what cannot be edited safely."""
        return Unreadable(f"{'.'.join(self.path)} is in a form that setup cannot edit; change it by hand")


def _data(text: str) -> Any:
    """Return what a text holds. Raises Unreadable."""
    import yaml

    try:
        _root(text)
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise Unreadable(_error_message(error)) from error
    except (RecursionError, ValueError) as error:  # a date that is none is a ValueError
        raise Unreadable("it is nested too deeply" if isinstance(error, RecursionError) else str(error)) from error


def _apart(data: Any) -> Any:
    """Return a copy in which what an alias names is another thing: a change of one must not be a change of both."""
    if isinstance(data, dict):
        return {key: _apart(value) for key, value in data.items()}
    return [_apart(value) for value in data] if isinstance(data, list) else data


def _root(text: str) -> Any:
    """Return the nodes of a text with their places. Raises Unreadable."""
    import yaml

    try:
        root = yaml.compose(text, yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise Unreadable(_error_message(error)) from error
    except RecursionError as error:
        raise Unreadable("it is nested too deeply") from error
    waiting, seen = [root], 0
    while waiting:
        node, seen = waiting.pop(), seen + 1
        if seen > MAX_NODES:
            raise Unreadable("it is too large")
        for below in node.value if isinstance(node, yaml.CollectionNode) else ():
            waiting += below if isinstance(below, tuple) else (below,)
    return root


def _error_message(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
    return problem if mark is None else f"line {mark.line + 1}: {problem}"


def _parsed(text: str) -> Any:
    """Return the data of an edited text; None where the edit broke it or nothing is left."""
    try:
        return _data(text)
    except Unreadable:
        return None


def _member(node: Any, key: str) -> tuple[Any, Any] | None:
    """Return the nodes of a member's name and value; None where there is none. Raises Unreadable."""
    import yaml

    found = [pair for pair in node.value if pair[0].value == key] if isinstance(node, yaml.MappingNode) else []
    if len(found) > 1:
        raise Unreadable(f"{key} is there twice")
    return found[0] if found else None


def _at(text: str, path: Sequence[str]) -> tuple[Any, Any]:
    """Return the nodes of the name and the value of a member that is there. Raises Unreadable."""
    node, found = _root(text), None
    for key in path:
        found = _member(node, key)
        if found is None:  # it comes from elsewhere in the file, by a merge
            raise Unreadable(f"{'.'.join(path)} is in a form that setup cannot edit; change it by hand")
        node = found[1]
    assert found is not None
    return found


def _is_block(node: Any) -> bool:
    """Return whether a node is a mapping of one member a line, with at least one."""
    import yaml

    return isinstance(node, yaml.MappingNode) and not node.flow_style and bool(node.value)


def _between(text: str, key: Any, value: Any) -> str:
    """Return what stands behind the colon of a name up to the end of its value."""
    colon = text.index(":", key.end_mark.index)
    return text[colon + 1 : value.end_mark.index]


def _without(text: str, key: Any, value: Any) -> str:
    """Return the text without a value that stands behind its name."""
    colon = text.index(":", key.end_mark.index)
    return text[: colon + 1] + text[max(colon + 1, value.end_mark.index) :]


def _end_of_lines(text: str, node: Any) -> int:
    """Return where the line ends on which the last thing in a node stands."""
    import yaml

    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    return _end_of_line(text, len(text[: node.end_mark.index].rstrip()))


def _end_of_line(text: str, at: int) -> int:
    newline = text.find("\n", at)
    return len(text) if newline < 0 else newline + 1


def replaced(text: str, lines: tuple[int, int], path: Sequence[str], value: Any, indent: int) -> str:
    """Return the text with a member written anew in the place of its lines."""
    start, end = lines
    block = _block(path[-1:], value, indent, newline_of(text))
    return text[:start] + (block if text[:end].endswith("\n") else block.rstrip("\r\n")) + text[end:]


def _block(path: Sequence[str], value: Any, indent: int, newline: str) -> str:
    """Return a member as lines, each with its line end."""
    key, *below = path
    if below:
        value = {below[0]: value} if len(below) == 1 else _nested(below, value)
    name = " " * indent + _key(key) + ":"
    if isinstance(value, Mapping) and value:
        lines = (_block((inner,), each, indent + INDENT, newline) for inner, each in value.items())
        return name + newline + "".join(lines)
    return f"{name} {_value(value)}{newline}"


def _nested(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _key(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    """Return a value on one line: JSON, which YAML is able to read once its line ends of its own are escaped."""
    encoded = json.dumps(value, ensure_ascii=False, default=str)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", encoded)


def _without_empty(data: Any) -> Any:
    """Return mappings without empty members, since what is removed may leave a mapping empty or nothing."""
    if not isinstance(data, dict):
        return data
    cleaned = {key: _without_empty(value) for key, value in data.items()}
    return {key: value for key, value in cleaned.items() if value not in ({}, None)} or None
