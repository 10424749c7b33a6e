"""What may be outdated: of two hits that compete for one question the newer goes first, and the older is marked.

Nothing is changed but this one answer, so it may be less sure than what ends a memory. How likely it is says
`outdated_chance.py`, over `truth.competing`, what the search knows, and a second opinion (`second_opinion.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from . import lifecycle, second_opinion
from .date_spans import names_date
from .features import Evidence
from .hit_pairs import HitPairs
from .models import MemoryFilter, Status, Turn
from .outdated_chance import Pair, by_rules
from .query import Query
from .ranking import DECIMALS, Ranked
from .second_opinion import SecondOpinion, has_same_words

if TYPE_CHECKING:
    from ..truth.competing import Told

COMPARED = 6
"""How many of the best hits are compared with one another."""
DEEPEST = 3
"""The last place, from 0, that an older one is looked for at."""
NEAR, SUPPORTED = 0.2, 0.45
"""The least cosine of two that compete, and the share of the best hit's score that makes a hit a supported one."""
LEFT = 0.85
"""What is left of the score of a memory that may be outdated: less than of one that is contested."""
LIKELY = 0.7
"""From this probability on a newer one outdates more than one, each; below, only the likeliest."""
DOUBTED = 0.35
"""Without an opinion, from this probability on it is looked whether both speak of one attribute by their gist."""
NEWER, OLDER = "newer", "maybe_outdated"
"""The parts of a score that this adds."""

TOGETHER = (
    *(("change", "best_two"), ("change", "newer_to_query"), ("change", "cosine"), ("change", "same_type")),
    *(("change", "leads"), ("strong_change", "newer_share"), ("past_tense", "best_two")),
)
"""Pairs of features that say more together."""


def applies(where: MemoryFilter, query: Query) -> bool:
    """Whether a search asks for what holds now: no other time is asked for, nor what holds no more."""
    then = where.as_of or where.since or where.until or query.dates
    return not (then or where.include_superseded or where.statuses)


async def with_opinions(
    found: Sequence[Pair], opinion: SecondOpinion | None, turns: Sequence[Turn], ranked: Sequence[Ranked]
) -> list[Pair]:
    """The same pairs with what the model says of them, the likeliest first, without those that it could not make likely
    enough; all as they are where it says nothing."""
    if opinion is None:
        return list(found)
    # Of one at least, so that a model which finds nothing likely is not taken for one that says nothing.
    asked = [pair for pair in found if pair.is_conceivable] or list(found[:1])
    told: list[Pair] = []
    try:
        async with asyncio.timeout(second_opinion.WAIT_S):
            for pair in asked:  # each takes 4 ms, the first time
                older, newer = (turns[ranked[place].row].content for place in (pair.older, pair.newer))
                [said] = await opinion.of(newer, [older], of_same_words=True)
                told.append(replace(pair, opinion=said))
    except TimeoutError:
        pass
    if all(pair.opinion is None for pair in told):
        return list(found)
    return told + asked[len(told) :]  # what rules have read decides about those that there was no time for


def newer_first(found: Sequence[Pair], turns: Sequence[Turn], ranked: Sequence[Ranked], now: datetime) -> list[Ranked]:
    """The same hits, each that another of them has probably replaced by `now` marked, and after it.

    `found` are the pairs that compete. A third of a second the first time that one of them names a date.
    """

    def moment(place: int) -> datetime:
        return turns[ranked[place].row].occurred_at

    newest: dict[int, int] = {}
    for pair in probable((_with_gist(pair, turns, ranked) for pair in found), moment):
        if not _has_begun(turns[ranked[pair.newer].row], now):
            continue
        if moment(pair.newer) >= moment(newest.get(pair.older, pair.newer)):
            newest[pair.older] = pair.newer
    if not newest:
        return list(ranked)
    marked = list(ranked)
    # The oldest first, so that the newest of three ends up where the best of them was.
    for place in sorted(newest, key=moment):
        older, newer = marked[place], marked[newest[place]]
        by = turns[newer.row].id
        if (gap := round(older.score - newer.score, DECIMALS)) > 0:
            marked[newest[place]] = _with(newer, NEWER, gap)
        marked[place] = replace(_with(older, OLDER, (LEFT - 1) * abs(older.score)), outdated_by=by)
    return sorted(marked, key=lambda one: -one.score)


