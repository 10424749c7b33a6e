"""The manifests of teams that were applied to a store."""

from ...modules.errors import Conflict
from ...storage.engine.ports import Connection, Engine
from ...storage.engine.times import from_us, to_us
from ...storage.repositories.audit import record_change
from .manifest import Applied


class TeamRows:
    """The manifests that were applied to a store."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def applied_everywhere(self) -> list[Applied]:
        """Return the newest edition of each, by id."""
        rows = await self._engine.read("SELECT id, label, version, signer, digest, applied_at FROM teams ORDER BY id")
        return [
            Applied(row["id"], row["label"], row["version"], row["signer"], row["digest"], from_us(row["applied_at"]))
            for row in rows
        ]

    async def note_everywhere(self, applied: Applied, noted_in: str) -> None:
        """Note an edition in the place of the one before, with its entry in the audit log of a namespace.

        Raises Conflict where a newer one was noted meanwhile.
        """

        async def work(connection: Connection) -> None:
            noted = await connection.execute(
                "INSERT INTO teams (id, label, version, signer, digest, applied_at) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (id) DO UPDATE SET label = excluded.label, version = excluded.version, "
                "signer = excluded.signer, digest = excluded.digest, applied_at = excluded.applied_at "
                "WHERE teams.version < excluded.version OR teams.digest = excluded.digest",
                (
                    applied.id,
                    applied.label,
                    applied.version,
                    applied.signer,
                    applied.digest,
                    to_us(applied.applied_at),
                ),
            )
            if not noted:
                raise Conflict(f"a newer manifest of {applied.id} has been applied since; review it again")
            details = {"version": applied.version, "signer": applied.signer}
            await record_change(connection, applied.applied_at, noted_in, "team.apply", applied.id, **details)

        await self._engine.write(work)
