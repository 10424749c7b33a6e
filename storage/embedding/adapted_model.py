"""Models that read two texts at once: the embedding model's default weights, each with an adapter and a head.

Two come with AgentOS: the succession model says how likely a newer statement replaces an older one, the relevance model
how well a memory answers a query.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from . import adapter
from .architecture import UnsupportedModel, read_architecture
from .graph import SEGMENTS, TOKENS_OUTPUT
from .graph_cache import graph_of
from .locate import DEFAULT_MODEL, DEFAULT_SHA256, EmbeddingUnavailable, ModelFiles, ModelKind, locate
from .session import give_back, open_session, open_tokenizer, padded
from .tokens import clean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TOKENS_MAX = 72
"""Of each of the two texts: as many as the models were trained with."""
_BATCH_PAIRS_MAX = 8


class AdaptedModel:
    """Judges on one thread, in batches of pairs of similar length. Not for two threads at once.

    Its head is one hidden layer over the state of the first token, the mean states of either text, how these differ,
    and their product; as in sentence-pair models (Conneau et al., 2017).
    """

    in_bytes = False
    """Whether its dense layers multiply bytes: a third of the time, but odds depend a little on what else is judged."""

    def __init__(self, files: ModelFiles, made: adapter.Adapter, cache_dir: Path) -> None:
        """Load a model; `cache_dir` keeps its graph. Raises UnsupportedModel, EmbeddingUnavailable."""
        architecture = read_architecture(files.folder)
        weights = (files.folder / "model.safetensors").resolve()
        graph = graph_of(architecture, weights, files.sha256, cache_dir, made, in_bytes=self.in_bytes)
        self._session = open_session(graph, weights.parent)
        self._give_back = give_back()
        self._tokenizer = open_tokenizer(files.folder / "tokenizer.json")
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._begin, self._end = self._tokenizer.encode("").ids  # [CLS] and [SEP]
        self._pad_token = architecture.pad_token
        self._head = made.head
        self.fingerprint = f"{files.fingerprint}+{made.digest[:12]}"

    def log_odds(self, query: str, texts: Sequence[str]) -> list[float]:
        """That what the model was trained for is so of the `query` and each of the texts, in order.

        4 to 7 ms each, in bytes 3.
        """
        second = [*self._ids(query), self._end]
        firsts = [[self._begin, *self._ids(text), self._end] for text in texts]
        by_length = sorted(range(len(firsts)), key=lambda index: len(firsts[index]))
        found = [0.0] * len(firsts)
        for start in range(0, len(by_length), _BATCH_PAIRS_MAX):
            batch = by_length[start : start + _BATCH_PAIRS_MAX]
            for index, odds in zip(batch, self._judged([firsts[index] for index in batch], second), strict=True):
                found[index] = float(odds)
        return found

    def _ids(self, text: str) -> list[int]:
        return self._tokenizer.encode(clean(text), add_special_tokens=False).ids[:TOKENS_MAX]

    def _judged(self, firsts: Sequence[Sequence[int]], second: Sequence[int]) -> NDArray[np.float32]:
        import numpy as np

        ids, mask = padded([[*each, *second] for each in firsts], self._pad_token)
        segments = np.zeros_like(ids)
        for row, each in enumerate(firsts):
            segments[row, len(each) : len(each) + len(second)] = 1
        inputs = {"ids": ids, "mask": mask, SEGMENTS: segments}
        [states] = self._session.run([TOKENS_OUTPUT], inputs, self._give_back)
        first = mask - segments
        first[:, 0] = 0  # the mark at the beginning is of neither
        odds = self._of(states[:, 0], _mean(states, first), _mean(states, segments))
        if not np.isfinite(odds).all():
            raise ValueError("the model's answer is not a number")
        return odds

    def _of(
        self, mark: NDArray[np.float32], one: NDArray[np.float32], other: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        import numpy as np

        head = self._head
        seen = np.concatenate([mark, one, other, np.abs(one - other), one * other], axis=1)
        inner = np.maximum(seen @ head["inner.weight"].T + head["inner.bias"], 0)
        odds: NDArray[np.float32] = inner @ head["outer.weight"][0] + head["outer.bias"][0]
        return odds


Model = TypeVar("Model", bound=AdaptedModel)


def load_adapted(
    model: type[Model], kind: ModelKind, made_of: Path, cache_dir: Path, weights: str = DEFAULT_MODEL
) -> Model:
    """Load the model of an adapter's file; `cache_dir` keeps digests and the graph. Never downloads.

    `weights` is where the default embedding model is, by the value of its setting.

    Raises the error of its kind.
    """
    files = adapted_files(kind, cache_dir, weights)
    try:
        made = adapter.bundled(made_of)
    except (OSError, ValueError, KeyError) as problem:
        raise kind.unavailable(f"{made_of} cannot be read: {problem}: install AgentOS again") from problem
    if files.sha256 != made.of:
        raise kind.unavailable(f"{files.folder} has other weights than it was made for: {kind.remedy}")
    try:
        return model(files, made, cache_dir)
    except (UnsupportedModel, EmbeddingUnavailable) as problem:
        raise kind.unavailable(str(problem)) from problem


def adapted_files(kind: ModelKind, cache_dir: Path, weights: str = DEFAULT_MODEL) -> ModelFiles:
    """The embedding model's default weights. Raises the error of the kind where they are not on this machine."""
    try:
        files = locate(weights, True, cache_dir)
    except EmbeddingUnavailable as problem:
        raise kind.unavailable(f"{problem}; or set {kind.setting} to {kind.off}") from problem
    if files.sha256 != DEFAULT_SHA256:
        raise kind.unavailable(f"{files.folder} has other weights than it was made for: {kind.remedy}")
    return files


def _mean(states: NDArray[np.float32], chosen: NDArray[np.int64]) -> NDArray[np.float32]:
    """The mean state of the chosen tokens of each row: (batch, hidden)."""
    weights = chosen[:, :, None].astype(states.dtype)
    total: NDArray[np.float32] = (states * weights).sum(axis=1) / weights.sum(axis=1).clip(1)
    return total
