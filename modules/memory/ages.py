"""Ages in words: how long ago something was."""

from datetime import datetime

_UNITS = (("year", 365 * 86_400), ("month", 30 * 86_400), ("week", 7 * 86_400), ("day", 86_400), ("hour", 3_600))
_FROM = 2
"""The least number of weeks or months that is named as such: "10 days ago" says more than "a week ago"."""


def age(moment: datetime, now: datetime) -> str:
    """Return how long before `now` a moment was: "3 days ago", "just now"; "in 2 days" for one that is to come."""
    seconds = (now - moment).total_seconds()
    for unit, length in _UNITS:
        count = int(abs(seconds) // length)
        if count >= (_FROM if unit in ("week", "month") else 1):
            words = f"{count} {unit}{'' if count == 1 else 's'}"
            return f"{words} ago" if seconds > 0 else f"in {words}"
    return "just now" if seconds >= 0 else "soon"
