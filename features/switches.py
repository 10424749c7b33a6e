"""Features that a home switches on by using them: until then nothing of them is imported."""

from dataclasses import replace
from pathlib import Path

from ..modules.agentos import AgentOS
from ..modules.anchoring import Anchors
from ..modules.syncing import Sync
from ..storage.engine.ports import Engine


def with_features(agentos: AgentOS, engine: Engine, home: Path) -> AgentOS:
    """Return the services with those of a store that are there once somebody uses them: its sync, its anchors."""

    async def sync() -> Sync | None:
        if not await engine.read("SELECT 1 FROM sync_place"):
            return None
        from .sync.service import SyncService

        return SyncService.over(engine, agentos.redactor, agentos.clock, home)

    async def anchors(*, begin: bool = False) -> Anchors | None:
        if not begin and not await engine.read("SELECT 1 FROM anchored_folders LIMIT 1"):
            return None
        from .anchors.service import AnchorService

        return AnchorService.over(engine, agentos)

    return replace(agentos, sync=sync, anchors=anchors)
