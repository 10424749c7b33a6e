"""Moments: the day that a text names, for what only wants to know when something happened."""

from datetime import datetime

from ..memory.dates import dates_in


def first_day(text: str, reference: datetime) -> datetime | None:
    """Return the start of the first date in a text, relative to when it was said; None without one.

    The first text that names a date loads dateparser (a third of a second): call it outside the event loop.
    """
    try:
        found = dates_in(text, reference)
    except ValueError:  # a 29th of February in another year
        return None
    return found[0].begin if found else None
