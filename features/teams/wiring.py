"""The manifests of a store's teams."""

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...config import Settings
    from ...modules.agentos import AgentOS
    from ...storage.engine.ports import Engine
    from .service import TeamService

TEAMS = "teams"


def with_teams(agentos: "AgentOS", engine: "Engine", settings: "Settings") -> "AgentOS":
    """Return the services with the teams of their store."""

    @cache
    def teams() -> "TeamService":
        from .service import TeamService

        return TeamService.over(engine, agentos)

    return replace(agentos, of_features={**agentos.of_features, TEAMS: teams})


def teams_of(agentos: "AgentOS") -> "TeamService":
    """Return the teams of a store."""
    service: TeamService = agentos.of_feature(TEAMS)
    return service
