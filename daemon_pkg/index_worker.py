"""The index worker: gives every memory its vector, and the vector index every change, in order."""

import logging
import time
from dataclasses import replace

from ..modules.errors import AgentOSError
from ..modules.memory.embedding import MemoryEmbedding
from ..modules.memory.ports import IndexState, IndexStatus, IndexUpkeep

BATCH = 500
MODEL_WAIT_S = 60.0
SETTLE_S = 20.0
"""How long changes must cease before an index that no search needs is started: for a short session it does not pay."""
WAIT_AT_MOST_S = 60.0
MANY_CHANGES = 500
PURGE_AFTER_S = 10.0
SMALL = 2_000
"""Up to so many vectors the index is rebuilt soon after a deletion; above, once a fifth was deleted."""
REST_AFTER_S = 30.0
LOOK_AGAIN_S = 60.0
LOOK_AT_ALL_S = 3600.0
LONGEST_PAUSE_S = 300.0

log = logging.getLogger(__name__)


class IndexWorker:
    """Works in small steps, so that it can be stopped at any point and continues there.

    The index takes memory: it is started when there is something to do, or when searches need it, and rests otherwise.
    """

    def __init__(self, embedding: MemoryEmbedding, index: IndexUpkeep) -> None:
        self._embedding = embedding
        self._index = index
        self._generation: int | None = None
        self._running = False
        self._mark: tuple[int, int] | None = None
        self._changed_at = self._first_change_at = 0.0
        self._look_again_at = self._look_at_all_at = 0.0
        self._try_again_at = 0.0
        self._pause_s = 0.0

    @property
    def status(self) -> IndexStatus:
        """The index's state, for a status line, without asking the index."""
        status = self._index.status
        return replace(status, newest=max(status.newest, self._mark[0] if self._mark else 0))

    async def step(self) -> int:
        """Process one batch of missing vectors and one of index changes; return how many. Raises AgentOSError."""
        embedded = await self._embedding.embed_pending()
        generation = await self._embedding.generation()
        if generation is None:
            return embedded
        if generation != self._generation or not self._running:
            self._generation = None
            state = await self._index.open(generation)
            self._generation, self._running = generation, True
            log.info("vector index open: %d vectors, %d of %d changes", state.count, state.applied, state.newest)
        worked = embedded + await self._index.catch_up(BATCH)
        return worked or await self._embedding.drop_vectors_of_other_models()

    async def run_once(self) -> IndexState | None:
        """Do all work that there is now; return the state reached, or None without an embedding model."""
        if not await self._embedding.ready(MODEL_WAIT_S):
            return None
        while await self.step():
            pass
        return await self._index.state()

    async def tick(self) -> None:
        """Work until nothing is left, for the scheduler; a failure is logged and tried again.

        A tick without any change costs next to nothing; now and then everything is checked all the same, so that an
        index that was damaged or deleted is noticed.
        """
        if time.monotonic() < self._try_again_at:
            return
        try:
            await self._work()
            self._pause_s = 0.0
        except AgentOSError as error:
            log.warning("index worker, again in %.0f s: %s", self._back_off(), error)
        except Exception:
            self._back_off()
            raise

    async def _work(self) -> None:
        await self._note_changes()
        generation = await self._embedding.generation()
        if generation is None:
            return
        if generation != self._generation:  # a start, a change of the model, or a failure: is it as it was left?
            self._running = False
            if await self._index.glance(generation):
                self._generation = generation
        if self._is_due():
            self._look_again_at = time.monotonic() + LOOK_AGAIN_S
            while await self.step():
                pass
            self._first_change_at = 0.0
        await self._tidy_up()

    async def _note_changes(self) -> None:
        """Give new memories their vectors at once, and note when there was something new."""
        now = time.monotonic()
        if now >= self._look_at_all_at:
            self._embedding.look_anew()
            self._look_at_all_at, self._mark = now + LOOK_AT_ALL_S, None
        mark = await self._embedding.mark()
        if mark == self._mark:
            return
        while await self._embedding.embed_pending():
            pass
        # If the embedding server fails just now, nothing was done: the next tick looks again.
        if await self._embedding.ready(0) and await self._embedding.generation() is not None:
            self._mark = await self._embedding.mark()
        self._changed_at = now
        self._first_change_at = self._first_change_at or now

    def _is_due(self) -> bool:
        """Return whether the index has something to do that should not wait any longer."""
        now, status = time.monotonic(), self._index.status
        changes = (self._mark[0] if self._mark else 0) - status.applied
        if self._running and self._generation is not None and now >= self._look_again_at:
            return True
        # Where no search needs it, changes are batched: one by one each costs ten times as much.
        if (self._index.needed and (changes > 0 or not self._running)) or changes >= MANY_CHANGES:
            return True
        if self._generation is not None and changes <= 0:
            return False
        if self._mark is not None and self._mark[0] == 0:  # there has never been a vector
            return False
        waits_since = self._first_change_at or now
        return now - self._changed_at >= SETTLE_S or now - waits_since >= WAIT_AT_MOST_S

    async def _tidy_up(self) -> None:
        """Purge deleted vectors from a small index, and let an index rest that nobody needs."""
        quiet_for = time.monotonic() - self._changed_at
        index = self._index
        if index.deleted and index.status.count <= SMALL and quiet_for >= PURGE_AFTER_S:
            if not self._running:
                await self.step()
            await index.purge()
        if self._running and not index.needed and quiet_for >= REST_AFTER_S:
            await index.rest()
            self._running = False
        elif not self._running and time.monotonic() >= self._look_again_at and self._generation is not None:
            self._look_again_at = time.monotonic() + LOOK_AGAIN_S
            if not await index.glance(self._generation):
                self._generation = None

    def _back_off(self) -> float:
        """Reopen the index after a pause that doubles with each failure; return its length in seconds."""
        self._generation, self._running = None, False
        self._pause_s = min(max(1.0, self._pause_s * 2), LONGEST_PAUSE_S)
        self._try_again_at = time.monotonic() + self._pause_s
        return self._pause_s

    async def close(self) -> None:
        """Release the index."""
        await self._index.close()
