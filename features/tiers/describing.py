"""Topics of pages and segments: keywords and summary from their words, vectors from their turns' embeddings."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...modules.memory.embedding import MemoryEmbedding
from ...modules.vectors import mean
from . import topics
from .models import Outline, TierPage, Topic
from .rows import TierRows
from .vocabulary import Vocabulary

DESCRIBED_BY = 40
"""The newest pages that describe a segment."""
AT_HAND = 4_096
"""Segments whose topics are cached: more than a namespace has by default; 2 KB each."""
READ_AT_ONCE = 100
WAIT_S = 10.0

_NONE: tuple[Outline | None, Topic] = (None, Topic("", ()))


class Describer:
    """Builds topics of pages and segments. The vector of each is the mean of the vectors of its turns."""

    def __init__(self, repository: TierRows, vocabulary: Vocabulary, embedding: MemoryEmbedding) -> None:
        self._repository = repository
        self._vocabulary = vocabulary
        self._embedding = embedding
        self._at_hand: dict[str, tuple[Outline | None, Topic]] = {}

    async def is_ready(self) -> bool:
        """Return whether pages can be compared fully: each turn has its vector, or there is permanently no model."""
        if not await self._embedding.ready(WAIT_S):
            return (await self._embedding.state())["problem"] is not None
        return await self._embedding.caught_up(WAIT_S)

    async def read(self, namespace: str, text: str) -> Topic:
        """Return the topic of a text, by its words alone."""
        words, stem = self._vocabulary.words, self._vocabulary.stem
        frequent = await asyncio.to_thread(topics.frequent_words, text, words)
        rarity = await self._vocabulary.rarity(namespace, frequent)
        return await asyncio.to_thread(topics.topic_of, text, rarity, words, stem)

    async def pages(self, namespace: str, pages: Sequence[TierPage]) -> Topic:
        """Return the topic of pages taken as one text, with the mean vector of their turns."""
        topic = await self.read(namespace, "\n".join(page.text for page in pages))
        turns = tuple((turn.memory_id, turn.version) for page in pages for turn in page.turns)
        generation = await self._embedding.generation()
        if generation is None:
            return replace(topic, turns=turns)
        vectors = await self._repository.vectors(namespace, pages, generation)
        turn_vectors = [vector for found in vectors.values() for vector in found]
        return replace(topic, turns=turns, vector=await asyncio.to_thread(mean, turn_vectors) if turn_vectors else None)

    async def segments(self, namespace: str, outlines: Sequence[Outline], at_once: int | None = None) -> list[Topic]:
        """Return the topics of segments.

        Of those that are not cached, only the last `at_once` get a vector now; the others get theirs later.
        """
        unread = [one for one in outlines if self._at_hand.get(one.id, _NONE)[0] != one]
        if unread:
            await self._take(namespace, unread if at_once is None else unread[-at_once:])
        found = []
        for one in outlines:
            known = self._at_hand.get(one.id, _NONE)
            found.append(known[1] if known[0] == one else self._words_of(one))
        while len(self._at_hand) > max(AT_HAND, len(outlines)):
            del self._at_hand[next(iter(self._at_hand))]
        return found

    async def _take(self, namespace: str, outlines: Sequence[Outline]) -> None:
        """Load segments into the cache."""
        generation = await self._embedding.generation()
        for start in range(0, len(outlines), READ_AT_ONCE):
            part = outlines[start : start + READ_AT_ONCE]
            vectors: Mapping[str, Sequence[bytes]] = {}
            if generation is not None:
                ids = [one.id for one in part]
                vectors = await self._repository.segment_vectors(namespace, ids, generation, DESCRIBED_BY)
            means = await asyncio.to_thread(lambda known: {name: mean(known[name]) for name in known}, vectors)
            for one in part:
                self._at_hand[one.id] = one, replace(self._words_of(one), vector=means.get(one.id))

    def _words_of(self, outline: Outline) -> Topic:
        keywords = tuple(json.loads(outline.keywords))
        return Topic(outline.summary, keywords, frozenset(map(self._vocabulary.stem, keywords)))

    async def scores(self, one: Topic, others: Sequence[Topic]) -> list[float]:
        """Return the similarity of one topic to each of the others; computed in a thread."""
        return await asyncio.to_thread(topics.scores, one, others, self._vocabulary.words, self._vocabulary.stem)
