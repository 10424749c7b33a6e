"""Listings: what a person asked the list of memories for, which every form on it carries, so that acts keep it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlencode

from ....modules.errors import InvalidInput
from ....modules.memory.models import Memory, MemoryFilter, MemoryType, Order, Status
from ....modules.projects.service import Reach
from ....modules.records import dataclass
from ....tools.filters import EVERYTHING, filter_of
from ..texts import Texts
from ..visit import Visit

FILTERS = ("memory_type", "since", "until", "min_importance", "session", "project")
"""What searches take too."""
PARAMETERS = ("similar", "q", "tags", "status", "source", "all", "explain", "sort", "across", *FILTERS)
TYPES = tuple(MemoryType)
PLACE = ("place", "back", "at", "cursor")
LONGEST = 8_000
SEARCHED = 200
"""Hits that an act on all hits of a search takes in."""
STATUSES = tuple(status.value for status in Status if status is not Status.FORGOTTEN)


@dataclass(frozen=True)
class Listing:
    """The requested list: filters, sort order and page, as strings from the query."""

    given: Mapping[str, str]
    text: Texts

    @classmethod
    def of(cls, visit: Visit) -> "Listing":
        """Read the address of a page, or what its form carries of it."""
        given = dict(visit.query) if visit.form is None else dict(parse_qsl(visit.given("listing")[:LONGEST]))
        return cls(
            {name: given[name].strip() for name in (*PARAMETERS, *PLACE) if given.get(name, "").strip()}, visit.text
        )

    @property
    def query(self) -> str:
        """Return the search text; "" for a list."""
        return self.given.get("q", "")

    @property
    def order(self) -> Order:
        """The order of the list."""
        sort = self.given.get("sort", "")
        return Order(sort) if sort in set(Order) else Order.NEWEST

    @property
    def tags(self) -> list[str]:
        """The tags that all must have."""
        return self.given.get("tags", "").replace(",", " ").split()

    @property
    def parameters(self) -> dict[str, str]:
        """All but the page."""
        return {name: value for name, value in self.given.items() if name in PARAMETERS}

    @property
    def carried(self) -> str:
        """The whole as one field of a form."""
        return urlencode(self.given)

    def filters(self) -> dict[str, Any]:
        """Return what both lists and searches take. Raises InvalidInput."""
        found: dict[str, Any] = {name: self.given[name] for name in FILTERS if name in self.given}
        for name, days in (("since", 0), ("until", 1)):  # a day is the browser's, and `until` takes in its day
            if name in found and (moment := self._midnight(found[name], days)) is not None:
                found[name] = moment.isoformat()
        if "min_importance" in found:
            try:
                found["min_importance"] = float(found["min_importance"])
            except ValueError:
                raise InvalidInput("min_importance", self.text("errors.number")) from None
        return found

    def _midnight(self, day: str, later: int) -> datetime | None:
        """Return the midnight that a day, or some days later, begins with; None for what is no bare day."""
        try:
            return self.text.midnight(date.fromisoformat(day) + timedelta(days=later))
        except (ValueError, OverflowError):
            return None

    def where(self) -> MemoryFilter:
        """Return the filter of a list. Raises InvalidInput."""
        of_all = dict.fromkeys(("memory_type", "since", "until", "session", "project"))
        filters = {**of_all, "min_importance": 0.0, **self.filters()}
        if filters["memory_type"] not in (None, *TYPES):
            raise InvalidInput("memory_type", self.text("errors.one_of", names=", ".join(TYPES)))
        project = filters.pop("project")
        reach = Reach((project,)) if project else EVERYTHING
        base = filter_of(tags=self.tags, include_superseded="all" in self.given, reach=reach, **filters)
        status = self.given.get("status")
        if status is not None and status not in STATUSES:
            raise InvalidInput("status", self.text("errors.one_of", names=", ".join(STATUSES)))
        return replace(base, source=self.given.get("source"), statuses=() if status is None else (Status(status),))


async def meant(visit: Visit, listing: Listing, most: int) -> tuple[list[Memory], int]:
    """Return all memories that a listing means, at most `most`, and how many there are. Raises InvalidInput."""
    agentos, namespace = visit.agentos, visit.namespace
    where = listing.where()
    if not listing.query:
        found = await agentos.browsing.chosen(namespace, where, listing.order, most)
        return found, len(found) if len(found) < most else await agentos.browsing.count(namespace, where)
    result = await agentos.memory.search(namespace, listing.query, where, SEARCHED, is_use=False)
    hits = [hit.memory for hit in result.hits]
    return hits, len(hits)
