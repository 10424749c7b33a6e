"""BM25 that knows the conversation: no model, and still hard to beat on turns that were said one after the other."""

import re
from collections import Counter, defaultdict

from agentos.modules.memory.words import stem
from agentos.modules.stop_words import STOP_WORDS

from ..data import Item, Store
from .ranked_words import RankedWords

SESSION, NEIGHBOUR = 0.5, 0.3
"""What a session adds to its turns, and a turn to those beside it, as shares of the best score."""
B = 0.4
_WORD = re.compile(r"[^\W_]+")


class ContextualText:
    """BM25 of a turn with its day, plus shares of the scores of its session and of the turns on either side."""

    name = "bm25-context"

    def __init__(self) -> None:
        self._items: tuple[Item, ...] = ()
        self._turns = self._sessions = RankedWords([], B)
        self._session_of: list[int] = []

    def fill(self, store: Store) -> None:
        self._items = store.items
        texts = [_words(f"{(item.occurred_at or '')[:10]} {item.content}") for item in store.items]
        names = [item.session or f"alone {place}" for place, item in enumerate(store.items)]
        number = {name: place for place, name in enumerate(dict.fromkeys(names))}
        self._session_of = [number[name] for name in names]
        together: list[Counter[str]] = [Counter() for _ in number]
        for session, words in zip(self._session_of, texts, strict=True):
            together[session] += words
        self._turns, self._sessions = RankedWords(texts, B), RankedWords(together, B)

    def search(self, question: str, depth: int) -> list[str]:
        asked = _words(question)
        turns, sessions = _shares(self._turns.scores(asked)), _shares(self._sessions.scores(asked))
        scores: defaultdict[int, float] = defaultdict(float)
        for place, share in turns.items():
            scores[place] += share
            for beside in (place - 1, place + 1):
                if 0 <= beside < len(self._items) and self._session_of[beside] == self._session_of[place]:
                    scores[beside] += NEIGHBOUR * share
        for place in scores:
            scores[place] += SESSION * sessions.get(self._session_of[place], 0.0)
        return [self._items[place].id for place in sorted(scores, key=lambda place: -scores[place])[:depth]]

    def close(self) -> None:
        self._items = ()


def _words(text: str) -> Counter[str]:
    return Counter(stem(word) for word in _WORD.findall(text.lower()) if word not in STOP_WORDS)


def _shares(scores: dict[int, float]) -> dict[int, float]:
    best = max(scores.values(), default=1.0)
    return {place: score / best for place, score in scores.items()}
