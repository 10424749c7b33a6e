"""The ports of the gateway: storage of blocks and of exchanges that are held, and tokenizers."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from .block import Block
from .exchange import Held
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


class HeldRepository(Protocol):
    """Storage of exchanges of which it shows later whose they are."""

    async def put(self, one: Held) -> None:
        """Hold an exchange durably; one of the same session and key that is held already stays."""

    async def of(self, namespace: str, session: str) -> list[Held]:
        """Return what is held of a session, the oldest first."""

    async def before_everywhere(self, before: datetime, most: int) -> list[Held]:
        """Return what has been held since before a time in any namespace, the oldest first."""

    async def drop(self, namespace: str, session: str, keys: Sequence[str]) -> None:
        """Delete what is held of a session under these keys."""


class TokenCounters(Protocol):
    """Tokenizers of models, from their files."""

    def counter(self, path: str) -> Callable[[str], int] | None:
        """Return what counts the tokens of a text; None while the file is loaded, or where it cannot be."""
