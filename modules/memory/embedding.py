"""Embedding of memories in small batches in the background: vectors follow a write's acknowledgement within moments."""

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .. import lagging
from ..errors import AgentOSError, Overloaded
from ..records import dataclass
from .background import Looks
from .calibration import FAMILIAR, NOT_YET, Calibration, Calibrator, Scale
from .earlier_model import EarlierEncoding, EarlierModel, OpenEmbedder
from .models import Consistency, Passage, QueryEncoding, Vector
from .ports import BacklogPosition, Embedder, UnembeddedText

if TYPE_CHECKING:
    from ...storage.repositories.backlog import BacklogRepository

BATCH = 32
CHARACTERS_AT_ONCE = 50_000
"""The most characters that are embedded before any of them is stored: about three seconds of work."""
DROP_BATCH = 1_000
QUEUE_MAX = 500
"""The most texts that wait in memory; more than that wait in the database, where a look at the backlog finds them."""
MOST_OWED = 5_000
"""The most new texts without a vector that callers over the network may leave: about a minute of work.

Until then no search finds them by what they mean, so that who goes on writing faster only makes that longer.
"""
QUERY_WAIT_S = 2.0
"""The time that a search waits for a loaded model: hundreds of times what a text takes."""
MODEL_WAIT_S = 60.0
AHEAD_MAX = 64
"""The most texts kept that were embedded before they are stored; beyond that the oldest is dropped."""
SHORTEST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 60.0

UNKNOWN_SCRIPT = "the embedding model does not know this script: searched by words only"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class QueryVector:
    """The vector of a query, None when only words can be searched; `notes` say what is degraded and why.

    `tokens` and `words` are those of `QueryEncoding`, empty without late interaction; `calibration` is the model's.
    """

    vector: Vector | None
    notes: tuple[str, ...]
    tokens: bytes = b""
    words: tuple[str, ...] = ()
    calibration: Calibration = FAMILIAR


@dataclass(frozen=True)
class EmbeddingProgress:
    """The progress through a backlog: `done` of `total` memories have a vector of the current model."""

    done: int
    total: int


