"""Reads from a model's folder, as sentence-transformers writes it, how the states of tokens become a vector."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...modules.records import dataclass
from .architecture import UnsupportedModel
from .safetensors_header import TensorSlice, read_header

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TOKENS_MAX = 512
VALUES_MAX = 8_192
"""The longest vector of a layer that is read: bounds the memory that a folder can ask for."""
_MODES = ("cls", "max", "mean", "mean_sqrt_len", "weightedmean", "lasttoken")
"""The ways to pool, in the order in which several are joined."""
_DTYPES = {"F32": "<f4", "F16": "<f2"}


@dataclass(frozen=True)
class Layer:
    """A layer behind the pooling: a matrix, what is added, and the function over the sum."""

    weight: NDArray[np.float32]
    bias: NDArray[np.float32] | None
    activation: Callable[[NDArray[np.float32]], NDArray[np.float32]]

    def __call__(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return one row for each row of `vectors`. Raises UnsupportedModel where they do not fit."""
        if vectors.shape[1] != self.weight.shape[1]:
            raise UnsupportedModel(f"a layer takes {self.weight.shape[1]} values and gets {vectors.shape[1]}")
        summed = vectors @ self.weight.T
        return self.activation(summed if self.bias is None else summed + self.bias)


@dataclass(frozen=True)
class Recipe:
    """How a model is run: the folder of its tokenizer, its limits, its pooling and the layers behind that."""

    body: Path
    tokens_max: int
    pad: int
    lower_case: bool
    modes: tuple[str, ...]
    steps: tuple[Callable[[NDArray[np.float32]], NDArray[np.float32]], ...]
    files: tuple[Path, ...] = ()
    """Weights of the layers: with others the vectors are others."""

    def vectors(self, states: NDArray[np.float32], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of token states (batch, length, dimension) under a mask (batch, length)."""
        import numpy as np

        pooled = np.concatenate([_pooled(mode, states, mask) for mode in self.modes], axis=1)
        for step in self.steps:
            pooled = step(pooled)
        return pooled


def recipe_of(folder: Path) -> Recipe:
    """Return what a model's folder says. Raises UnsupportedModel where that is more than can be done without torch."""
    modules = _modules(folder)
    body = folder / str(modules[0].get("path") or "") if modules else folder
    pooling = next((one for one in modules if _kind(one) == "Pooling"), {"path": "1_Pooling"})
    behind = modules[modules.index(pooling) + 1 :] if pooling in modules else []
    steps, files = [], []
    for module in behind:
        if _kind(module) == "Normalize":
            steps.append(unit)
            continue
        if _kind(module) != "Dense":
            raise UnsupportedModel(f"it has a module {_kind(module)}")
        place = folder / str(module.get("path"))
        steps.append(_layer(place))
        files.append(place / "model.safetensors")
    own = read_object(body / "sentence_bert_config.json")
    config = read_object(body / "config.json")
    pad = config.get("pad_token_id")
    return Recipe(
        body=body,
        tokens_max=_tokens_max(body, own, config),
        pad=pad if isinstance(pad, int) else 0,
        lower_case=own.get("do_lower_case") is True,
        modes=_pooling_modes(folder / str(pooling.get("path")) / "config.json", folder),
        steps=tuple(steps),
        files=tuple(files),
    )


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return each row scaled to length 1."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: NDArray[np.float32] = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32, copy=False)
    return scaled


def read_object(path: Path) -> dict[str, Any]:
    """Return a file's JSON object; empty where there is no file. Raises UnsupportedModel where it cannot be read."""
    found = _read(path)
    return found if isinstance(found, dict) else {}


def _read(path: Path) -> object:
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as problem:
        raise UnsupportedModel(f"{path.name} cannot be read: {problem}") from problem


def _modules(folder: Path) -> list[Mapping[str, Any]]:
    found = _read(folder / "modules.json")
    modules = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    if modules and [_kind(one) for one in modules[:2]] != ["Transformer", "Pooling"]:
        raise UnsupportedModel(f"its modules are {', '.join(map(_kind, modules))}")
    for module in modules:
        path = Path(str(module.get("path") or ""))
        if path.is_absolute() or ".." in path.parts:
            raise UnsupportedModel(f"a module lies outside its folder: {path}")
    return list(modules)


def _kind(module: Mapping[str, Any]) -> str:
    return str(module.get("type", "")).rpartition(".")[2]


def _tokens_max(body: Path, own: Mapping[str, Any], config: Mapping[str, Any]) -> int:
    limits = (
        own.get("max_seq_length"),
        read_object(body / "tokenizer_config.json").get("model_max_length"),
        config.get("max_position_embeddings"),
    )
    return min((one for one in limits if isinstance(one, int) and 0 < one <= TOKENS_MAX), default=TOKENS_MAX)


def _pooling_modes(path: Path, folder: Path) -> tuple[str, ...]:
    """Return how states are pooled; by their mean where it is not said."""
    pooling = read_object(path)
    prompts = read_object(folder / "config_sentence_transformers.json").get("prompts")
    if pooling.get("include_prompt") is False and isinstance(prompts, dict) and any(prompts.values()):
        raise UnsupportedModel("its pooling leaves the prompt out")
    mode = pooling.get("pooling_mode")
    flags = [key for key, on in pooling.items() if on is True and key.startswith("pooling_mode_")]
    named = mode.split("+") if isinstance(mode, str) else mode if isinstance(mode, list) else flags
    kinds = {_plain(str(one)) for one in named} or {"mean"}
    if kinds - set(_MODES):
        raise UnsupportedModel(f"its pooling is {', '.join(sorted(kinds))}")
    return tuple(one for one in _MODES if one in kinds)


def _plain(mode: str) -> str:
    name = mode.removeprefix("pooling_mode_")
    return {"mean_sqrt_len_tokens": "mean_sqrt_len"}.get(name, name.removesuffix("_tokens").removesuffix("_token"))


def _pooled(mode: str, states: NDArray[np.float32], mask: NDArray[np.int64]) -> NDArray[np.float32]:
    import numpy as np

    found: NDArray[np.float32]
    if mode == "cls":
        found = states[np.arange(len(states)), mask.argmax(axis=1)]
    elif mode == "lasttoken":
        found = states[np.arange(len(states)), mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)]
    elif mode == "max":
        found = np.where(mask[:, :, None] > 0, states, np.float32(-1e9)).max(axis=1)
    else:
        steps = np.arange(1, mask.shape[1] + 1) if mode == "weightedmean" else 1
        weights = (mask * steps)[:, :, None].astype(states.dtype)
        total = weights.sum(axis=1).clip(min=1e-9)
        found = (states * weights).sum(axis=1) / (np.sqrt(total) if mode == "mean_sqrt_len" else total)
    return found


