"""The index worker: gives every memory its vector, and the vector index every change, in order."""

import logging
import time

from ..modules.errors import AgentOSError
from ..modules.memory.embedding import MemoryEmbedding
from ..modules.memory.ports import IndexState, VectorIndex

BATCH = 500
MODEL_WAIT_S = 60.0
LOOK_AGAIN_S = 60.0
LONGEST_PAUSE_S = 300.0

log = logging.getLogger(__name__)


class IndexWorker:
    """Works in small steps, so that it can be stopped at any point and goes on there."""

    def __init__(self, embedding: MemoryEmbedding, index: VectorIndex) -> None:
        self._embedding = embedding
        self._index = index
        self._generation: int | None = None
        self._done: tuple[int, int] | None = None
        self._look_again_at = 0.0
        self._try_again_at = 0.0
        self._pause_s = 0.0

    async def step(self) -> int:
        """One batch of owed vectors and one of index changes; how many there were. Raises AgentOSError."""
        embedded = await self._embedding.embed_pending()
        generation = await self._embedding.generation()
        if generation is None:
            return embedded
        if generation != self._generation:
            state = await self._index.open(generation)
            self._generation = generation
            log.info("vector index open: %d vectors, %d of %d changes", state.count, state.applied, state.newest)
        return embedded + await self._index.catch_up(BATCH)

    async def run_once(self) -> IndexState | None:
        """Do all that is to do now; the state reached, or None without an embedding model."""
        if not await self._embedding.ready(MODEL_WAIT_S):
            return None
        while await self.step():
            pass
        return await self._index.state()

    async def tick(self) -> None:
        """What the scheduler calls: work until nothing is left; a failure is logged and tried again.

        A tick without any change costs next to nothing; now and then everything is looked at all the same, so
        that an index that was damaged or deleted is noticed.
        """
        if time.monotonic() < self._try_again_at:
            return
        try:
            mark = await self._embedding.mark()
            if mark == self._done and time.monotonic() < self._look_again_at:
                return
            while await self.step():
                pass
            if self._generation is not None:
                self._done, self._look_again_at = mark, time.monotonic() + LOOK_AGAIN_S
            self._pause_s = 0.0
        except AgentOSError as error:
            log.warning("index worker, again in %.0f s: %s", self._back_off(), error)
        except Exception:
            self._back_off()
            raise

    def _back_off(self) -> float:
        """Open the index anew, after a pause that doubles with each failure; its length in seconds."""
        self._generation = None
        self._pause_s = min(max(1.0, self._pause_s * 2), LONGEST_PAUSE_S)
        self._try_again_at = time.monotonic() + self._pause_s
        return self._pause_s

    async def close(self) -> None:
        """Release the index."""
        await self._index.close()
