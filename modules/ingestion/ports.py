"""The port of ingestion: reading documents."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from .models import Document, Unread


class Documents(Protocol):
    """Reads files of the formats that it knows. All methods block."""

    def files(self, path: Path) -> tuple[Sequence[Path], Sequence[Unread]]:
        """Return the file itself, or the files below a folder in order, and what there cannot be read.

        Raises InvalidInput.
        """

    def document(self, path: Path) -> Document:
        """Return what is in a file. Raises InvalidInput for one that cannot be read."""
