"""Canonical keys: dotted paths such as `work.employer`, and the slot attributes that they stand for."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ...modules import package_files
from ...modules.errors import InvalidInput
from ...modules.facts.slots import USER, canonical_slot

MAX_KEY_CHARS = 64
MAX_DEPTH = 3
_SPELLINGS = {"favorite": "favourite", "color": "colour", "center": "centre", "organization": "organisation"}
_SEGMENT = re.compile(r"[^\W_]+(?:_[^\W_]+)*")


def canonical_key(key: str) -> str:
    """Return a key's canonical form: `Work.Company`, `employer` and "line of work" are looked up in the table.

    A key that the table does not have stays as it is, in lower case with underscores. Raises InvalidInput.
    """
    segments = [_segment(segment) for segment in key.strip().lower().split(".")]
    canonical = ".".join(segments)
    if len(segments) > MAX_DEPTH or len(canonical) > MAX_KEY_CHARS:
        raise InvalidInput("key", f"may have at most {MAX_DEPTH} parts between dots and {MAX_KEY_CHARS} characters")
    if not all(_SEGMENT.fullmatch(segment) for segment in segments):
        raise InvalidInput("key", "must be words joined by dots and underscores, such as work.employer")
    if canonical in _attributes():
        return canonical
    named = _keys().get(_attribute(segments[-1]))
    if named is not None and (len(segments) == 1 or named.split(".")[0] == segments[0]):
        return named
    return key_of(_attribute(canonical)) or canonical


def attribute_of(key: str) -> str:
    """Return the attribute under which a canonical key is stored."""
    known = _attributes().get(key)
    return known[0] if known else key.replace("_", " ")


def attributes_of(key: str) -> tuple[str, ...]:
    """Return every attribute that a canonical key shows."""
    return _attributes().get(key) or (attribute_of(key),)


def key_of(attribute: str) -> str:
    """Return the canonical key under which an attribute is shown; "" if none can be made of it."""
    if attribute in _keys():
        return _keys()[attribute]
    if (spelt := " ".join(_SPELLINGS.get(word, word) for word in attribute.split())) in _keys():
        return _keys()[spelt]
    key = re.sub(r"_+", "_", re.sub(r"[^\w.]+", "_", attribute.lower())).strip("_.")
    return key if len(key) <= MAX_KEY_CHARS and key.count(".") < MAX_DEPTH else ""


def label_of(key: str) -> str:
    """Return a key in words, for a sentence: "employer", "favourite colour"."""
    return attribute_of(key).rsplit(".", 1)[-1] if key in _attributes() else key.replace(".", " ").replace("_", " ")


def holds_several(key: str) -> bool:
    """Return whether a canonical key has several values at a time."""
    return key in _table()["several"]


def _attribute(key: str) -> str:
    return canonical_slot(USER, key)[1]


def _segment(text: str) -> str:
    words = re.split(r"[\s_-]+", text.strip())
    return "_".join(_SPELLINGS.get(word, word) for word in words)


@cache
def _table() -> Mapping[str, Any]:
    import tomllib

    return tomllib.loads(package_files.text(Path(__file__).with_name("keys.toml")))


@cache
def _attributes() -> Mapping[str, tuple[str, ...]]:
    return {key: tuple(attributes) for key, attributes in _table()["keys"].items()}


@cache
def _keys() -> Mapping[str, str]:
    return {attribute: key for key, attributes in _attributes().items() for attribute in attributes}
