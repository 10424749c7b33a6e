"""Recall over several namespaces: each is searched by itself, with its own words and gate, and the hits are merged."""

from collections.abc import Sequence
from dataclasses import replace

from .models import SearchMode, SearchResult


def merged(found: Sequence[SearchResult], limit: int) -> SearchResult:
    """Return one result of several, each with its hits, best first; of equal ones, those of the earlier result.

    It answers where any of them does; its reading and its decision are those of the first one that answers.
    """
    first = next((one for one in found if one.gate.answered), found[0])
    hits = sorted((hit for one in found for hit in one.hits), key=lambda hit: -hit.score)
    misses = sorted((hit for one in found for hit in one.misses), key=lambda hit: -hit.score)
    return replace(
        first,
        hits=tuple(hits[:limit]),
        misses=tuple(misses[:limit]),
        mode=max((one.mode for one in found), key=lambda mode: mode is SearchMode.LEXICAL),
        notes=tuple(dict.fromkeys(note for one in found for note in one.notes)),
    )
