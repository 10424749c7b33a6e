"""Modes: whether a request to a model recalls, and whether it leaves anything."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from enum import StrEnum

from ...modules.errors import InvalidInput
from ...modules.records import dataclass

MODE, AFTER, CONFIRM, SESSION, PROJECT = (
    *("x-memory-mode", "x-memory-after", "x-memory-policy-confirm", "x-memory-session", "x-memory-project"),
)
"""The headers of a request; nothing that begins with PREFIX is passed on."""
PREFIX = "x-memory-"
MAX_NAME_CHARS = 100


class Mode(StrEnum):
    """The part that memory takes in a request: all, tell only, all but with memories of a later date alone, nothing."""

    FULL = "full"
    READONLY = "readonly"
    AFTER = "after"
    OFF = "off"

    @property
    def recalls(self) -> bool:
        """True where requests are given memories."""
        return self is not Mode.OFF

    @property
    def stores(self) -> bool:
        """Return whether turns are stored."""
        return self in (Mode.FULL, Mode.AFTER)


@dataclass(frozen=True)
class Wish:
    """The options of one request: its mode, the earliest date of memories, the names it gives, and what it
    confirms.
    """

    mode: Mode
    after: str = ""
    session: str = ""
    project: str = ""
    confirm: str = ""


def wished(standing: Wish, headers: Mapping[str, str], *, may_control: bool) -> Wish:
    """Return what holds for a request: what stands, and what its headers say where clients may say anything.

    Raises InvalidInput for a mode or a date that is none: a misspelt wish for privacy must not pass for no wish.
    """
    if may_control:
        named = {
            "after": headers.get(AFTER, standing.after),
            "session": headers.get(SESSION, standing.session)[:MAX_NAME_CHARS],
            "project": headers.get(PROJECT, standing.project)[:MAX_NAME_CHARS],
            "confirm": headers.get(CONFIRM, ""),
        }
        standing = replace(standing, mode=_mode(headers.get(MODE, standing.mode)), **named)
    if standing.mode is Mode.AFTER:
        _check_date(standing.after)
        return standing
    return replace(standing, after="")


def _mode(text: str) -> Mode:
    try:
        return Mode(text.strip().lower())
    except ValueError:
        raise InvalidInput(MODE, f"must be one of {', '.join(Mode)}") from None


def _check_date(text: str) -> None:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(AFTER, "must be a date or a time in ISO 8601, such as 2026-03-01") from None
