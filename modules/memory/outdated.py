"""What may be outdated: of two hits that compete for one question the newer goes first, and the older is marked.

Nothing is changed but this one answer, so it may be less sure than what ends a memory (`replacement.py`). A logistic
model over `truth.competing` and what the search knows decides, with a second opinion (`second_opinion.py`). Its weights
are in outdated_weights.json, which `python -m benchmarks.lifecycle.train_outdated --write` makes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from . import lifecycle, logistic, second_opinion
from .date_spans import names_date
from .features import Evidence
from .hit_pairs import HitPairs
from .models import MemoryFilter, Status, Turn
from .query import Query
from .ranking import DECIMALS, Ranked
from .second_opinion import CONSIDERED, SecondOpinion, together

if TYPE_CHECKING:
    from ..truth.competing import Question

COMPARED = 6
"""How many of the best hits are compared with one another."""
DEEPEST = 3
"""The last place, from 0, that an older one is looked for at."""
NEAR, SUPPORTED = 0.2, 0.45
"""The least cosine of two that compete, and the least share of the best hit's score that each has."""
UNSUPPORTED = 0.15
"""How likely one of two outdates the other at most where one of them has a small share of the best hit's score."""
READ = 0.15
"""How likely at least, where rules have read both: the weights know their own splits' ways to speak, no others."""
OF_ANOTHER = ("asks_another_noun", "other_modifier", "attributes_differ", "subjects_differ", "part_of")
"""Features that speak of another attribute or of a part: there the weights alone decide."""
LEFT = 0.85
"""What is left of the score of a memory that may be outdated: less than of one that is contested."""
LIKELY = 0.7
"""From this probability on a newer one outdates more than one, each; below, only the likeliest."""
DOUBTED = 0.35
"""From this probability on it is looked whether both speak of one attribute by their gist."""
SURELY = 0.95
"""How likely what names no slot must outdate one that was given: whoever gives slots tells changes by them."""
NEWER, OLDER = "newer", "maybe_outdated"
"""The parts of a score that this adds."""

TOGETHER = (
    *(("change", "best_two"), ("change", "newer_to_query"), ("change", "cosine"), ("change", "same_type")),
    *(("change", "leads"), ("strong_change", "newer_share"), ("past_tense", "best_two")),
)
"""Pairs of features that say more together."""


@dataclass(frozen=True)
class Pair:
    """Two of the best hits, by their places, and all that is known of them together; None where rules cannot tell, and
    take it for as likely as `unread` says.

    They are `supported` where each has SUPPORTED of the best hit's score: the weights know of such alone. The older
    one's slot was `given` where the newer one states none: then it takes more to mark it.
    """

    older: int
    newer: int
    features: Mapping[str, float] | None
    unread: float = 0.0
    supported: bool = True
    by_gist: bool = False
    opinion: float | None = None
    given: bool = False

    @property
    def by_weights(self) -> float:
        """How likely the newer one outdates the older one; where both speak of one attribute by their gist, LIKELY."""
        if self.features is None:
            chance = self.unread
        else:
            is_apart = any(self.features.get(name) for name in OF_ANOTHER)
            least = LIKELY if self.by_gist else 0.0 if is_apart else READ
            chance = max(model().probability(self.features), least)
        return chance if self.supported else min(chance, UNSUPPORTED)

    @property
    def chance(self) -> float:
        """The same, together with the second opinion, if there is one."""
        return together(self.by_weights, self.opinion)


@cache
def model() -> logistic.Model:
    """The model as it was trained."""
    return logistic.read("outdated_weights.json")


def applies(where: MemoryFilter, query: Query) -> bool:
    """Whether a search asks for what holds now: no other time is asked for, nor what holds no more."""
    then = where.as_of or where.since or where.until or query.dates
    return not (then or where.include_superseded or where.statuses)


