"""The sentences of a text."""

import re

MAX_CHARS = 1_500
"""The length at which a sentence, or a line without an end, is cut."""

_ABBREVIATED = ("Mr", "Mrs", "Ms", "Dr", "Prof", "St", "No", "vs", "e.g", "i.e", "approx", "Jr", "Sr", "Inc")
_SENTENCE_END = re.compile(
    r"(?<=[.!?…])" + "".join(rf"(?<!\b{re.escape(word)}\.)" for word in _ABBREVIATED) + r"(?<!\b[A-Z]\.)[\"'”’)\]]*\s+"
    r"|(?<=[。！？])|\n+"
)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in order; a line ends one too, and one without an end is cut at MAX_CHARS."""
    found: list[str] = []
    for part in _SENTENCE_END.split(text):
        part = part.strip()
        while part:
            end = len(part) if len(part) <= MAX_CHARS else (part.rfind(" ", 0, MAX_CHARS) + 1 or MAX_CHARS)
            found.append(part[:end].strip())
            part = part[end:].strip()
    return found
