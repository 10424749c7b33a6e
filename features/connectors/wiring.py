"""The connectors of a home, which are there once the settings name one, or one has brought something."""

from dataclasses import replace

from ...config import Settings
from ...modules.agentos import AgentOS
from ...modules.connecting import TAG, Connections, ever
from ...storage.engine.ports import Engine


def with_connectors(agentos: AgentOS, engine: Engine, settings: Settings) -> AgentOS:
    """Return the services with the connectors of their home."""
    on = settings.connectors

    async def connectors(namespace: str) -> Connections | None:
        if not on and not await agentos.memory.newest(namespace, ever(TAG), 1):
            return None
        from .service import connectors_of

        return connectors_of(agentos, on)

    return replace(agentos, connectors=connectors)
