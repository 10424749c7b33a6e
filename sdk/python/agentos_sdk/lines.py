"""Lines out of parts of a stream: they end with a line feed alone, as in SSE and NDJSON."""

import json
from collections.abc import Iterator
from typing import Any

from .errors import UnexpectedAnswer

MOST_BYTES = 64 * 2**20
"""The longest line."""


class Lines:
    """Puts lines together."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def take(self, part: bytes) -> Iterator[str]:
        """Yield the lines that a part ends. Raises UnexpectedAnswer."""
        first, *others = part.split(b"\n")
        for begin in others:
            yield self._joined(first)
            first = begin
        self._size += len(first)
        if self._size > MOST_BYTES:
            raise UnexpectedAnswer(f"a line has more than {MOST_BYTES} bytes", 200)
        self._parts.append(first)

    def rest(self) -> str:
        """Return what came after the last line feed."""
        return self._joined(b"")

    def _joined(self, last: bytes) -> str:
        joined = b"".join((*self._parts, last))
        self._parts, self._size = [], 0
        return joined.decode("utf-8", "replace").removesuffix("\r")


def row_of(line: str) -> dict[str, Any]:
    """Return a line of a bundle. Raises UnexpectedAnswer."""
    try:
        row = json.loads(line)
    except ValueError as error:
        raise UnexpectedAnswer(f"a line of the bundle is no JSON: {error}", 200) from error
    if not isinstance(row, dict):
        raise UnexpectedAnswer("a line of the bundle is not an object", 200)
    return row
