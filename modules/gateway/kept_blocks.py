"""The blocks that were put into conversations, by the digest of each conversation up to the message that has one.

Clients send their history again without them. Put in again, character for character, they leave the provider's cache
of prompts as it is.
"""

from collections import OrderedDict
from collections.abc import Sequence

from .block import Block

MAX_CHARS = 32 * 1024 * 1024
"""The characters of all blocks that are kept; the least recently used go first, and cost one reading of a cache."""


class KeptBlocks:
    """Keeps blocks for as long as this process lives and there is room."""

    def __init__(self, max_chars: int = MAX_CHARS) -> None:
        self._max_chars = max_chars
        self._chars = 0
        self._blocks: OrderedDict[str, Block] = OrderedDict()

    def put(self, digest: str, block: Block) -> None:
        """Keep a block; one without a text takes an earlier one away."""
        if (before := self._blocks.pop(digest, None)) is not None:
            self._chars -= len(before.text)
        if block.text:
            self._blocks[digest] = block
            self._chars += len(block.text)
        while self._chars > self._max_chars:
            _, oldest = self._blocks.popitem(last=False)
            self._chars -= len(oldest.text)

    def of(self, digests: Sequence[str]) -> dict[str, Block]:
        """Return the blocks of some messages."""
        found = {}
        for digest in digests:
            if (block := self._blocks.get(digest)) is not None:
                self._blocks.move_to_end(digest)
                found[digest] = block
        return found