def _layer(place: Path) -> Layer:
    """Return a layer of sentence-transformers' kind Dense. Raises UnsupportedModel."""
    activation = str(read_object(place / "config.json").get("activation_function", "Identity")).rpartition(".")[2]
    path = place / "model.safetensors"
    if activation not in _ACTIVATIONS:
        raise UnsupportedModel(f"a layer's function is {activation}")
    if not path.is_file():
        raise UnsupportedModel(f"there is no {place.name}/{path.name}")
    tensors = read_header(path)
    weight, bias = tensors.get("linear.weight"), tensors.get("linear.bias")
    if weight is None or len(weight.shape) != 2:
        raise UnsupportedModel(f"{place.name} has no linear.weight")
    return Layer(_tensor(path, weight), None if bias is None else _tensor(path, bias), _ACTIVATIONS[activation])


def _tensor(path: Path, place: TensorSlice) -> NDArray[np.float32]:
    import numpy as np

    if place.dtype not in _DTYPES or max(place.shape, default=0) > VALUES_MAX:
        raise UnsupportedModel(f"a layer has values of {place.dtype} in the shape {place.shape}")
    with path.open("rb") as file:
        file.seek(place.offset)
        data = np.frombuffer(file.read(place.length), dtype=_DTYPES[place.dtype])
    try:
        return data.astype(np.float32).reshape(place.shape)
    except ValueError as problem:
        raise UnsupportedModel(f"{path.name} is damaged: {problem}") from problem


def _same(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return values


def _tanh(values: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    return np.tanh(values)


def _relu(values: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    return np.maximum(values, 0)


_ACTIVATIONS = {"Identity": _same, "Tanh": _tanh, "ReLU": _relu}
