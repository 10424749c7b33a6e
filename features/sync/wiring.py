"""The sync of a home, which is there once it is in a group."""

from dataclasses import replace

from ...config import Settings
from ...modules.agentos import AgentOS
from ...modules.syncing import Sync
from ...storage.engine.ports import Engine


def with_sync(agentos: AgentOS, engine: Engine, settings: Settings) -> AgentOS:
    """Return the services with the sync of their home."""

    async def sync() -> Sync | None:
        if not await engine.read("SELECT 1 FROM sync_place"):
            return None
        from .service import SyncService

        return SyncService.over(engine, agentos.redactor, agentos.clock, settings.home, settings.sync_login)

    return replace(agentos, sync=sync)
