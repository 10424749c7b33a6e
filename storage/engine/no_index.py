"""A null index, for an encrypted home or a database with its own vector index."""

from ...modules.memory.models import Candidate, Vector
from ...modules.memory.ports import IndexPhase, IndexState, IndexStatus


class NoIndex:
    """Implements `modules.memory.ports.VectorIndex`: nothing is indexed, and nothing is missing."""

    needed = False
    deleted = 0
    status = IndexStatus(IndexPhase.OFF, 0, 0, 0, None)

    async def glance(self, generation: int) -> bool:
        return True

    async def purge(self) -> None:
        """Do nothing."""

    async def rest(self) -> None:
        """Do nothing."""

    async def open(self, generation: int) -> IndexState:
        return IndexState(generation, 0, 0, 0)

    async def catch_up(self, limit: int) -> int:
        return 0

    async def state(self) -> IndexState:
        return IndexState(0, 0, 0, 0)

    async def close(self) -> None:
        """Do nothing."""

    async def nearest(self, namespace: str, vector: Vector, limit: int) -> list[Candidate]:
        return []
