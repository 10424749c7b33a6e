"""A model behind coroutines: loaded at first use, in one thread that also does the work; watched."""

import asyncio
import atexit
import contextlib
import itertools
import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, InvalidStateError
from dataclasses import field
from functools import partial
from queue import Empty, PriorityQueue
from threading import Thread
from typing import Any, Generic, Protocol, TypeVar

from ...modules.errors import AgentOSError, described
from ...modules.records import dataclass
from ...modules.system import heap
from .locate import ModelKind, ModelUnavailable

logger = logging.getLogger(__name__)

HUNG_S = 30.0
"""How long a call may take, usually 0.1 s; one that takes this long is not coming back."""
HANGS_MAX = 3
"""The most threads left behind, each with its model in memory, before the model is given up."""
LOOK_AGAIN_S = 30.0
"""The time after which a missing model is looked for again: somebody may have installed it."""

_TEXTS_MAX = 8
_CHARACTERS_MAX = 3_000
_LEAVE_S_MAX = 5.0
_CLOSE = 0


class Loaded(Protocol):
    """A model in memory; blocks while it works."""

    @property
    def fingerprint(self) -> str:
        """The model's name and a short sha256 of its weights."""


T = TypeVar("T")
M = TypeVar("M", bound=Loaded)


@dataclass(order=True)
class _Job(Generic[M]):
    urgency: int
    number: int
    call: Callable[[M], Any] = field(compare=False)
    result: "Future[Any]" = field(compare=False)


class ModelHung(RuntimeError):
    """A call of the model did not come back; its thread was given up."""


class _ModelThread(Generic[M]):
    """One thread that loads the model and then does one job at a time.

    It is a daemon thread: a process that leaves does not wait for a model that takes long to load.
    """

    def __init__(self, kind: ModelKind, load: Callable[[], M]) -> None:
        self.loading: Future[M] = Future()
        self.jobs: PriorityQueue[_Job[M]] = PriorityQueue()
        self._kind = kind
        self._load = load
        self._current: tuple[_Job[M], float] | None = None
        self._thread: Thread | None = None
        self._missing_since: float | None = None

    def start(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._work, name=f"agentos-{self._kind.noun.replace(' ', '-')}", daemon=True)
            atexit.register(self._leave)
            self._thread.start()

    def hung_job(self, after_s: float) -> _Job[M] | None:
        """Return the job that has been running for longer than `after_s` seconds, if there is one."""
        current = self._current
        return current[0] if current is not None and time.monotonic() - current[1] > after_s else None

    def is_missing(self, for_s: float) -> bool:
        """Return whether there was no model to load, at least `for_s` seconds ago."""
        return self._missing_since is not None and time.monotonic() - self._missing_since >= for_s

    def close(self) -> None:
        """Let the thread end after its current job; waiting callers get an error."""
        self.jobs.put(_Job(_CLOSE, 0, _nothing, Future()))

    def take_jobs(self) -> list[_Job[M]]:
        """Take back and return the jobs that have not begun."""
        jobs: list[_Job[M]] = []
        while True:
            try:
                jobs.append(self.jobs.get_nowait())
            except Empty:
                return jobs

    def _leave(self) -> None:
        """Wait at exit for the running step: a thread caught in native code then would abort the process."""
        self.close()
        if self._thread is not None:
            self._thread.join(_LEAVE_S_MAX)

    def _work(self) -> None:
        """Run the thread: load, then do one job at a time until it is closed."""
        _settle(self.loading, self._load_aloud)
        if self.loading.exception() is None:
            self._serve(self.loading.result())
        atexit.unregister(self._leave)

    def _load_aloud(self) -> M:
        """Load, and log why it fails: the caller only sees `problem`."""
        try:
            model = self._load()
        except AgentOSError as problem:
            logger.error("no %s: %s", self._kind.noun, problem)
            if isinstance(problem, ModelUnavailable):
                self._missing_since = time.monotonic()
            raise
        except Exception:
            logger.exception("could not load the %s", self._kind.noun)
            raise
        heap.give_back()
        return model

    def _serve(self, model: M) -> None:
        """Do the jobs, the most urgent first; after a close, fail those that still wait."""
        while (job := self.jobs.get()).urgency != _CLOSE:
            self._current = (job, time.monotonic())
            _settle(job.result, partial(job.call, model))
            self._current = None
        for job in self.take_jobs():
            if job.result.set_running_or_notify_cancel():
                job.result.set_exception(self._kind.unavailable(self._kind.closed))


