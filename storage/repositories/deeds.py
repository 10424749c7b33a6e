"""What people did in the dashboard, each with the form that undoes it."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from ...modules.deeds.models import Deed, Undo
from ..engine.ports import Connection, Engine, Row
from ..engine.times import from_us, maybe_from_us, maybe_to_us, to_us


class DeedsRepository:
    """Storage of what people did."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def add(self, deed: Deed) -> None:
        """Store a deed."""
        undo = None if deed.undo is None else json.dumps(asdict(deed.undo), ensure_ascii=False)

        async def work(connection: Connection) -> None:
            await connection.execute(
                "INSERT INTO deeds (id, namespace, principal, session, done_at, done, path, address, undo, undone_at) "
                # Deeds of one moment keep their order.
                "SELECT ?, ?, ?, ?, greatest(?, coalesce(max(d.done_at) + 1, 0)), ?, ?, ?, ?, ? FROM deeds d "
                "WHERE d.namespace = ? AND d.principal = ?",
                (
                    *(deed.id, deed.namespace, deed.principal, deed.session, to_us(deed.at)),
                    *(deed.done, deed.path, deed.address, undo, maybe_to_us(deed.undone_at)),
                    *(deed.namespace, deed.principal),
                ),
            )

        await self._engine.write(work)

    async def latest(self, namespace: str, principal: str, limit: int) -> list[Deed]:
        """Return the last deeds of a principal in a namespace, the newest first."""
        rows = await self._engine.read(
            "SELECT * FROM deeds WHERE namespace = ? AND principal = ? ORDER BY done_at DESC, id DESC LIMIT ?",
            (namespace, principal, limit),
        )
        return [_deed(row) for row in rows]

    async def last_of_session(self, namespace: str, session: str) -> Deed | None:
        """Return the last deed of a session in a namespace."""
        rows = await self._engine.read(
            "SELECT * FROM deeds WHERE namespace = ? AND session = ? ORDER BY done_at DESC, id DESC LIMIT 1",
            (namespace, session),
        )
        return _deed(rows[0]) if rows else None

    async def undone(self, namespace: str, deed_id: str, at: datetime) -> None:
        """Note that a deed was undone."""

        async def work(connection: Connection) -> None:
            await connection.execute(
                "UPDATE deeds SET undone_at = ? WHERE namespace = ? AND id = ?", (to_us(at), namespace, deed_id)
            )

        await self._engine.write(work)

    async def of_namespace(self, namespace: str) -> list[Deed]:
        """Return every deed in a namespace, in order."""
        rows = await self._engine.read("SELECT * FROM deeds WHERE namespace = ? ORDER BY done_at, id", (namespace,))
        return [_deed(row) for row in rows]

    async def drop(self, namespace: str, ids: Sequence[str]) -> None:
        """Delete deeds for good."""

        async def work(connection: Connection) -> int:
            return await connection.execute(
                "DELETE FROM deeds WHERE namespace = ? AND id IN (SELECT value FROM json_texts(?))",
                (namespace, json.dumps(list(ids))),
            )

        await self._engine.erase(work)

    async def drop_before_everywhere(self, moment: datetime) -> int:
        """Delete the deeds of before; return how many."""
        before = (to_us(moment),)
        if not await self._engine.read("SELECT 1 FROM deeds WHERE done_at < ? LIMIT 1", before):
            return 0

        async def work(connection: Connection) -> int:
            return await connection.execute("DELETE FROM deeds WHERE done_at < ?", before)

        return await self._engine.write(work, durable=False)


def _deed(row: Row) -> Deed:
    undo = None if row["undo"] is None else Undo(**json.loads(row["undo"]))
    return Deed(
        *(row["id"], row["namespace"], row["principal"], row["session"], from_us(row["done_at"])),
        *(row["done"], row["path"], row["address"], undo, maybe_from_us(row["undone_at"])),
    )
