"""Recall over the tiers: a session's last pages, pages about the topic, and knowledge about user and assistant."""

import asyncio
import heapq
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ...modules.clock import Clock
from ...modules.memory.embedding import MemoryEmbedding
from ...modules.memory.models import Memory, Vector
from .describing import Describer
from .found import FoundMemories
from .models import Knowledge, RetrievedPage, Side, Tier, TierPage, TierRecall, TierSettings, Topic
from .rows import TierRows

BEST_SEGMENTS, BEST_PAGES = 5, 7
WORTH_A_LOOK = 0.1
"""The score from which a segment or a page may be retrieved."""
PAGES_OF_A_SEGMENT = 100
READ_AT_ONCE = 400
"""Segments, the newest, whose vectors are read during one recall; others are compared by words until then."""
KNOWLEDGE = 20


class RecallOfTiers:
    """Recalls from every tier."""

    def __init__(
        self,
        repository: TierRows,
        describer: Describer,
        embedding: MemoryEmbedding,
        memory: FoundMemories,
        settings: TierSettings,
        wait_s: float,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._describer = describer
        self._embedding = embedding
        self._memory = memory
        self._settings = settings
        self._wait_s = wait_s
        self._clock = clock

    async def __call__(
        self,
        namespace: str,
        query: str,
        session: str | None,
        limit: int,
        tiers: Collection[Tier],
        *,
        include_assistant_knowledge: bool,
    ) -> TierRecall:
        """Return what the tiers have for a query; what is shown counts as accessed, and its segments as visited."""
        now = self._clock()
        sides = [Side.USER, *([Side.ASSISTANT] if include_assistant_knowledge else [])] if Tier.LONG in tiers else []
        async with asyncio.TaskGroup() as group:
            shorts = group.create_task(self._short(namespace, session if Tier.SHORT in tiers else None))
            mids = group.create_task(self._mid(namespace, query, limit)) if Tier.MID in tiers else None
            longs = {side: group.create_task(self._long(namespace, query, side)) for side in sides}
        short = shorts.result()
        pages, notes = ([], ()) if mids is None else mids.result()
        known = {side: task.result() for side, task in longs.items()}
        user, assistant = (tuple(known[side][0]) if side in known else () for side in (Side.USER, Side.ASSISTANT))
        at_hand = {page.id for page in short}
        retrieved = [found for found in pages if found.page.id not in at_hand]
        turns = [turn.memory_id for page in (*short, *(found.page for found in retrieved)) for turn in page.turns]
        await self._memory.shown(
            namespace, [*turns, *(each.memory_id for found, _ in known.values() for each in found)]
        )
        return TierRecall(
            query,
            now,
            tuple(short),
            tuple(retrieved),
            user,
            assistant,
            tuple(dict.fromkeys((*notes, *(note for _, of_side in known.values() for note in of_side)))),
        )

    async def _short(self, namespace: str, session: str | None) -> list[TierPage]:
        """Return the pages of a session that are in short-term memory, in order."""
        if session is None:
            return []
        pages = await self._repository.short(namespace, session, self._settings.short_term_pages)
        return [page for page in pages if page.turns]

    async def _mid(self, namespace: str, query: str, limit: int) -> tuple[list[RetrievedPage], tuple[str, ...]]:
        """Return the best pages of the best segments, best first; pages that wait for a segment are candidates too."""
        vector = await self._embedding.query_vector(query, self._wait_s)
        asked = await self._topic_of_query(namespace, query, vector.vector)
        outlines = await self._repository.outlines(namespace)
        topics = await self._describer.segments(namespace, outlines, READ_AT_ONCE)
        unread = 0 if asked.vector is None else sum(topic.vector is None for topic in topics)
        notes = (*vector.notes, *((f"{unread} segments were compared by their words only",) if unread else ()))
        scores = await self._describer.scores(asked, topics)
        best = heapq.nlargest(BEST_SEGMENTS, range(len(outlines)), key=lambda index: scores[index])
        chosen = {outlines[index].id: topics[index] for index in best if scores[index] >= WORTH_A_LOOK}
        due = await self._repository.due(namespace, self._settings.short_term_pages, PAGES_OF_A_SEGMENT)
        pages = [*due, *await self._repository.pages(namespace, list(chosen), PAGES_OF_A_SEGMENT)]
        pages = [page for page in pages if page.turns]
        found = await self._page_scores(namespace, asked, pages, vector.vector)
        ranked = heapq.nlargest(limit, pages, key=lambda page: found[page.id])
        return [
            RetrievedPage(page, round(found[page.id], 4), chosen[page.segment].keywords if page.segment else ())
            for page in ranked
            if found[page.id] >= WORTH_A_LOOK
        ], notes

    async def _topic_of_query(self, namespace: str, query: str, vector: Vector | None) -> Topic:
        topic = await self._describer.read(namespace, query)
        return replace(topic, summary=query, vector=None if vector is None else vector.data)

    async def _page_scores(
        self, namespace: str, asked: Topic, pages: Sequence[TierPage], vector: Vector | None
    ) -> Mapping[str, float]:
        """Return the cosine of the nearest passage of each page, or that of its words if it has no vector."""
        vectors = {} if vector is None else await self._repository.vectors(namespace, pages, vector.generation)
        scores = {} if vector is None else await asyncio.to_thread(_nearest, vector.data, vectors)
        others = [page for page in pages if page.id not in scores]
        by_words = await self._describer.scores(
            Topic(asked.summary, ()), [Topic(page.text, ()) for page in others]
        )  # fmt: skip
        return {**scores, **{page.id: score for page, score in zip(others, by_words, strict=True)}}

    async def _long(self, namespace: str, query: str, side: Side) -> tuple[list[Knowledge], tuple[str, ...]]:
        """Return the knowledge of one side that is nearest to a query, with its evidence."""
        found, notes = await self._memory.nearest(namespace, query, side, KNOWLEDGE)
        evidence = await self._repository.evidence(namespace, [each.id for each in found])
        return [_knowledge(each, evidence.get(each.id, ())) for each in found], notes


def _knowledge(found: Memory, evidence: tuple[str, ...]) -> Knowledge:
    newer = None if found.may_be_outdated_by is None else found.may_be_outdated_by.id
    return Knowledge(found.id, found.content, str(found.kind), found.confidence, found.occurred_at, evidence, newer)


def _nearest(query: bytes, vectors: Mapping[str, Sequence[bytes]]) -> dict[str, float]:
    import numpy as np

    asked = np.frombuffer(query, dtype="<f4")
    return {
        name: float((np.frombuffer(b"".join(rows), dtype="<f4").reshape(len(rows), -1) @ asked).max())
        for name, rows in vectors.items()
    }
