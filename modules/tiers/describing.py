"""Describes pages and segments: what they are about by their words, and where they lie by their turns' vectors."""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from . import topics
from .models import Page, Segment, Topic
from .ports import Embedding, TierRepository, Vocabulary

DESCRIBED_BY = 40
"""So many pages, the newest, say what a segment is about."""
AT_HAND = 4_096
"""Segments whose vectors are kept in memory: more than there are, by default; 1.5 KB each."""
READ_AT_ONCE = 100
WAIT_S = 60.0

_Stamp = tuple[int, str]


class Describer:
    """Makes topics of pages and segments. The vector of each is the mean of the vectors of its turns."""

    def __init__(self, repository: TierRepository, vocabulary: Vocabulary, embedding: Embedding) -> None:
        self._repository = repository
        self._vocabulary = vocabulary
        self._embedding = embedding
        self._means: OrderedDict[str, tuple[_Stamp, bytes]] = OrderedDict()

    async def is_ready(self) -> bool:
        """Whether pages can be compared as they should be: every turn has its vector, or there is no model for good."""
        if not await self._embedding.ready(WAIT_S):
            return (await self._embedding.state())["problem"] is not None
        return await self._embedding.caught_up(WAIT_S)

    async def read(self, text: str) -> Topic:
        """What a text is about, by its words alone."""
        words, stem = self._vocabulary.words, self._vocabulary.stem
        frequent = await asyncio.to_thread(topics.frequent_words, text, words)
        rarity = await self._vocabulary.rarity(frequent)
        return await asyncio.to_thread(topics.topic_of, text, rarity, words, stem)

    async def pages(self, namespace: str, pages: Sequence[Page]) -> Topic:
        """What pages are about, as one text, and where they lie."""
        topic = await self.read("\n".join(page.text for page in pages))
        turns = tuple((turn.memory_id, turn.version) for page in pages for turn in page.turns)
        generation = await self._embedding.generation()
        if generation is None:
            return replace(topic, turns=turns)
        vectors = await self._repository.vectors(namespace, pages, generation)
        every = [vector for found in vectors.values() for vector in found]
        mean = (await asyncio.to_thread(_means, {"": every})).get("") if every else None
        return replace(topic, turns=turns, vector=mean)

    async def segments(self, namespace: str, segments: Sequence[Segment], at_once: int | None = None) -> list[Topic]:
        """What segments are about, and where they lie; of those whose vectors are not at hand only the last `at_once`
        are read.
        """
        generation = await self._embedding.generation()
        if generation is not None:
            unread = [one.id for one in segments if self._means.get(one.id, ((), b""))[0] != _stamp(one)]
            unread = unread if at_once is None else unread[-at_once:]
            stamps = {one.id: _stamp(one) for one in segments}
            for start in range(0, len(unread), READ_AT_ONCE):
                part = unread[start : start + READ_AT_ONCE]
                vectors = await self._repository.segment_vectors(namespace, part, generation, DESCRIBED_BY)
                for name, mean in (await asyncio.to_thread(_means, vectors)).items():
                    self._means[name] = (stamps[name], mean)
        found = []
        for one in segments:
            known = self._means.get(one.id)
            at_hand = known is not None and known[0] == _stamp(one)
            found.append(Topic(one.summary, one.keywords, known[1] if known is not None and at_hand else None))
            if known is not None:
                self._means.move_to_end(one.id)
        while len(self._means) > AT_HAND:
            self._means.popitem(last=False)
        return found

    async def scores(self, one: Topic, others: Sequence[Topic]) -> list[float]:
        """How alike one topic is to each of others; in a thread."""
        return await asyncio.to_thread(topics.scores, one, others, self._vocabulary.words, self._vocabulary.stem)


def _stamp(segment: Segment) -> _Stamp:
    """Differs when other turns make up a segment."""
    return segment.pages, segment.summary


def _means(vectors: Mapping[str, Sequence[bytes]]) -> dict[str, bytes]:
    """The mean direction of the vectors of each name."""
    import numpy as np

    found = {}
    for name, rows in vectors.items():
        total = np.frombuffer(b"".join(rows), dtype="<f4").reshape(len(rows), -1).sum(axis=0)
        length = float(np.linalg.norm(total))
        found[name] = (total / length if length else total).astype("<f4").tobytes()
    return found
