"""Record which changes requests with an idempotency key have made; `audit.record_change` writes them."""

from datetime import datetime

from ..engine.ports import Connection, Engine
from ..engine.times import to_us


class RequestsRepository:
    """Record the changes of requests with an idempotency key, in the transaction of the first change."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def digest_everywhere(self, principal: str, key: str, since: datetime) -> bytes | None:
        """Return the digest of what a key was sent with since a moment; None where nothing was changed by it."""
        rows = await self._engine.read(
            "SELECT digest FROM request_effects WHERE principal = ? AND key = ? AND at > ? ORDER BY at DESC LIMIT 1",
            (principal, key, to_us(since)),
        )
        return bytes(rows[0]["digest"]) if rows else None

    async def purge_everywhere(self, before: datetime) -> int:
        """Forget what was noted before a moment; return how much."""
        until = (to_us(before),)
        if not await self._engine.read("SELECT 1 FROM request_effects WHERE at <= ? LIMIT 1", until):
            return 0

        async def work(connection: Connection) -> int:
            return await connection.execute("DELETE FROM request_effects WHERE at <= ?", until)

        return await self._engine.write(work, durable=False)
