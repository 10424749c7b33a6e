"""The data files of the package, read once: a running server needs none when an update replaces or removes them."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent


@cache
def text(path: Path) -> str:
    """Return the text of a data file as it was when it was first read. Raises OSError."""
    return path.read_text(encoding="utf-8")


@cache
def read_all(folder: Path = _FOLDER, patterns: Sequence[str] = ("*.toml", "*_weights.json", "*_pairs.json")) -> None:
    """Read the data files of a folder, by default those that modules read when first asked. Blocks. Raises OSError."""
    for pattern in patterns:
        for path in folder.rglob(pattern):
            text(path)
