"""Pieces of the sentences that signals are made of."""

import hashlib
from datetime import UTC, datetime
from urllib.parse import urlsplit

MOST_TITLE_CHARS = 120


def reference(*parts: object) -> str:
    """Return a short name of what these parts identify; it does not tell them."""
    return hashlib.sha256("\0".join(map(str, parts)).encode("utf-8", "replace")).hexdigest()[:16]


def title(value: object) -> str:
    """Return a title as one line of at most MOST_TITLE_CHARS characters; "" for what is no text."""
    text = value.encode("utf-8", "replace").decode().replace("\0", " ") if isinstance(value, str) else ""
    words = " ".join(text.split())
    return words if len(words) <= MOST_TITLE_CHARS else words[: MOST_TITLE_CHARS - 1] + "…"


def day(at: datetime) -> str:
    """Return the day of a moment."""
    return at.date().isoformat()


def address(url: object) -> str:
    """Return a web address without what may be secret in it: user, query, fragment; "" for another address."""
    try:
        parts = urlsplit(str(url))
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return ""
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"[:200]


def times(count: int) -> str:
    """Return how often, in words."""
    return "once" if count == 1 else "twice" if count == 2 else f"{count} times"


def moment(seconds: float) -> datetime | None:
    """Return the moment of a number of seconds since 1970; None for one that no clock shows."""
    try:
        return datetime.fromtimestamp(seconds, UTC) if seconds > 0 else None
    except (OverflowError, OSError, ValueError):
        return None
