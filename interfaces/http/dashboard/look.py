"""How a browser wants the pages to look: theme, language and zone, kept in its cookies, for all homes that it opens."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from urllib.parse import unquote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from starlette.requests import Request
from starlette.responses import Response

from .texts import LANGUAGES, Texts

THEMES = ("system", "light", "dark")
KEPT_FOR_S = 365 * 24 * 3600
THEME, LANGUAGE, ZONE = "agentos_theme", "agentos_language", "agentos_zone"
"""The cookies; a script sets the one of the zone."""


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

    `zone` is the name of that zone; "" where the browser has not told it, so that it is the server's.
    """

    theme: str
    text: Texts
    zone: str


def look_of(request: Request, languages: Mapping[str, Texts]) -> Look:
    """Return what a browser chose; else the theme of its system and the first of its languages. Blocks."""
    theme = request.cookies.get(THEME, "")
    chosen = request.cookies.get(LANGUAGE, "")
    text = languages[chosen if chosen in languages else _asked(request, languages)]
    zone = _zone(unquote(request.cookies.get(ZONE, "")))
    name = zone.key if isinstance(zone, ZoneInfo) else ""
    return Look(theme if theme in THEMES else THEMES[0], replace(text, zone=zone), name)


def keep(response: Response, path: str, theme: str, language: str, secure: bool) -> None:
    """Keep a choice in the browser's cookies; what cannot be chosen is left as it is."""
    for name, value, known in ((THEME, theme, THEMES), (LANGUAGE, language, LANGUAGES)):
        if value in known:
            response.set_cookie(name, value, max_age=KEPT_FOR_S, path=path, secure=secure, samesite="strict")


def _asked(request: Request, languages: Mapping[str, Texts]) -> str:
    """Return the first language that a browser asks for and that there is; they stand in the order of its liking."""
    asked = request.headers.get("accept-language", "")[:200].lower().split(",")
    return next((name for one in asked if (name := one.strip().partition(";")[0][:2]) in languages), LANGUAGES[0])


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name) if name else ServerZone()
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ServerZone()
