"""Late interaction: how near the tokens of a memory come to each token of a query, over sign bits.

After ColBERT's MaxSim (Khattab and Zaharia, SIGIR 2020), with each token of a memory reduced to the signs of its
vector: 48 bytes instead of 1,536, at no loss of recall that could be measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AT_ONCE = 64
"""Tokens whose bits are unpacked at once: 100 kB, in a cache; so small a product is made by one thread, as is best."""


def token_similarities(
    tokens: bytes, weights: NDArray[np.float32], memory_ids: Sequence[str], signs: Mapping[str, Sequence[bytes]]
) -> NDArray[np.float32]:
    """Return (memories × tokens of a positive weight) the cosine of each query token to its best match in each memory.

    `tokens` are the query's token vectors (`QueryEncoding.tokens`, unit rows), each with a weight; `signs` are the
    sign bits of each memory's tokens, passage by passage, of which the one with the highest weighted sum counts. A
    memory without any has zeros.
    """
    import numpy as np

    telling = weights > 0
    query = np.frombuffer(tokens, dtype="<f4").reshape(len(weights), -1)[telling]
    weights, dimension = weights[telling], query.shape[1]
    found = np.zeros((len(memory_ids), len(query)), dtype=np.float32)
    passages = [(row, part) for row, one in enumerate(memory_ids) for part in signs.get(one, ()) if part]
    if not passages:
        return found
    packed = np.frombuffer(b"".join(part for _, part in passages), dtype=np.uint8).reshape(-1, dimension // 8)
    products = _products(packed, query)
    lengths = [len(part) * 8 // dimension for _, part in passages]
    begins = np.concatenate(([0], np.cumsum(lengths[:-1]))).astype(np.int64)
    # A sign is 2 · bit - 1: multiplied with the bits themselves, corrected here, on the small result.
    best = (2.0 * np.maximum.reduceat(products, begins, axis=0) - query.sum(axis=1)) / np.sqrt(dimension)
    worst_first = np.argsort(best @ weights, kind="stable")
    rows = np.array([row for row, _ in passages])
    found[rows[worst_first]] = best[worst_first]  # of several passages of a memory the last, its best, stays
    return found


def _products(packed: NDArray[np.uint8], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return (tokens × query tokens) products of sign bits, dimension / 8 bytes a row, and vectors.

    They are made in parts that a cache holds.
    """
    import numpy as np

    columns = np.ascontiguousarray(query.T)
    bits = np.empty((AT_ONCE, len(columns)), dtype=np.float32)
    products = np.empty((len(packed), len(query)), dtype=np.float32)
    for begin in range(0, len(packed), AT_ONCE):
        part = packed[begin : begin + AT_ONCE]
        bits[: len(part)] = np.unpackbits(part, axis=1)
        np.matmul(bits[: len(part)], columns, out=products[begin : begin + len(part)])
    return products
