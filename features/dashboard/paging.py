"""Pages of a list: the requested one, and links to the adjacent ones."""

from typing import Any

from ...modules.records import dataclass
from .visit import Visit

MOST_PAGES = 100_000


@dataclass(frozen=True)
class ListPage:
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


def page_of(visit: Visit, path: str, total: int, size: int, **query: Any) -> ListPage:
    """Return the requested page, or the last one; `query` goes into the addresses beside it. Raises InvalidInput."""
    number = min(asked(visit), last(total, size))
    begin = (number - 1) * size
    return ListPage(number, begin, *adjacent(visit, path, number, has_more=begin + size < total, **query))


def adjacent(visit: Visit, path: str, number: int, *, has_more: bool, **query: Any) -> tuple[str, str]:
    """Return the addresses of the pages before and after one."""
    earlier = visit.url(path, **query, page=number - 1) if number > 1 else ""
    return earlier, visit.url(path, **query, page=number + 1) if has_more else ""
