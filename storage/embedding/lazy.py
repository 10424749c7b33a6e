"""The embedding model behind an async port: loaded at first use, in one thread that also does the work; watched."""

import asyncio
import atexit
import contextlib
import hashlib
import itertools
import logging
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, PriorityQueue
from threading import Thread
from typing import Any, TypeVar

from ...modules.errors import AgentOSError
from ...modules.memory.models import Passage, QueryEncoding
from .encoder import Encoder
from .locate import EmbeddingUnavailable
from .passages import Piece, assembled, generation_name, pieces_of

logger = logging.getLogger(__name__)

HUNG_S = 30.0
"""A call of the model takes a tenth of a second; one that takes this long is not coming back."""
HANGS_MAX = 3
"""Threads left behind, each with its model in memory, before the model is given up."""

_CLOSED = "the embedding model is closed"
_JOB_TEXTS_MAX = 8
_JOB_CHARACTERS_MAX = 3_000
_LEAVE_S_MAX = 2.0
_REMEMBERED_QUERIES_MAX = 64  # of up to 100 KB
_CLOSE, _QUERY, _TEXTS = range(3)  # a job's urgency: a search comes before a backlog

T = TypeVar("T")


@dataclass(order=True)
class _Job:
    urgency: int
    number: int
    call: Callable[[Encoder], Any] = field(compare=False)
    result: "Future[Any]" = field(compare=False)


class EncodingHung(RuntimeError):
    """A call of the model did not come back; its thread was given up."""


class _ModelThread:
    """One thread that loads the model and then does one job at a time.

    It is a daemon thread: a process that leaves does not wait for a model that takes long to load.
    """

    def __init__(self, load: Callable[[], Encoder]) -> None:
        self.loading: Future[Encoder] = Future()
        self.jobs: PriorityQueue[_Job] = PriorityQueue()
        self._load = load
        self._current: tuple[_Job, float] | None = None
        self._thread: Thread | None = None

    def start(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._work, name="agentos-embedding", daemon=True)
            atexit.register(self._leave)
            self._thread.start()

    def hung_job(self, after_s: float) -> _Job | None:
        """The job that has been running for longer than that, if there is one."""
        current = self._current
        return current[0] if current is not None and time.monotonic() - current[1] > after_s else None

    def close(self) -> None:
        """Let the thread end after what it is doing; waiting callers get an error."""
        self.jobs.put(_Job(_CLOSE, 0, _nothing, Future()))

    def take_jobs(self) -> list[_Job]:
        """Take away the jobs that nobody has begun."""
        jobs: list[_Job] = []
        while True:
            try:
                jobs.append(self.jobs.get_nowait())
            except Empty:
                return jobs

    def _leave(self) -> None:
        """At exit: wait for the running step. A thread caught in native code then would abort the process."""
        self.close()
        if self._thread is not None:
            self._thread.join(_LEAVE_S_MAX)

    def _work(self) -> None:
        """The thread: load, then one job at a time until it is closed."""
        _settle(self.loading, self._load_aloud)
        if self.loading.exception() is None:
            self._serve(self.loading.result())
        atexit.unregister(self._leave)

    def _load_aloud(self) -> Encoder:
        """Load, and log why not: the caller only sees `problem`."""
        try:
            return self._load()
        except AgentOSError as problem:
            logger.error("no embedding model: %s", problem)
            raise
        except Exception:
            logger.exception("could not load the embedding model")
            raise

    def _serve(self, encoder: Encoder) -> None:
        """Do the jobs, the most urgent first; after a close tell those who still wait."""
        while (job := self.jobs.get()).urgency != _CLOSE:
            self._current = (job, time.monotonic())
            _settle(job.result, partial(job.call, encoder))
            self._current = None
        for job in self.take_jobs():
            if job.result.set_running_or_notify_cancel():
                job.result.set_exception(EmbeddingUnavailable(_CLOSED))


