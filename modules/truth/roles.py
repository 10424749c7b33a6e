"""Roles of tools: which of one attribute may be used side by side, as workers and the broker between them."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from .comparison import canonical_value
from .lexicon import read_data


def differ_in_role(attribute: str, one: str, other: str) -> bool:
    """Whether two tools of one attribute do different work, or one of them is built on the other."""
    first, second = _name(one), _name(other)
    roles = _roles().get(attribute, {})
    known = roles.get(first, frozenset()), roles.get(second, frozenset())
    if known[0] and known[1] and not known[0] & known[1]:
        return True
    return second in _built_on().get(first, ()) or first in _built_on().get(second, ())


def _name(value: str) -> str:
    """A tool without its version."""
    return re.sub(r"(?: v?\d[\w.]*)+$", "", canonical_value(value))


@cache
def _roles() -> Mapping[str, Mapping[str, frozenset[str]]]:
    """The roles of each tool, by attribute."""
    data: Mapping[str, Mapping[str, list[str]]] = _data()["roles"]
    found: dict[str, dict[str, frozenset[str]]] = {}
    for attribute, roles in data.items():
        of_attribute = found.setdefault(attribute, {})
        for role, names in roles.items():
            for name in map(_name, names):
                of_attribute[name] = of_attribute.get(name, frozenset()) | {role}
    return found


@cache
def _built_on() -> Mapping[str, frozenset[str]]:
    data: Mapping[str, list[str]] = _data()["built_on"]
    return {_name(name): frozenset(map(_name, names)) for name, names in data.items()}


@cache
def _data() -> Mapping[str, Any]:
    return read_data("roles.toml")
