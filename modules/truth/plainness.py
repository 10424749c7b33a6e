"""Which replacements are so plain that nobody needs to be asked whether rules read them well."""

import re

from .models import Claim

_ONE_AT_A_TIME = frozenset({"age", "relationship"})
_SURE = 0.85
_LEAVING = (
    "no longer|not|isn't|doesn't|don't|left|leaves|quit|from|instead of|replac\\w+|dropped|sold|stopped|gave up|"
    "given up|rather than|used to|ditched|swapped|traded|cancell?ed|closed|retired|resigned|abandoned|"
    "goodbye to|moved out of|was"
)
_WORD = re.compile(r"[\w']+")
_OF_CHANGE = frozenset("now currently nowadays instead new henceforth".split())


def is_plain(newer: Claim, older: Claim) -> bool:
    """Whether a newer statement plainly ends an older one of the same slot.

    It says that the older value is left ("no longer at Google"), is the same sentence with another value and "now", or
    tells surely what is never two at a time.
    """
    if older.slot is None or newer.slot is None or not older.slot.value or not newer.slot.value:
        return False
    if newer.slot.attribute in _ONE_AT_A_TIME and min(older.slot.confidence, newer.slot.confidence) >= _SURE:
        return older.slot.value.split()[0] != newer.slot.value.split()[0]  # "married" and "married to Nina" are both so
    value = re.escape(older.slot.value.lower())
    if re.search(rf"\b(?:{_LEAVING})\b.{{0,15}}?(?<!\w){value}(?!\w)", newer.content.lower()):
        return True
    before, after = (
        _WORD.findall(content.lower().replace(value.lower(), " "))
        for content, value in ((older.content, older.slot.value), (newer.content, newer.slot.value))
    )
    return before != after and before == [word for word in after if word not in _OF_CHANGE]
