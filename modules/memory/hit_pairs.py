"""What a search knows of two of its best hits together: how near they are, to one another and to the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from .features import Evidence
from .models import Turn
from .ranking import Ranked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

READ_CHARS = 300
"""What of a memory is looked through for names: a longer one says more than one thing."""

FEATURES = (
    *("cosine", "older_to_query", "newer_to_query", "older_late", "newer_late", "older_share", "newer_share"),
    *("older_rank", "newer_rank", "best_two", "best_three"),
    *("older_margin", "newer_margin", "older_query_margin", "newer_query_margin"),
)
"""Margins are cosines less that of the next best memory that mentions whom the question names: how far two stand out.
What the two have in common word by word is left out on purpose: the updates of the benchmark share no word."""


class HitPairs:
    """The best hits of a search, to be looked at two by two; places count from 0."""

    def __init__(self, evidence: Evidence, turns: Sequence[Turn], ranked: Sequence[Ranked]) -> None:
        self._evidence = evidence
        self._turns = turns
        self._best = [turns[one.row] for one in ranked]
        self._vectors = [_vector(turn) for turn in self._best]
        self._late = _shares([one.parts.get("late", 0.0) for one in ranked])
        # That a hit states the very attribute is known apart: it must not hide how near the other one comes.
        self._shares = _shares([one.score - one.parts.get("slot", 0.0) for one in ranked])
        self._others: dict[tuple[str, ...], tuple[Sequence[str], Vector]] = {}

    def cosine(self, one: int, other: int) -> float:
        """Of two hits; 0 where one has no vector."""
        first, second = self._vectors[one], self._vectors[other]
        return 0.0 if first is None or second is None else float(first @ second)

    def share(self, place: int) -> float:
        """The hit's share of the best hit's score."""
        return self._shares[place]

    def features(self, older: int, newer: int, names: Sequence[str]) -> dict[str, float]:
        """FEATURES of a pair, where the question is about `names` (in small letters)."""
        cosine = self.cosine(older, newer)
        to_query = [self._evidence.cosine.get(self._best[place].id, 0.0) for place in (older, newer)]
        return {
            "cosine": cosine,
            "older_to_query": to_query[0],
            "newer_to_query": to_query[1],
            "older_late": self._late[older],
            "newer_late": self._late[newer],
            "older_share": self._shares[older],
            "newer_share": self._shares[newer],
            "older_rank": older / 10,
            "newer_rank": newer / 10,
            "best_two": float(max(older, newer) == 1),
            "best_three": float(max(older, newer) <= 2),
            **self._margins(older, newer, cosine, names),
        }

    def _margins(self, older: int, newer: int, cosine: float, names: Sequence[str]) -> Mapping[str, float]:
        import numpy as np

        one, other, query = self._vectors[older], self._vectors[newer], self._query
        ids, vectors = self._mentioning(names)
        own = {self._best[older].id, self._best[newer].id}
        rest = np.array([memory_id not in own for memory_id in ids], dtype=bool)
        if one is None or other is None or query is None or not rest.any():
            return dict.fromkeys(("older_margin", "newer_margin", "older_query_margin", "newer_query_margin"), 0.0)
        next_best = (vectors[rest] @ np.stack((one, other, query), axis=1)).max(axis=0)
        return {
            "older_margin": cosine - float(next_best[0]),
            "newer_margin": cosine - float(next_best[1]),
            "older_query_margin": float(one @ query - next_best[2]),
            "newer_query_margin": float(other @ query - next_best[2]),
        }

    def _mentioning(self, names: Sequence[str]) -> tuple[Sequence[str], Vector]:
        """Ids and vectors of the candidates that mention one of the names; of all, where there is no name."""
        import numpy as np

        if (known := tuple(names)) not in self._others:
            some = [
                turn
                for turn in self._turns
                if turn.vector is not None
                and (not names or any(name in turn.content[:READ_CHARS].lower() for name in names))
            ]
            stored = b"".join(turn.vector or b"" for turn in some)
            vectors = np.frombuffer(stored, dtype="<f4").reshape(len(some), -1) if some else np.zeros((0, 1), "<f4")
            self._others[known] = [turn.id for turn in some], vectors
        return self._others[known]

    @cached_property
    def _query(self) -> Vector | None:
        import numpy as np

        return None if self._evidence.vector is None else np.frombuffer(self._evidence.vector, dtype="<f4")


def _vector(turn: Turn) -> Vector | None:
    import numpy as np

    return None if turn.vector is None else np.frombuffer(turn.vector, dtype="<f4")


def _shares(values: Sequence[float]) -> list[float]:
    best = max(values, default=0.0)
    return [value / best if best > 0 else 0.0 for value in values]
