"""The port of portability: files of other systems."""

from pathlib import Path
from typing import Protocol

from .models import Record


class ImportSource(Protocol):
    """Reads files and folders of other systems."""

    def entries(self, path: Path, name: str | None) -> tuple[str, list[Record]]:
        """The format (found out where no `name` is given) and what is there. Blocks. Raises InvalidInput."""
