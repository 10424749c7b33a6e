"""Features that a home, or a client, switches on by using them: where they are off nothing of them is imported.

A feature that the settings do not name is off whoever uses it.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from ..modules.agentos import AgentOS
from ..modules.apps import Apps
from ..modules.attaching import Attachments
from ..modules.clock import Clock
from ..modules.connecting import TAG, Connections, ever
from ..modules.memory.lifecycle_service import LifecycleService
from ..modules.memory.ports import MemoryArchive
from ..modules.principals.acting import is_person
from ..modules.proving import Lessons
from ..modules.syncing import Carried, Sync
from ..storage.engine.ports import Engine


def with_anchors(agentos: AgentOS, engine: Engine) -> AgentOS:
    """Return the services with the anchors of their store, which are there once a folder is followed."""
    from ..modules.anchoring import Anchors

    async def anchors(*, begin: bool = False) -> Anchors | None:
        if not begin and not await engine.read("SELECT 1 FROM anchored_folders LIMIT 1"):
            return None
        from .anchors.service import AnchorService

        return AnchorService.over(engine, agentos)

    return replace(agentos, anchors=anchors)


def of_home(
    agentos: AgentOS, engine: Engine, home: Path, connectors: Collection[str], login: tuple[str, str]
) -> AgentOS:
    """Return the services with what belongs to a home: its anchors, the connectors that are on, and its sync.

    `login` is the user and password for a server that carries what is synced.
    """
    if "anchors" in agentos.features:
        agentos = with_anchors(agentos, engine)
    if "connectors" in agentos.features:
        agentos = with_connectors(agentos, connectors)
    return with_sync(agentos, engine, home, login) if "sync" in agentos.features else agentos


def with_connectors(agentos: AgentOS, on: Collection[str]) -> AgentOS:
    """Return the services with the connectors of their home, of which `on` are those that the settings name."""

    async def connectors(namespace: str) -> Connections | None:
        if not on and not await agentos.memory.newest(namespace, ever(TAG), 1):
            return None
        from .connectors.service import connectors_of

        return connectors_of(agentos, on)

    return replace(agentos, connectors=connectors)


def with_sync(agentos: AgentOS, engine: Engine, home: Path, login: tuple[str, str]) -> AgentOS:
    """Return the services with the sync of their home, which is there once it is in a group."""

    async def sync() -> Sync | None:
        if not await engine.read("SELECT 1 FROM sync_place"):
            return None
        from .sync.service import SyncService

        return SyncService.over(engine, agentos.redactor, agentos.clock, home, login)

    return replace(agentos, sync=sync)


def carrying_of(features: Collection[str], home: Path, most_mib: int) -> Callable[[], Carried] | None:
    """Return what gives the files that a server carries for others' sync; None where it carries none."""
    if "sync" not in features or not most_mib:
        return None

    @cache
    def carried() -> Carried:
        from .sync.carried import CarriedFiles

        return CarriedFiles(home / "sync", most_mib << 20)

    return carried


def apps_of(
    features: Collection[str], *, views: bool, forms: bool, dashboard: Callable[[Any], str] = lambda _: ""
) -> Apps:
    """Return the views and forms that clients are offered where the features that are on include them.

    `dashboard` returns its address for a request, or "".
    """
    apps = Apps(dashboard=dashboard)
    if views and "apps" in features:
        from .apps.views import Views

        apps = replace(apps, views=Views())
    if forms and "apps" in features:
        from .apps.forms import Forms

        apps = replace(apps, forms=Forms())
    return apps


def lessons_of(engine: Engine) -> Callable[[LifecycleService, MemoryArchive, Clock], Lessons]:
    """Return what makes the lessons of a store that prove themselves."""

    def made(lifecycle: LifecycleService, archive: MemoryArchive, clock: Clock) -> Lessons:
        from .lessons.service import lessons_over

        return lessons_over(engine, lifecycle, archive, clock, is_person)

    return made


def with_attachments(agentos: AgentOS, engine: Engine, max_content_bytes: int) -> AgentOS:
    """Return the services with the files of their store."""

    @cache
    def attachments() -> Attachments:
        from .attachments.service import AttachmentService

        return AttachmentService.over(engine, agentos.memory, agentos.redactor, max_content_bytes, agentos.clock)

    return replace(agentos, attachments=attachments)
