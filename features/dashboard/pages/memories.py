"""Memories: the list and the search that agents have, with filters, and what can be done to many at once."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ....modules import inputs
from ....modules.acts.models import RequestedAct, What
from ....modules.acts.service import MOST
from ....modules.errors import InvalidInput
from ....modules.inputs import MAX_TAGS
from ....modules.memory.models import Memory, MemoryPage, MemoryType, Order
from ....modules.memory.words import missing
from ....modules.principals.models import MOST_SOURCES
from ....modules.store_request import StoreRequest
from ....modules.views.labels import labels_of
from ....modules.views.memories import listed
from ....modules.views.search import found as view_of
from .. import html
from ..visit import Redirect, Shown, Undo, Visit
from .listing import STATUSES, TYPES, Listing, meant

PAGE = 50
HITS = 20
BAR = 300.0
"""The width of an explanation's bars, in the units of their drawing."""
MOST_NAMED = 200
MOST_MERGED = 20
SAMPLED = 10
WAIT_S = 3.0
"""The time that a request waits for an act; what takes longer goes on beside it, and the page shows how far it is."""


async def show(visit: Visit, path: str) -> Shown:
    """Show the memories that match, in the order that was chosen; of a search, the best first."""
    listing = Listing.of(visit)
    is_across, namespaces = visit.is_across, visit.namespaces
    found = await (_searched(visit, listing, namespaces) if listing.query else page_of(visit, listing, namespaces))
    explained = found.get("explanation") or {}
    withheld = explained.get("withheld", {})
    act = visit.given("act")
    return Shown(
        "memories.html",
        {
            "found": found,
            "again": await _folded(visit, found["results"]) if not (listing.query or is_across) else {},
            "withheld": await visit.agentos.browsing.named(visit.namespace, list(withheld)[:HITS]),
            "listing": listing,
            "bars_of": html.stacked({**explained.get("parts", {}), **withheld}, BAR),
            "types": TYPES,
            "statuses": STATUSES,
            "orders": list(Order),
            "act": await visit.agentos.acts.look(visit.namespace, act) if act else None,
            "may_write": visit.may_write and not is_across,
            "most": MOST,
            "chips": _chips(visit, listing),
        },
    )


def _chips(visit: Visit, listing: Listing) -> list[tuple[str, str, str]]:
    """Return the filters that are set, each by name and value with the address of the list without it."""
    given = {
        name: value for name, value in listing.parameters.items() if name not in ("q", "sort", "similar", "explain")
    }
    said = {"all": visit.text("memories.replaced"), "across": visit.text("namespaces.all")}
    return [
        (name, said.get(name, value), visit.url("/memories", **{**listing.parameters, name: ""}))
        for name, value in given.items()
    ]


async def _searched(visit: Visit, listing: Listing, namespaces: Sequence[str]) -> dict[str, Any]:
    found = await (_search_across(visit, listing, namespaces) if visit.is_across else _search(visit, listing))
    cursor = found.get("next_cursor")
    later = visit.url("/memories", **listing.parameters, cursor=cursor) if cursor else ""
    begin = visit.url("/memories", **listing.parameters) if "cursor" in listing.given else ""
    return {**found, "begin": begin, "earlier": "", "later": later}


async def _search(visit: Visit, listing: Listing) -> dict[str, Any]:
    also: dict[str, Any] = {"include_superseded": True} if "all" in listing.given else {}
    return await visit.call(
        "memory_search",
        query=listing.query,
        limit=HITS,
        tags=listing.tags or None,
        detail="full",
        explain="explain" in listing.given or None,
        cursor=listing.given.get("cursor"),
        **listing.filters(),
        **also,
    )


