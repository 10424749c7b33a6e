"""Score how well a text contains an exact term, the same on every engine."""

import re

from ...modules.text.scripts import normal_form, same_form

LOOKED_THROUGH = 200
"""The least number of the newest memories with a term to compare; a term in more of them tells little."""
MIN_PREFIX = 4
WEAK_WEIGHT = 0.5

AS_WRITTEN, LONGER, OTHER_CASE, LONGER_IN_OTHER_CASE = 1.0, 0.6, 0.7, 0.4
"""Scores of a match: as a word of its own, or as part of a longer one (`MAX_POOL` in `MAX_POOL_SIZE`), by case."""


def match(term: str, content: str) -> float:
    """Return the score of a match; width and composition of letters do not matter, case and accents do."""
    term, content = same_form(term), same_form(content)
    if term in content:
        return AS_WRITTEN if _alone(term).search(content) else LONGER
    term, content = normal_form(term), normal_form(content)
    return OTHER_CASE if _alone(term).search(content) else LONGER_IN_OTHER_CASE


def _alone(term: str) -> re.Pattern[str]:
    """Return a pattern that finds a term where it is no part of a longer one."""
    return re.compile(rf"(?<!\w)(?<!\w[.-])(?<!::){re.escape(term)}(?!\w|[.-]\w|::)")
