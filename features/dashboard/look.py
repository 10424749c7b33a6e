"""How a browser wants the pages to look: theme, language and zone, kept in its cookies, for all homes that it opens."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from urllib.parse import quote, unquote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from starlette.requests import Request
from starlette.responses import Response

from ...modules.records import dataclass
from .texts import LANGUAGES, Texts

THEMES = ("system", "light", "dark")
KEPT_FOR_S = 365 * 24 * 3600
THEME, LANGUAGE, CHOSEN_ZONE = "agentos_theme", "agentos_language", "agentos_chosen_zone"
"""The cookies of what was chosen."""
ZONE = "agentos_zone"
"""The cookie of the browser's own zone, which a script sets."""


class ServerZone(tzinfo):
    """The zone of the machine, with its changes of clocks."""

    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        """Return how far the machine's time is from UTC at a moment of it."""
        return None if dt is None else dt.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, dt: datetime | None) -> timedelta | None:
        """Return None: how much of the offset is summer time is not known."""
        return None

    def tzname(self, dt: datetime | None) -> str | None:
        """Return what the machine calls its zone at a moment of it."""
        return None if dt is None else dt.replace(tzinfo=None).astimezone().tzname()

    def fromutc(self, dt: datetime) -> datetime:
        """Return the machine's time at a moment in UTC."""
        return dt.replace(tzinfo=UTC).astimezone().replace(tzinfo=self)


@dataclass(frozen=True)
class Look:
    """The theme of pages, and their texts, which tell moments in the browser's zone.

    `zone` is the name of that zone; "" where the browser has not told it, so that it is the server's. It
    `is_chosen` where it is another than the browser's own.
    """

    theme: str
    text: Texts
    zone: str
    is_chosen: bool


def look_of(request: Request, languages: Mapping[str, Texts]) -> Look:
    """Return what a browser chose; else the theme of its system and the first of its languages. Blocks."""
    theme = request.cookies.get(THEME, "")
    chosen = request.cookies.get(LANGUAGE, "")
    text = languages[chosen if chosen in languages else _asked(request, languages)]
    selected = _named_zone(unquote(request.cookies.get(CHOSEN_ZONE, "")))
    zone = selected or _named_zone(unquote(request.cookies.get(ZONE, "")))
    name, is_chosen = zone.key if zone else "", selected is not None
    return Look(theme if theme in THEMES else THEMES[0], replace(text, zone=zone or ServerZone()), name, is_chosen)


def keep(response: Response, path: str, secure: bool, theme: str, language: str, zone: str | None) -> None:
    """Keep a choice in the browser's cookies; what cannot be chosen is left as it is. An empty zone is the browser's.

    Blocks.
    """
    chosen = {
        THEME: theme if theme in THEMES else "",
        LANGUAGE: language if language in LANGUAGES else "",
        CHOSEN_ZONE: quote(zone) if zone and _named_zone(zone) else "",
    }
    for name, value in chosen.items():
        if value:
            response.set_cookie(name, value, max_age=KEPT_FOR_S, path=path, secure=secure, samesite="strict")
    if zone == "":
        response.delete_cookie(CHOSEN_ZONE, path=path, samesite="strict")


def _asked(request: Request, languages: Mapping[str, Texts]) -> str:
    """Return the first language that a browser asks for and that there is; they stand in the order of its liking."""
    asked = request.headers.get("accept-language", "")[:200].lower().split(",")
    return next((name for one in asked if (name := one.strip().partition(";")[0][:2]) in languages), LANGUAGES[0])


def _named_zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
