"""Adapters, which turn the embedding model's weights into another model: low-rank products per layer, and a head.

LoRA (Hu et al., 2021, "Low-Rank Adaptation of Large Language Models"): a layer's weight W becomes W + up × down.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ...modules.records import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FRACTION_BITS = 6
"""The bits of each fraction that remain, of half precision's ten: random bits cannot be compressed. The others change
the log odds by .006 (root mean square), where the whole numbers that the graph computes with change them by .3."""
PARTS = ("down", "up")
"""The two factors of a layer's product, in the order in which a state goes through them."""
SUCCESSION_FILE, RELEVANCE_FILE = (Path(__file__).with_name(name) for name in ("succession.npz", "relevance.npz"))
"""The adapters that come with AgentOS, as `training.train_succession` and `train_relevance` made them."""


@dataclass(frozen=True)
class Adapter:
    """An adapter in float32, for the weights with the sha256 `of`.

    `segments`: (2, hidden), the embeddings that mark a token as of the first or of the second text. `layers`: for each
    dense layer `<layer>.down` (rank, inputs) and `<layer>.up` (outputs, rank). `head`: see `AdaptedModel`.
    """

    of: str
    digest: str
    segments: NDArray[np.float32]
    layers: Mapping[str, NDArray[np.float32]]
    head: Mapping[str, NDArray[np.float32]]


def bundled(file: Path) -> Adapter:
    """Return one of the adapters that come with AgentOS. Raises OSError and what `read` raises."""
    return read(file.read_bytes())


def read(data: bytes) -> Adapter:
    """Return an adapter from the bytes that `written` made.

    Raises ValueError, KeyError, and ImportError from a Python that was built without LZMA.
    """
    import lzma

    import numpy as np

    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        of, layout, packed = str(file["of"]), json.loads(str(file["layout"])), file["packed"].tobytes()
    try:
        planes = np.frombuffer(lzma.decompress(packed), np.uint8).reshape(2, -1)
    except lzma.LZMAError as error:
        raise ValueError(f"the adapter's numbers cannot be read: {error}") from error
    flat = np.ascontiguousarray(planes.T).view("<f2")[:, 0].astype(np.float32)
    ends = np.cumsum([math.prod(shape) for shape in layout.values()])
    values = {
        name: array.reshape(shape)
        for (name, shape), array in zip(layout.items(), np.split(flat, ends[:-1]), strict=True)
    }

    def under(prefix: str) -> dict[str, NDArray[np.float32]]:
        return {name.removeprefix(prefix): array for name, array in values.items() if name.startswith(prefix)}

    return Adapter(of, hashlib.sha256(data).hexdigest(), values["segments"], under("layers."), under("head."))


def written(
    of: str,
    segments: NDArray[np.float32],
    layers: Mapping[str, NDArray[np.float32]],
    head: Mapping[str, NDArray[np.float32]],
) -> bytes:
    """Return an adapter as it is stored: rounded, in half precision, and compressed.

    What the file has `packed` are the low bytes of all numbers, then their high ones, which hold sign, exponent and the
    first bits of the fraction: like beside like compresses by a fifth. `layout` names arrays and shapes.
    """
    import lzma

    import numpy as np

    named = {
        "segments": segments,
        **{f"layers.{name}": array for name, array in layers.items()},
        **{f"head.{name}": array for name, array in head.items()},
    }
    flat = np.concatenate([_rounded(array).astype("<f2").ravel() for array in named.values()])
    layout = json.dumps({name: array.shape for name, array in named.items()})
    planes = np.ascontiguousarray(flat[:, None].view(np.uint8).T).tobytes()
    # None of the numbers tells of its neighbours or of its place, so nothing of either is counted.
    packing = [{"id": lzma.FILTER_LZMA1, "lc": 0, "lp": 0, "pb": 0, "dict_size": 1 << 21}]
    packed = np.frombuffer(lzma.compress(planes, lzma.FORMAT_ALONE, filters=packing), np.uint8)
    file = io.BytesIO()
    np.savez_compressed(file, of=np.array(of), layout=np.array(layout), packed=packed)
    return file.getvalue()


def _rounded(array: NDArray[np.float32]) -> NDArray[np.float16]:
    """Return the nearest numbers of half precision whose fractions have FRACTION_BITS, ties to even."""
    import numpy as np

    dropped = 10 - FRACTION_BITS
    bits = array.astype(np.float16).view(np.uint16)
    half_up = (1 << (dropped - 1)) - 1 + (bits >> dropped & 1)  # a carry goes on into the exponent, as it should
    return ((bits + half_up) >> dropped << dropped).astype(np.uint16).view(np.float16)
