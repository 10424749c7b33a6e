"""What every embedding model looks like to its user: text in, unit vectors out."""

from collections.abc import Sequence
from typing import Protocol


class Encoder(Protocol):
    """A loaded embedding model. Blocks while it works, so it is called from a worker thread."""

    @property
    def fingerprint(self) -> str:
        """The model's name and a short sha256 of its weights; the same for every encoder of those weights."""

    @property
    def dimension(self) -> int:
        """How many values a vector has."""

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        """One vector a text, in order: `dimension` float32 values, little-endian, of length 1.

        Any text is acceptable, also an empty one; what exceeds the model's window is cut off.
        """
