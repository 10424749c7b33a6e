"""Topics of texts, without a model: keywords by TF-IDF, the most central sentence, the similarity of two topics."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from .formulas import jaccard
from .models import Topic

SAME_TOPIC = 0.6
"""The score from which two texts are about the same topic."""
KEYWORDS = 8
SUMMARY_CHARS = 240
MAX_CHARS = 32_000
"""The topic of a longer text is that of its beginning."""
MAX_SENTENCES = 200
COUNTED_WORDS = 200
"""The number of most frequent words of a text that are weighed by their rarity."""

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")

Words = Callable[[str], Sequence[str]]
Stem = Callable[[str], str]


def frequent_words(text: str, words: Words) -> list[str]:
    """Return the content words of a text, the most frequent first."""
    return [word for word, _ in Counter(words(text[:MAX_CHARS])).most_common(COUNTED_WORDS)]


def topic_of(text: str, rarity: Mapping[str, float], words: Words, stem: Stem) -> Topic:
    """Return the topic of a text; only the words in `rarity` count."""
    text = text[:MAX_CHARS]
    keywords = _keywords(text, rarity, words, stem)
    return Topic(_central_sentence(text, rarity, words, stem), keywords, frozenset(map(stem, keywords)))


def _keywords(text: str, rarity: Mapping[str, float], words: Words, stem: Stem) -> tuple[str, ...]:
    """Return the words with the highest TF-IDF, each stem once, in its most frequent form."""
    forms: dict[str, Counter[str]] = {}
    for word in words(text):
        if word in rarity:
            forms.setdefault(stem(word), Counter())[word] += 1
    weights = {
        one: (1 + math.log(counts.total())) * max(rarity[word] for word in counts) for one, counts in forms.items()
    }
    best = sorted(weights, key=lambda one: (-weights[one], one))[:KEYWORDS]
    return tuple(forms[one].most_common(1)[0][0] for one in best)


def _central_sentence(text: str, rarity: Mapping[str, float], words: Words, stem: Stem) -> str:
    """Return the sentence whose words are nearest to those of all sentences, by the cosine of their TF-IDF weights."""
    sentences = [line for part in _SENTENCE_END.split(text) if (line := " ".join(part.split()))][:MAX_SENTENCES]
    if not sentences:
        return ""
    rows = []
    for sentence in sentences:
        counts = Counter(stem(word) for word in words(sentence))
        rare = {stem(word): rarity.get(word, 0.0) for word in words(sentence)}
        rows.append({one: count * rare[one] for one, count in counts.items()})
    total: Counter[str] = Counter()
    for row in rows:
        for one, weight in row.items():
            total[one] += weight  # type: ignore[assignment]
    scores = [_cosine(row, total) for row in rows]
    best = sentences[scores.index(max(scores))]
    return best if len(best) <= SUMMARY_CHARS else best[: SUMMARY_CHARS - 1].rstrip() + "…"


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    product = sum(weight * other[word] for word, weight in one.items() if word in other)
    return product / (_length(one) * _length(other)) if product else 0.0


def _length(weights: Mapping[str, float]) -> float:
    return math.sqrt(sum(weight * weight for weight in weights.values()))


def scores(one: Topic, others: Sequence[Topic], words: Words, stem: Stem) -> list[float]:
    """Return the similarity of one topic to each other: cosine of the summaries + Jaccard index of the keywords.

    If one of two summaries has no vector, the cosine is that of their words.
    """
    shared = [jaccard(one.stems, other.stems) for other in others]
    return [alike + common for alike, common in zip(_alike(one, others, words, stem), shared, strict=True)]


def _alike(one: Topic, others: Sequence[Topic], words: Words, stem: Stem) -> list[float]:
    lying = [] if one.vector is None else [other.vector for other in others if other.vector is not None]
    cosines = iter(_cosines(one.vector, lying)) if one.vector is not None and lying else iter(())
    return [
        _common_words(one.summary, other.summary, words, stem)
        if one.vector is None or other.vector is None
        else next(cosines)
        for other in others
    ]


def _cosines(one: bytes, others: Sequence[bytes]) -> list[float]:
    import numpy as np

    rows = np.frombuffer(b"".join(others), dtype="<f4").reshape(len(others), -1)
    found: list[float] = (rows @ np.frombuffer(one, dtype="<f4")).tolist()
    return found


def _common_words(one: str, other: str, words: Words, stem: Stem) -> float:
    """Return the cosine of two texts as sets of words."""
    first, second = frozenset(map(stem, words(one))), frozenset(map(stem, words(other)))
    return len(first & second) / math.sqrt(len(first) * len(second)) if first and second else 0.0
