"""Checks of what callers send: each raises InvalidInput, naming the field and the remedy."""

import json
import math
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Any, TypeVar

from .errors import InvalidInput

E = TypeVar("E", bound=StrEnum)

MAX_TAGS = 50
MAX_TAG_CHARS = 100
MAX_METADATA_BYTES = 16 * 1024
MAX_DEPTH = 100
MAX_SHORT_TEXT_BYTES = 4 * 1024


def text(field: str, value: str, max_bytes: int = MAX_SHORT_TEXT_BYTES, *, allow_empty: bool = False) -> str:
    """Return `value` unchanged if it is storable text of at most `max_bytes` bytes of UTF-8."""
    if "\x00" in value:
        raise InvalidInput(field, "contains a NUL character; remove it")
    try:
        size = len(value.encode("utf-8"))
    except UnicodeEncodeError:
        raise InvalidInput(field, "is not valid Unicode (a lone surrogate); use valid UTF-8") from None
    if not allow_empty and not _shows(value):
        raise InvalidInput(field, "is empty; give some text")
    if size > max_bytes:
        raise InvalidInput(field, f"has {size} bytes; the limit is {max_bytes}; shorten or split it")
    return value


def _shows(value: str) -> bool:
    """Return whether a text has more than spaces and characters of no width."""
    return not all(one.isspace() or _has_no_width(one) for one in value)


def _has_no_width(character: str) -> bool:
    return (unicodedata.category(character), unicodedata.bidirectional(character)) == ("Cf", "BN")


def unit_interval(field: str, value: float) -> float:
    """Return `value` if it is a number from 0 to 1."""
    if not math.isfinite(value) or not 0.0 <= value <= 1.0:
        raise InvalidInput(field, "must be a number from 0 to 1")
    return value


def count(field: str, value: int, low: int, high: int) -> int:
    """Return `value` if it lies from `low` to `high`."""
    if not low <= value <= high:
        raise InvalidInput(field, f"must be from {low} to {high}")
    return value


def moment(field: str, value: str | None) -> datetime | None:
    """Return an ISO 8601 date or date-time as an aware datetime in UTC; without a zone it is taken as UTC."""
    if value is None:
        return None
    stripped = value.strip()
    remedy = "is not an ISO 8601 date; write 2026-11-30 or 2026-11-30T17:00:00+01:00"
    try:
        parsed = datetime.fromisoformat(stripped)
        aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        return aware.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InvalidInput(field, remedy) from None


def end_of_day_if_date_only(field: str, value: str | None) -> datetime | None:
    """Return the same as `moment`, but for a bare date the end of that day: a deadline on Friday includes Friday."""
    parsed = moment(field, value)
    return parsed.replace(hour=23, minute=59, second=59) if parsed and _is_date(value) else parsed


def end_of_span(field: str, value: str | None) -> datetime | None:
    """Like `moment`, as the end of what is earlier: a bare date means the midnight after that day."""
    parsed = moment(field, value)
    if parsed is None or not _is_date(value):
        return parsed
    try:
        return parsed + timedelta(days=1)
    except OverflowError:  # the last day that there is
        return parsed.replace(hour=23, minute=59, second=59, microsecond=999_999)


def span(begin: str, since: str | None, end: str, until: str | None) -> tuple[datetime | None, datetime | None]:
    """Return the moments between which something is looked for, if they leave anything; `end` names the later one."""
    first, last = moment(begin, since), end_of_span(end, until)
    if first is not None and last is not None and first >= last:
        raise InvalidInput(end, f"{until} is before {since}, the start of the range; give a later time")
    return first, last


def _is_date(value: str | None) -> bool:
    try:
        date.fromisoformat((value or "").strip())
    except ValueError:
        return False
    return True


def tags(field: str, values: Sequence[str]) -> tuple[str, ...]:
    """Return the tags stripped, without repeats, in the order given."""
    if len(values) > MAX_TAGS:
        raise InvalidInput(field, f"has {len(values)} entries; the limit is {MAX_TAGS}")
    unique: dict[str, None] = {}
    for value in values:
        stripped = text(field, value, MAX_TAG_CHARS * 4).strip()
        if len(stripped) > MAX_TAG_CHARS:
            raise InvalidInput(field, f"has an entry of more than {MAX_TAG_CHARS} characters")
        unique.setdefault(stripped)
    return tuple(unique)


def metadata(field: str, value: dict[str, Any]) -> dict[str, Any]:
    """Return `value` if it is JSON of at most 16 KiB and MAX_DEPTH levels, without NULs or lone surrogates."""
    try:
        encoded = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        raise InvalidInput(field, "must be a JSON object without NaN or infinity") from None
    text(field, encoded, MAX_METADATA_BYTES)
    if _depth(value) > MAX_DEPTH:
        raise InvalidInput(field, f"is nested more than {MAX_DEPTH} levels deep")
    for string in _strings(value):
        text(field, string, MAX_METADATA_BYTES, allow_empty=True)
    return value


def _depth(value: object) -> int:
    """Return how deep objects and lists are nested."""
    level, depth = [value], 0
    while level := [entry for entry in level if isinstance(entry, dict | list)]:
        depth += 1
        level = [inner for entry in level for inner in (entry.values() if isinstance(entry, dict) else entry)]
    return depth


def _strings(value: object) -> Iterator[str]:
    """Yield every text in a JSON value, the names of properties included."""
    waiting = [value]
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, str):
            yield entry
        elif isinstance(entry, dict):
            waiting += [*entry.keys(), *entry.values()]
        elif isinstance(entry, list):
            waiting += entry


def choice(field: str, value: str, kind: type[E]) -> E:
    """Return the member of `kind` that `value` names."""
    try:
        return kind(value)
    except ValueError:
        raise InvalidInput(field, f"must be one of {', '.join(kind)}") from None
