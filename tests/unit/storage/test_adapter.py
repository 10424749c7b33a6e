"""An adapter is kept and read: the same numbers, rounded."""

from pathlib import Path

import numpy as np

from agentos.storage.embedding import adapter
from agentos.storage.embedding.default_weights import DEFAULT_SHA256
from tests.tables import every


def test_what_is_written_is_read() -> None:
    chance = np.random.default_rng(1)

    def values(*shape: int) -> "np.ndarray[tuple[int, ...], np.dtype[np.float32]]":
        return chance.standard_normal(shape).astype(np.float32)

    segments, layers, head = values(2, 6), {"a.down": values(2, 6), "a.up": values(6, 2)}, {"inner.bias": values(4)}
    data = adapter.written("f" * 64, segments, layers, head)
    read = adapter.read(data)
    assert read.of == "f" * 64 and len(read.digest) == 64
    assert read.layers.keys() == layers.keys() and read.head.keys() == head.keys()
    for one, other in ((read.segments, segments), *((read.layers[name], layers[name]) for name in layers)):
        assert one.dtype == np.float32
        np.testing.assert_allclose(one, other, rtol=1 / 128)
    assert adapter.written("f" * 64, read.segments, read.layers, read.head) == data


@every("file", [adapter.SUCCESSION_FILE, adapter.RELEVANCE_FILE])
def test_what_ships_is_for_the_weights_that_ship(file: Path) -> None:
    made = adapter.bundled(file)
    assert made.of == DEFAULT_SHA256
    assert len(made.layers) == 2 * 6 * 6 and made.segments.shape == (2, 384)
    assert file.stat().st_size < 1_200_000
