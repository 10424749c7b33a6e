"""Entities recognised by their form: addresses, files, identifiers, dates and error codes."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING

from .models import EntityType, Named

if TYPE_CHECKING:
    from ..memory.exact_terms import ExactTerm

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
MAX_LENGTH = 120
"""Longest string, in characters, that counts as a name."""


FindTerms = Callable[[str], Sequence["ExactTerm"]]
"""The exact terms of a text; see `modules.memory.exact_terms`."""

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)-(\d\d)(?!\d)")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({MONTH})\.?,? ((?:19|20)\d\d)\b", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"\b({MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?,? ((?:19|20)\d\d)\b", re.IGNORECASE)
_URL = re.compile(r"[a-z][a-z0-9+.-]*://\S+|www\.\S+|mailto:\S+", re.IGNORECASE)
_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")
_FILE = re.compile(r"(?:[\w.@~-]*[/\\])*[\w.-]+\.[a-z][a-z0-9]{0,5}|~?[/\\].+|.*[/\\][\w.-]+[/\\]?.*", re.IGNORECASE)
_ERROR = re.compile(
    r"[A-Z]{1,5}\d{3,6}[A-Z]?|E[A-Z]{3,}|SIG[A-Z]{2,}|0x[0-9A-Fa-f]{2,8}"
    r"|HTTP(?:/[\d.]+)? [45]\d\d|[\w.]*(?:Error|Exception)"
)
_ERROR_NUMBER = re.compile(
    r"\b((?:error|errno|exit(?: code| status)?|status|sqlstate|http)(?: (?:code|status))?) #?(\d{2,6})\b", re.IGNORECASE
)
_DATE_LIKE = re.compile(r"[\d./-]+")


def forms(text: str, find_terms: FindTerms) -> Iterator[Named]:
    """Yield the addresses, files, identifiers, error codes and full dates of a text, possibly with duplicates."""
    for match in _ERROR_NUMBER.finditer(text):
        yield Named(f"{match[1].lower()} {match[2]}", EntityType.ERROR)
    for term in find_terms(text):
        if len(term.text) <= MAX_LENGTH and not _DATE_LIKE.fullmatch(term.text) and " " not in term.text.strip():
            type_ = _type(term)
            if type_ is not None:
                yield Named(term.text.strip(), type_)
    yield from dates(text)


def _type(term: "ExactTerm") -> EntityType | None:
    if _URL.fullmatch(term.text):
        return EntityType.URL
    if _MAIL.fullmatch(term.text):
        return EntityType.IDENTIFIER
    if _ERROR.fullmatch(term.text):
        return EntityType.ERROR
    if not term.strong:
        return None
    return EntityType.PATH if _FILE.fullmatch(term.text) else EntityType.IDENTIFIER


def dates(text: str) -> Iterator[Named]:
    """Yield the full dates of a text, as ISO 8601."""
    for match in _ISO.finditer(text):
        yield from _date(int(match[1]), int(match[2]), int(match[3]))
    for match in _DAY_FIRST.finditer(text):
        yield from _date(int(match[3]), _month(match[2]), int(match[1]))
    for match in _MONTH_FIRST.finditer(text):
        yield from _date(int(match[3]), _month(match[1]), int(match[2]))


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _date(year: int, month: int, day: int) -> Iterator[Named]:
    try:
        yield Named(date(year, month, day).isoformat(), EntityType.DATE)
    except ValueError:
        return  # a 31st of February
