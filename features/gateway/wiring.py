"""The gateway of a store."""

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from ...config import Settings
from ...modules.agentos import AgentOS
from ...modules.model_gateway import ModelGateway
from ...storage.engine.ports import Engine

if TYPE_CHECKING:
    from .service import GatewayService


def with_gateway(agentos: AgentOS, engine: Engine, settings: Settings) -> AgentOS:
    """Return the services with the gateway of their store."""

    @cache
    def gateway() -> ModelGateway:
        from .chat import StoreGateway
        from .service import GatewayService

        return StoreGateway(GatewayService(engine, agentos), agentos.turns, settings.home)

    return replace(agentos, gateway=gateway)


def service_of(agentos: AgentOS) -> "GatewayService":
    """Return what the gateway does with the memory of a store."""
    from .chat import StoreGateway

    gateway = agentos.gateway()
    assert isinstance(gateway, StoreGateway)
    return gateway.service
