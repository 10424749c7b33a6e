"""Chips: the filters of a list of memories, each with how many memories it would show."""

from typing import Any

from ....modules.memory import facets
from ....modules.memory.models import MemoryFilter
from ..visit import Shown, Visit
from .listing import Listing, meant

PARAMETER = {"memory_type": "memory_type", "project_name": "project", "source": "source", "status": "status"}
"""The parameter of a list that chooses by each facet."""
SEARCHED = 200


async def show(visit: Visit, path: str) -> Shown:
    """Show the values of each facet; of a search, among its first hits."""
    listing = Listing.of(visit)
    if listing.query:
        counted = await _of_hits(visit, listing)
    else:
        counted = await visit.agentos.browsing.facets(visit.namespaces, listing.where())
    namespaces = await visit.agentos.principals.namespaces(visit.caller)
    agents = sorted(namespaces, key=lambda one: -one.memories)[: facets.MOST]
    chips: dict[str, list[dict[str, Any]]] = {
        name: [_chip(visit, listing, PARAMETER[name], *pair) for pair in counted[name]] for name in PARAMETER
    }
    chips["agent"] = [_agent(visit, listing, one.id, one.memories) for one in agents if len(agents) > 1]
    chips["tags"] = [_tag(visit, listing, *pair) for pair in counted["tags"] if not pair[0].startswith("prj_")]
    return Shown("chips.html", {"chips": {name: found for name, found in chips.items() if found}})


async def _of_hits(visit: Visit, listing: Listing) -> facets.Counted:
    memories, _ = await meant(visit, listing, SEARCHED)
    return {**facets.counted(facets.traits_of(memories), MemoryFilter()), "tags": facets.tags_of(memories)}


def _chip(visit: Visit, listing: Listing, parameter: str, value: str, count: int) -> dict[str, Any]:
    is_set = listing.given.get(parameter) == value
    href = visit.url("/memories", **{**listing.parameters, parameter: "" if is_set else value})
    return {"value": value, "count": count, "is_set": is_set, "href": href}


def _agent(visit: Visit, listing: Listing, name: str, count: int) -> dict[str, Any]:
    """Return the chip of an agent's namespace; the one that is shown leads to all that the visitor may see."""
    is_set = name == visit.namespace and "across" not in listing.given
    rest = {**listing.parameters, "across": "1" if is_set else ""}
    return {"value": name, "count": count, "is_set": is_set, "href": visit.url("/memories", **rest, ns=name)}


def _tag(visit: Visit, listing: Listing, tag: str, count: int) -> dict[str, Any]:
    chosen = [one.casefold() for one in listing.tags]
    is_set = tag in chosen
    tags = [one for one in chosen if one != tag] if is_set else [*chosen, tag]
    href = visit.url("/memories", **{**listing.parameters, "tags": ",".join(tags)})
    return {"value": tag, "count": count, "is_set": is_set, "href": href}
