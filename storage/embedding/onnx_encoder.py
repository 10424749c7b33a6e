"""The fast path: a BERT encoder on ONNX Runtime and tokenizers alone, without torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .architecture import UnsupportedModel, read_architecture
from .graph import SENTENCE_OUTPUT
from .graph_cache import graph_of
from .locate import ModelFiles

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

BATCH_TEXTS_MAX = 8  # measured: more costs memory and gains nothing on one core
_KEPT_TOKENS_MAX = 512  # a batch above it gives its working memory back: 30 MB less after a backlog
_CHARACTERS_PER_TOKEN_MAX = 256  # far above any real text; bounds the time spent on tokens that are cut off


class OnnxEncoder:
    """Encodes on one thread, in batches of texts of similar length. Not for two threads at once."""

    def __init__(self, files: ModelFiles, cache_dir: Path) -> None:
        """Load a model; `cache_dir` keeps its graph.

        Raises UnsupportedModel when the graph cannot stand for it, EmbeddingUnavailable when it is damaged.
        """
        architecture = read_architecture(files.folder)
        # The hub's cache holds links; the runtime refuses data outside the folder that it is told.
        weights = (files.folder / "model.safetensors").resolve()
        graph = graph_of(architecture, weights, files.sha256, cache_dir)
        self._session = _open_session(graph, weights.parent)
        self._give_back = _give_back()
        self._tokenizer = _open_tokenizer(files.folder / "tokenizer.json", architecture.tokens_max)
        self._characters_max = architecture.tokens_max * _CHARACTERS_PER_TOKEN_MAX
        self._pad_token = architecture.pad_token
        self.fingerprint = files.fingerprint
        self.dimension = architecture.hidden

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        """One vector a text, in order; see Encoder."""
        tokens = [self._tokenise(text) for text in texts]
        by_length = sorted(range(len(tokens)), key=lambda index: len(tokens[index].ids))
        vectors: list[bytes] = [b""] * len(tokens)
        for start in range(0, len(by_length), BATCH_TEXTS_MAX):
            batch = by_length[start : start + BATCH_TEXTS_MAX]
            for index, vector in zip(batch, self._run([tokens[index].ids for index in batch]), strict=True):
                vectors[index] = vector
        return vectors

    def _tokenise(self, text: str) -> Encoding:
        # A lone surrogate is valid in a str and not in UTF-8, which the tokenizer takes.
        clean = text[: self._characters_max].encode("utf-8", "replace").decode()
        return self._tokenizer.encode(clean)

    def _run(self, batch: Sequence[Sequence[int]]) -> list[bytes]:
        """The vectors of token sequences, which are padded to the longest of them."""
        import numpy as np

        ids = np.full((len(batch), max(map(len, batch))), self._pad_token, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, sequence in enumerate(batch):
            ids[row, : len(sequence)] = sequence
            mask[row, : len(sequence)] = 1
        after = self._give_back if ids.size > _KEPT_TOKENS_MAX else None
        (vectors,) = self._session.run([SENTENCE_OUTPUT], {"ids": ids, "mask": mask}, after)
        if not np.isfinite(vectors).all():  # one such vector would make every index of it unusable
            raise ValueError("the model's answer is not a number")
        return [vector.tobytes() for vector in vectors.astype("<f4", copy=False)]


def _open_session(graph: bytes, weights_folder: Path) -> Any:  # an InferenceSession, which is untyped
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # One thread that sleeps when idle: on a busy machine more threads made it slower, by spinning.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    folder_entry = "session.model_external_initializers_file_folder_path"
    options.add_session_config_entry(folder_entry, str(weights_folder))
    options.enable_mem_pattern = False  # it would plan a block for each of the many shapes that texts come in
    options.log_severity_level = 3  # errors only: standard error belongs to the server
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _give_back() -> Any:  # RunOptions, which are untyped
    import onnxruntime

    options = onnxruntime.RunOptions()
    options.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
    return options


def _open_tokenizer(path: Path, tokens_max: int) -> Tokenizer:
    from tokenizers import Tokenizer

    if not path.is_file():
        raise UnsupportedModel(f"there is no {path.name}")
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()  # the file may ask for a fixed length (128 here), which costs 7 times the time
    tokenizer.enable_truncation(tokens_max)
    return tokenizer
