"""Lookalikes: letters of other scripts that are taken for Latin ones, and signs that nobody sees."""

import unicodedata

_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0501\u04bb\u0458\u0410\u0415\u041e\u0420\u0421\u0422\u0406\u03bf\u03bd"
    "\u0412\u041a\u041c\u041d\u0425\u0423\u0405\u0408\u051b\u051d\u04cf\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f"
    "\u03a1\u03a4\u03a5\u03a7\u03b1\u03b9\u0131\u0251\u0261",
    "aeopcyxisdhjAEOPCTIovBKMHXYSJqwlABEZHIKMNOPTYXaiiag",
)
"""Cyrillic, Greek and phonetic letters that look like Latin ones."""


def seen(text: str) -> str:
    """Return a text as a reader sees it: normalised (NFKC) and without invisible characters."""
    if text.isascii():
        return text
    folded = unicodedata.normalize("NFKC", text)
    hidden = {ord(character): None for character in set(folded) if unicodedata.category(character) == "Cf"}
    return folded.translate(hidden) if hidden else folded


def in_latin(text: str) -> str:
    """Return a text with letters of other scripts as the Latin ones that they look like."""
    return text if text.isascii() else text.translate(_LOOKALIKES)
