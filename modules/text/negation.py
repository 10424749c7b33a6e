"""The words by which a text denies something, in the languages that have few of them. Pure."""

import re

from .scripts import normal_form

_WORDS = frozenset(
    """
    not no never none nobody nothing neither nor without cannot hardly
    nicht kein keine keinen keinem keiner nie niemals ohne  ne pas jamais aucun aucune sans
    nunca sin tampoco ningun ninguna    non mai senza  nao sem  niet geen nooit zonder  не нет без никогда
    """.split()
)
_WORD = re.compile(r"[^\W\d_]+")
_CONTRACTED = re.compile(r"n['\u2019]t\b|\bn['\u2019](?=\w)")
_UNSPACED = re.compile("[不没沒無无]|ない|ません|なく")


def denials(text: str) -> int:
    """Return how often a text denies something: how many such words it has."""
    plain = normal_form(text)
    words = sum(word in _WORDS for word in _WORD.findall(plain))
    return words + len(_CONTRACTED.findall(text.lower())) + len(_UNSPACED.findall(text))


def is_negation(word: str) -> bool:
    """Return whether a word, in the form in which words are indexed, denies something."""
    return word in _WORDS
