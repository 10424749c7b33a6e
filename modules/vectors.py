"""Arithmetic of embeddings as they are stored: unit-length float32 values, little-endian."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Familiar = Callable[[Any], Any]
"""Brings an array of cosines to the scale of the model that all constants were fitted with."""


def as_they_are(cosines: Any) -> Any:
    """Return cosines of that model: the Familiar that changes nothing."""
    return cosines


def matrix(vectors: Sequence[bytes]) -> "NDArray[np.float64]":
    """Return vectors of one length as rows of length 1; one that is all zeros stays so."""
    import numpy as np

    rows = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1).astype(np.float64)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: NDArray[np.float64] = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    return unit


def mean(vectors: Sequence[bytes]) -> bytes:
    """Return the common direction of several vectors; the first if there is none, as of a vector and its opposite."""
    import numpy as np

    if len(vectors) == 1:
        return vectors[0]
    together = matrix(vectors).mean(axis=0)
    length = float(np.linalg.norm(together))
    return vectors[0] if length == 0 else (together / length).astype("<f4").tobytes()


def cosine(one: bytes, other: bytes) -> float:
    """Return how alike two vectors are, -1 to 1; 0 where they are of two lengths, thus of two models."""
    return float(matrix([one])[0] @ matrix([other])[0]) if len(one) == len(other) else 0.0
