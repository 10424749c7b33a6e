"""Reads the positions of the tensors in a safetensors file, without reading the tensors."""

import json
import struct
from pathlib import Path
from typing import Any

from ...modules.records import dataclass
from .locate import EmbeddingUnavailable

_HEADER_BYTES_MAX = 100_000_000  # the format's own bound


@dataclass(frozen=True)
class TensorSlice:
    """One tensor of a weights file: type, shape, and the position of its bytes from the start of the file."""

    dtype: str
    shape: tuple[int, ...]
    offset: int
    length: int


def read_header(path: Path) -> dict[str, TensorSlice]:
    """Return the tensors of a safetensors file by name. Raises EmbeddingUnavailable when it is damaged."""
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            (header_bytes,) = struct.unpack("<Q", file.read(8))
            if header_bytes > min(_HEADER_BYTES_MAX, size - 8):
                raise ValueError("its header is longer than the file")
            header = json.loads(file.read(header_bytes))
        start = 8 + header_bytes
        return {name: _slice(entry, start, size) for name, entry in header.items() if name != "__metadata__"}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error) as problem:
        raise EmbeddingUnavailable(f"{path} is not a usable safetensors file: {problem}") from problem


def _slice(entry: dict[str, Any], start: int, size: int) -> TensorSlice:
    begin, end = (int(value) for value in entry["data_offsets"])
    if not 0 <= begin <= end <= size - start:
        raise ValueError("a tensor lies outside the file, which is cut off or damaged")
    return TensorSlice(str(entry["dtype"]), tuple(entry["shape"]), start + begin, end - begin)
