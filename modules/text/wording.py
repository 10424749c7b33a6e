"""The wording of English text made plain: straight quotes, contractions undone."""

import re

_STRAIGHT = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-", "`": None, "*": None})
_CONTRACTIONS = tuple(
    (re.compile(expression, re.IGNORECASE), plain)
    for expression, plain in (
        (r"\bwon't\b", "will not"),
        (r"\bcan(?:no|')t\b", "can not"),
        (r"n't\b", " not"),
        (r"\bI'm\b", "I am"),
        (r"'re\b", " are"),
        (r"'ve\b", " have"),
        (r"'ll\b", " will"),
        (r"\b(I|we|you|he|she|they)'d (?=rather|like|prefer|love)", r"\1 would "),
        (r"\b(it|that|there|who|what|where|here|he|she)'s (?=been|got|gone|moved|become|left|joined)", r"\1 has "),
        (r"\b(it|that|there|who|what|where|here|he|she)'s\b", r"\1 is"),
    )
)


def straightened(text: str) -> str:
    """Return a text as one line with plain quotes and dashes, single spaces, and without marks of emphasis."""
    return " ".join(text.translate(_STRAIGHT).split())


def contractions_undone(text: str) -> str:
    """Return a text with `I've` as "I have", `isn't` as "is not"; after a noun `'s` stays, a possessive or not."""
    if "'" in text or "cannot" in text.lower():
        for expression, plain in _CONTRACTIONS:
            text = expression.sub(plain, text)
    return text