class WatchedModel(Generic[M]):
    """One model in a thread of its own; its coroutines belong to one event loop.

    A call that does not come back within `hung_s` seconds costs the thread: it is left behind, and the model is loaded
    again in another one, a few times at most. A model that was missing is looked for again by a later `ready`.
    """

    def __init__(
        self,
        kind: ModelKind,
        load: Callable[[], M],
        hung_s: float = HUNG_S,
        look_again_s: float = LOOK_AGAIN_S,
    ) -> None:
        """Prepare the model; `load` is called in the thread, at the first `ready` or `run`."""
        self._kind = kind
        self._load = load
        self._hung_s = hung_s
        self._look_again_s = look_again_s
        self._hangs = 0
        self._numbers = itertools.count()
        self._thread = _ModelThread(kind, load)
        self._closed = False

    @property
    def loaded(self) -> M:
        """The model itself, for calls that never block. Raises the kind's error before `ready` was True."""
        loading = self._thread.loading
        if not loading.done() or self.problem is not None:
            raise self._kind.unavailable(self.problem or f"the {self._kind.noun} is not loaded yet")
        return loading.result()

    @property
    def problem(self) -> str | None:
        """The reason why there is no model, in words for the user; None while it loads or once it is ready."""
        if self._closed:
            return self._kind.closed
        if self._hangs > HANGS_MAX:
            return f"the {self._kind.noun} hung {self._hangs} times and was given up; restart AgentOS"
        loading = self._thread.loading
        error = loading.exception() if loading.done() else None
        if error is None or isinstance(error, AgentOSError):
            return None if error is None else str(error)
        return f"could not load the {self._kind.noun}: {described(error)}"

    async def ready(self, wait_s: float) -> bool:
        """Start loading if needed, and wait at most `wait_s` seconds; return whether it can work now."""
        if not self._closed:
            self._replace_if_hung()
            if self._thread.is_missing(self._look_again_s):
                self._thread = _ModelThread(self._kind, self._load)
        if not self._closed and self._hangs <= HANGS_MAX:
            self._thread.start()
        loading = self._thread.loading
        if not loading.done() and not self._closed and wait_s > 0:
            loaded = asyncio.wrap_future(loading)
            loaded.add_done_callback(_look_at)
            await asyncio.wait([loaded], timeout=wait_s)  # unlike wait_for it leaves the loading alone
        return self._thread.loading.done() and self.problem is None

    async def loading(self) -> None:
        """Wait until it is loaded, however long that takes. Raises the kind's error if there is none."""
        if not await self.ready(math.inf):
            raise self._kind.unavailable(self.problem or f"the {self._kind.noun} is not loaded")

    async def run(self, call: Callable[[M], T], urgency: int = 1) -> T:
        """Run one job in the thread, which does those of the lowest `urgency` (from 1) first; return its result.

        A caller that is cancelled takes its job back if it has not begun. Raises what the call raises, the kind's error
        where there is no model, ModelHung where it does not come back.
        """
        if self.problem is not None:
            raise self._kind.unavailable(self.problem)
        job = _Job(urgency, next(self._numbers), call, Future())
        self._thread.jobs.put(job)
        result: asyncio.Future[T] = asyncio.wrap_future(job.result)
        try:
            while not result.done():
                await asyncio.wait([result], timeout=self._hung_s / 4)
                self._replace_if_hung()
        except asyncio.CancelledError:
            result.cancel()
            raise
        return result.result()

    def close(self) -> None:
        """Let the thread end after its current job; waiting callers get an error. Does not block."""
        self._closed = True
        self._thread.close()

    def _replace_if_hung(self) -> None:
        """Give up a thread that does not come back, and go on with a new one."""
        hung = None if self._closed else self._thread.hung_job(self._hung_s)
        if hung is None:
            return
        self._hangs += 1
        logger.error(
            "a call of the %s has not come back for %g s: its thread is given up", self._kind.noun, self._hung_s
        )
        left, fingerprint = self._thread, self.loaded.fingerprint if self._hangs <= HANGS_MAX else ""
        self._thread = _ModelThread(self._kind, partial(_load_same, self._kind, self._load, fingerprint))
        _fail(hung, ModelHung(f"the model did not come back within {self._hung_s:g} s"))
        for job in left.take_jobs():
            if self._hangs > HANGS_MAX:
                _fail(job, self._kind.unavailable(self.problem))
            else:
                self._thread.jobs.put(job)
        left.close()
        if self._hangs <= HANGS_MAX:
            self._thread.start()


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield jobs, as indexes of texts of these lengths in characters, shortest first.

    A job takes about 0.1 s, so that a more urgent one need not wait long.
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda index: lengths[index]):
        characters = (len(batch) + 1) * lengths[index]  # a batch is padded to its longest text
        if batch and (characters > _CHARACTERS_MAX or len(batch) == _TEXTS_MAX):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _load_same(kind: ModelKind, load: Callable[[], M], fingerprint: str) -> M:
    """Load a model again; raise the kind's error if its files have changed: it would answer differently."""
    model = load()
    if model.fingerprint != fingerprint:
        raise kind.unavailable(f"the {kind.noun}'s files have changed; restart AgentOS to use the new ones")
    return model


def _fail(job: _Job[M], error: Exception) -> None:
    with contextlib.suppress(InvalidStateError):  # it has come back this very moment, or nobody waits any more
        job.result.set_exception(error)


def _nothing(_: object) -> None:
    """Do nothing: the job that ends a thread."""


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


def _look_at(loaded: "asyncio.Future[M]") -> None:
    """Retrieve an error that nobody may be waiting for any more, so that asyncio does not report it as lost."""
    if not loaded.cancelled():
        loaded.exception()
