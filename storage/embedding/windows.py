"""Cuts a text that is too long for the model into overlapping windows, where sentences or lines end."""

from collections.abc import Sequence

WINDOWS_MAX = 400
"""More than the densest text of 64 KiB needs; the rest of a longer one is found only by its words."""
WINDOW_TOKENS = 200
_OVERLAP = 0.15
_LEAST = 0.5
_SENTENCE_ENDS = frozenset(".!?…。！？")
_ANYWHERE, _WORD, _SENTENCE, _LINE = range(4)


def windows(text: str, tokens: Sequence[tuple[int, int]], tokens_max: int) -> list[tuple[int, int]]:
    """Return windows of at most WINDOW_TOKENS, by characters, that cover the text; one if it is within `tokens_max`.

    `tokens` gives the range of each token in the text. A window ends behind the last line in its second half, else
    behind the last sentence, else behind a word; the next one begins up to 30 tokens before that end. There are at most
    WINDOWS_MAX.
    """
    if len(tokens) <= tokens_max:
        return [(0, len(text))]
    size = min(WINDOW_TOKENS, tokens_max)
    found: list[tuple[int, int]] = []
    first = 0
    while len(found) < WINDOWS_MAX:
        begin = tokens[first][0] if found else 0
        if first + size >= len(tokens):
            found.append((begin, len(text)))
            break
        end = _best_cut(text, tokens, range(first + size, first + int(size * _LEAST), -1))
        found.append((begin, tokens[end][0]))
        # The overlap is whole sentences if some fit, the most that do.
        first = _best_cut(text, tokens, range(end - int(size * _OVERLAP), end))
    return found


def _best_cut(text: str, tokens: Sequence[tuple[int, int]], places: range) -> int:
    """Return the first of the best places to cut before; a window needs at least one."""
    return max(places, key=lambda place: _quality(text, tokens[place - 1], tokens[place]), default=places.start)


def _quality(text: str, before: tuple[int, int], after: tuple[int, int]) -> int:
    """Return what ends between two tokens: a line, a sentence, a word, or nothing."""
    between = text[before[1] : after[0]]
    if "\n" in between:
        return _LINE
    ended = text[before[0] : before[1]].endswith(tuple(_SENTENCE_ENDS))
    if ended and (between or not text[before[0] : before[1]].isascii()):
        return _SENTENCE
    return _WORD if between else _ANYWHERE
