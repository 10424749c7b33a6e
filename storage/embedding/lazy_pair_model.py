"""A model that judges pairs, behind an async port: loaded at first use, in its own thread, watched; in small jobs."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from .batches import batches
from .locate import ModelKind
from .watched_model import HUNG_S, WatchedModel


class PairModel(Protocol):
    """A loaded model that judges texts by a query. Blocks while it works, so it is called from a worker thread."""

    @property
    def fingerprint(self) -> str:
        """The model's name and a short sha256 of its weights."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score per text, in order; higher is better."""


class LazyPairModel:
    """The PairJudge of `modules.memory.ports`, over a model that is watched (see WatchedModel)."""

    def __init__(self, kind: ModelKind, load: Callable[[], PairModel], hung_s: float = HUNG_S) -> None:
        """Prepare the model; `load` is called in the thread, at the first `ready` or `scores`."""
        self._model = WatchedModel(kind, load, hung_s)

    @property
    def problem(self) -> str | None:
        """The reason why there is no model, in words for the user; None while it loads or once it is ready."""
        return self._model.problem

    async def ready(self, wait_s: float) -> bool:
        """Start loading if needed, and wait at most `wait_s` seconds; return whether it can judge now."""
        return await self._model.ready(wait_s)

    async def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score per text, in order; wait for the model. Raises ModelUnavailable if there is none.

        Works in small jobs: a caller that gives up leaves the thread at most one of them.
        """
        await self._model.loading()
        found = [0.0] * len(texts)
        for part in batches([len(query) + len(text) for text in texts]):
            done = await self._model.run(partial(_judge, query, [texts[index] for index in part]))
            for index, score in zip(part, done, strict=True):
                found[index] = score
        return found

    def close(self) -> None:
        """Let the thread end after its current job; waiting callers get an error. Does not block."""
        self._model.close()


def _judge(query: str, texts: Sequence[str], model: PairModel) -> list[float]:
    return model.scores(query, texts)
