"""ChromaDB: the approximate index derived from the vectors in SQLite, in a child process or on a server.

It holds vectors and numbers, no text: every passage of each memory, in one collection per namespace and generation. It
can be deleted at any time, and is rebuilt from SQLite.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from ...modules.errors import StorageUnavailable
from ...modules.memory.models import Candidate, Vector
from ...modules.memory.ports import IndexPhase, IndexState, IndexStatus
from ..engine.vector_table import NearMemory, PassageVector, nearest_of
from .chroma_process import ChromaFailed
from .database import Sqlite
from .index_progress import IndexProgress
from .vector_search import EXACT_UP_TO

BATCH = 50
"""Vectors in one call, which takes about 40 ms, so that a search between two calls does not wait for long."""
READ_ROWS = 500
ASKED_MORE, ASKED_MAX = 4, 10_000
"""If the nearest passages belong to too few memories, `ASKED_MORE` times as many are asked for, up to `ASKED_MAX`."""
TAIL_MAX = 2_000
"""The most changes not yet indexed that a search compares exactly; with more, the index is not ready."""
REBUILD_WHEN_DELETED = 0.2
REBUILD_MIN_DELETED = 300
_NO_REBUILD_HELPS = {
    "Timeout": "another process holds the vector index",
    "Unreachable": "the vector index is out of reach",
}

log = logging.getLogger(__name__)


class IndexNotReady(StorageUnavailable):
    """The index cannot answer now; the vectors in SQLite can."""

    code = "index_not_ready"


class Chroma(Protocol):
    """The holder of the collections: a child process with its own files, or a server."""

    @property
    def pid(self) -> int | None:
        """A number that tells what runs now from what runs after a failure; None while nothing does."""

    @property
    def late(self) -> bool:
        """Return whether another call would have to wait."""

    async def call(self, name: str, *arguments: Any) -> Any:
        """Return the answer to a request of `chroma_child.Index`. Raises ChromaFailed, at the latest after a minute."""

    def noted(self) -> int | None:
        """Return how many deleted vectors are kept, by a note on disk; None without an index. Blocks."""

    async def stop(self) -> None:
        """Give its memory back until the next call."""

    async def close(self) -> None:
        """End at once; later calls are refused."""


class ChromaIndex:
    """Implements `modules.memory.ports.VectorIndex`. Raises StorageUnavailable when Chroma fails twice."""

    def __init__(self, sqlite: Sqlite, chroma: Chroma, name: str = "chroma") -> None:
        """Keep the progress under a name: that of a server is not that of the files of a home."""
        self._progress = IndexProgress(sqlite, name)
        self._process = chroma
        self._open_in: int | None = None
        self._generation = 0
        self._applied = 0
        self._deleted = 0
        self._status = IndexStatus(IndexPhase.OFF, 0, 0, 0, None)

    @property
    def status(self) -> IndexStatus:
        """The index's state, as far as it is known without asking the child."""
        return self._status

    @property
    def needed(self) -> bool:
        """Return whether it holds so many vectors that searches need it."""
        return self._status.count > EXACT_UP_TO

    @property
    def deleted(self) -> int:
        """The number of deleted vectors that are still on disk."""
        return self._deleted

    async def glance(self, generation: int) -> bool:
        """Return whether the index seems complete for a generation, by its notes and files alone; start nothing."""
        self._generation = generation
        deleted = await asyncio.to_thread(self._process.noted)
        if deleted is None or not await self._progress.can_continue(generation):
            return False
        self._deleted = deleted
        applied, newest = await self._progress.applied(), await self._progress.newest()
        if applied == newest:
            count = await self._progress.expected_count(generation)
            self._status = IndexStatus(IndexPhase.READY, applied, newest, count, None)
        return applied == newest

    async def open(self, generation: int) -> IndexState:
        self._generation = generation
        self._note(IndexPhase.BUILDING)
        try:
            if not await self._open_current() or not await self._progress.can_continue(generation):
                await self._rebuild("there is none of this model yet")
            else:
                self._applied = await self._progress.applied()
                while await self._apply(READ_ROWS):
                    pass
                if await self._disagrees(await self._count()):
                    await self._rebuild("it disagrees with the database")
        except ChromaFailed as error:
            await self._rebuild(str(error), error)
        return await self.state()

    async def catch_up(self, limit: int) -> int:
        try:
            if self._open_in != self._process.pid or self._open_in is None:
                await self._reopen()
            applied = await self._apply(limit)
            total = (await self._state()).count
        except ChromaFailed as error:
            await self._rebuild(str(error), error)
            return 0
        if not applied and await self._disagrees(total):
            await self._rebuild("it lost entries")
        elif self._deleted >= max(REBUILD_MIN_DELETED, REBUILD_WHEN_DELETED * total):
            await self.purge()
        return applied

    async def purge(self) -> None:
        """Rebuild the index without its deleted vectors: Chroma's files never shrink, and keep them readable."""
        if self._deleted:
            await self._rebuild(f"{self._deleted} vectors were deleted from it")

    async def state(self) -> IndexState:
        try:
            return await self._state()
        except ChromaFailed as error:
            raise IndexNotReady(f"the vector index cannot be counted: {error}") from error

    async def _state(self) -> IndexState:
        state = IndexState(self._generation, self._applied, await self._progress.newest(), await self._count())
        self._status = IndexStatus(IndexPhase.READY, state.applied, state.newest, state.count, None)
        return state

    async def nearest(self, namespace: str, vector: Vector, limit: int) -> list[Candidate]:
        found = await self.sequences(namespace, vector, limit)
        ids = await self._progress.ids([near.memory_seq for near in found])
        return [Candidate(ids[near.memory_seq], near.cosine) for near in found if near.memory_seq in ids]

    async def sequences(self, namespace: str, vector: Vector, limit: int) -> list[NearMemory]:
        """Return the nearest memories: indexed ones approximately, the others exactly.

        Raises IndexNotReady at once when it cannot answer soon: it is closed, at rest, hangs, or is far behind.
        """
        opened, generation = self._open_in, self._generation
        if opened is None or opened != self._process.pid or vector.generation != generation or self._process.late:
            raise IndexNotReady("the vector index is not open")
        tail = await self._progress.changes(self._applied, TAIL_MAX + 1, namespace)
        if len(tail) > TAIL_MAX:
            raise IndexNotReady("the vector index is behind")
        changed = {change.memory_seq for change in tail}
        found = nearest_of(await self._progress.vectors_of(changed), vector.data, limit) if changed else []
        try:
            found += await self._indexed(namespace, vector, limit, changed)
        except ChromaFailed as error:
            self._note(IndexPhase.FAILED, str(error))
            raise IndexNotReady(f"the vector index failed: {error}") from error
        found.sort(key=lambda near: -near.cosine)
        return found[:limit]

    async def _indexed(self, namespace: str, vector: Vector, limit: int, without: set[int]) -> list[NearMemory]:
        """Return the nearest memories by Chroma, each by its best passage; ask for more passages if too few."""
        asked = limit + len(without)
        while True:
            pairs = await self._process.call("query", namespace, vector.generation, vector.data, asked)
            best: dict[int, NearMemory] = {}
            for name, cosine in pairs:  # the nearest first
                seq, part = map(int, name.split("."))
                if seq not in without:
                    best.setdefault(seq, NearMemory(seq, part, cosine))
            if len(best) >= limit or len(pairs) < asked or asked >= ASKED_MAX:
                return list(best.values())
            asked *= ASKED_MORE

    async def rest(self) -> None:
        """End the child process until there is something to do; what it holds is on disk."""
        self._open_in = None
        await self._process.stop()

    async def close(self) -> None:
        self._open_in = None
        self._note(IndexPhase.OFF)
        await self._process.close()

    def _note(self, state: IndexPhase, problem: str | None = None) -> None:
        self._status = replace(self._status, state=state, applied=self._applied, problem=problem)

    async def _reopen(self) -> None:
        """Reopen the folder after the child has ended; its answers are on disk. Raises ChromaFailed if it is gone."""
        if not await self._open_current():
            raise ChromaFailed("the index's folder is gone")
        self._applied = await self._progress.applied()

    async def _open_current(self) -> bool:
        found, self._deleted = await self._process.call("open")
        self._open_in = self._process.pid if found else None
        return bool(found)

    async def _disagrees(self, count: int) -> bool:
        """Return whether the database has another number of vectors, although the index has applied every change."""
        expected = await self._progress.expected_count(self._generation)
        # A change that came meanwhile explains a difference: look again after it is applied.
        return count != expected and self._applied == await self._progress.newest()

    async def _apply(self, limit: int) -> int:
        """Apply the next changes to the index, by the current vectors of their memories; return how many changes."""
        changes = await self._progress.changes(self._applied, limit)
        if not changes:
            return 0
        had: dict[tuple[str, int], int] = {}
        for change in changes:
            memory = change.namespace, change.memory_seq
            had[memory] = max(had.get(memory, 0), change.passages)
        memories = list(had)
        gone: dict[str, list[str]] = {}
        for start in range(0, len(memories), BATCH):
            batch = memories[start : start + BATCH]
            vectors = await self._progress.vectors_of([seq for _, seq in batch])
            counts = Counter(vector.memory_seq for vector in vectors)
            namespaces = {seq: namespace for namespace, seq in batch}
            await self._upsert(False, [(namespaces[vector.memory_seq], vector) for vector in vectors])
            for namespace, seq in batch:
                gone.setdefault(namespace, []).extend(
                    _name(seq, part) for part in range(counts[seq], had[namespace, seq])
                )
        for namespace, names in gone.items():
            if names:
                self._deleted = await self._process.call("delete", namespace, self._generation, names)
        await self._advance(changes[-1].seq)
        return len(changes)

    async def _upsert(self, fresh: bool, vectors: Sequence[tuple[str, PassageVector]]) -> None:
        by_namespace: dict[str, list[PassageVector]] = {}
        for namespace, vector in vectors:
            by_namespace.setdefault(namespace, []).append(vector)
        for namespace, group in by_namespace.items():
            for start in range(0, len(group), BATCH):
                part = group[start : start + BATCH]
                names = [_name(vector.memory_seq, vector.part) for vector in part]
                data = b"".join(vector.data for vector in part)
                await self._process.call("upsert", fresh, namespace, self._generation, names, data)

    async def _advance(self, applied: int) -> None:
        await self._progress.advance(self._generation, applied)
        self._applied = applied
        self._status = replace(self._status, applied=applied)

    async def _rebuild(self, reason: str, error: Exception | None = None) -> None:
        """Rebuild the index in a fresh folder, then use that one; try once more if the child fails.

        Raises StorageUnavailable.
        """
        log.log(logging.WARNING if error else logging.INFO, "rebuilding the vector index: %s", reason)
        for attempt in (1, 2):
            if isinstance(error, ChromaFailed) and error.kind in _NO_REBUILD_HELPS:
                raise self._failed(_NO_REBUILD_HELPS[error.kind], error)
            try:
                if error is not None:  # whatever is broken in the child or in its folder is not used again
                    await self.rest()
                return await self._build()
            except ChromaFailed as failure:
                error = failure
                log.warning("the vector index cannot be built (%d): %s", attempt, failure)
        await self.rest()
        raise self._failed("the vector index cannot be built", error)

    def _failed(self, problem: str, error: Exception | None) -> StorageUnavailable:
        self._open_in = None
        self._note(IndexPhase.FAILED, f"{problem}: {error}")
        return StorageUnavailable(f"{problem}: {error}; search works without it")

    async def _build(self) -> None:
        # Searches use the current folder and the changes after it; what is written meanwhile comes after `newest`.
        self._note(IndexPhase.BUILDING)
        newest = await self._progress.newest()
        await self._process.call("begin")
        after = (0, 0)
        while batch := await self._progress.vectors_after(self._generation, after, READ_ROWS):
            await self._upsert(True, batch)
            after = batch[-1][1].memory_seq, batch[-1][1].part
        await self._process.call("commit")
        self._open_in, self._deleted = self._process.pid, 0
        await self._advance(newest)
        await self._state()
        log.info("vector index rebuilt")

    async def _count(self) -> int:
        return int(await self._process.call("count", self._generation))


def _name(memory_seq: int, part: int) -> str:
    """Return the id of a passage in Chroma."""
    return f"{memory_seq}.{part}"
