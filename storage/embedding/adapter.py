"""What makes another model of the embedding model's weights: low-rank products beside its layers, and a head.

LoRA (Hu et al., 2021, "Low-Rank Adaptation of Large Language Models"): a layer's weight W becomes W + up × down.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PARTS = ("down", "up")
"""The two factors of a layer's product, in the order in which a state goes through them."""
SUCCESSION_FILE, RELEVANCE_FILE = (Path(__file__).with_name(name) for name in ("succession.npz", "relevance.npz"))
"""The adapters that come with AgentOS, as `training.train_succession` and `train_relevance` made them."""


@dataclass(frozen=True)
class Adapter:
    """All of it as float32, for the weights with the sha256 `of`.

    `segments`: (2, hidden), what marks a token as of the first or of the second text. `layers`: for each dense layer
    `<layer>.down` (rank, inputs) and `<layer>.up` (outputs, rank). `head`: see `AdaptedModel`.
    """

    of: str
    digest: str
    segments: NDArray[np.float32]
    layers: Mapping[str, NDArray[np.float32]]
    head: Mapping[str, NDArray[np.float32]]


def bundled(file: Path) -> Adapter:
    """One of those that come with AgentOS."""
    return read(file.read_bytes())


def read(data: bytes) -> Adapter:
    """An adapter as `written` made it."""
    import numpy as np

    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    of = str(arrays.pop("of"))
    values = {name: array.astype(np.float32) for name, array in arrays.items()}

    def under(prefix: str) -> dict[str, NDArray[np.float32]]:
        return {name.removeprefix(prefix): array for name, array in values.items() if name.startswith(prefix)}

    return Adapter(of, hashlib.sha256(data).hexdigest(), values["segments"], under("layers."), under("head."))


def written(
    of: str,
    segments: NDArray[np.float32],
    layers: Mapping[str, NDArray[np.float32]],
    head: Mapping[str, NDArray[np.float32]],
) -> bytes:
    """An adapter as it is kept: half precision, which changes no answer that matters."""
    import numpy as np

    named = {
        "segments": segments,
        **{f"layers.{name}": array for name, array in layers.items()},
        **{f"head.{name}": array for name, array in head.items()},
    }
    file = io.BytesIO()
    halved: dict[str, Any] = {name: array.astype(np.float16) for name, array in named.items()}
    np.savez_compressed(file, of=np.array(of), **halved)
    return file.getvalue()
