"""The order of two hits of which one may have replaced the other: the newer one first, where it answers as well.

The judgement that it may have was made when they were stored. Nothing moves that has more of what the query asks for.
Of two that state the same slot, the one that is yet to hold comes after the one that holds.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from ..suspicion import is_suspicious
from ..text.scripts import normal_form
from .features import Evidence
from .lifecycle import is_believed
from .models import HIDDEN, Memory, MemoryFilter, RankedTurn, SearchHit
from .query import Query
from .ranking import DECIMALS, Ranked
from .words import stem, tokens

OLDER = "maybe_outdated"
"""The part of a score by which an older hit comes after a newer one."""
NOT_YET = "not_yet"
"""The part of a score by which what is yet to hold comes after what holds."""
STEPS = 8
"""The most replacements in a row that are followed to the newest memory."""
RARE, RARE_SHARE = 2, 0.02
"""The most memories, or the greatest share of them, that have a rare word."""
WORSE_ODDS, WORSE_SHARE = 2.0, 0.6
"""The newer one is clearly the worse answer by so many log odds of the reranker, or with less of the older's score."""


def is_of_now(where: MemoryFilter, query: Query) -> bool:
    """Return whether a search asks for no other time: only then does what is outdated now matter."""
    return not (where.as_of or where.since or where.until or any(not dates.recurs for dates in query.dates))


def orders(where: MemoryFilter) -> bool:
    """Return whether what holds comes first: not where superseded memories are asked for too."""
    return not (where.include_superseded or where.statuses)


async def with_newer(
    fetch: Callable[[Sequence[str]], Awaitable[Sequence[Memory]]], memories: Iterable[Memory]
) -> dict[str, Memory]:
    """Return memories by their ids, with what may have replaced them, and that, and so on, STEPS times at most."""
    known = {one.id: one for one in memories}
    for _ in range(STEPS):
        missing = {one.outdated_by for one in known.values() if one.outdated_by} - known.keys()
        found = await fetch(sorted(missing)) if missing else []
        if not found:
            break
        known |= {one.id: one for one in found}
    return known


def told_with(older: Memory, known: Mapping[str, Memory], now: datetime) -> Memory | None:
    """Return the last that may have replaced a memory which holds, if it may be told wherever that is.

    It is believed and neither over nor expired, reads like no order, and is of no other project. Reads all of it: where
    it may be long, not on the event loop.
    """
    newer = None if older.has_ended(now) or older.status in HIDDEN else known.get(older.outdated_by or "")
    for _ in range(STEPS):
        later = None if newer is None else known.get(newer.outdated_by or "")
        if later is None:
            break
        newer = later
    if newer is None or newer.outdated_by in known or newer.id == older.id:
        return None  # they go round, or further than is followed
    if not is_believed(newer) or newer.has_ended(now) or newer.has_expired(now):
        return None
    return None if newer.project not in ("", older.project) or is_suspicious(newer.words) else newer


def alone(hits: Iterable[SearchHit]) -> list[SearchHit]:
    """Return hits that keep what may have replaced them only where that is not a hit before or after them."""
    listed = list(hits)
    shown = {hit.memory.id for hit in listed}
    return [hit if hit.newer is None or hit.newer.id not in shown else replace(hit, newer=None) for hit in listed]


def newer_first(
    query: Query, evidence: Evidence, turns: Sequence[RankedTurn], ranked: Sequence[Ranked], limit: int
) -> list[Ranked]:
    """Return the hits; one of the best `limit` that another of them may have replaced comes directly after that one.

    Only where the newer one has all that tells the query apart and that the older one has, and is not clearly the
    worse answer.
    """
    order = list(ranked)
    rows = {turns[one.row].id: one for one in ranked[:limit]}
    labelled = [one for one in ranked[:limit] if turns[one.row].outdated_by in rows]
    # The newest first, so that of three the oldest ends up last.
    for older in sorted(labelled, key=lambda one: turns[one.row].occurred_at, reverse=True):
        newer = rows[turns[older.row].outdated_by or ""]
        place = {one.row: at for at, one in enumerate(order)}
        if place[newer.row] < place[older.row] or not _answers_as_well(newer, older):
            continue
        if _distinguishing(query, evidence, turns[older.row]) <= _distinguishing(query, evidence, turns[newer.row]):
            _move_behind(order, place[older.row], place[newer.row], OLDER)
    return order


def holding_first(turns: Sequence[RankedTurn], ranked: Sequence[Ranked], limit: int, now: datetime) -> list[Ranked]:
    """Return the hits; one of the best `limit` that is yet to hold comes after all of them that hold in its slot."""
    order = list(ranked)
    holding: dict[tuple[str | None, str | None], int] = {}
    for one in ranked[:limit]:
        turn = turns[one.row]
        if turn.attribute is not None and not _is_to_come(turn, now) and (turn.valid_to or now) >= now:
            holding[turn.subject, turn.attribute] = one.row
    for one in reversed(ranked[:limit]):
        turn = turns[one.row]
        last = holding.get((turn.subject, turn.attribute))
        if last is None or not _is_to_come(turn, now):
            continue
        place = {each.row: at for at, each in enumerate(order)}
        if place[one.row] < place[last]:
            _move_behind(order, place[one.row], place[last], NOT_YET)
    return order


def _is_to_come(turn: RankedTurn, now: datetime) -> bool:
    return (turn.valid_from or turn.occurred_at) > now


def _move_behind(order: list[Ranked], place: int, other: int, part: str) -> None:
    """Move a hit directly behind a later one; a part of its score says by how much."""
    one = order[place]
    gap = round(order[other].score - one.score, DECIMALS)
    moved = replace(one, parts={**one.parts, part: gap + one.parts.get(part, 0.0)})
    order[place : other + 1] = [*order[place + 1 : other + 1], moved]


def _answers_as_well(newer: Ranked, older: Ranked) -> bool:
    if newer.answers is not None and older.answers is not None:
        return newer.answers >= older.answers - WORSE_ODDS
    return newer.score >= WORSE_SHARE * older.score


def _distinguishing(query: Query, evidence: Evidence, turn: RankedTurn) -> frozenset[str]:
    """Return what a memory has of the query that few others have: identifiers, names, numbers and rare words."""
    text = turn.content.casefold()
    exact = {term.text.casefold() for term in query.identifiers}
    counts = evidence.frequencies.counts
    rare = max(RARE, RARE_SHARE * evidence.memories)
    names = {name.casefold() for name in query.names}
    words = {
        word
        for word in query.words
        if word in names or any(sign.isdigit() for sign in word) or counts.get(word, 0) <= rare
    }
    own = {_stem(word) for word in tokens(turn.content)}
    return frozenset({term for term in exact if term in text} | {one for one in map(_stem, words) if one in own})


def _stem(word: str) -> str:
    return stem(normal_form(word))
