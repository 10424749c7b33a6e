"""Writes models in the ONNX format: the few messages of onnx.proto that our graphs need, in protobuf's encoding.

The onnx package could do it too, for 35 MB; the tests use it to read what is written here.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

FLOAT, INT8, INT64 = 1, 3, 7
"""TensorProto.DataType."""
_EXTERNAL = 1
_VARINT, _BYTES, _FIXED32 = 0, 2, 5
_KINDS = {"float32": FLOAT, "int8": INT8, "int64": INT64}

Attribute = int | float | Sequence[int]


def node(operator: str, inputs: Iterable[str], outputs: Iterable[str], attributes: Mapping[str, Attribute]) -> bytes:
    """Return a NodeProto."""
    parts = [_text(1, name) for name in inputs]
    parts += [_text(2, name) for name in outputs]
    parts += [_text(4, operator), *(_message(5, _attribute(name, value)) for name, value in attributes.items())]
    return b"".join(parts)


def tensor(name: str, values: NDArray[Any]) -> bytes:
    """Return a TensorProto that holds its values: float32, int8 or int64."""
    kind = _KINDS[values.dtype.name]
    data = values.astype(values.dtype.newbyteorder("<")).tobytes()
    return _dimensions(values.shape) + _integer(2, kind) + _text(8, name) + _message(9, data)


def tensor_elsewhere(name: str, shape: Sequence[int], place: Mapping[str, str]) -> bytes:
    """Return a TensorProto of float32 values that lie in another file: `location`, `offset` and `length`."""
    entries = (_message(13, _text(1, key) + _text(2, value)) for key, value in place.items())
    return _dimensions(shape) + _integer(2, FLOAT) + _text(8, name) + b"".join(entries) + _integer(14, _EXTERNAL)


def value(name: str, kind: int, shape: Sequence[int | str]) -> bytes:
    """Return a ValueInfoProto: an input or an output; a dimension is a size, or the name of one that varies."""
    dimensions = (_message(1, _text(2, size) if isinstance(size, str) else _integer(1, size)) for size in shape)
    of_tensor = _integer(1, kind) + _message(2, b"".join(dimensions))
    return _text(1, name) + _message(2, _message(1, of_tensor))


def graph(
    name: str,
    nodes: Iterable[bytes],
    initializers: Iterable[bytes],
    inputs: Iterable[bytes],
    outputs: Iterable[bytes],
) -> bytes:
    """Return a GraphProto."""
    parts = [_message(1, one) for one in nodes]
    parts += [_text(2, name), *(_message(5, one) for one in initializers)]
    parts += [_message(11, one) for one in inputs]
    parts += [_message(12, one) for one in outputs]
    return b"".join(parts)


def model(of: bytes, ir_version: int, opset: int) -> bytes:
    """Return a ModelProto over one graph and the standard operators of an opset."""
    return _integer(1, ir_version) + _message(7, of) + _message(8, _text(1, "") + _integer(2, opset))


def _attribute(name: str, given: Attribute) -> bytes:
    """Return an AttributeProto: FLOAT (1), INT (2) or INTS (7)."""
    if isinstance(given, float):
        return _text(1, name) + _tag(2, _FIXED32) + struct.pack("<f", given) + _integer(20, 1)
    if isinstance(given, int):
        return _text(1, name) + _integer(3, given) + _integer(20, 2)
    return _text(1, name) + b"".join(_integer(8, one) for one in given) + _integer(20, 7)


def _dimensions(shape: Sequence[int]) -> bytes:
    return b"".join(_integer(1, size) for size in shape)


def _text(field: int, text: str) -> bytes:
    return _message(field, text.encode())


def _message(field: int, data: bytes) -> bytes:
    return _tag(field, _BYTES) + _varint(len(data)) + data


def _integer(field: int, number: int) -> bytes:
    return _tag(field, _VARINT) + _varint(number)


def _tag(field: int, wire_type: int) -> bytes:
    return _varint(field << 3 | wire_type)


def _varint(number: int) -> bytes:
    """Return a number as seven bits per byte, the lowest first; a negative one as 64 bits of two's complement."""
    number &= (1 << 64) - 1
    data = bytearray()
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    data.append(number)
    return bytes(data)
