"""The ports of the gateway: storage of the blocks that were put into conversations, and tokenizers."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from .block import Block
from .sessions import StoredTurn


class BlockRepository(Protocol):
    """Storage of blocks by their message's digest; writes are not fsynced, since losing one costs only a cache read."""

    async def put(self, namespace: str, digest: str, block: Block, now: datetime) -> None:
        """Keep the block of a message; one without a text takes an earlier one away."""

    async def find(self, namespace: str, digests: Sequence[str]) -> dict[str, Block]:
        """Return the blocks of messages; none that tells a memory which is forgotten or erased."""

    async def turns(self, namespace: str, digests: Mapping[str, str], most: int, now: datetime) -> list[StoredTurn]:
        """Return the turns of these keys in the latest `most` sessions, the latest last, by the digests given."""

    async def gone(self, namespace: str, memory_ids: Sequence[str]) -> list[str]:
        """Return those of some memories that are forgotten or erased."""

    async def drop_before_everywhere(self, before: datetime, most: int) -> int:
        """Delete the blocks from before a time, and the oldest beyond `most`; return how many."""


class TokenCounters(Protocol):
    """Tokenizers of models, from their files."""

    def counter(self, path: str) -> Callable[[str], int] | None:
        """Return what counts the tokens of a text; None while the file is loaded, or where it cannot be."""
