"""Cuts a text for a model of unknown window size: by characters, where lines, sentences or words end."""

import re

from .windows import WINDOWS_MAX

WINDOW_CHARACTERS = 800
"""About 200 tokens of English, which fit into the smallest windows of common models."""
_OVERLAP = 120
_ENDS = re.compile(r"[.!?…]['\"”’)\]]*\s+|[。！？]+\s*|\s+")
_ANYWHERE, _WORD, _SENTENCE, _LINE = range(4)


class CharacterWindows:
    """Windows by characters, for a model behind a server."""

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Return overlapping windows of at most WINDOW_CHARACTERS that cover the text; a shorter text is one.

        A window ends behind the last line in its second half, else behind the last sentence, else behind a word. There
        are at most WINDOWS_MAX.
        """
        found: list[tuple[int, int]] = []
        begin = 0
        while len(text) - begin > WINDOW_CHARACTERS and len(found) < WINDOWS_MAX:
            end = _best_cut(text, begin + WINDOW_CHARACTERS // 2, begin + WINDOW_CHARACTERS, last=True)
            found.append((begin, end))
            begin = _best_cut(text, end - _OVERLAP, end - 1, last=False)
        return found if len(found) == WINDOWS_MAX else [*found, (begin, len(text))]


def _best_cut(text: str, low: int, high: int, *, last: bool) -> int:
    """Return the character to cut before, from `low` to `high`: the last or the first of the best places."""
    places = [(high, _ANYWHERE)] if last else [(low, _ANYWHERE)]
    for match in _ENDS.finditer(text, max(low - 4, 0), high):
        if low <= match.end() <= high:
            places.append((match.end(), _quality(match)))
    best = max(quality for _, quality in places)
    chosen = [place for place, quality in places if quality == best]
    return max(chosen) if last else min(chosen)


def _quality(match: re.Match[str]) -> int:
    between = match.group()
    return _LINE if "\n" in between else _WORD if between.isspace() else _SENTENCE
