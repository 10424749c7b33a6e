"""The lessons of a store that prove themselves, which the services are built with."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...config import Settings
from ...modules.clock import Clock
from ...modules.memory.lifecycle_service import LifecycleService
from ...modules.principals.acting import is_person
from ...modules.proving import Lessons
from ...storage.engine.ports import Engine

if TYPE_CHECKING:
    from ...storage.repositories.archive import ArchiveRepository


def given(engine: Engine, settings: Settings) -> Mapping[str, Any]:
    """Return what makes the lessons of a store."""

    def made(lifecycle: LifecycleService, archive: "ArchiveRepository", clock: Clock) -> Lessons:
        from .service import lessons_over

        return lessons_over(engine, lifecycle, archive, clock, is_person)

    return {"lessons": made}
