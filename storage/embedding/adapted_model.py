"""Models that read two texts at once: the embedding model's default weights, each with an adapter and a head.

Two come with AgentOS: the succession model says how likely a newer statement supersedes an older one, the relevance
model how well a memory answers a query.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from . import adapter
from .architecture import UnsupportedModel, read_architecture
from .default_weights import DEFAULT_MODEL, DEFAULT_SHA256
from .graph import SEGMENTS, TOKENS_OUTPUT
from .graph_cache import graph_of
from .locate import RELEVANCE, SUCCESSION, EmbeddingUnavailable, ModelFiles, ModelKind, TooSlow, locate
from .session import give_back, open_session, open_tokenizer
from .tokens import clean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TOKENS_MAX = 72
"""The most tokens of each of the two texts: as many as in training."""
AT_ONCE = 2
"""Pairs that are judged side by side, each on one thread: on a busy machine they take no longer than one after another,
which several threads for one pair do."""
SLOWEST_PAIR_S = 0.04
"""The processor time of a pair from which a search does without: it reads three to eight of them before it answers."""
TRIED = (
    "Where does the nightly backup of the orders go?",
    "Every night at 03:00 the orders are copied to the second server.",
)


class AdaptedModel:
    """Judges pairs, each by itself.

    Its head is one hidden layer over the state of the first token, the mean states of either text, how these differ,
    and their product; as in sentence-pair models (Conneau et al., 2017).
    """

    def __init__(self, files: ModelFiles, made: adapter.Adapter, cache_dir: Path) -> None:
        """Load a model; `cache_dir` keeps its graph. Raises UnsupportedModel, EmbeddingUnavailable."""
        architecture = read_architecture(files.folder)
        weights = (files.folder / "model.safetensors").resolve()
        self._session = open_session(graph_of(architecture, weights, files.sha256, cache_dir, made), weights.parent)
        self._give_back = give_back()
        self._tokenizer = open_tokenizer(files.folder / "tokenizer.json")
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._begin, self._end = self._tokenizer.encode("").ids  # [CLS] and [SEP]
        self._head = made.head
        self.fingerprint = f"{files.fingerprint}+{made.digest[:12]}"

    def log_odds(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the log odds that the trained relation holds of the `query` and each text, in order; 2 to 7 ms each.

        Not in batches: quantised states have one scale for all pairs of a batch, and no pair may affect another.
        """
        second = [*self._ids(query), self._end]
        firsts = [[self._begin, *self._ids(text), self._end] for text in texts]
        return _side_by_side(lambda first: self._judged(first, second), firsts)

    def seconds_a_pair(self) -> float:
        """Return the processor time that a pair of usual length takes here, the median of three; others count not."""

        def taken() -> float:
            began = time.thread_time()
            self._judged([self._begin, *self._ids(TRIED[1]), self._end], [*self._ids(TRIED[0]), self._end])
            return time.thread_time() - began

        return median(taken() for _ in range(3))

    def _ids(self, text: str) -> list[int]:
        return self._tokenizer.encode(clean(text), add_special_tokens=False).ids[:TOKENS_MAX]

    def _judged(self, first: Sequence[int], second: Sequence[int]) -> float:
        import numpy as np

        ids = np.array([[*first, *second]], dtype=np.int64)
        segments = np.zeros_like(ids)
        segments[:, len(first) :] = 1
        inputs = {"ids": ids, "mask": np.ones_like(ids), SEGMENTS: segments}
        [[states]] = self._session.run([TOKENS_OUTPUT], inputs, self._give_back)
        # The [CLS] mark at the beginning belongs to neither text.
        odds = self._of(states[0], states[1 : len(first)].mean(axis=0), states[len(first) :].mean(axis=0))
        if not np.isfinite(odds):
            raise ValueError("the model's answer is not a number")
        return odds

    def _of(self, mark: NDArray[np.float32], one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
        import numpy as np

        head = self._head
        seen = np.concatenate([mark, one, other, np.abs(one - other), one * other])
        inner = np.maximum(head["inner.weight"] @ seen + head["inner.bias"], 0)
        return float(head["outer.weight"][0] @ inner + head["outer.bias"][0])


class SuccessionModel(AdaptedModel):
    """The model made by `python -m training.train_succession --write`."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the probability that the `query`, a statement, supersedes each of the older ones, from 0 to 1."""
        return [1 / (1 + math.exp(-odds)) for odds in self.log_odds(query, texts)]


class RelevanceModel(AdaptedModel):
    """The model made by `python -m training.train_relevance --write`."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the log odds that each text answers the `query`."""
        return self.log_odds(query, texts)


T = TypeVar("T")
Model = TypeVar("Model", bound=AdaptedModel)


def load_succession_model(cache_dir: Path, installed: Path | None = None) -> SuccessionModel:
    """Load the model; `cache_dir` keeps digests and the graph. Never downloads. Raises SuccessionUnavailable.

    `installed` is where the weights are; see `locate`.
    """
    return _load(SuccessionModel, SUCCESSION, adapter.SUCCESSION_FILE, cache_dir, installed)


def load_relevance_model(
    cache_dir: Path,
    installed: Path | None = None,
    weights: str = DEFAULT_MODEL,
    slowest_s: float = SLOWEST_PAIR_S,
) -> RelevanceModel:
    """Load the model; `cache_dir` keeps digests and the graph. Never downloads. Raises RerankerUnavailable.

    `weights` is where the default embedding model is, by the value of its setting; `installed`, see `locate`. Raises
    TooSlow on a machine where a pair takes more than `slowest_s` of processor time.
    """
    model = _load(RelevanceModel, RELEVANCE, adapter.RELEVANCE_FILE, cache_dir, installed, weights)
    if (taken := model.seconds_a_pair()) > slowest_s:
        raise TooSlow(
            f"this machine is too slow for the reranker: {taken * 1000:.0f} ms a pair, {slowest_s * 1000:.0f} at most; "
            f"{RELEVANCE.setting}={RELEVANCE.off} switches it off"
        )
    return model


def _load(
    model: type[Model],
    kind: ModelKind,
    made_of: Path,
    cache_dir: Path,
    installed: Path | None = None,
    weights: str = DEFAULT_MODEL,
) -> Model:
    """Load the model of an adapter's file; `cache_dir` keeps digests and the graph. Never downloads.

    `weights` is where the default embedding model is, by the value of its setting; `installed`, see `locate`.

    Raises the error of its kind.
    """
    files = adapted_files(kind, cache_dir, installed, weights)
    try:
        made = adapter.bundled(made_of)
    except ImportError as problem:
        raise kind.unavailable(f"this Python was built without LZMA: {problem}") from problem
    except (OSError, ValueError, KeyError) as problem:
        raise kind.unavailable(f"{made_of} cannot be read: {problem}: install AgentOS again") from problem
    if files.sha256 != made.of:
        raise kind.unavailable(f"{files.folder} has other weights than it was made for: {kind.remedy}")
    try:
        return model(files, made, cache_dir)
    except (UnsupportedModel, EmbeddingUnavailable) as problem:
        raise kind.unavailable(str(problem)) from problem


def adapted_files(
    kind: ModelKind, cache_dir: Path, installed: Path | None = None, weights: str = DEFAULT_MODEL
) -> ModelFiles:
    """Return the embedding model's default weights. Raises the error of the kind if they are not on this machine."""
    try:
        files = locate(weights, True, cache_dir, installed)
    except EmbeddingUnavailable as problem:
        raise kind.unavailable(f"{problem}; or set {kind.setting} to {kind.off}") from problem
    if files.sha256 != DEFAULT_SHA256:
        raise kind.unavailable(f"{files.folder} has other weights than it was made for: {kind.remedy}")
    return files


def _side_by_side(judge: Callable[[T], float], items: Sequence[T]) -> list[float]:
    """Return the judgement of each item, made AT_ONCE at a time. Raises what `judge` raises."""
    found = [0.0] * len(items)
    failed: list[Exception] = []

    def work(begin: int) -> None:
        try:
            for place in range(begin, len(items), AT_ONCE):
                found[place] = judge(items[place])
        except Exception as error:  # noqa: BLE001 - raised below, on the thread of whoever asked
            failed.append(error)

    # Daemon threads: a process that leaves does not wait for a model that hangs.
    others = [Thread(target=work, args=(begin,), daemon=True) for begin in range(1, min(AT_ONCE, len(items)))]
    for other in others:
        other.start()
    work(0)
    for other in others:
        other.join()
    if failed:
        raise failed[0]
    return found
