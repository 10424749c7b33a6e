"""The domain types of sealed memory."""

from datetime import datetime

from ..records import dataclass


@dataclass(frozen=True)
class SealedMemory:
    """A text stored as it came, usually encrypted.

    It is never embedded, never in the text index, and never shown by search, snapshot or reflection.
    """

    id: str
    namespace: str
    content: str
    created_at: datetime


@dataclass(frozen=True)
class SealedHit:
    """A sealed memory that is near a vector, with the cosine similarity of the two."""

    memory: SealedMemory
    similarity: float


@dataclass(frozen=True)
class StoredSealed:
    """The result of storing: the memory, and whether the same text existed already (the first one stands)."""

    memory: SealedMemory
    duplicate: bool
