"""Excerpts: the stretch of a long content that answers a query by its words."""

from collections import Counter
from collections.abc import Sequence

from ..text.scripts import beginning_with, in_places

MAX_CHARS = 1_000
"""The longest excerpt."""
STRETCH_CHARS = 498
"""The longest stretch of an excerpt that a model is shown, with "…" at both its ends."""
_STEM_CHARS = 5


def excerpt(content: str, words: Sequence[str], passage: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return the characters of a content to show, within the passage that was found, if any; None to show all."""
    if passage is not None and passage[1] > len(content):  # it was shortened meanwhile
        passage = None
    if passage is None and len(content) <= MAX_CHARS:
        return None
    return best_excerpt(content, words, passage)


def stretch(content: str, words: Sequence[str], passage: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return the characters of a passage, or of all of a content, that a model is shown; None for all of it."""
    begin, end = passage or (0, len(content))
    return best_excerpt(content, words, (begin, end), STRETCH_CHARS) if end - begin > STRETCH_CHARS else None


def marked(content: str, begin: int, end: int) -> str:
    """Return the characters of a content, with "…" where it goes on."""
    return f"{'…' if begin else ''}{content[begin:end]}{'…' if end < len(content) else ''}"


def best_excerpt(
    content: str, words: Sequence[str], within: tuple[int, int] | None = None, max_chars: int = MAX_CHARS
) -> tuple[int, int]:
    """Return the characters of the stretch, at most `max_chars` long, that holds the most of a query's words.

    Each word counts once, and by its beginning, so that "runs" meets "running"; of equal stretches the one that has
    them closest together is taken, and of those the first. `within` bounds it to a passage that was found elsewhere.
    """
    begin, end = within or (0, len(content))
    if end - begin <= max_chars:
        return begin, end
    first, last = _richest(content, {word.lower()[:_STEM_CHARS] for word in words}, begin, end, max_chars)
    room = max_chars - (last - first)
    start = min(max(begin, first - room // 2), end - max_chars)
    if start > begin:  # not in the middle of a word
        cut = next((place for place in range(start, first) if content[place].isspace()), start - 1)
        start = cut + 1
    return start, start + max_chars if start + max_chars < end else end


def _richest(content: str, stems: set[str], begin: int, end: int, max_chars: int) -> tuple[int, int]:
    """Return the characters from the first to the last word of the shortest stretch with the most different words."""
    text, places = in_places(content[begin:end])
    words = beginning_with(sorted(stems, key=len, reverse=True), text)
    held: Counter[str] = Counter()
    window: list[tuple[int, int, str]] = []
    oldest, most, found = 0, 0, (begin, begin)
    for match in words.finditer(text):
        stem = match.group()[:_STEM_CHARS]
        if stem not in stems:
            continue
        first, last = begin + places[match.start()], begin + places[match.end()]
        window.append((first, min(last, first + max_chars), stem))
        held[stem] += 1
        while held[window[oldest][2]] > 1 or window[-1][1] - window[oldest][0] > max_chars:
            gone = window[oldest][2]
            held[gone] -= 1
            if not held[gone]:
                del held[gone]
            oldest += 1
        stretch_found = window[oldest][0], window[-1][1]
        if len(held) > most or (len(held) == most and _length(stretch_found) < _length(found)):
            most, found = len(held), stretch_found
    return found


def _length(places: tuple[int, int]) -> int:
    return places[1] - places[0]
