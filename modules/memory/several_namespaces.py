"""Recall over several namespaces: each is searched by itself, with its own words and gate, and the hits are merged."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from .models import SearchHit, SearchMode, SearchResult
from .ranking import DECIMALS

DISCOUNT = "discount"
"""The part of a score that another's memory loses for the trust in its author, and for its age."""
HALF_LIFE_DAYS = 60.0
LEAST_TRUST = 0.3
"""The trust in an author below which nothing of theirs is taken over."""


def merged(found: Sequence[SearchResult], limit: int) -> SearchResult:
    """Return one result of several, each with its hits, best first; of equal ones, those of the earlier result.

    It answers where any of them does; its reading and its decision are those of the first one that answers, or else
    of the one that comes nearest to it, whose misses are then the nearest too.
    """
    first = next((one for one in found if one.gate.answered), max(found, key=lambda one: one.gate.support))
    hits = sorted((hit for one in found for hit in one.hits), key=lambda hit: -hit.score)
    aside = {hit.memory.id for one in found if one is not first and not first.gate.answered for hit in one.misses}
    misses = sorted((hit for one in found for hit in one.misses), key=lambda hit: (hit.memory.id in aside, -hit.score))
    return replace(
        first,
        hits=tuple(hits[:limit]),
        misses=tuple(misses[:limit]),
        mode=max((one.mode for one in found), key=lambda mode: mode is SearchMode.LEXICAL),
        notes=tuple(dict.fromkeys(note for one in found for note in one.notes)),
        elsewhere={key: project for one in found for key, project in one.elsewhere.items()},
    )


def discounted(found: SearchResult, trust: Mapping[str, float], now: datetime) -> SearchResult:
    """Return what another namespace holds, each score times the trust in its author (0..1), halved every 60 days.

    What is of an author who is trusted less than LEAST_TRUST is left out.
    """
    hits, misses = (
        tuple(_discounted(hit, trust[hit.memory.id], now) for hit in group if trust[hit.memory.id] >= LEAST_TRUST)
        for group in (found.hits, found.misses)
    )
    return replace(found, hits=hits, misses=misses)


def _discounted(hit: SearchHit, trust: float, now: datetime) -> SearchHit:
    days = max(0.0, (now - hit.memory.occurred_at).total_seconds() / 86_400)
    lost = round(-abs(hit.score) * (1 - trust * 0.5 ** (days / HALF_LIFE_DAYS)), DECIMALS)
    return replace(hit, score=round(hit.score + lost, DECIMALS), parts={**hit.parts, DISCOUNT: lost})
