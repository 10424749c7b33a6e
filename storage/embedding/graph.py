"""Builds the ONNX graph of a BERT encoder whose weights stay in `model.safetensors`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import onnx_format
from .adapter import PARTS, Adapter
from .architecture import BertArchitecture, UnsupportedModel
from .safetensors_header import TensorSlice

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Raise it with every change to the graph: cached graphs of another version are not used.
GRAPH_VERSION = 1
_OPSET = 20  # the first with Gelu
_IR_VERSION = 10  # the oldest that goes with the opset, so that older runtimes can read it

LARGEST_BYTE = 63
"""The largest weight in bytes: larger ones would overflow where a processor adds two products in sixteen bits."""

SENTENCE_OUTPUT = "sentence"
TOKENS_OUTPUT = "tokens"
INPUTS = ("ids", "mask")
SEGMENTS = "segments"


def build_graph(
    shape: BertArchitecture,
    tensors: Mapping[str, TensorSlice],
    weights_file: Path,
    adapter: Adapter | None = None,
) -> bytes:
    """Return the serialised graph: about 30 KB, whose initializers point into `weights_file` by offset and length.

    Inputs `ids` and `mask`: int64 (batch, length). Outputs `sentence`: float32 (batch, hidden), the mean over the mask,
    of length 1; `tokens`: float32 (batch, length, hidden), the last hidden state. With an adapter there is one more
    input, `segments`: int64 (batch, length), the number of each token's text; its dense layers multiply bytes, which
    takes a third of the time, and their weights are in the graph (11 MB). Raises UnsupportedModel when a weight is
    missing, is not float32 or has another shape.
    """
    graph = _Graph(tensors, weights_file, adapter)
    mask = graph.add("Cast", "mask", to=onnx_format.FLOAT)
    # 0 where there is a token, the most negative float where there is padding: (batch, 1, 1, length)
    absent = graph.add("Sub", graph.floats([1.0]), graph.add("Unsqueeze", mask, graph.integers([1, 2])))
    bias = graph.add("Mul", absent, graph.floats([-3.4028234663852886e38]))
    heads = graph.integers([shape.heads, shape.hidden // shape.heads])
    split = graph.add("Concat", graph.add("Shape", "ids"), heads, axis=0)
    state = _embed(graph, shape)
    for number in range(shape.layers):
        state = _layer(graph, shape, f"encoder.layer.{number}", state, bias, split)
    batch = graph.add("Concat", graph.add("Shape", "ids"), graph.integers([-1]), axis=0)
    graph.add("Reshape", state, batch, output=TOKENS_OUTPUT)
    _pool(graph, TOKENS_OUTPUT, mask)

    names = INPUTS if adapter is None else (*INPUTS, SEGMENTS)
    inputs = [onnx_format.value(name, onnx_format.INT64, ("batch", "length")) for name in names]
    outputs = [
        onnx_format.value(SENTENCE_OUTPUT, onnx_format.FLOAT, ("batch", shape.hidden)),
        onnx_format.value(TOKENS_OUTPUT, onnx_format.FLOAT, ("batch", "length", shape.hidden)),
    ]
    made = onnx_format.graph("bert", graph.nodes, graph.initializers.values(), inputs, outputs)
    return onnx_format.model(made, _IR_VERSION, _OPSET)


def _embed(graph: _Graph, shape: BertArchitecture) -> str:
    """Add word + position + token type (by default the first), normalised; return it: (batch × length, hidden)."""
    words = graph.weight("embeddings.word_embeddings.weight", (shape.vocabulary, shape.hidden))
    positions = graph.weight("embeddings.position_embeddings.weight", (shape.positions, shape.hidden))
    length = graph.add("Shape", "ids", start=1, end=2)
    # Slice and not Gather(Range): ONNX Runtime's fusion of the latter breaks on scalar starts.
    zero, rows = graph.integers([0]), graph.integers([0])
    here = graph.add("Slice", positions, zero, length, rows)
    if graph.adapter is None:
        types = graph.weight("embeddings.token_type_embeddings.weight", (shape.token_types, shape.hidden))
        kind = graph.add("Slice", types, zero, graph.integers([1]), rows)
    else:
        kind = graph.add("Gather", graph.tensor("adapter.segments", graph.adapter.segments), SEGMENTS)
    total = graph.add("Add", graph.add("Gather", words, "ids"), graph.add("Add", here, kind))
    flat = graph.add("Reshape", total, graph.integers([-1, shape.hidden]))
    return _normalise(graph, shape, "embeddings.LayerNorm", flat)


def _layer(graph: _Graph, shape: BertArchitecture, name: str, state: str, bias: str, split: str) -> str:
    """Add one encoder layer over (batch × length, hidden): attention, then feed-forward block; return its output."""
    size = shape.hidden
    query = _heads(graph, shape, f"{name}.attention.self.query", state, split, (0, 2, 1, 3))
    key = _heads(graph, shape, f"{name}.attention.self.key", state, split, (0, 2, 3, 1))
    value = _heads(graph, shape, f"{name}.attention.self.value", state, split, (0, 2, 1, 3))
    scale = graph.floats([(size // shape.heads) ** -0.5])
    scores = graph.add("MatMul", graph.add("Mul", query, scale), key)
    weights = graph.add("Softmax", graph.add("Add", scores, bias), axis=-1)
    mixed = graph.add("Transpose", graph.add("MatMul", weights, value), perm=(0, 2, 1, 3))
    flat = graph.add("Reshape", mixed, graph.integers([-1, size]))
    attended = _dense(graph, f"{name}.attention.output.dense", flat, (size, size))
    state = _normalise(graph, shape, f"{name}.attention.output.LayerNorm", graph.add("Add", attended, state))
    wide = _dense(graph, f"{name}.intermediate.dense", state, (shape.intermediate, size))
    narrow = _dense(graph, f"{name}.output.dense", graph.add("Gelu", wide), (size, shape.intermediate))
    return _normalise(graph, shape, f"{name}.output.LayerNorm", graph.add("Add", narrow, state))


def _heads(graph: _Graph, shape: BertArchitecture, name: str, state: str, split: str, order: tuple[int, ...]) -> str:
    projected = _dense(graph, name, state, (shape.hidden, shape.hidden))
    return graph.add("Transpose", graph.add("Reshape", projected, split), perm=order)


def _dense(graph: _Graph, name: str, state: str, shape: tuple[int, int]) -> str:
    """Add state × weightᵀ + bias; return it. Gemm takes the weight as it is stored: nothing is transposed at load.

    An adapter adds up × down, which is of low rank, to the weight.
    """
    bias = graph.weight(f"{name}.bias", shape[:1])
    if graph.adapter is None:
        return graph.add("Gemm", state, graph.weight(f"{name}.weight", shape), bias, transB=1)
    down, up = (graph.adapter.layers[f"{name}.{part}"] for part in PARTS)
    return _dense_in_bytes(graph, f"{name}.bytes", state, graph.read(f"{name}.weight", shape) + up @ down, bias)


def _dense_in_bytes(graph: _Graph, name: str, state: str, weight: NDArray[np.float32], bias: str) -> str:
    """Add the same in whole numbers: each row of the weight with its own scale, the states of a batch with one.

    Dynamic quantisation (Jacob et al., 2018, "Quantization and Training of Neural Networks for Efficient
    Integer-Arithmetic-Only Inference").
    """
    import numpy as np

    scales = np.maximum(np.abs(weight).max(axis=1), np.float32(1e-9)) / LARGEST_BYTE
    integers = graph.tensor(name, np.rint(weight / scales[:, None]).astype(np.int8).T.copy())
    zero = graph.tensor("adapter.zero", np.zeros((), np.int8))
    values, scale, offset = graph.quantised(state)
    product = graph.add("Cast", graph.add("MatMulInteger", values, integers, offset, zero), to=onnx_format.FLOAT)
    scaled = graph.add("Mul", product, graph.add("Mul", scale, graph.tensor(f"{name}.scales", scales)))
    return graph.add("Add", scaled, bias)


def _normalise(graph: _Graph, shape: BertArchitecture, name: str, state: str) -> str:
    weight, bias = (graph.weight(f"{name}.{part}", (shape.hidden,)) for part in ("weight", "bias"))
    return graph.add("LayerNormalization", state, weight, bias, axis=-1, epsilon=shape.layer_norm_epsilon)


def _pool(graph: _Graph, tokens: str, mask: str) -> None:
    """Add the mean of the token vectors under the mask, scaled to length 1."""
    one = graph.integers([1])
    masked = graph.add("Mul", tokens, graph.add("Unsqueeze", mask, graph.integers([2])))
    count = graph.add("Max", graph.add("ReduceSum", mask, one, keepdims=1), graph.floats([1e-9]))
    mean = graph.add("Div", graph.add("ReduceSum", masked, one, keepdims=0), count)
    length = graph.add("Max", graph.add("ReduceL2", mean, one, keepdims=1), graph.floats([1e-12]))
    graph.add("Div", mean, length, output=SENTENCE_OUTPUT)


class _Graph:
    """The nodes and initializers collected so far; values are referred to by name."""

    def __init__(self, tensors: Mapping[str, TensorSlice], weights_file: Path, adapter: Adapter | None) -> None:
        self.adapter = adapter
        self.nodes: list[bytes] = []
        self.initializers: dict[str, bytes] = {}
        self._tensors = tensors
        self._weights_file = weights_file
        self._quantised: dict[str, tuple[str, str, str]] = {}
        self._prefix = "bert." if "bert.embeddings.word_embeddings.weight" in tensors else ""

    def add(self, operator: str, *inputs: str, output: str | None = None, **attributes: onnx_format.Attribute) -> str:
        """Add a node with one output; return the output's name."""
        name = output or f"{operator}_{len(self.nodes)}"
        self.nodes.append(onnx_format.node(operator, inputs, [name], attributes))
        return name

    def integers(self, values: Sequence[int]) -> str:
        """Return a one-dimensional int64 constant."""
        return self._constant("int64", values)

    def floats(self, values: Sequence[float]) -> str:
        """Return a one-dimensional float32 constant."""
        return self._constant("float32", values)

    def _constant(self, kind: str, values: Sequence[float]) -> str:
        import numpy as np

        return self.tensor(f"constant_{kind}_{'_'.join(map(str, values))}", np.array(values, dtype=kind))

    def quantised(self, name: str) -> tuple[str, str, str]:
        """Quantise a float32 value, once for all layers; return its bytes, their scale, and the byte of 0."""
        if name not in self._quantised:
            values, scale, offset = (f"{name}.{part}" for part in ("bytes", "scale", "offset"))
            self.nodes.append(onnx_format.node("DynamicQuantizeLinear", [name], [values, scale, offset], {}))
            self._quantised[name] = values, scale, offset
        return self._quantised[name]

    def tensor(self, name: str, values: NDArray[Any]) -> str:
        """Add an initializer that is in the graph itself; return its name."""
        self.initializers[name] = onnx_format.tensor(name, values)
        return name

    def weight(self, name: str, shape: tuple[int, ...]) -> str:
        """Add a float32 initializer that stays in the weights file; return its name. Raises UnsupportedModel."""
        found = self._found(name, shape)
        place = {"location": self._weights_file.name, "offset": str(found.offset), "length": str(found.length)}
        self.initializers[name] = onnx_format.tensor_elsewhere(name, shape, place)
        return name

    def read(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
        """Return the values of a tensor of the weights file. Raises UnsupportedModel."""
        import numpy as np

        found = self._found(name, shape)
        values: NDArray[np.float32] = np.fromfile(
            self._weights_file, dtype="<f4", count=math.prod(shape), offset=found.offset
        )
        return values.reshape(shape)

    def _found(self, name: str, shape: tuple[int, ...]) -> TensorSlice:
        found = self._tensors.get(self._prefix + name)
        if found is None:
            raise UnsupportedModel(f"the weights have no tensor {name}")
        if found.dtype != "F32" or found.shape != shape:
            raise UnsupportedModel(f"{name} is {found.dtype} {found.shape}, expected F32 {shape}")
        return found