class LazyEmbedder:
    """The Embedder of `modules.memory.ports`. Its coroutines belong to one event loop.

    A call of the model that does not come back within `hung_s` seconds costs the thread: it is left behind,
    and the model is loaded anew in another one, a few times at most.
    """

    def __init__(self, load: Callable[[], Encoder], hung_s: float = HUNG_S, *, late_interaction: bool = True) -> None:
        """Takes what loads the model; it is called in the thread, at the first `ready`, `encode` or `encode_query`."""
        self._load = load
        self._hung_s = hung_s
        self._late_interaction = late_interaction
        self._hangs = 0
        self._numbers = itertools.count()
        self._remembered: OrderedDict[bytes, QueryEncoding] = OrderedDict()
        self._model = _ModelThread(load)
        self._closed = False

    @property
    def fingerprint(self) -> str:
        """Names the model, its weights and what is made of a text.

        Raises EmbeddingUnavailable before `ready` has returned True.
        """
        return generation_name(self._encoder().fingerprint, late_interaction=self._late_interaction)

    @property
    def dimension(self) -> int:
        """How many values a vector has; raises EmbeddingUnavailable before `ready` has returned True."""
        return self._encoder().dimension

    @property
    def problem(self) -> str | None:
        """Why there is no model, in words for the user; None while it loads or once it is ready."""
        if self._closed:
            return _CLOSED
        if self._hangs > HANGS_MAX:
            return f"the embedding model hung {self._hangs} times and was given up; restart AgentOS"
        loading = self._model.loading
        error = loading.exception() if loading.done() else None
        if error is None or isinstance(error, AgentOSError):
            return None if error is None else str(error)
        return f"could not load the embedding model: {type(error).__name__}: {error}"

    async def ready(self, wait_s: float) -> bool:
        """Start loading if that has not happened, wait at most `wait_s` seconds; whether it can embed now."""
        if not self._closed:
            self._replace_if_hung()
        if not self._closed and self._hangs <= HANGS_MAX:
            self._model.start()
        loading = self._model.loading
        if not loading.done() and not self._closed and wait_s > 0:
            loaded = asyncio.wrap_future(loading)
            loaded.add_done_callback(_look_at)
            await asyncio.wait([loaded], timeout=wait_s)  # unlike wait_for it leaves the loading alone
        return self._model.loading.done() and self.problem is None

    async def encode(self, contents: Sequence[str]) -> list[list[Passage]]:
        """The passages of each content, in order; waits for the model. Raises EmbeddingUnavailable if there is none.

        Works in small jobs, so that a search need not wait long.
        """
        if not contents:
            return []
        await self._wait_for_model()
        pieces = await self._run(_TEXTS, partial(pieces_of, contents))
        encoded: list[tuple[bytes, bytes]] = [(b"", b"")] * len(pieces)
        for part in _parts(pieces):
            done = await self._run(_TEXTS, partial(self._encode_pieces, [pieces[index].text for index in part]))
            for index, each in zip(part, done, strict=True):
                encoded[index] = each
        return assembled(len(contents), pieces, encoded)

    async def encode_query(self, query: str) -> QueryEncoding:
        """What a search needs of its query; waits for the model. Raises EmbeddingUnavailable if there is none."""
        key = hashlib.sha256(query.encode("utf-8", "surrogatepass")).digest()
        if key in self._remembered:
            self._remembered.move_to_end(key)
            return self._remembered[key]
        await self._wait_for_model()
        found = await self._run(_QUERY, partial(self._encode_query, query))
        self._remembered[key] = found
        if len(self._remembered) > _REMEMBERED_QUERIES_MAX:
            self._remembered.popitem(last=False)
        return found

    def _encode_pieces(self, texts: Sequence[str], encoder: Encoder) -> list[tuple[bytes, bytes]]:
        if self._late_interaction:
            return encoder.encode_with_signs(texts)
        return [(vector, b"") for vector in encoder.encode(texts)]

    def _encode_query(self, query: str, encoder: Encoder) -> QueryEncoding:
        return encoder.encode_query(query) if self._late_interaction else QueryEncoding(encoder.encode([query])[0])

    async def _wait_for_model(self) -> None:
        if not await self.ready(math.inf):
            raise EmbeddingUnavailable(self.problem or "the embedding model is not loaded")

    def close(self) -> None:
        """Let the thread end after what it is doing; waiting callers get an error. Does not block."""
        self._closed = True
        self._remembered.clear()
        self._model.close()

    async def _run(self, urgency: int, call: Callable[[Encoder], T]) -> T:
        """Hand one job to the thread; a caller that is cancelled takes its job back if it has not begun."""
        if self.problem is not None:
            raise EmbeddingUnavailable(self.problem)
        job = _Job(urgency, next(self._numbers), call, Future())
        self._model.jobs.put(job)
        result: asyncio.Future[T] = asyncio.wrap_future(job.result)
        try:
            while not result.done():
                await asyncio.wait([result], timeout=self._hung_s / 4)
                self._replace_if_hung()
        except asyncio.CancelledError:
            result.cancel()
            raise
        return result.result()

    def _replace_if_hung(self) -> None:
        """The watchdog: leave a thread that does not come back behind, and go on with a fresh one."""
        hung = None if self._closed else self._model.hung_job(self._hung_s)
        if hung is None:
            return
        self._hangs += 1
        logger.error("a call of the embedding model has not come back for %g s: its thread is given up", self._hung_s)
        left, fingerprint = self._model, self._encoder().fingerprint if self._hangs <= HANGS_MAX else ""
        self._model = _ModelThread(partial(_load_same, self._load, fingerprint))
        _fail(hung, EncodingHung(f"the model did not come back within {self._hung_s:g} s"))
        for job in left.take_jobs():
            if self._hangs > HANGS_MAX:
                _fail(job, EmbeddingUnavailable(self.problem))
            else:
                self._model.jobs.put(job)
        left.close()
        if self._hangs <= HANGS_MAX:
            self._model.start()

    def _encoder(self) -> Encoder:
        loading = self._model.loading
        if not loading.done() or self.problem is not None:
            raise EmbeddingUnavailable(self.problem or "the embedding model is not loaded yet")
        return loading.result()


