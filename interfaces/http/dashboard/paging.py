"""Pages of a list of known length: the requested one, and links to the adjacent ones."""

from dataclasses import dataclass
from typing import Any

from .visit import Visit

MOST_PAGES = 100_000


@dataclass(frozen=True)
class Page:
    """A page, counted from 1; `begin` is the place of its first entry, and addresses are empty where no page is."""

    number: int
    begin: int
    earlier: str
    later: str


def asked(visit: Visit) -> int:
    """Return the page that is asked for, which may be none of the list's. Raises InvalidInput."""
    return min(max(1, int(visit.number("page", 1))), MOST_PAGES)


def last(total: int, size: int) -> int:
    """Return the last page; there is always one."""
    return max(1, -(-total // size))


def page_of(visit: Visit, path: str, total: int, size: int, **query: Any) -> Page:
    """Return the requested page, or the last one; `query` goes into the addresses beside it. Raises InvalidInput."""
    number = min(asked(visit), last(total, size))
    begin = (number - 1) * size
    earlier = visit.url(path, **query, page=number - 1) if number > 1 else ""
    later = visit.url(path, **query, page=number + 1) if begin + size < total else ""
    return Page(number, begin, earlier, later)
