"""The stub embeds every text the same way everywhere, at unit length, without a model."""

import math
import struct

from agentos.storage.embedding.stub import DIMENSION, StubEmbedder
from tests.tables import every


@every("text", ["", "tea", "Tea at four", "茶は四時", "x" * 100_000, "\ud800"])
async def test_a_text_has_one_vector_of_unit_length(text: str) -> None:
    stub = StubEmbedder()
    assert await stub.ready(0)
    [[passage]] = await stub.encode([text])
    values = struct.unpack(f"<{DIMENSION}f", passage.vector)
    assert math.isclose(sum(value * value for value in values), 1.0, rel_tol=1e-5)
    assert (passage.begin, passage.end) == (0, len(text))
    assert (await stub.encode_query(text)).vector == passage.vector


async def test_texts_that_share_words_are_nearer_than_others() -> None:
    async def vector(text: str) -> tuple[float, ...]:
        return struct.unpack(f"<{DIMENSION}f", (await StubEmbedder().encode_query(text)).vector)

    tea, more, other = await vector("tea at four"), await vector("Tea at noon"), await vector("ship the release")

    def product(one: tuple[float, ...], another: tuple[float, ...]) -> float:
        return sum(a * b for a, b in zip(one, another, strict=True))

    assert product(tea, more) > product(tea, other)
