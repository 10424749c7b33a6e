"""The blocks that were put into conversations, by the digest of each conversation up to the message that has one.

Clients send their history again without them. Put in again, character for character, they leave the provider's cache
of prompts as it is.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from .block import Block

MAX_CHARS = 32 * 1024 * 1024
"""The characters of all cached blocks; the least recently used go first, and cost one miss of the provider's cache."""
MAX_MESSAGES = 200_000
"""The messages of which it is known whether they have a block."""
UNCHECKED_S = 60.0
"""How long a block may be reused after memory last confirmed that nothing in it is gone."""


class BlockCache:
    """Caches blocks, and which messages have none, up to a size; the store keeps them when the process ends."""

    def __init__(self, max_chars: int = MAX_CHARS, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with none; `clock` returns seconds."""
        self._max_chars = max_chars
        self._clock = clock
        self._chars = 0
        self._blocks: OrderedDict[str, Block] = OrderedDict()
        self._checked: dict[str, float] = {}

    def put(self, digest: str, block: Block) -> None:
        """Store the block of a message as just recalled; an empty text means that it has none."""
        if (before := self._blocks.pop(digest, None)) is not None:
            self._chars -= len(before.text)
        self._blocks[digest] = block
        self._checked[digest] = self._clock()
        self._chars += len(block.text)
        while self._chars > self._max_chars or len(self._blocks) > MAX_MESSAGES:
            forgotten, oldest = self._blocks.popitem(last=False)
            del self._checked[forgotten]
            self._chars -= len(oldest.text)

    def unknown(self, digests: Sequence[str]) -> list[str]:
        """Return the messages of which it is not known whether they have a block."""
        return [one for one in digests if one not in self._blocks]

    def without(self, memory_ids: Collection[str]) -> set[str]:
        """Drop every block that contains one of these deleted memories; return the messages."""
        if not memory_ids:
            return set()
        affected = {digest for digest, block in self._blocks.items() if not {*memory_ids}.isdisjoint(block.ids)}
        for digest in affected:
            self.put(digest, Block())
        return affected

    def checked(self, digests: Iterable[str]) -> None:
        """Note that memory has just confirmed that nothing in some blocks is gone."""
        self._checked |= {digest: self._clock() for digest in digests if digest in self._blocks}

    def surely(self, blocks: Mapping[str, Block]) -> dict[str, Block]:
        """Return the blocks that may be reused while memory does not answer, since they were confirmed recently."""
        since = self._clock() - UNCHECKED_S
        return {digest: block for digest, block in blocks.items() if self._checked.get(digest, since) > since}

    def of(self, digests: Sequence[str]) -> dict[str, Block]:
        """Return the blocks of those messages that have one."""
        found = {}
        for digest in digests:
            if (block := self._blocks.get(digest)) is not None:
                self._blocks.move_to_end(digest)
                if block.text:
                    found[digest] = block
        return found
