"""Roles of tools: which of one attribute may be used side by side, as workers and the broker between them."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from .comparison import canonical_value
from .lexicon import by_name, read_data
from .marks import regex


def differ_in_role(attribute: str, one: str, other: str) -> bool:
    """Whether two tools of one attribute do different work, or one of them is built on the other."""
    first, second = _name(one), _name(other)
    roles = _roles().get(attribute, {})
    known = roles.get(first, frozenset()), roles.get(second, frozenset())
    if known[0] and known[1] and not known[0] & known[1]:
        return True
    return second in _built_on().get(first, ()) or first in _built_on().get(second, ())


def named_alike(attribute: str, one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two texts, each with its value, name the attribute itself, of which there is one.

    "The linter is ESLint", "Linter: ESLint", or one sentence of which the value alone changes: "Use Jest for tests".
    """
    named = [_named(attribute, text, value) for text, value in (one, other)]
    if named[0] and named[0] == named[1]:
        return True
    frames = {_frame(text, value) for text, value in (one, other)}
    return len(frames) == 1 and regex(_TELLS_WHAT_FOR).search(frames.pop()) is not None


_TELLS_WHAT_FOR = (
    r"\x00 (?:for|as) |\bprefers? \x00|\bfavou?rite\b|^(?:the|our|my) [\w' -]+ (?:is|are) (?:in )?\x00|"
    r"^(?:my|the user's) [\w ]+ is "
)
_OWNERS = (
    r"^(?:(?:the|our|my|their|his|her|its|[\w-]+'s|current|preferred|favou?rite|main|default|new|only|standard|"
    r"usual) )+"
)


def _frame(text: str, value: str) -> str:
    return text.lower().replace(value.lower(), "\x00", 1).rstrip(" .!") if value else ""


def _named(attribute: str, text: str, value: str) -> str:
    """The attribute as a text names it, without whose it is: "production web server"."""
    known = by_name().get(attribute)
    nouns = "|".join(re.escape(noun) for noun in (attribute, *(known.nouns if known else ())))
    match = regex(rf"(?P<what>[\w' -]*?(?:{nouns}))(?: ?[:=]| is| are)(?: now)? (?:an? |the )?\x00").fullmatch(
        _frame(text, value)
    )
    return regex(_OWNERS).sub("", match["what"]) if match else ""


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
