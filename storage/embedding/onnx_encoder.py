"""The encoder on ONNX Runtime and tokenizers alone, without torch: of a graph that is built here, or a model's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ...modules.memory.models import QueryEncoding
from .architecture import read_architecture
from .graph import SENTENCE_OUTPUT, TOKENS_OUTPUT
from .graph_cache import graph_of
from .locate import ModelFiles
from .ready_graph import ReadyGraph, described_by
from .recipe import recipe_of
from .session import give_back, open_session, open_tokenizer
from .tokens import ModelTokenizer, signs, unit_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH_TEXTS_MAX = 8  # measured: more costs memory and gains nothing on one core
_RETAINED_TOKENS_MAX = 512  # larger batches release their working memory: 30 MB less after a backlog


class GraphSession(Protocol):
    """A graph that makes vectors and token states of `ids` and `mask`."""

    def run(
        self, outputs: Sequence[str], given: Mapping[str, NDArray[np.int64]], options: Any
    ) -> list[NDArray[np.float32]]:
        """Return the outputs of these names."""


def built_encoder(files: ModelFiles, cache_dir: Path) -> OnnxEncoder:
    """Load a BERT encoder as an ONNX graph built here; `cache_dir` caches the graph.

    Raises UnsupportedModel when the graph cannot stand for it, EmbeddingUnavailable when it is damaged.
    """
    architecture = read_architecture(files.folder)
    # The hub's cache holds links; the runtime refuses data outside the folder that it is given.
    weights = (files.folder / "model.safetensors").resolve()
    session = open_session(graph_of(architecture, weights, files.sha256, cache_dir), weights.parent)
    tokens = ModelTokenizer(open_tokenizer(files.folder / "tokenizer.json"), architecture.tokens_max)
    return OnnxEncoder(session, tokens, architecture.pad_token, files.fingerprint, architecture.hidden)


def ready_encoder(files: ModelFiles, graph: Path, cache_dir: Path) -> OnnxEncoder:
    """Load a model by the ONNX graph that comes with it. Raises UnsupportedModel where that is no text encoder."""
    recipe = recipe_of(files.folder)
    tokens = ModelTokenizer(
        open_tokenizer(recipe.body / "tokenizer.json", lower_case=recipe.lower_case), recipe.tokens_max
    )
    session = ReadyGraph(graph, recipe)
    fingerprint = described_by(files, graph, recipe, cache_dir).fingerprint
    encoder = OnnxEncoder(session, tokens, recipe.pad, fingerprint, 0)
    encoder.dimension = len(encoder.encode(["x"])[0]) // 4  # only a run tells: a layer or a pooling may change it
    return encoder


class OnnxEncoder:
    """Encodes on one thread, in batches of texts of similar length. Not for two threads at once."""

    def __init__(
        self, session: GraphSession, tokens: ModelTokenizer, pad_token: int, fingerprint: str, dimension: int
    ) -> None:
        self._session = session
        self._give_back = give_back()
        self._tokens = tokens
        self._pad_token = pad_token
        self.fingerprint = fingerprint
        self.dimension = dimension

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Return where to cut a text; see Encoder."""
        return self._tokens.windows(text)

    def knows(self, text: str) -> bool:
        """Return whether it reads a text; see Encoder."""
        return self._tokens.knows(text)

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector per text, in order; see Encoder."""
        return [vector for vector, _ in self._encoded(texts, [SENTENCE_OUTPUT])]

    def encode_with_signs(self, texts: Sequence[str]) -> list[tuple[bytes, bytes]]:
        """Return one vector and sign bits per text, in order; see Encoder."""
        return self._encoded(texts, [SENTENCE_OUTPUT, TOKENS_OUTPUT])

    def encode_query(self, text: str) -> QueryEncoding:
        """Return a query's vector with the vectors of its tokens; see Encoder."""
        encoding = self._tokens.encode(text)
        positions, words = self._tokens.of_query(encoding, text)
        vectors, states = self._run([encoding.ids], [SENTENCE_OUTPUT, TOKENS_OUTPUT])
        return QueryEncoding(vectors[0].tobytes(), unit_rows(states[0], positions), words)

    def _encoded(self, texts: Sequence[str], outputs: Sequence[str]) -> list[tuple[bytes, bytes]]:
        """Return vectors, with signs if the tokens are among the outputs, computed in batches of similar length."""
        ids = [self._tokens.encode(text).ids for text in texts]
        by_length = sorted(range(len(ids)), key=lambda index: len(ids[index]))
        found: list[tuple[bytes, bytes]] = [(b"", b"")] * len(ids)
        for start in range(0, len(by_length), BATCH_TEXTS_MAX):
            batch = by_length[start : start + BATCH_TEXTS_MAX]
            vectors, *states = self._run([ids[index] for index in batch], outputs)
            for row, index in enumerate(batch):
                bits = signs(states[0][row], self._tokens.compared_positions(ids[index])) if states else b""
                found[index] = vectors[row].tobytes(), bits
        return found

    def _run(self, batch: Sequence[Sequence[int]], outputs: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return the outputs for token sequences, padded to the longest. Raises ValueError for a vector not finite."""
        import numpy as np

        ids, mask = padded(batch, self._pad_token)
        after = self._give_back if ids.size > _RETAINED_TOKENS_MAX else None
        found: list[NDArray[np.float32]] = self._session.run(outputs, {"ids": ids, "mask": mask}, after)
        if not np.isfinite(found[0]).all():  # one such vector would make every index with it unusable
            raise ValueError("the model's answer is not a number")
        return [found[0].astype("<f4", copy=False), *found[1:]]


def padded(batch: Sequence[Sequence[int]], pad: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return token sequences padded to the longest, and the mask of their tokens: int64 (batch, length) each."""
    import numpy as np

    ids = np.full((len(batch), max(map(len, batch))), pad, dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, sequence in enumerate(batch):
        ids[row, : len(sequence)] = sequence
        mask[row, : len(sequence)] = 1
    return ids, mask
