"""A reranker on sentence-transformers: a cross-encoder reads query and text together and says how well they fit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ...modules.installing import INSTALL_MODELS_EXTRA
from .locate import RERANKER, ModelFiles, RerankerUnavailable, locate_reranker
from .tokens import clean

_BATCH_TEXTS_MAX = 8
_QUERY_CHARACTERS_MAX = 2_000
"""The most of a query that is read: more leaves no room for the text. Bounds the time, too."""
_CLASSIFIER = "ForSequenceClassification"


class CrossEncoderReranker:
    """Judges on one CPU thread; not for two threads at once. Importing its libraries takes seconds and 400 MB."""

    def __init__(self, files: ModelFiles) -> None:
        """Load a model from its folder; never touches the network and runs no code from the folder.

        Raises RerankerUnavailable when it is not a cross-encoder with one score, or where sentence-transformers is not
        installed.
        """
        _check(files.folder / "config.json")
        try:
            from sentence_transformers import CrossEncoder
            from torch import set_num_threads
            from torch.nn import Identity
        except ModuleNotFoundError as problem:
            raise RerankerUnavailable(
                f"a cross-encoder needs sentence-transformers: {INSTALL_MODELS_EXTRA}, "
                f"or set {RERANKER.setting} to none"
            ) from problem

        # Measured: on a busy machine two threads take five times as long as one.
        set_num_threads(1)
        # Plain logits: through a sigmoid the best texts would all be 1.
        self._model = CrossEncoder(
            str(files.folder), device="cpu", local_files_only=True, trust_remote_code=False, activation_fn=Identity()
        )
        self.fingerprint = files.fingerprint

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score per text, in order; what exceeds the model's window is cut off."""
        asked = clean(query[:_QUERY_CHARACTERS_MAX])
        pairs = [(asked, clean(text)) for text in texts]
        found = self._model.predict(pairs, batch_size=_BATCH_TEXTS_MAX, show_progress_bar=False)
        return [float(score) for score in found]


def load_reranker(model: str, cache_dir: Path) -> CrossEncoderReranker:
    """Load a reranker: a folder, or the name of one in the hub's cache. Blocks for seconds, downloads nothing.

    `cache_dir` keeps digests. Raises RerankerUnavailable.
    """
    return CrossEncoderReranker(locate_reranker(model, cache_dir))


def _check(path: Path) -> None:
    """Raise RerankerUnavailable unless the model has a trained head with one score; else it would get a random one."""
    try:
        config = json.loads(path.read_bytes())
        architecture = str((config.get("architectures") or ["no architecture"])[0])
        labels = config.get("num_labels") or len(config.get("id2label") or (0, 1))
    except (OSError, ValueError, AttributeError, TypeError) as problem:
        raise RerankerUnavailable(f"{path} cannot be read: {problem}: {RERANKER.remedy}") from problem
    if not architecture.endswith(_CLASSIFIER) or labels != 1:
        raise RerankerUnavailable(
            f"{path.parent} is not a cross-encoder with one score ({architecture}, {labels} labels): {RERANKER.remedy}"
        )
