"""The encodings of the latest queries, so that paging or repeating a query costs nothing."""

import hashlib
from collections import OrderedDict

from ...modules.memory.models import QueryEncoding

QUERIES_MAX = 64
"""The most encodings kept, of up to 100 KB each."""


class RememberedQueries:
    """The latest QUERIES_MAX encodings of one model, by the digest of their query."""

    def __init__(self) -> None:
        self._encodings: OrderedDict[bytes, QueryEncoding] = OrderedDict()

    def get(self, query: str) -> QueryEncoding | None:
        """Return the encoding of a query; None if it is not remembered."""
        key = _key(query)
        if key in self._encodings:
            self._encodings.move_to_end(key)
        return self._encodings.get(key)

    def add(self, query: str, encoding: QueryEncoding) -> QueryEncoding:
        """Remember an encoding, forgetting the least recently used one, and return it."""
        self._encodings[_key(query)] = encoding
        if len(self._encodings) > QUERIES_MAX:
            self._encodings.popitem(last=False)
        return encoding

    def clear(self) -> None:
        """Forget all of them."""
        self._encodings.clear()


def _key(query: str) -> bytes:
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).digest()