def probable(found: Iterable[Pair], moment: Callable[[int], datetime]) -> list[Pair]:
    """The pairs that are likely enough to mark. What is new takes one place: of several older ones the likeliest's,
    and those that leave little doubt. What was said after the likeliest may tell of a change too, an earlier one."""
    kept = [(pair.chance, pair) for pair in found if pair.is_likely]
    best: dict[int, tuple[float, int]] = {}
    for chance, pair in kept:
        best[pair.newer] = max((chance, pair.older), best.get(pair.newer, (0.0, pair.older)))

    def is_clear(chance: float, pair: Pair) -> bool:
        most, likeliest = best[pair.newer]
        if chance >= min(most, LIKELY):
            return True
        if pair.opinion is not None or pair.read is None or moment(pair.older) <= moment(likeliest):
            return False
        return by_rules().probability({**pair.read, "older_changes": 0.0}) >= LIKELY

    return [pair for chance, pair in kept if is_clear(chance, pair)]


def _with_gist(pair: Pair, turns: Sequence[Turn], ranked: Sequence[Ranked]) -> Pair:
    """The pair, looked at more closely where rules decide and are in doubt: the gist of a text costs a millisecond."""
    if pair.opinion is not None or not DOUBTED <= pair.chance < by_rules().threshold:
        return pair
    from ..truth.competing import agree_by_gist

    older, newer = (turns[ranked[place].row].content for place in (pair.older, pair.newer))
    return replace(pair, by_gist=agree_by_gist(older, newer))


def _has_begun(turn: Turn, now: datetime) -> bool:
    """Whether nothing says that it is of a time to come: "From June on, …"."""
    if turn.occurred_at > now:
        return False
    if not names_date(turn.content):
        return True
    from ..truth.moments import first_day

    day = first_day(turn.content, turn.occurred_at)
    return day is None or day <= now


def _with(one: Ranked, name: str, part: float) -> Ranked:
    return replace(one, parts={**one.parts, name: round(one.parts.get(name, 0.0) + part, DECIMALS)})


def competing_pairs(query: Query, evidence: Evidence, turns: Sequence[Turn], ranked: Sequence[Ranked]) -> list[Pair]:
    """Those of the best hits that may compete, those first that an opinion could make the likeliest.

    Blocks for some milliseconds. What has no vector competes with nothing.
    """
    best = [turns[one.row] for one in ranked[:COMPARED]]
    named = [place for place, turn in enumerate(best) if _is_statement(turn)]
    if evidence.vector is None or len(named) < 2:
        return []
    from ..truth import competing

    asked = competing.question(query.text, query.slot)
    if asked.is_of_the_past:
        return []
    hits = HitPairs(evidence, turns, ranked[:COMPARED])
    found = []
    for older, newer in _two_of(named):
        # What competes for an answer competes with the best one.
        if 0 not in (older, newer) or older > DEEPEST or not _may_be_newer(best[newer], best[older]):
            continue
        if hits.cosine(older, newer) < NEAR or _state_two(best[older], best[newer]):
            continue
        told = _told(best[older]), _told(best[newer])
        if competing.never_outdates(asked, *told):
            continue
        near = hits.features(older, newer, (*asked.names, *asked.things))
        if (read := competing.evidence(asked, *told)) is not None:
            read = {**read, **near}
            read |= {f"{one} {other}": read[one] * read[other] for one, other in TOGETHER}
        pair = Pair(
            older,
            newer,
            near,
            read,
            supported=min(hits.share(older), hits.share(newer)) >= SUPPORTED,
            given=best[older].slot_given and best[newer].attribute is None,
            same_words=has_same_words(best[older].content, best[newer].content),
            answers=_answers(ranked[older], ranked[newer]),
        )
        found.append(pair)
    return sorted(found, key=lambda pair: -pair.at_best)


def _answers(older: Ranked, newer: Ranked) -> tuple[float, float] | None:
    return None if older.answers is None or newer.answers is None else (older.answers, newer.answers)


def _told(turn: Turn) -> Told:
    from ..truth.competing import Told

    return Told(turn.content, turn.subject, turn.attribute)


def _two_of(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    return ((older, newer) for older in places for newer in places if older != newer)


def _is_statement(turn: Turn) -> bool:
    """What is no turn of a conversation, and holds."""
    return turn.session is None and turn.valid_to is None and turn.status in (Status.ACTIVE, Status.CANDIDATE)


def _state_two(older: Turn, newer: Turn) -> bool:
    """Whether the older one's slot was given by whoever stored it, and the newer one states another attribute."""
    if not older.slot_given or newer.attribute is None:
        return False
    from ..truth.subjects import PROJECT, USER

    same = older.subject == newer.subject or {older.subject, newer.subject} == {USER, PROJECT}
    return not same or older.attribute != newer.attribute


def _may_be_newer(newer: Turn, older: Turn) -> bool:
    """Whether one was said later, and is no less to be believed."""
    if newer.occurred_at <= older.occurred_at or newer.status is Status.CANDIDATE:
        return False
    sure = newer.confidence >= lifecycle.CANDIDATE_BELOW and newer.trust >= lifecycle.TRUSTED
    return sure and older.trust - newer.trust <= lifecycle.TRUST_BELOW
