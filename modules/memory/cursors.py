"""Cursors, which continue a listing or a search where its last page ended. Opaque to callers, and checked."""

import base64
import binascii
import hashlib
from collections.abc import Iterable

from ..errors import InvalidInput
from .models import MemoryFilter

_DIGEST_BYTES = 6
_MARK_BYTES = 4
"""Length of a mark. Of 200 memories two share a mark once in 200,000 walks; the second one would be passed over."""


def mark(memory_id: str) -> bytes:
    """Return the mark that a cursor keeps of a memory that was given: the first bytes of its id's SHA-256."""
    return hashlib.sha256(memory_id.encode("utf-8")).digest()[:_MARK_BYTES]


def after_given(marks: Iterable[bytes], namespace: str, query: str, where: MemoryFilter) -> str:
    """Return the cursor of a search that has given the memories with these marks.

    It remembers them instead of a place in the ranking, which moves: by time, by accesses, by what is stored and
    deleted meanwhile, and when the model has loaded. So each memory is given once, whatever happens.
    """
    return _encoded(_digest(namespace, query, where) + b"".join(marks))


def given(cursor: str, namespace: str, query: str, where: MemoryFilter, fewer_than: int) -> list[bytes]:
    """Return the marks of what a search has given, fewer than `fewer_than`: after so many it gives no cursor.

    Raises InvalidInput for a cursor of another search, or for one that no search gave.
    """
    raw = _decoded(cursor)
    count, rest = divmod(len(raw or b"") - _DIGEST_BYTES, _MARK_BYTES)
    if raw is None or rest or not 0 < count < fewer_than:
        raise InvalidInput("cursor", "is not from memory_search; start again without a cursor")
    if raw[:_DIGEST_BYTES] != _digest(namespace, query, where):
        raise InvalidInput("cursor", "belongs to another query or other filters; start again without a cursor")
    return [raw[start : start + _MARK_BYTES] for start in range(_DIGEST_BYTES, len(raw), _MARK_BYTES)]


def before_sequence(sequence: int) -> str:
    """Return the cursor of what a list has before a sequence number."""
    return _encoded(f"before:{sequence}".encode())


def sequence_of(cursor: str) -> int:
    """Return the sequence number that a list's cursor holds. Raises InvalidInput for any other text."""
    label, _, number = (_decoded(cursor) or b"").decode("latin-1").partition(":")
    if label == "before" and number.isascii() and number.isdecimal() and len(number) < 19:
        return int(number)
    raise InvalidInput("cursor", "is not from memory_list; start again without a cursor")


def _digest(namespace: str, query: str, where: MemoryFilter) -> bytes:
    return hashlib.sha256(repr((namespace, query, where)).encode("utf-8")).digest()[:_DIGEST_BYTES]


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _decoded(cursor: str) -> bytes | None:
    try:
        return base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
    except (ValueError, binascii.Error):
        return None
