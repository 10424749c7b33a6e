"""Differences: what two texts share and where they differ, in any language. Pure.

Two statements of which one replaces the other begin alike and differ in one place, the value; two that both hold differ
in what they are about as well, which most languages say first. A statement of a change is longer than what it changes.
"""

import math
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

ALIKE_BEGINNING = 4
"""The characters at which two forms of one word begin alike."""
LONGEST, NUMBER, IDEOGRAM, KANA = 8, 4.0, 1.5, 0.5
"""The most that a word weighs, by its length, and what a number and one character of a script without spaces weigh."""
MOST_PLACES = 3
MAX_CHARS = 600
"""The characters of a text that are compared."""

_HAN, _HIRAGANA, _KATAKANA = "㐀-鿿", "぀-ゟ", "゠-ヿ"
_WORDS = re.compile(
    rf"[{_HAN}]|[{_HIRAGANA}]|[{_KATAKANA}]+|\d+(?:[.,:/-]\d+)*|[a-z_](?:[a-z\d_.@-]*[a-z\d_])?"
    rf"|[^\W\d_a-z{_HAN}{_HIRAGANA}{_KATAKANA}]+|[^\W\d_{_HAN}{_HIRAGANA}{_KATAKANA}]+"
)
"""Words and codes; where no spaces part them, single characters, and runs of katakana."""


def differences(older: str, newer: str, cosine: float) -> dict[str, float]:
    """Return features of the pair, of 0..1 but where said otherwise.

    `kept_first` and `kept_last`: the share of the first and of the last half of the older text that the newer one has.
    `known_last`: the share of the newer one's last half that the older one has. `kept_cosine`: what is kept at all,
    times the cosine. `more_places`: whether words stand in the place of others more than once. `places`: the number of
    places with new words. `longer`: the logarithm of the ratio of lengths, -1..1. `same_unit`: whether another number
    stands beside a word that one stood beside. `first_number`, `no_number`: a number came where there was none, or the
    older one's is gone.
    """
    older, newer = older[:MAX_CHARS], newer[:MAX_CHARS]
    one, other = (_WORDS.findall(text.casefold()) for text in (older, newer))
    kept, known = _are_in(one, other), _are_in(other, one)
    steps = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    half, half_of_other = len(one) // 2 or 1, len(other) // 2 or 1
    gone = [(before, after) for number, before, after in _numbers(one) if number not in other]
    came = [(before, after) for number, before, after in _numbers(other) if number not in one]
    had_one = any(word[0].isdigit() for word in one)
    return {
        "cosine": cosine,
        "kept_first": _share(one[:half], kept[:half]),
        "kept_last": _share(one[half:], kept[half:]),
        "known_last": _share(other[half_of_other:], known[half_of_other:]),
        "kept_cosine": _share(one, kept) * cosine,
        "more_places": float(sum(kind == "replace" for kind, *_ in steps) > 1),
        "places": float(min(MOST_PLACES, sum(not now and before for before, now in pairwise([True, *known])))),
        "longer": max(-1.0, min(1.0, math.log(max(1, len(newer)) / max(1, len(older))))),
        "same_unit": float(any(a and a == b for was in gone for now in came for a, b in zip(was, now, strict=True))),
        "first_number": float(bool(came) and not had_one),
        "no_number": float(bool(gone) and not came),
    }


def _numbers(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield each number with the words beside it; "" where there is none."""
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word[0].isdigit():
            yield word, before, after


def _are_in(words: Sequence[str], others: Sequence[str]) -> list[bool]:
    """Return for each word whether the others have it, or another form of it."""
    beginnings = {_beginning(word) for word in others}
    return [_beginning(word) in beginnings for word in words]


def _beginning(word: str) -> str:
    return word if word[0].isdigit() else word[:ALIKE_BEGINNING]


def _weight(word: str) -> float:
    if word[0].isdigit():
        return NUMBER
    if len(word) == 1 and _HAN[0] <= word <= _HAN[-1]:
        return IDEOGRAM
    return KANA if len(word) == 1 and _HIRAGANA[0] <= word <= _HIRAGANA[-1] else min(len(word), LONGEST)


def _share(words: Sequence[str], chosen: Sequence[bool]) -> float:
    whole = sum(map(_weight, words))
    found = sum(_weight(word) for word, is_chosen in zip(words, chosen, strict=True) if is_chosen)
    return found / whole if whole else 1.0