class MemoryEmbedding:
    """Embeds queries and memories with one model.

    What is stored here waits in a queue in memory. What others stored, or an earlier model embedded, is looked up in
    the backlog; a position keeps it from being read twice. Nothing is lost with the process: the first look of the next
    one finds each vector that was never made. When all is embedded, the `looks` begin that new memories owe.
    """

    def __init__(
        self,
        embedder: Embedder,
        backlog: "BacklogRepository",
        looks: Looks,
        open_earlier: OpenEmbedder | None = None,
        calibrator: Calibrator | None = None,
    ) -> None:
        """Prepare the work; `open_earlier` opens the model of the vectors that a store has from before a change.

        Without a calibrator the model is the familiar one.
        """
        self._embedder = embedder
        self._calibrator = calibrator or Calibrator(embedder)
        self._backlog = backlog
        self._looks = looks
        self._earlier = EarlierModel(backlog, open_earlier)
        self._generation: int | None = None
        self._queue: deque[UnembeddedText] = deque()
        self._ahead: OrderedDict[str, asyncio.Task[list[Passage] | None]] = OrderedDict()
        self._queued = self._dealt_with = self._left_for_looks = 0
        self._position: BacklogPosition | None = None
        self._looks_wanted = self._looks_done = 0
        self._waited_for_backlog = False
        self._waited_for = 0  # how many were queued when a search waited in vain
        self._progress: EmbeddingProgress | None = None
        self._step = asyncio.Lock()
        self._moved = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None
        self._failing = False
        self._stopped = False
        self._alone: int | None = None

    async def warm_up(self) -> None:
        """Start loading the model in its thread; returns at once."""
        await self._embedder.ready(0)

    async def ready(self, wait_s: float) -> bool:
        """Return whether the model can embed, waiting at most `wait_s` seconds for it."""
        return await self._embedder.ready(wait_s)

    async def state(self) -> dict[str, str | None]:
        """Return the model's `state`, which is `ready`, `loading` or `none`, and what the `problem` is, if any."""
        if await self._embedder.ready(0):
            return {"state": "ready", "problem": None}
        problem = self._embedder.problem
        return {"state": "none" if problem else "loading", "problem": problem}

    @property
    def progress(self) -> EmbeddingProgress | None:
        """The progress through a backlog, as after a change of the model; None when none is being worked off."""
        return self._progress

    async def generation(self) -> int | None:
        """Return the number of the model's generation of vectors; None while there is no model."""
        if self._generation is None and await self._embedder.ready(0):
            self._generation = await self._backlog.generation(self._embedder.fingerprint, self._embedder.dimension)
        return self._generation

    async def query_vector(
        self, query: str, wait_s: float, consistency: Consistency = Consistency.STRONG
    ) -> QueryVector:
        """Return the vector of a query, or why there is none; waits at most `wait_s` seconds for a model that loads.

        With `strong` consistency it also waits at most so long for vectors that are still owed.
        """
        if not await self._embedder.ready(wait_s):
            problem = self._embedder.problem or "the embedding model is still loading"
            return QueryVector(None, (f"text index only: {problem}",))
        # Side by side: the model takes queries before what is owed.
        encoded, complete = await asyncio.gather(self._query_encoded(query), self._complete(wait_s, consistency))
        if isinstance(encoded, str):
            return QueryVector(None, (f"text index only: {encoded}",))
        generation, encoding = encoded
        if (earlier := await self._by_earlier(query, generation, wait_s)) is not None:
            generation, encoding = earlier.generation, earlier.encoding
            calibration = await self._calibrator.of_earlier(earlier.name)
            notes: tuple[str, ...] = (self._owed_note(by_earlier=True),)
        else:
            made = await self._calibration(wait_s)
            if isinstance(made, str):
                return QueryVector(None, (f"text index only: {made}",))
            calibration = made
            notes = () if complete and not self._stopped else (self._owed_note(),)
        if not encoding.knows or not calibration.reads(query):
            return QueryVector(None, (UNKNOWN_SCRIPT,))
        return QueryVector(Vector(generation, encoding.vector), notes, encoding.tokens, encoding.words, calibration)

    async def _calibration(self, wait_s: float) -> Calibration | str:
        """Return the model's calibration, or the reason why there is none."""
        try:
            async with asyncio.timeout(wait_s):
                return await self._calibrator.known()
        except TimeoutError:
            return NOT_YET
        except AgentOSError as error:
            return str(error)

    async def _query_encoded(self, query: str) -> tuple[int, QueryEncoding] | str:
        """Return the generation of the model and its encoding of a query, or the reason why there is none."""
        try:
            async with asyncio.timeout(QUERY_WAIT_S):
                generation, encoding = await self.generation(), await self._embedder.encode_query(query)
        except TimeoutError:
            return f"the embedding model did not answer within {QUERY_WAIT_S:g} s"
        except AgentOSError as error:  # the model broke, or cannot be registered: words can still be searched
            return str(error)
        # None when the model was closed meanwhile.
        return "the embedding model is closed" if generation is None else (generation, encoding)

    async def _complete(self, wait_s: float, consistency: Consistency) -> bool:
        """Return whether all that was written has its vector; `strong` consistency waits for it, up to `wait_s`."""
        if consistency is Consistency.EVENTUAL:
            self.embed_later()
            return self._dealt_with >= self._queued and self._progress is None
        # What takes longer, a backlog after a change of the model or very long texts, holds up one search, not all.
        queued = self._queued
        if self._dealt_with < queued <= self._waited_for:
            self.embed_later()
            return False
        complete = await self.caught_up(wait_s, backlog=not self._waited_for_backlog)
        if not complete and wait_s > 0:
            self._waited_for = queued
        return complete

    async def _by_earlier(self, query: str, generation: int, wait_s: float) -> EarlierEncoding | None:
        """Return the query as the earlier model encodes it, while most memories have only that one's vectors."""
        progress = self._progress
        if self._stopped:
            progress = EmbeddingProgress(*await self._backlog.coverage(generation))
        if progress is None or progress.total - progress.done <= BATCH:
            self._earlier.close()
            return None
        return await self._earlier.encoded(query, generation, progress.done, wait_s)

    def _owed_note(self, *, by_earlier: bool = False) -> str:
        if by_earlier:
            state = "stopped (agentos reembed resumes it)" if self._stopped else "under way"
            return f"re-embedding is {state}: until then searches go by the earlier model's vectors"
        if self._stopped:
            return (
                "embedding was stopped (agentos reembed resumes it): memories without a vector were searched by "
                "words only"
            )
        if self._progress is not None and self._progress.total - self._progress.done > BATCH:
            done, total = self._progress.done, self._progress.total
            return f"re-embedding: {done:,} of {total:,} memories have a vector; the others were searched by words only"
        return "some new memories have no vector yet: only their words were searched"

    async def told_scale(self, content: str) -> Scale:
        """Return the scale of a memory's cosines to others. Raises AgentOSError where there is no model."""
        return (await self._calibrator.known()).told(content)

    async def knows(self, contents: Sequence[str], calibration: Calibration = FAMILIAR) -> list[bool]:
        """Return for each content whether the model reads its script, so that its vector says something."""
        known = await self._embedder.knows(contents)
        return [knows and calibration.reads(content) for knows, content in zip(known, contents, strict=True)]

    async def vector_ahead(self, content: str) -> Vector | None:
        """Return the vector of a short text that is about to be stored, made now; storing it embeds it no second time.

        None while no model is loaded, where it fails, or where it does not know the script.
        """
        if not await self._embedder.ready(0) or (generation := await self.generation()) is None:
            return None
        if (made := self._ahead.get(content)) is None:
            made = self._ahead[content] = asyncio.create_task(self._encode_ahead(content), name="embedding-ahead")
            if len(self._ahead) > AHEAD_MAX:
                self._ahead.popitem(last=False)
        [knows] = await self._calibrator.knows([content])
        passages = await asyncio.shield(made) if knows else None
        return Vector(generation, passages[0].vector) if passages else None

    async def _encode_ahead(self, content: str) -> list[Passage] | None:
        try:
            [passages] = await self._embedder.encode([content])
        except Exception as error:  # noqa: BLE001 - it is tried again, and reported, when what is stored is embedded
            log.debug("not embedded ahead: %s", error)
            return None
        return passages

    async def _passages(self, contents: Sequence[str]) -> list[list[Passage]]:
        """Return the passages of each text, those made ahead or newly made ones."""
        made = {content: await self._ahead.pop(content) for content in contents if content in self._ahead}
        known = {content: passages for content, passages in made.items() if passages is not None}
        rest = [content for content in contents if content not in known]
        known |= zip(rest, await self._embedder.encode(rest) if rest else (), strict=True)
        return [known[content] for content in contents]

    def embed_soon(self, text: UnembeddedText) -> None:
        """Queue a memory that was just written to be embedded in the background; does not block."""
        if len(self._queue) < QUEUE_MAX and self._embedder.problem is None:
            self._queue.append(text)
            self._queued += 1
            self._start()
        else:
            self._left_for_looks += 1
            self.embed_later()

    def admit(self) -> None:
        """Raise Overloaded where new texts come faster than they are embedded, and too many wait; never without model.

        What an earlier model embedded does not count: it is found by that until it is embedded anew.
        """
        owed = len(self._queue) + self._left_for_looks
        if owed >= MOST_OWED and self._embedder.problem is None and not self._stopped:
            raise Overloaded(
                f"{owed:,} new memories wait to be indexed; searches work, retry the write in a few seconds"
            )

    def embed_later(self) -> None:
        """Look for memories without a vector as soon as the model is loaded."""
        self._looks_wanted += 1
        self._start()

    async def caught_up(self, wait_s: float, *, backlog: bool = True) -> bool:
        """Return whether all that was written so far has its vector, waiting at most `wait_s` seconds for it.

        Without `backlog` it waits only for what was stored by this process.
        """
        self.embed_later()
        queued, look = self._queued, self._looks_wanted

        def done() -> bool:
            return self._dealt_with >= queued and self._looks_done >= look

        try:
            async with asyncio.timeout(wait_s):
                while not (done() or self._failing) and (backlog or self._dealt_with < queued):
                    await self._moved.wait()
        except TimeoutError:
            self._waited_for_backlog = self._looks_done < look
        return done()

    def _start(self) -> None:
        if self._worker is None or self._worker.done():
            self._failing = False
            self._worker = asyncio.create_task(self._work_off(), name="embedding-backlog", context=lagging.current())

    async def _work_off(self) -> None:
        """Embed in the background until nothing is left, or until there is no model to work with."""
        pause = SHORTEST_PAUSE_S
        while self._queue or self._looks_done < self._looks_wanted:
            try:
                if not await self._embedder.ready(MODEL_WAIT_S):
                    break  # the queue stays; the next store or search starts this again
                await self._embed_queued()
                if self._position is None or self._looks_done < self._looks_wanted:
                    await self._look()
                self._failing, pause = False, SHORTEST_PAUSE_S
                self._tell()
            except AgentOSError as error:
                log.warning("embedding, again in %g s: %s", pause, error)
                self._failing = True
                self._tell()
                if self._embedder.problem is not None:
                    return
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)
        self._failing = bool(self._queue)
        self._tell()
        self._begin_looks()

    def _begin_looks(self) -> None:
        """Let new memories be compared with others, as long as no text waits in the queue."""
        if self._generation is not None:
            self._looks.begin(self._generation, lambda: not self._queue)

    async def settled(self) -> None:
        """Wait until whatever is under way in the background has ended."""
        if self._worker is not None:
            await asyncio.wait([self._worker])
        await self._looks.settled()

    def _tell(self) -> None:
        """Wake those who wait for the worker."""
        self._moved.set()
        self._moved = asyncio.Event()

    async def mark(self) -> tuple[int, int]:
        """Return a value that changes whenever there may be something to embed or to index."""
        return await self._backlog.mark()

    async def embed_pending(self, wait_s: float = 0.0) -> int:
        """Embed one batch of what is owed; return how many memories were dealt with, 0 when none is left."""
        if not await self._embedder.ready(wait_s):
            return 0
        worked = await self._embed_queued() or await self._look()
        if not worked:
            self._begin_looks()
        return worked

    async def stop(self, *, stopped: bool) -> EmbeddingProgress | None:
        """Stop the embedding of all that is owed, as after a change of the model, or let it go on; return the progress.

        It holds for every process and outlives them. What is stored from now on gets its vector all the same. None
        while there is no model.
        """
        generation = await self.generation()
        if generation is None:
            return None
        await self._backlog.stop(generation, stopped=stopped)
        self.look_anew()
        return EmbeddingProgress(*await self._backlog.coverage(generation))

    async def drop_vectors_of_other_models(self) -> int:
        """Erase a batch of what earlier models made, once every memory has its vector; return how many were erased."""
        generation = await self.generation()
        if generation is None or generation == self._alone:
            return 0
        done, total = await self._backlog.coverage(generation)
        dropped = await self._backlog.drop_others(generation, DROP_BATCH) if done == total else 0
        if dropped:
            log.info("%d vectors of an earlier embedding model were dropped", dropped)
        elif done == total:
            self._alone = generation
        return dropped

    def look_anew(self) -> None:
        """Make the next look start at the first memory, as a periodic full check."""
        self._position = None
        self._looks.note(own=False)

    async def _embed_queued(self) -> int:
        """Embed one batch of the queue; return its size. A text leaves the queue only when its vector is stored."""
        async with self._step:
            texts = [self._queue[index] for index in range(min(BATCH, len(self._queue)))]
            if texts:
                await self._store_passages(texts)
            for _ in texts:
                self._queue.popleft()
            self._dealt_with += len(texts)
            return len(texts)

    async def _look(self) -> int:
        """Embed one batch of the backlog, from where the last look ended; return how many memories it had."""
        async with self._step:
            wanted, generation = self._looks_wanted, await self.generation()
            if generation is None:
                return 0
            self._stopped = await self._backlog.is_stopped(generation) and await self._is_owed(generation)
            if self._stopped:
                self._looks_done, self._waited_for_backlog, self._left_for_looks = wanted, False, 0
                self._position = self._progress = None
                return 0
            if self._position is None:
                self._position, done, total = await self._backlog.beginning(generation)
                self._progress = EmbeddingProgress(done, total)
            texts, position = await self._backlog.owed(generation, self._position, BATCH)
            waiting = {text.memory_id for text in self._queue}
            owed = [text for text in texts if text.memory_id not in waiting]
            if owed:
                stored = await self._store_passages(owed)
                if self._progress is not None:
                    self._progress = EmbeddingProgress(self._progress.done + stored, self._progress.total)
            self._position = position
            self._left_for_looks = max(0, self._left_for_looks - len(owed)) if texts else 0
            if not texts:
                self._looks_done, self._waited_for_backlog, self._progress = wanted, False, None
            return len(texts)

    async def _is_owed(self, generation: int) -> bool:
        done, total = await self._backlog.coverage(generation)
        return done < total

    async def _store_passages(self, texts: Sequence[UnembeddedText]) -> int:
        """Embed texts and store their passages; return how many texts were stored, as none is that changed meanwhile.

        Raises AgentOSError when the model is closed.
        """
        generation = await self.generation()
        if generation is None:
            raise AgentOSError("the embedding model is closed")
        stored = 0
        for batch in _bounded(texts):
            encoded = await self._encoded(batch)
            stored += await self._backlog.add_passages(
                [text for text, _ in encoded], [passages for _, passages in encoded], generation
            )
        self._looks.note()
        return stored

    async def _encoded(self, texts: Sequence[UnembeddedText]) -> list[tuple[UnembeddedText, list[Passage]]]:
        """Return the texts with their passages; one that the model cannot take is left out until the next full look."""
        try:
            return list(zip(texts, await self._passages([text.content for text in texts]), strict=True))
        except AgentOSError:
            raise  # the model is gone: all of them can wait
        except Exception as error:  # noqa: BLE001 - whatever a library makes of one text must not stop the others
            if len(texts) == 1:
                log.warning("memory %s cannot be embedded: %s", texts[0].memory_id, error)
                return []
        return [pair for text in texts for pair in await self._encoded([text])]

    async def close(self) -> None:
        """Stop working, once what was embedded last was looked at, if that takes a moment; the next process goes on."""
        await self._looks.close(self.settled)
        for task in (self._worker, *self._ahead.values()):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        self._calibrator.close()
        self._embedder.close()
        self._earlier.close()


def _bounded(texts: Sequence[UnembeddedText]) -> Iterator[list[UnembeddedText]]:
    """Yield the texts in order, in groups of at most CHARACTERS_AT_ONCE, or of a single longer text."""
    group: list[UnembeddedText] = []
    characters = 0
    for text in texts:
        if group and characters + len(text.content) > CHARACTERS_AT_ONCE:
            yield group
            group, characters = [], 0
        group.append(text)
        characters += len(text.content)
    if group:
        yield group
