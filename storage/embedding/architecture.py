"""Reads a model folder's settings, and decides whether the ONNX graph can represent the model."""

import json
from pathlib import Path
from typing import Any

from ...modules.errors import AgentOSError
from ...modules.records import dataclass


class UnsupportedModel(AgentOSError):
    """The ONNX graph cannot represent this model; sentence-transformers has to run it."""

    code = "unsupported_model"


@dataclass(frozen=True)
class BertArchitecture:
    """The dimensions of a BERT encoder; `tokens_max` is the most tokens that the model is given."""

    hidden: int
    layers: int
    heads: int
    intermediate: int
    vocabulary: int
    positions: int
    token_types: int
    layer_norm_epsilon: float
    tokens_max: int
    pad_token: int


def read_architecture(folder: Path) -> BertArchitecture:
    """Return the architecture of a sentence-transformers model folder.

    Raises UnsupportedModel for anything but a BERT encoder with exact GELU, mean pooling and at most a normalisation
    behind it.
    """
    config = _read(folder / "config.json")
    _require(config.get("model_type") == "bert", f"model_type is {config.get('model_type')!r}")
    _require(config.get("hidden_act") == "gelu", f"hidden_act is {config.get('hidden_act')!r}")
    position_type = config.get("position_embedding_type", "absolute")
    _require(position_type == "absolute", f"position_embedding_type is {position_type!r}")
    _require(not config.get("is_decoder"), "it is a decoder")
    _check_modules(folder)
    try:
        found = BertArchitecture(
            hidden=int(config["hidden_size"]),
            layers=int(config["num_hidden_layers"]),
            heads=int(config["num_attention_heads"]),
            intermediate=int(config["intermediate_size"]),
            vocabulary=int(config["vocab_size"]),
            positions=int(config["max_position_embeddings"]),
            token_types=int(config.get("type_vocab_size", 2)),
            layer_norm_epsilon=float(config.get("layer_norm_eps", 1e-12)),
            tokens_max=_tokens_max(folder, int(config["max_position_embeddings"])),
            pad_token=int(config.get("pad_token_id") or 0),
        )
    except (KeyError, TypeError, ValueError) as problem:
        raise UnsupportedModel(f"config.json is not that of a BERT encoder: {problem!r}") from problem
    sizes = (found.hidden, found.layers, found.heads, found.intermediate, found.token_types, found.tokens_max)
    _require(min(sizes) > 0 and found.hidden % found.heads == 0, "config.json has impossible sizes")
    return found


def _check_modules(folder: Path) -> None:
    """Raise UnsupportedModel unless there are Transformer, mean Pooling, optionally Normalize, and no prompts."""
    modules = _read_list(folder / "modules.json")
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in modules]
    _require(kinds[:2] == ["Transformer", "Pooling"] and kinds[2:] in ([], ["Normalize"]), f"modules {kinds}")
    _require(not modules[0].get("path"), "its transformer lies in a folder of its own")
    pooling = _read(folder / str(modules[1].get("path", "1_Pooling")) / "config.json")
    flags = [key for key, on in pooling.items() if key.startswith("pooling_mode_") and on]
    mode = pooling.get("pooling_mode", flags)  # one name since sentence-transformers 6, a flag each before
    _require(mode in ("mean", ["mean"], ["pooling_mode_mean_tokens"]), f"pooling is {mode}")
    prompt = _read_optional(folder / "config_sentence_transformers.json").get("default_prompt_name")
    _require(prompt is None, "it puts a prompt before every text")


def _tokens_max(folder: Path, positions: int) -> int:
    """Return how many tokens sentence-transformers would give the model: its own limit, else the tokenizer's."""
    own = _read_optional(folder / "sentence_bert_config.json")
    _require(not own.get("do_lower_case"), "it lowers the case outside its tokenizer")
    limit = own.get("max_seq_length")
    if limit is None:
        limit = _read_optional(folder / "tokenizer_config.json").get("model_max_length")
    return positions if limit is None else min(int(limit), positions)


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise UnsupportedModel(f"not a BERT encoder with mean pooling: {otherwise}")


def _read(path: Path) -> dict[str, Any]:
    found = _parsed(path)
    if not isinstance(found, dict):
        raise UnsupportedModel(f"{path.name} is not an object")
    return found


def _read_optional(path: Path) -> dict[str, Any]:
    return _read(path) if path.exists() else {}


def _read_list(path: Path) -> list[dict[str, Any]]:
    found = _parsed(path)
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise UnsupportedModel(f"{path.name} is not a list of objects")
    return found


def _parsed(path: Path) -> object:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as problem:
        raise UnsupportedModel(f"{path.name} cannot be read: {problem}") from problem