async def _search_across(visit: Visit, listing: Listing, namespaces: Sequence[str]) -> dict[str, Any]:
    """Search as agents do in the namespace that is shown and in the first of the others."""
    others = [one for one in namespaces if one != visit.namespace]
    sources = visit.caller.sources(others[:MOST_SOURCES], ())
    where = replace(listing.where(), source=None, statuses=())
    result = await visit.agentos.memory.search(
        visit.namespace, listing.query, where, HITS, listing.given.get("cursor"), is_use=False, also=sources
    )
    memories = [hit.memory for hit in (*result.hits, *result.doubted)]
    labels = await labels_of(visit.agentos.lifecycle, visit.namespace, memories)
    view = view_of(result, labels, "full", explain="explain" in listing.given)
    found: dict[str, Any] = visit.tools["memory_search"].result.dump_python(view, mode="json")
    return found


async def page_of(visit: Visit, listing: Listing, namespaces: Sequence[str]) -> dict[str, Any]:
    """Return a page of the list, with links to the adjacent pages."""
    given = listing.given
    at = int(given["at"]) if given.get("at", "").isdecimal() and len(given["at"]) < 10 else 1
    place, back = given.get("place", ""), "back" in given
    page = await visit.agentos.browsing.page(namespaces, listing.where(), listing.order, PAGE, place, backwards=back)
    first = at if page.before else 1
    labels = await labels_of(visit.agentos.lifecycle, visit.namespace, page.memories)
    view = listed(MemoryPage(page.memories, page.total, None), labels, full=True)
    found: dict[str, Any] = visit.tools["memory_list"].result.dump_python(view, mode="json")
    parameters, before = listing.parameters, max(1, first - PAGE)
    return {
        **found,
        "first": first,
        "last": first + len(page.memories) - 1,
        "begin": visit.url("/memories", **parameters) if page.before else "",
        "earlier": visit.url("/memories", **parameters, place=page.before, back=1, at=before) if page.before else "",
        "later": visit.url("/memories", **parameters, place=page.after, at=first + PAGE) if page.after else "",
    }


