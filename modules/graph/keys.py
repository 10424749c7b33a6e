"""Keys: labels normalised for comparison, without case, diacritics and surrounding punctuation."""

import re
import unicodedata
from collections.abc import Sequence

MAX_WORDS = 64
MAX_PHRASE = 6

_STROKES = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ı": "i", "ŧ": "t", "æ": "ae", "œ": "oe", "þ": "th"})
"""Letters that Unicode does not decompose."""
_EDGES = " \t\n\"'`“”‘’«»,;:!?()[]{}<>*"
_SPEAKERS_OWN = dict.fromkeys(("i", "me", "my", "mine", "myself"), "user") | dict.fromkeys(
    ("we", "us", "our", "ours"), "project"
)
"""The entity that a speaker's pronouns refer to."""
_WORD = re.compile(r"(?<![@./:\\-])(?:[@./:\\-]*+[\w+#]++)++")
_SPACE = re.compile(r"\s+")
_POSSESSIVE = re.compile(r"['’]s$")


def key(label: str) -> str:
    """Return the normalised form of a label: "Café de Flore", "CAFE DE FLORE" and "Cafe  de Flore's" have one key.

    Never empty if the label has a letter or a digit.
    """
    stripped = _POSSESSIVE.sub("", label.strip(_EDGES).rstrip(_EDGES + "."))
    folded = unicodedata.normalize("NFKD", stripped.casefold().translate(_STROKES))
    # Only diacritics are removed: the vowel signs of Indic and Semitic scripts are part of their words.
    plain = "".join(character for character in folded if not "\u0300" <= character <= "\u036f")
    return _SPACE.sub(" ", unicodedata.normalize("NFC", plain)).strip()


def phrases(query: str) -> list[str]:
    """Return the distinct keys that a query may name: runs of 1 to MAX_PHRASE of its first MAX_WORDS words."""
    words = [key(word) for word in _WORD.findall(query.replace("’", "'").replace("'s", " "))[:MAX_WORDS]]
    words = [word for word in words if word]
    found = {key(query): None} if len(words) <= MAX_PHRASE else {}
    for length in range(min(MAX_PHRASE, len(words)), 0, -1):
        for begin in range(len(words) - length + 1):
            found.setdefault(" ".join(words[begin : begin + length]))
    found |= {spoken_of: None for word in words if (spoken_of := _SPEAKERS_OWN.get(word))}
    return [phrase for phrase in found if phrase]


def outermost(found: Sequence[str]) -> set[str]:
    """Return the keys in `found` that are not part of a longer one: a query for Maria Silva is not one for Silva."""
    padded = {each: f" {each} " for each in found}
    return {
        each for each in found if not any(padded[each] in other for longer, other in padded.items() if longer != each)
    }
