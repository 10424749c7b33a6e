"""The browsers' sessions and links that ended, as every process that serves the store knows them."""

from datetime import datetime

from ..engine.ports import Connection, Engine
from ..engine.times import to_us

_HAS = "SELECT 1 FROM request_effects WHERE principal = '' AND key = ? AND action = 'login' AND subject = ''"
_ADD = (
    "INSERT INTO request_effects (principal, key, action, subject, digest, at) VALUES ('', ?, 'login', '', ?, ?) "
    "ON CONFLICT DO NOTHING"
)


class EndedLoginRows:
    """Implements `modules.principals.ports.EndedLogins` beside the marks of requests, which go after a day as well."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def has(self, name: str, until: datetime, now: datetime) -> bool:
        return bool(await self._engine.read(_HAS, (name,)))

    async def add(self, name: str, until: datetime, now: datetime) -> bool:
        async def work(connection: Connection) -> bool:
            return await connection.execute(_ADD, (name, b"", to_us(now))) == 1

        return await self._engine.write(work)