async def _folded(visit: Visit, results: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Leave of those that tell the same only the first in a list; return by its id the others, wherever they are."""
    groups = await visit.agentos.browsing.told_again(visit.namespace, [one["id"] for one in results])
    of = {one.id: [group.first, *(each for each, _ in group.others)]
          for group in groups for one in (group.first, *(each for each, _ in group.others))}  # fmt: skip
    again: dict[str, list[dict[str, Any]]] = {}
    folded: set[str] = set()
    for one in list(results):
        if one["id"] in folded:
            results.remove(one)
        elif one["id"] in of:
            others = [each for each in of[one["id"]] if each.id != one["id"]]
            folded |= {each.id for each in others}
            again[one["id"]] = [{"id": each.id, "content": each.content, "at": each.occurred_at} for each in others]
    return again


async def act(visit: Visit, path: str) -> Redirect | Shown:
    """Store a memory, or do something to those that were chosen, or to all that match. Raises AgentOSError."""
    what = visit.given("do")
    if what == "store":
        tags = visit.given("tags").replace(",", " ").split()
        stored = await visit.call(
            "memory_store",
            content=visit.given("content"),
            memory_type=visit.given("memory_type") or "semantic",
            importance=visit.number("importance", 0.5),
            tags=tags or None,
            source="user",
        )
        here = f"/memory/{stored['id']}"
        return Redirect(here, {"done": "stored"}, Undo(here, {"do": "archive"}))
    if what == "first":
        return await _found_first(visit)
    if what in ("merge", "merged"):
        return await _merge(visit, what)
    asked = _asked(visit, what)
    visit.caller.writing(visit.namespace)
    listing = Listing.of(visit)
    is_all = bool(visit.given("every"))
    if (is_all or asked.what is What.ERASE) and not visit.given("sure"):
        return await _preview(visit, asked, listing)
    if is_all:
        seen = inputs.moment("seen", visit.given("seen") or None)
        memories, _ = await meant(visit, listing, MOST)
        memories = [one for one in memories if seen is not None and one.updated_at <= seen]
    else:
        memories = await visit.agentos.browsing.named(visit.namespace, _chosen(visit))
    if not memories:
        raise InvalidInput("memories", visit.text("errors.choose_again"))
    act_id = await visit.agentos.acts.begin(visit.namespace, asked, memories, visit.by)
    await visit.agentos.acts.settled(visit.namespace, act_id, WAIT_S)
    return Redirect(back_to(visit), {**listing.given, "act": act_id})


async def _found_first(visit: Visit) -> Redirect:
    """Let a memory be found sooner by a question: it is tagged with the words that it lacks, or else confirmed."""
    memory_id, query = visit.given("id"), visit.given("query")
    memory = await visit.call("memory_get", memory_id=memory_id)
    words = missing(query, " ".join([memory["content"], *memory["tags"]]))[: MAX_TAGS - len(memory["tags"])]
    back = {**Listing.of(visit).given, "done": "first"}
    if not words:
        await visit.call("memory_feedback", memory_id=memory_id, verdict="confirm")
        return Redirect("/memories", {**back, "done": "confirmed"}, await visit.undo_of(memory_id))
    version = memory["version"]
    now = await visit.call("memory_update", memory_id=memory_id, tags=[*memory["tags"], *words], version=version)
    fields = {"do": "restore_version", "version": str(version), "since": str(now["version"])}
    undo = Undo(f"/memory/{memory_id}", fields)
    return Redirect("/memories", back, undo)


def back_to(visit: Visit) -> str:
    """Return the page that a form was sent from."""
    return "/duplicates" if visit.given("from") == "duplicates" else "/memories"


def _asked(visit: Visit, what: str) -> RequestedAct:
    importance = visit.number("weight", 0.5) if visit.given("weight") else None
    return RequestedAct.of(what, visit.given("labels").replace(",", " ").split(), visit.given("to_type"), importance)


def _chosen(visit: Visit) -> list[str]:
    chosen = list(dict.fromkeys(visit.chosen("id")))
    if not chosen:
        raise InvalidInput("memories", visit.text("errors.choose"))
    if len(chosen) > MOST_NAMED:
        raise InvalidInput("memories", visit.text("errors.choose_fewer", most=MOST_NAMED))
    return chosen


async def _preview(visit: Visit, asked: RequestedAct, listing: Listing) -> Shown:
    """Show what an act would be done to: how many, and some of them from all over the list."""
    memories: list[Memory]
    if visit.given("every"):
        memories, total = await meant(visit, listing, MOST)
    else:
        memories = await visit.agentos.browsing.named(visit.namespace, _chosen(visit))
        total = len(memories)
    step = max(1, -(-len(memories) // SAMPLED))
    return Shown(
        "preview.html",
        {
            "asked": asked,
            "listing": listing,
            "every": bool(visit.given("every")),
            "ids": [] if visit.given("every") else [one.id for one in memories],
            "count": len(memories),
            "total": total,
            "sample": memories[::step],
            "seen": visit.now.isoformat(),
            "back": back_to(visit),
        },
    )


async def _merge(visit: Visit, what: str) -> Redirect | Shown:
    chosen = _chosen(visit)
    if not 1 < len(chosen) <= MOST_MERGED:
        raise InvalidInput("memories", visit.text("errors.choose_to_merge", most=MOST_MERGED))
    if what == "merged":
        merged = await visit.agentos.browsing.named(visit.namespace, chosen)
        kinds = {one.memory_type for one in merged}
        request = StoreRequest(
            visit.given("content"),
            kinds.pop().value if len(kinds) == 1 else MemoryType.SEMANTIC.value,
            max((one.importance for one in merged), default=None),
            list(dict.fromkeys(tag for one in merged for tag in one.tags))[:MAX_TAGS],
            source="user",
            supersedes=chosen,
        )
        stored = (await visit.agentos.memory.store(visit.caller.writing(visit.namespace), request, by=visit.by)).memory
        return Redirect(f"/memory/{stored.id}", {"done": "merged"}, await visit.undo_of(stored.id))
    memories = [await visit.call("memory_get", memory_id=one) for one in chosen]
    return Shown("merge.html", {"memories": memories, "listing": Listing.of(visit)})
