"""The sealed memories of a store."""

from dataclasses import replace

from ...config import Settings
from ...modules.agentos import AgentOS
from ...storage.engine.ports import Engine


def with_sealed(agentos: AgentOS, engine: Engine, settings: Settings) -> AgentOS:
    """Return the services with the sealed memories of their store."""
    from .rows import SealedRows
    from .service import SealedService

    return replace(agentos, sealed=SealedService(SealedRows(engine), settings.max_content_bytes, agentos.clock))
