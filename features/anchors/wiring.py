"""The anchors of a home's store, which are there once a folder is followed."""

from dataclasses import replace

from ...config import Settings
from ...modules.agentos import AgentOS
from ...modules.anchoring import Anchors
from ...storage.engine.ports import Engine


def with_anchors(agentos: AgentOS, engine: Engine, settings: Settings) -> AgentOS:
    """Return the services with the anchors of their store."""

    async def anchors(*, begin: bool = False) -> Anchors | None:
        if not begin and not await engine.read("SELECT 1 FROM anchored_folders LIMIT 1"):
            return None
        from .service import AnchorService

        return AnchorService.over(engine, agentos)

    return replace(agentos, anchors=anchors)
