"""Doubts: whether an English text itself says that it may not be so; then it replaces nothing."""

import re

MAX_CHARS = 300
_DOUBTS = re.compile(
    r"\b(?:unverified|unconfirmed|not (?:yet )?(?:verified|confirmed|certain|sure)|allegedly|reportedly|supposedly"
    r"|rumou?rs?|rumou?red|hearsay|speculation|draft|tentative(?:ly)?|to be (?:verified|confirmed)|tbc|guess"
    r"|perhaps|maybe|might|possibly)\b",
    re.IGNORECASE,
)


def doubts_itself(text: str) -> bool:
    """Return whether a text calls what it states a rumour, a draft, unverified, or says that it might be so."""
    return _DOUBTS.search(text[:MAX_CHARS]) is not None
