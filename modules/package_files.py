"""The data files of the package, read once: a running server needs none when an update replaces or removes them."""

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent


@cache
def text(path: Path) -> str:
    """Return the text of a data file as it was when it was first read. Raises OSError."""
    return path.read_text(encoding="utf-8")


def read_all() -> None:
    """Read the data files that modules read when they are first asked. Blocks. Raises OSError."""
    for pattern in ("*.toml", "*_weights.json"):
        for path in _FOLDER.rglob(pattern):
            text(path)
