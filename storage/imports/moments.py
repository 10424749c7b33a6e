"""Moments as other systems write them, as ISO 8601."""

import re
from datetime import UTC, datetime

EARLIEST_S, LATEST_S = 10**8, 10**10
"""Epochs between 1973 and 2286 are told apart by their size: seconds, milliseconds, micro- and nanoseconds."""
_ZONE_NAME = re.compile(r"\[[^\]]{1,60}\]$")
_DAY = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})(?=$|[ T])")


def iso(value: object) -> str | None:
    """A moment as ISO 8601, if it can be told: of an epoch, of a date with slashes, of ISO with the name of a zone."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return _of_epoch(value)
    text = _ZONE_NAME.sub("", str(value).strip())
    if re.fullmatch(r"\d{9,19}(?:\.\d{1,9})?", text):
        return _of_epoch(float(text))
    if day := _DAY.match(text):
        text = f"{int(day[1]):04}-{int(day[2]):02}-{int(day[3]):02}{text[day.end() :]}"
    text = text.removesuffix(" UTC").strip()
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return None
    return text


def _of_epoch(value: float) -> str | None:
    if value > LATEST_S * 10**9:  # no float could hold it
        return None
    for unit in (1, 10**3, 10**6, 10**9):
        if EARLIEST_S <= value / unit < LATEST_S:
            return datetime.fromtimestamp(value / unit, UTC).isoformat()
    return None
