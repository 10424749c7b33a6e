"""The stub: vectors without a model, for the development of programs around AgentOS. Its ranking means little."""

import hashlib
import math
import struct
from collections.abc import Sequence

from ...modules import offload
from ...modules.memory.models import Passage, QueryEncoding

NAME = "stub"
"""The name in AGENTOS_EMBEDDING_MODEL."""
DIMENSION = 64
SIGNS_A_WORD = 4


class StubEmbedder:
    """The Embedder of `modules.memory.ports` that gives each word a fixed direction, and a text their sum.

    Equal texts have equal vectors on every machine; it needs no file and no time to load.
    """

    fingerprint = f"{NAME}-1"
    dimension = DIMENSION
    problem = None

    async def ready(self, wait_s: float) -> bool:
        """Return True."""
        return True

    async def encode(self, contents: Sequence[str]) -> list[list[Passage]]:
        """Return one passage for each content."""
        vectors = await offload.read(sum(map(len, contents)), _vectors, contents)
        return [[Passage(0, len(text), vector, b"")] for text, vector in zip(contents, vectors, strict=True)]

    async def encode_query(self, query: str) -> QueryEncoding:
        """Return the vector of a query."""
        [vector] = await offload.read(len(query), _vectors, [query])
        return QueryEncoding(vector)

    async def knows(self, texts: Sequence[str]) -> list[bool]:
        """Return True for each text."""
        return [True] * len(texts)

    def close(self) -> None:
        """Do nothing."""


def _vectors(texts: Sequence[str]) -> list[bytes]:
    return [_vector(text) for text in texts]


def _vector(text: str) -> bytes:
    """Return a unit-length vector of DIMENSION float32 values, little-endian."""
    values = [0.0] * DIMENSION
    for word in text.casefold().split() or [""]:
        digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
        for place in range(SIGNS_A_WORD):
            values[digest[place] % DIMENSION] += 1.0 if digest[place + SIGNS_A_WORD] & 1 else -1.0
    length = math.sqrt(sum(value * value for value in values))
    if not length:
        values[0] = length = 1.0
    return struct.pack(f"<{DIMENSION}f", *(value / length for value in values))
