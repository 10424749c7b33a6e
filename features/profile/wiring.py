"""The profile of a store's users, which contexts begin with."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...modules import package_files

if TYPE_CHECKING:
    from ...config import Settings
    from ...modules.agentos import AgentOS
    from ...modules.context.ports import Material
    from ...storage.engine.ports import Engine
    from .service import ProfileService

PROFILE = "profile"


def with_profile(agentos: "AgentOS", engine: "Engine", settings: "Settings") -> "AgentOS":
    """Return the services with the profile, of which contexts are told."""
    package_files.read_all(Path(__file__).parent)

    @cache
    def profile() -> "ProfileService":
        from .rows import ProfileRows
        from .service import ProfileService

        return ProfileService(ProfileRows(engine), agentos.memory, agentos.redactor, agentos.clock)

    async def about(namespace: str, query: str, limit: int) -> "Sequence[Material]":
        from .telling import material

        return (await material(profile(), namespace))[:limit]

    agentos.sources.profile = about
    return replace(agentos, of_features={**agentos.of_features, PROFILE: profile})


def profile_service(agentos: "AgentOS") -> "ProfileService":
    """Return the profile of a store."""
    service: ProfileService = agentos.of_feature(PROFILE)
    return service
