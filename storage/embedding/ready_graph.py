"""An ONNX graph that comes with a model, as exporters write it: run without torch, whatever its architecture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .architecture import UnsupportedModel
from .digest import weights_digest
from .graph import SENTENCE_OUTPUT
from .locate import ModelFiles
from .processor import graph_names
from .recipe import Recipe, unit
from .session import open_session

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FOLDERS = ("onnx", ".")
"""Where exporters put a graph."""
_IDS, _MASK, _SEGMENTS = "input_ids", "attention_mask", "token_type_ids"
_SENTENCE, _TOKENS = "sentence_embedding", ("last_hidden_state", "token_embeddings")
_TYPES = {"tensor(int64)": "int64", "tensor(int32)": "int32"}


def graph_in(folder: Path) -> Path | None:
    """Return the ONNX graph of a model's folder that suits this processor best, if there is one."""
    found = (folder / place / name for name in graph_names() for place in FOLDERS)
    return next((path for path in found if path.is_file()), None)


def described_by(files: ModelFiles, graph: Path, recipe: Recipe, cache_dir: Path) -> ModelFiles:
    """Return the files with the graph's own digest: its vectors are not those of the weights beside it."""
    beside = sorted(graph.parent.glob(f"{graph.name}?*"))  # the weights of a large graph
    return replace(files, sha256=weights_digest([graph, *beside, *recipe.files], cache_dir))


class ReadyGraph:
    """The session of a graph that somebody exported. Not for two threads at once."""

    def __init__(self, graph: Path, recipe: Recipe) -> None:
        """Open the graph. Raises UnsupportedModel for one that is no text encoder."""
        self._session = open_session(graph.read_bytes(), graph.parent)
        self._inputs = {one.name: _TYPES.get(one.type, "int64") for one in self._session.get_inputs()}
        outputs = [one.name for one in self._session.get_outputs()]
        if not {_IDS, _MASK} <= set(self._inputs) <= {_IDS, _MASK, _SEGMENTS}:
            raise UnsupportedModel(f"{graph.name} takes {', '.join(sorted(self._inputs))}, not a text's tokens")
        tokens = next((name for name in _TOKENS if name in outputs), None)
        if tokens is None:
            raise UnsupportedModel(f"{graph.name} gives {', '.join(outputs)}, not the states of tokens")
        self._tokens = tokens
        self._sentence = _SENTENCE if _SENTENCE in outputs else None
        self._recipe = recipe

    def run(
        self, outputs: Sequence[str], given: Mapping[str, NDArray[np.int64]], options: Any
    ) -> list[NDArray[np.float32]]:
        """Return sentence vectors of length 1 and, where asked for, the states of tokens, of `ids` and `mask`."""
        import numpy as np

        ids, mask = given["ids"], given["mask"]
        fed = {_IDS: ids, _MASK: mask, _SEGMENTS: np.zeros_like(ids)}
        names = [self._tokens, *([self._sentence] if self._sentence else [])]
        typed = {name: fed[name].astype(kind, copy=False) for name, kind in self._inputs.items()}
        states, *made = self._session.run(names, typed, options)
        states = states.astype(np.float32, copy=False)
        vectors = made[0].astype(np.float32, copy=False) if made else self._recipe.vectors(states, mask)
        found = {SENTENCE_OUTPUT: unit(vectors)}
        return [found.get(name, states) for name in outputs]
