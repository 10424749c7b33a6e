"""The procedures of a store, of which contexts are told."""

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
    from .service import ProcedureService

PROCEDURES = "procedures"


def with_procedures(agentos: "AgentOS", engine: "Engine", settings: "Settings") -> "AgentOS":
    """Return the services with procedures, of which contexts are told."""
    package_files.read_all(Path(__file__).parent)

    @cache
    def procedures() -> "ProcedureService":
        from .rows import ProcedureRows
        from .service import ProcedureService

        return ProcedureService(ProcedureRows(engine), agentos.memory, agentos.redactor, agentos.clock)

    async def about(namespace: str, query: str, limit: int) -> "Sequence[Material]":
        from .telling import material

        return await material(procedures(), namespace, query, limit)

    agentos.sources.procedures = about
    return replace(agentos, of_features={**agentos.of_features, PROCEDURES: procedures})


def procedure_service(agentos: "AgentOS") -> "ProcedureService":
    """Return the procedures of a store."""
    service: ProcedureService = agentos.of_feature(PROCEDURES)
    return service