async def with_opinions(
    found: Sequence[Pair], opinion: SecondOpinion | None, turns: Sequence[Turn], ranked: Sequence[Ranked]
) -> list[Pair]:
    """The same pairs; of the likeliest it is known what the model says of them."""
    judged = sorted((pair for pair in found if pair.by_weights >= CONSIDERED), key=lambda pair: -pair.by_weights)
    if opinion is None:
        return judged
    told: list[Pair] = []
    try:
        async with asyncio.timeout(second_opinion.WAIT_S):
            for pair in judged:  # the likeliest first: each takes 4 ms, the first time
                older, newer = (turns[ranked[place].row].content for place in (pair.older, pair.newer))
                [said] = await opinion.of(newer, [older])
                told.append(replace(pair, opinion=said))
    except TimeoutError:
        pass  # the weights decide about the others
    return told + judged[len(told) :]


def newer_first(found: Sequence[Pair], turns: Sequence[Turn], ranked: Sequence[Ranked], now: datetime) -> list[Ranked]:
    """The same hits, each that another of them has probably replaced by `now` marked, and after it.

    `found` are the pairs that compete. A third of a second the first time that one of them names a date.
    """

    def moment(place: int) -> datetime:
        return turns[ranked[place].row].occurred_at

    newest: dict[int, int] = {}
    for pair in probable(found, moment):
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
    kept = [(pair.chance, pair) for pair in found]
    kept = [(chance, pair) for chance, pair in kept if chance >= (SURELY if pair.given else model().threshold)]
    best: dict[int, tuple[float, int]] = {}
    for chance, pair in kept:
        best[pair.newer] = max((chance, pair.older), best.get(pair.newer, (0.0, pair.older)))

    def is_clear(chance: float, pair: Pair) -> bool:
        most, likeliest = best[pair.newer]
        if chance >= min(most, LIKELY):
            return True
        if pair.features is None or not pair.supported or moment(pair.older) <= moment(likeliest):
            return False
        return model().probability({**pair.features, "older_changes": 0.0}) >= LIKELY

    return [pair for chance, pair in kept if is_clear(chance, pair)]


def _with_gist(pair: Pair, turns: Sequence[Turn], ranked: Sequence[Ranked]) -> Pair:
    """The pair, looked at more closely where the model leaves a doubt: the gist of a text costs a millisecond."""
    if pair.features is None or not DOUBTED <= pair.by_weights < model().threshold:
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
    """Those of the best hits that may compete. Blocks for a millisecond or two."""
    return [_with_gist(pair, turns, ranked) for pair in pairs(query, evidence, turns, ranked)]


def pairs(query: Query, evidence: Evidence, turns: Sequence[Turn], ranked: Sequence[Ranked]) -> Iterator[Pair]:
    """Those of the best hits that may compete, with all features."""
    best = [turns[one.row] for one in ranked[:COMPARED]]
    named = [place for place, turn in enumerate(best) if _is_statement(turn)]
    if evidence.vector is None or len(named) < 2:
        return
    from ..truth import competing

    asked: Question | None = None
    told = [competing.Told(turn.content, turn.subject, turn.attribute) for turn in best]
    hits = HitPairs(evidence, turns, ranked[:COMPARED])
    for older in named:
        for newer in named:
            # What competes for an answer competes with the best one.
            if 0 not in (older, newer) or older > DEEPEST or not _may_be_newer(best[newer], best[older]):
                continue
            if hits.cosine(older, newer) < NEAR or _state_two(best[older], best[newer]):
                continue
            asked = asked or competing.question(query.text, query.slot)
            if asked.is_of_the_past:
                return
            shown = competing.evidence(asked, told[older], told[newer])
            known = {
                "supported": min(hits.share(older), hits.share(newer)) >= SUPPORTED,
                "given": best[older].slot_given and best[newer].attribute is None,
            }
            if shown is None:
                if unread := competing.chance_unread(asked, told[older], told[newer]):
                    yield Pair(older, newer, None, unread, **known)
                continue
            features = {**shown, **hits.features(older, newer, (*asked.names, *asked.things))}
            features |= {f"{one} {other}": features[one] * features[other] for one, other in TOGETHER}
            yield Pair(older, newer, features, **known)


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
