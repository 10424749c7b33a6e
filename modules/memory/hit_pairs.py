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
WORST = 3
"""Of how many tokens "the least met" are the mean."""

FEATURES = (
    *("cosine", "older_to_query", "newer_to_query", "older_late", "newer_late", "older_share", "newer_share"),
    *("older_rank", "newer_rank", "best_two", "best_three"),
    *("older_margin", "newer_margin", "older_query_margin", "newer_query_margin"),
    *("older_met", "newer_met", "older_least_met", "newer_least_met"),
    *("older_asked", "newer_asked", "older_least_asked", "newer_least_asked", "shared_words"),
)
"""Margins are cosines less that of the next best memory that mentions whom the question names: how much two stand out.
What is `met` is how well the tokens of one are met by the other's, what is `asked` how well the question's telling
ones are, names left aside: late interaction over sign bits."""


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
        self._signs: dict[int, Vector | None] = {}
        self._others: tuple[Sequence[str], Vector] | None = None

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
            **self._tokens(older, newer, names),
            "shared_words": _shared_words(self._best[older].content, self._best[newer].content),
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

        if self._others is None:
            some = [
                turn
                for turn in self._turns
                if turn.vector is not None
                and (not names or any(name in turn.content[:READ_CHARS].lower() for name in names))
            ]
            stored = b"".join(turn.vector or b"" for turn in some)
            vectors = np.frombuffer(stored, dtype="<f4").reshape(len(some), -1) if some else np.zeros((0, 1), "<f4")
            self._others = [turn.id for turn in some], vectors
        return self._others

    def _tokens(self, older: int, newer: int, names: Sequence[str]) -> Mapping[str, float]:
        import numpy as np

        one, other = self._signs_of(older), self._signs_of(newer)
        asked = self._asked(names)
        if one is None or other is None or asked is None:
            return dict.fromkeys((name for name in FEATURES if name.endswith(("_met", "_asked"))), 0.0)
        products = one @ other.T
        met, found = (
            (products.max(axis=1), products.max(axis=0)),
            [(asked @ each.T).max(axis=1) for each in (one, other)],
        )
        return {
            "older_met": float(met[0].mean()),
            "newer_met": float(met[1].mean()),
            "older_least_met": float(np.sort(met[0])[:WORST].mean()),
            "newer_least_met": float(np.sort(met[1])[:WORST].mean()),
            "older_asked": float(found[0].mean()),
            "newer_asked": float(found[1].mean()),
            "older_least_asked": float(found[0].min()),
            "newer_least_asked": float(found[1].min()),
        }

    @cached_property
    def _query(self) -> Vector | None:
        import numpy as np

        return None if self._evidence.vector is None else np.frombuffer(self._evidence.vector, dtype="<f4")

    def _asked(self, names: Sequence[str]) -> Vector | None:
        """The question's token vectors that tell what is asked, without those of whom it is about; all, if none is."""
        import numpy as np

        words = self._evidence.token_words
        if not words or not self._evidence.tokens:
            return None
        vectors = np.frombuffer(self._evidence.tokens, dtype="<f4").reshape(len(words), -1)
        named = " ".join(names)
        telling = np.array([word in self._evidence.words and word not in named for word in words], dtype=bool)
        return vectors[telling] if telling.any() else vectors

    def _signs_of(self, place: int) -> Vector | None:
        """The tokens of a hit's first passage as unit vectors of their signs."""
        import numpy as np

        if place not in self._signs:
            width = 0 if self._evidence.vector is None else len(self._evidence.vector) // 32
            passage = next((part for part in self._evidence.signs.get(self._best[place].id, ()) if part), b"")
            if not passage or not width or len(passage) % width:
                self._signs[place] = None
            else:
                bits = np.unpackbits(np.frombuffer(passage, dtype=np.uint8).reshape(-1, width), axis=1)
                self._signs[place] = (bits.astype(np.float32) * 2 - 1) / np.float32(np.sqrt(width * 8))
        return self._signs[place]


def _vector(turn: Turn) -> Vector | None:
    import numpy as np

    return None if turn.vector is None else np.frombuffer(turn.vector, dtype="<f4")


def _shares(values: Sequence[float]) -> list[float]:
    best = max(values, default=0.0)
    return [value / best if best > 0 else 0.0 for value in values]


def _shared_words(one: str, other: str) -> float:
    """Jaccard's coefficient of two texts' words."""
    first, second = set(one.lower().split()), set(other.lower().split())
    return len(first & second) / (len(first | second) or 1)
