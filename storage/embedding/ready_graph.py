"""An ONNX graph that comes with a model, as exporters write it: run without torch, whatever its architecture."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .architecture import UnsupportedModel
from .digest import weights_digest
from .graph import SENTENCE_OUTPUT
from .locate import ModelFiles
from .session import open_session

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FOLDERS = ("onnx", ".")
NAMES = ("model_quantized.onnx", "model_int8.onnx", "model_qint8.onnx", "model.onnx")
"""Where exporters put a graph, and what they call it: one in bytes goes before one in floats, which takes longer."""
TOKENS_MAX = 512
_IDS, _MASK, _SEGMENTS = "input_ids", "attention_mask", "token_type_ids"
_SENTENCE, _TOKENS = "sentence_embedding", ("last_hidden_state", "token_embeddings")


@dataclass(frozen=True)
class Pooling:
    """How token states become a vector: their mean, or the first token's."""

    first_alone: bool = False


def graph_in(folder: Path) -> Path | None:
    """Return the ONNX graph of a model's folder, if there is one."""
    found = (folder / place / name for place in FOLDERS for name in NAMES)
    return next((path for path in found if path.is_file()), None)


def described_by(files: ModelFiles, graph: Path, cache_dir: Path) -> ModelFiles:
    """Return the files with the graph's own digest: its vectors are not those of the weights beside it."""
    return replace(files, sha256=weights_digest([graph], cache_dir))


class ReadyGraph:
    """The session of a graph that somebody exported. Not for two threads at once."""

    def __init__(self, graph: Path, pooling: Pooling) -> None:
        """Open the graph. Raises UnsupportedModel for one that is no text encoder."""
        self._session = open_session(graph.read_bytes(), graph.parent)
        self._inputs = {one.name for one in self._session.get_inputs()}
        outputs = [one.name for one in self._session.get_outputs()]
        if not {_IDS, _MASK} <= self._inputs <= {_IDS, _MASK, _SEGMENTS}:
            raise UnsupportedModel(f"{graph.name} takes {', '.join(sorted(self._inputs))}, not a text's tokens")
        tokens = next((name for name in _TOKENS if name in outputs), None)
        if tokens is None:
            raise UnsupportedModel(f"{graph.name} gives {', '.join(outputs)}, not the states of tokens")
        self._tokens = tokens
        self._sentence = _SENTENCE if _SENTENCE in outputs else None
        self._pooling = pooling

    def run(
        self, outputs: Sequence[str], given: Mapping[str, NDArray[np.int64]], options: Any
    ) -> list[NDArray[np.float32]]:
        """Return sentence vectors of length 1 and, where asked for, the states of tokens, of `ids` and `mask`."""
        import numpy as np

        ids, mask = given["ids"], given["mask"]
        fed = {_IDS: ids, _MASK: mask, _SEGMENTS: np.zeros_like(ids)}
        names = [self._tokens, *([self._sentence] if self._sentence else [])]
        states, *made = self._session.run(names, {name: fed[name] for name in self._inputs}, options)
        vectors = made[0] if made else self._pooled(states, mask)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        found: dict[str, NDArray[np.float32]] = {SENTENCE_OUTPUT: vectors / np.maximum(lengths, 1e-12)}
        return [found.get(name, states) for name in outputs]

    def _pooled(self, states: NDArray[np.float32], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        if self._pooling.first_alone:
            pooled: NDArray[np.float32] = states[:, 0]
            return pooled
        weights = mask[:, :, None].astype(states.dtype)
        mean: NDArray[np.float32] = (states * weights).sum(axis=1) / weights.sum(axis=1).clip(min=1e-9)
        return mean


def pooling_of(folder: Path) -> Pooling:
    """Return how a model's vectors are made; the mean where it does not say. Raises UnsupportedModel for other ways."""
    pooling = _object(folder / "1_Pooling" / "config.json")
    mode = pooling.get("pooling_mode")
    modes = [mode] if isinstance(mode, str) else [key for key, on in pooling.items() if on is True and "mode" in key]
    kinds = {str(one).removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token") for one in modes}
    if kinds - {"mean", "cls"} or len(kinds) > 1:
        raise UnsupportedModel(f"its pooling is {', '.join(sorted(kinds))}")
    return Pooling(first_alone=kinds == {"cls"})


def numbers_of(folder: Path) -> tuple[int, int, int]:
    """Return the values of a vector, the most tokens, and the number of the padding token, as config.json has them.

    Raises UnsupportedModel where it does not say how long a vector is.
    """
    config = _object(folder / "config.json")
    hidden = config.get("hidden_size", config.get("dim"))
    if not isinstance(hidden, int) or hidden < 1:
        raise UnsupportedModel("config.json has no hidden_size")
    pad = config.get("pad_token_id")
    limits = [
        _object(folder / "sentence_bert_config.json").get("max_seq_length"),
        _object(folder / "tokenizer_config.json").get("model_max_length"),
        config.get("max_position_embeddings"),
    ]
    tokens = min((one for one in limits if isinstance(one, int) and 0 < one <= TOKENS_MAX), default=TOKENS_MAX)
    return hidden, tokens, pad if isinstance(pad, int) else 0


def _object(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as problem:
        raise UnsupportedModel(f"{path.name} cannot be read: {problem}") from problem
    return found if isinstance(found, dict) else {}
