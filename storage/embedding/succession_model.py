"""Whether a newer statement replaces an older one: the embedding model's weights with an adapter read both at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from . import adapter
from .architecture import UnsupportedModel, read_architecture
from .graph import SEGMENTS, TOKENS_OUTPUT
from .graph_cache import graph_of
from .locate import (
    DEFAULT_MODEL,
    DEFAULT_SHA256,
    SUCCESSION,
    EmbeddingUnavailable,
    ModelFiles,
    SuccessionUnavailable,
    locate,
)
from .session import give_back, open_session, open_tokenizer, padded
from .tokens import clean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TOKENS_MAX = 72
"""Of each of the two statements: as many as the model was trained with."""
_BATCH_PAIRS_MAX = 8


class SuccessionModel:
    """Judges on one thread, in batches of pairs of similar length. Not for two threads at once.

    Its head is one hidden layer over the state of the first token, the mean states of either statement, how these
    differ, and their product; as in sentence-pair models (Conneau et al., 2017).
    """

    def __init__(self, files: ModelFiles, made: adapter.Adapter, cache_dir: Path) -> None:
        """Load a model; `cache_dir` keeps its graph. Raises UnsupportedModel, EmbeddingUnavailable."""
        architecture = read_architecture(files.folder)
        weights = (files.folder / "model.safetensors").resolve()
        graph = graph_of(architecture, weights, files.sha256, cache_dir, made)
        self._session = open_session(graph, weights.parent)
        self._give_back = give_back()
        self._tokenizer = open_tokenizer(files.folder / "tokenizer.json")
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._begin, self._end = self._tokenizer.encode("").ids  # [CLS] and [SEP]
        self._pad_token = architecture.pad_token
        self._head = made.head
        self.fingerprint = f"{files.fingerprint}+{made.digest[:12]}"

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """How likely a statement, the `query`, replaces each of the older ones, from 0 to 1; 4 ms each."""
        newer = [*self._ids(query), self._end]
        older = [[self._begin, *self._ids(text), self._end] for text in texts]
        by_length = sorted(range(len(older)), key=lambda index: len(older[index]))
        found = [0.0] * len(older)
        for start in range(0, len(by_length), _BATCH_PAIRS_MAX):
            batch = by_length[start : start + _BATCH_PAIRS_MAX]
            for index, chance in zip(batch, self._judged([older[index] for index in batch], newer), strict=True):
                found[index] = float(chance)
        return found

    def _ids(self, text: str) -> list[int]:
        return self._tokenizer.encode(clean(text), add_special_tokens=False).ids[:TOKENS_MAX]

    def _judged(self, older: Sequence[Sequence[int]], newer: Sequence[int]) -> NDArray[np.float32]:
        import numpy as np

        ids, mask = padded([[*each, *newer] for each in older], self._pad_token)
        segments = np.zeros_like(ids)
        for row, each in enumerate(older):
            segments[row, len(each) : len(each) + len(newer)] = 1
        inputs = {"ids": ids, "mask": mask, SEGMENTS: segments}
        [states] = self._session.run([TOKENS_OUTPUT], inputs, self._give_back)
        first = mask - segments
        first[:, 0] = 0  # the mark at the beginning is of neither
        chances = self._of(states[:, 0], _mean(states, first), _mean(states, segments))
        if not np.isfinite(chances).all():
            raise ValueError("the model's answer is not a number")
        return chances

    def _of(
        self, mark: NDArray[np.float32], one: NDArray[np.float32], other: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        import numpy as np

        head = self._head
        seen = np.concatenate([mark, one, other, np.abs(one - other), one * other], axis=1)
        inner = np.maximum(seen @ head["inner.weight"].T + head["inner.bias"], 0)
        logits = inner @ head["outer.weight"][0] + head["outer.bias"][0]
        chances: NDArray[np.float32] = 1 / (1 + np.exp(-logits))
        return chances


def load_succession_model(cache_dir: Path) -> SuccessionModel:
    """Load the model; `cache_dir` keeps digests and the graph. Never downloads. Raises SuccessionUnavailable."""
    files = succession_files(cache_dir)
    try:
        made = adapter.succession()
    except (OSError, ValueError, KeyError) as problem:
        raise SuccessionUnavailable(f"{adapter.FILE} cannot be read: {problem}: install AgentOS again") from problem
    if files.sha256 != made.of:
        raise SuccessionUnavailable(f"{files.folder} has other weights than it was made for: {SUCCESSION.remedy}")
    try:
        return SuccessionModel(files, made, cache_dir)
    except (UnsupportedModel, EmbeddingUnavailable) as problem:
        raise SuccessionUnavailable(str(problem)) from problem


def succession_files(cache_dir: Path) -> ModelFiles:
    """The embedding model's default weights. Raises SuccessionUnavailable where they are not on this machine."""
    try:
        files = locate(DEFAULT_MODEL, True, cache_dir)
    except EmbeddingUnavailable as problem:
        raise SuccessionUnavailable(f"{problem}; or set {SUCCESSION.setting} to false") from problem
    if files.sha256 != DEFAULT_SHA256:
        raise SuccessionUnavailable(f"{files.folder} has other weights than it was made for: {SUCCESSION.remedy}")
    return files


def _mean(states: NDArray[np.float32], chosen: NDArray[np.int64]) -> NDArray[np.float32]:
    """The mean state of the chosen tokens of each row: (batch, hidden)."""
    weights = chosen[:, :, None].astype(states.dtype)
    total: NDArray[np.float32] = (states * weights).sum(axis=1) / weights.sum(axis=1).clip(1)
    return total
