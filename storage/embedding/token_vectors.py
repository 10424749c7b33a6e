"""The form in which token vectors are stored and compared: sign bits for memories, unit rows for queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


def signs(states: NDArray[Any], positions: Sequence[int]) -> bytes:
    """Return the sign bits of the chosen rows of (length, dimension), dimension / 8 bytes a row."""
    import numpy as np

    return np.packbits(states[positions] > 0, axis=1).tobytes()


def unit_rows(states: NDArray[Any], positions: Sequence[int]) -> bytes:
    """Return the chosen rows of (length, dimension), each scaled to length 1: float32, little-endian."""
    import numpy as np

    rows = states[positions]
    lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    data: bytes = (rows / lengths).astype("<f4").tobytes()
    return data
