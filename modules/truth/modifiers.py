"""What a word is told apart by: the telling word that stands right before it."""

import re
from collections.abc import Mapping
from itertools import pairwise

_LIGHT = frozenset(
    """the and for her his its our their has have had was were are that this with from now into onto over under off out
    own old use uses used more most very still just been gets get got keep keeps run runs new""".split()
)


def word_pairs(text: str) -> dict[str, frozenset[str]]:
    """By each word in small letters the telling words that stand right before it."""
    words = re.findall(r"[A-Za-z][A-Za-z'-]*|\d+", text)
    found: dict[str, set[str]] = {}
    for first, second in pairwise(words):
        if second.islower() and len(second) > 3 and first.islower() and len(first) > 2 and first not in _LIGHT:
            found.setdefault(second, set()).add(first)
    return {word: frozenset(befores) for word, befores in found.items()}


def modified_otherwise(one: Mapping[str, frozenset[str]], other: Mapping[str, frozenset[str]], subject: str) -> bool:
    """Whether both use a word with another one before it: a private phone, a company phone."""
    return any(not one[word] & other[word] for word in one.keys() & other.keys() if word not in subject)
