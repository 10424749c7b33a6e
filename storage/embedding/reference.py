"""The reference: any model that sentence-transformers can load, at the price of importing torch."""

from collections.abc import Sequence

from .locate import ModelFiles

BATCH_TEXTS_MAX = 8


class SentenceTransformerEncoder:
    """Encodes with sentence-transformers on the CPU. Importing it takes seconds and 400 MB."""

    def __init__(self, files: ModelFiles) -> None:
        """Load a model from its folder; never touches the network and runs no code from the folder."""
        from sentence_transformers import SentenceTransformer

        self._model = SentenceTransformer(str(files.folder), device="cpu", local_files_only=True)
        self.fingerprint = files.fingerprint
        self.dimension = len(self.encode([""])[0]) // 4  # the method that tells it was renamed in version 5

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        """One vector a text, in order; see Encoder."""
        if not texts:
            return []
        # A lone surrogate is valid in a str and not in UTF-8, which the tokenizer takes.
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        vectors = self._model.encode(
            clean,
            batch_size=BATCH_TEXTS_MAX,
            convert_to_numpy=True,
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        return [vector.astype("<f4").tobytes() for vector in vectors]