def _load_same(load: Callable[[], Encoder], fingerprint: str) -> Encoder:
    """Load a model again; one whose files have changed meanwhile makes other vectors, and is refused."""
    encoder = load()
    if encoder.fingerprint != fingerprint:
        raise EmbeddingUnavailable("the embedding model's files have changed; restart AgentOS to use the new ones")
    return encoder


def _fail(job: _Job, error: Exception) -> None:
    with contextlib.suppress(InvalidStateError):  # it has come back this very moment, or nobody waits any more
        job.result.set_exception(error)


def _parts(pieces: Sequence[Piece]) -> Iterator[list[int]]:
    """Cut pieces of text into jobs: indexes, shortest first, few enough that one job takes about 0.1 s."""
    part: list[int] = []
    for index in sorted(range(len(pieces)), key=lambda index: len(pieces[index].text)):
        characters = (len(part) + 1) * len(pieces[index].text)  # a batch is padded to its longest text
        if part and (characters > _JOB_CHARACTERS_MAX or len(part) == _JOB_TEXTS_MAX):
            yield part
            part = []
        part.append(index)
    if part:
        yield part


class NoEmbedder:
    """The Embedder for the setting `none`: search works on words alone."""

    fingerprint = "none"
    dimension = 0
    problem = "embedding is switched off"

    async def ready(self, wait_s: float) -> bool:
        """Never."""
        return False

    async def encode(self, contents: Sequence[str]) -> list[list[Passage]]:
        """Raises EmbeddingUnavailable, unless there is nothing to encode."""
        if contents:
            raise EmbeddingUnavailable(self.problem)
        return []

    async def encode_query(self, query: str) -> QueryEncoding:
        """Raises EmbeddingUnavailable."""
        raise EmbeddingUnavailable(self.problem)

    def close(self) -> None:
        """There is nothing to end."""


def _nothing(_: Encoder) -> None:
    """What the job does that ends a thread."""


def _settle(future: "Future[T]", call: Callable[[], T]) -> None:
    """Run a call for a future, unless it was cancelled before."""
    if not future.set_running_or_notify_cancel():
        return
    with contextlib.suppress(InvalidStateError):  # the watchdog has answered for a call that came back late
        try:
            result = call()
        except Exception as error:  # noqa: BLE001 - the thread's boundary: whatever goes wrong in a library
            future.set_exception(error)  # is the waiting caller's to see, and must not end the thread
        else:
            future.set_result(result)


def _look_at(loaded: "asyncio.Future[Encoder]") -> None:
    """Retrieve an error that nobody may be waiting for any more, lest asyncio reports it as lost."""
    if not loaded.cancelled():
        loaded.exception()
