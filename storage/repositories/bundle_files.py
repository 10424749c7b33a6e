"""The parts in which the bytes of files are kept: their size is fixed, so that equal files have equal parts."""

import hashlib
from collections.abc import Iterator

PART_BYTES = 64 * 1024


def parts_of(data: bytes) -> Iterator[bytes]:
    """Yield the parts of a file: all of PART_BYTES but the last."""
    for begin in range(0, len(data), PART_BYTES):
        yield data[begin : begin + PART_BYTES]


class Whole:
    """Checks, part by part, that bytes are those of their hash."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._next = 0
        self._is_over = False
        self.size = 0

    def add(self, part: int, data: bytes) -> None:
        """Take the next part. Raises ValueError where it is not the next, or not of the right size."""
        if part != self._next or self._is_over or not 0 < len(data) <= PART_BYTES:
            raise ValueError("is not the next part of a file")
        self._next += 1
        self._is_over = len(data) < PART_BYTES
        self._hash.update(data)
        self.size += len(data)

    @property
    def content_hash(self) -> str:
        """Return the SHA-256 of what came, in hexadecimal."""
        return self._hash.hexdigest()
