"""Embeddings for every system: AgentOS's own model, once per text, so that the models are not compared."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agentos.storage.embedding.default_weights import DEFAULT_MODEL
from agentos.storage.embedding.encoder import Encoder
from agentos.storage.embedding.loader import load_encoder

from ..home import models_here

Matrix = NDArray[np.float32]


class Embeddings:
    """A model that is loaded at first use, and caches its embeddings. Not thread-safe."""

    def __init__(self, folder: Path, model: str = DEFAULT_MODEL) -> None:
        """Set up the model; `folder` is where its graph may be kept, `model` a name, or the folder of one."""
        self._folder = folder
        self._model = model
        self._known: dict[str, bytes] = {}

    @cached_property
    def _encoder(self) -> Encoder:
        return load_encoder(self._model, True, self._folder, models_here())

    @property
    def dimension(self) -> int:
        """The number of values of a vector. Raises EmbeddingUnavailable, which names the remedy."""
        return self._encoder.dimension

    def vectors(self, texts: Sequence[str]) -> Matrix:
        """Return one unit-length row per text. Raises EmbeddingUnavailable."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._encoder.encode(new), strict=True))
        rows = [np.frombuffer(self._known[text], dtype="<f4") for text in texts]
        return np.stack(rows) if rows else np.empty((0, self.dimension), dtype=np.float32)

    def query(self, text: str) -> Matrix:
        """Return the vector of a question, embedded now and not cached: what is timed must do the work."""
        [data] = self._encoder.encode([text])
        return np.frombuffer(data, dtype="<f4")
