"""The reference encoder: any model that sentence-transformers can load, at the price of importing torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...modules.installing import INSTALL_MODELS_EXTRA
from ...modules.memory.models import QueryEncoding
from .locate import SETTING, EmbeddingUnavailable, ModelFiles
from .tokens import ModelTokenizer, clean, signs, unit_rows

BATCH_TEXTS_MAX = 8
_TOKENS_MAX = 512  # of a model that names no limit


class SentenceTransformerEncoder:
    """Encodes with sentence-transformers on the CPU. Importing it takes seconds and 400 MB.

    For a model without a fast tokenizer there are no token vectors, and its texts are never cut.
    """

    def __init__(self, files: ModelFiles) -> None:
        """Load a model from its folder; never touches the network and runs no code from the folder.

        Raises EmbeddingUnavailable where sentence-transformers is not installed.
        """
        try:
            from sentence_transformers import SentenceTransformer
        except ModuleNotFoundError as problem:
            raise EmbeddingUnavailable(
                f"the model in {files.folder} is of another kind than the default one: to run it, "
                f"{INSTALL_MODELS_EXTRA}, or set {SETTING} to another"
            ) from problem

        self._model = SentenceTransformer(str(files.folder), device="cpu", local_files_only=True)
        self._tokens = _tokens(files, self._model)
        self.fingerprint = files.fingerprint
        self.dimension = len(self.encode([""])[0]) // 4  # the method that returns it was renamed in version 5

    def windows(self, text: str) -> list[tuple[int, int]]:
        """Return where to cut a text; see Encoder."""
        return self._tokens.windows(text) if self._tokens else [(0, len(text))]

    def knows(self, text: str) -> bool:
        """Return whether it reads a text; see Encoder."""
        return self._tokens is None or self._tokens.knows(text)

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector per text, in order; see Encoder."""
        if not texts:
            return []
        vectors = self._model.encode(
            [clean(text) for text in texts],
            batch_size=BATCH_TEXTS_MAX,
            convert_to_numpy=True,
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        return [vector.astype("<f4").tobytes() for vector in vectors]

    def encode_with_signs(self, texts: Sequence[str]) -> list[tuple[bytes, bytes]]:
        """Return one vector and sign bits per text, in order; see Encoder."""
        if self._tokens is None:
            return [(vector, b"") for vector in self.encode(texts)]
        return [
            (vector, signs(states, self._tokens.compared_positions(ids)))
            for vector, ids, states in self._outputs(texts)
        ]

    def encode_query(self, text: str) -> QueryEncoding:
        """Return a query's vector with the vectors of its tokens; see Encoder."""
        if self._tokens is None:
            return QueryEncoding(self.encode([text])[0])
        [(vector, _, states)] = self._outputs([text])
        positions, words = self._tokens.of_query(self._tokens.encode(text), text)
        return QueryEncoding(vector, unit_rows(states, positions), words)

    def _outputs(self, texts: Sequence[str]) -> list[tuple[bytes, list[int], Any]]:
        """Return for each text its vector, its tokens and their last hidden states."""
        found: Any = self._model.encode(
            [clean(text) for text in texts], output_value=None, batch_size=BATCH_TEXTS_MAX, show_progress_bar=False
        )
        return [
            (
                unit_rows(each["sentence_embedding"].numpy()[None], [0]),
                each["input_ids"].tolist(),
                each["token_embeddings"].numpy(),
            )
            for each in found
        ]


def _tokens(files: ModelFiles, model: Any) -> ModelTokenizer | None:
    """Return a second copy of the model's tokenizer, to be configured separately; None where it has no fast one."""
    path = files.folder / "tokenizer.json"
    if not path.is_file():
        return None
    from tokenizers import Tokenizer

    return ModelTokenizer(Tokenizer.from_file(str(path)), int(model.max_seq_length or _TOKENS_MAX))
