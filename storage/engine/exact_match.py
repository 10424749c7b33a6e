"""Score how well a text contains an exact term, the same on every engine."""

import asyncio
import re
from collections.abc import Callable, Sequence

from ...modules.text.scripts import indexed_words, normal_form, same_form
from .ports import Row

Matches = dict[str, tuple[int, float]]
"""The memories that contain a term, each with its number and how well the term fits."""
LOOKED_THROUGH = 200
"""The least number of the newest memories with a term to compare; a term in more of them tells little."""
MIN_PREFIX = 4
_LAST = "\U0010ffff"
WEAK_WEIGHT = 0.5
READ_AT_MOST = 4
"""How many memories with the words of a term are read, as a multiple of those that are wanted."""

AS_WRITTEN, LONGER, OTHER_CASE, LONGER_IN_OTHER_CASE = 1.0, 0.6, 0.7, 0.4
"""Scores of a match: as a word of its own, or as part of a longer one (`MAX_POOL` in `MAX_POOL_SIZE`), by case."""


def match(term: str, content: str) -> float:
    """Return the score of a match; width and composition of letters do not matter, case and accents do."""
    term, content = same_form(term), same_form(content)
    if term in content:
        return AS_WRITTEN if _alone(term).search(content) else LONGER
    term, content = normal_form(term), normal_form(content)
    return OTHER_CASE if _alone(term).search(content) else LONGER_IN_OTHER_CASE


async def looked_up_by(
    term: str, stems_of: Callable[[Sequence[str]], Sequence[Sequence[str]]]
) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Return the stems of a term's words but the last, and the conditions on that one: itself, then as a beginning.

    There are none where a term has no word that the index has.
    """
    inside = indexed_words(term)
    words = list(dict.fromkeys((await asyncio.to_thread(stems_of, [" ".join(inside)]))[0])) if inside else []
    if not words:
        return [], []
    conditions = [("w.word = ?", [words[-1]])]
    if len(inside[-1]) >= MIN_PREFIX and normal_form(term).endswith(inside[-1]):
        conditions.append(("w.word >= ? AND w.word < ?", [words[-1], words[-1] + _LAST]))
    return words[:-1], conditions


def having(term: str, rows: Sequence[Row], limit: int) -> Matches:
    """Return the matches of a term; of more than `limit` those that have it as written, and the newest."""
    form = normal_form(term)
    found = sorted(
        (row for row in rows if form in normal_form(row["content"])), key=lambda row: term not in row["content"]
    )
    return {row["id"]: (row["seq"], match(term, row["content"])) for row in found[:limit]}


def _alone(term: str) -> re.Pattern[str]:
    """Return a pattern that finds a term where it is no part of a longer one."""
    return re.compile(rf"(?<!\w)(?<!\w[.-])(?<!::){re.escape(term)}(?!\w|[.-]\w|::)")
