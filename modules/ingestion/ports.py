"""The port of ingestion: reading documents."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from .models import Passage


class Documents(Protocol):
    """Reads files of the formats that it knows. All methods block."""

    def files(self, path: Path) -> list[Path]:
        """Return the file itself, or the readable files below a folder, in order. Raises InvalidInput."""

    def passages(self, path: Path) -> Sequence[Passage]:
        """Return the passages of a file, in order. Raises InvalidInput for one that cannot be read."""
