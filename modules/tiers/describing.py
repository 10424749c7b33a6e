"""Describes texts: their topics by words, and the vectors of the summaries, kept at hand."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from . import topics
from .models import Page, Topic
from .ports import Encoder, Vocabulary

AT_HAND = 4_096
"""Summaries whose vectors are kept: more than mid-term memory has segments, by default; 1.5 KB each."""
MODEL_WAIT_S = 60.0


class Describer:
    """Makes topics of texts."""

    def __init__(self, vocabulary: Vocabulary, encoder: Encoder) -> None:
        self._vocabulary = vocabulary
        self._encoder = encoder
        self._vectors: OrderedDict[str, bytes] = OrderedDict()

    async def describe(self, pages: Sequence[Page]) -> Topic:
        """What pages are about, as one text; without a vector."""
        topic = await self.read("\n".join(page.text for page in pages))
        return replace(topic, turns=tuple((turn.memory_id, turn.version) for page in pages for turn in page.turns))

    async def read(self, text: str) -> Topic:
        """What a text is about; without a vector."""
        words, stem = self._vocabulary.words, self._vocabulary.stem
        frequent = await asyncio.to_thread(topics.frequent_words, text, words)
        rarity = await self._vocabulary.rarity(frequent)
        return await asyncio.to_thread(topics.topic_of, text, rarity, words, stem)

    async def scores(self, one: Topic, others: Sequence[Topic]) -> list[float]:
        """How alike one topic is to each of others; in a thread."""
        return await asyncio.to_thread(topics.scores, one, others, self._vocabulary.words, self._vocabulary.stem)

    async def is_ready(self) -> bool:
        """Whether topics can be compared as they should be: with a model, or for good without one."""
        return await self._encoder.ready(MODEL_WAIT_S) or self._encoder.problem is not None

    async def with_vectors(self, described: Sequence[Topic], at_once: int, wait_s: float) -> list[Topic]:
        """Topics with the vectors of their summaries, as far as there is a model; of those not at hand the last
        `at_once` get theirs now.
        """
        missing = list(dict.fromkeys(one.summary for one in described if one.summary not in self._vectors))
        missing = [summary for summary in missing if summary][-at_once:]
        if missing and await self._encoder.ready(wait_s):
            for summary, passages in zip(missing, await self._encoder.encode(missing), strict=True):
                self._vectors[summary] = passages[0].vector
        found = [replace(one, vector=self._vectors.get(one.summary)) for one in described]
        for one in described:
            if one.summary in self._vectors:
                self._vectors.move_to_end(one.summary)
        while len(self._vectors) > AT_HAND:
            self._vectors.popitem(last=False)
        return found
