"""The derived index of vectors on PostgreSQL, which has nothing to do: the database indexes its own rows."""

from ...modules.errors import StorageUnavailable
from ...modules.memory.models import Candidate, Vector
from ...modules.memory.ports import IndexPhase, IndexState, IndexStatus


class NothingToIndex:
    """Implements `modules.memory.ports.VectorIndex`."""

    def __init__(self) -> None:
        self._generation = 0

    @property
    def status(self) -> IndexStatus:
        return IndexStatus(IndexPhase.OFF, 0, 0, 0, None)

    @property
    def needed(self) -> bool:
        return False

    @property
    def deleted(self) -> int:
        return 0

    async def glance(self, generation: int) -> bool:
        return True

    async def purge(self) -> None:
        """Do nothing: no file of ours holds a vector."""

    async def rest(self) -> None:
        """Do nothing: it holds no memory."""

    async def open(self, generation: int) -> IndexState:
        self._generation = generation
        return await self.state()

    async def catch_up(self, limit: int) -> int:
        return 0

    async def state(self) -> IndexState:
        return IndexState(self._generation, 0, 0, 0)

    async def close(self) -> None:
        """Do nothing."""

    async def nearest(self, namespace: str, vector: Vector, limit: int) -> list[Candidate]:
        raise StorageUnavailable("there is no index beside the database")
