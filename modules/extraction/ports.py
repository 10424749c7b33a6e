"""The ports of extraction: storage, and the memory service that keeps what it finds."""

from datetime import datetime
from typing import Any, Protocol

from ..store_request import Kept


class KeptFact(Kept, Protocol):
    """The result of keeping a fact."""

    @property
    def duplicate(self) -> bool: ...


class FactKeeper(Protocol):
    """The memory service, as far as it keeps facts."""

    async def keep_found(
        self,
        namespace: str,
        content: str,
        kind: str,
        confidence: float,
        source: str,
        metadata: dict[str, Any],
        occurred_at: datetime,
    ) -> KeptFact:
        """Store what a machine found in others' words; the same text twice is one memory. It overwrites nothing."""
