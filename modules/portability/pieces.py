"""A text that is longer than a memory may be, in pieces: nothing of it is lost."""

from collections.abc import Iterator

SHARE = 0.9
"""Of what is allowed: markers in the place of secrets may be longer than these."""
_PARTED_BY = ("\n\n", "\n", ". ", " ")


def pieces(text: str, max_bytes: int) -> list[str]:
    """Return the text itself, or its pieces in order, each labelled; none has more than `max_bytes` of UTF-8."""
    if len(text.encode("utf-8", "replace")) <= max_bytes:
        return [text]
    parts = list(_cut(text, int(max_bytes * SHARE) // 4))
    return [f"{part}\n(part {number} of {len(parts)})" for number, part in enumerate(parts, start=1)]


def _cut(text: str, chars: int) -> Iterator[str]:
    """Pieces of at most so many characters, cut where a paragraph, a line, a sentence or a word ends."""
    at = 0
    while len(text) - at > chars:
        ends = (text.rfind(mark, at + chars // 2, at + chars) + len(mark) for mark in _PARTED_BY)
        end = next((end for mark, end in zip(_PARTED_BY, ends, strict=True) if end >= at + chars // 2 + len(mark)), 0)
        end = end or at + chars
        yield text[at:end].strip()
        at = end
    yield text[at:].strip()
