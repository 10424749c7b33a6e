"""Jobs and observers that plugins bring to the daemon."""

import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from ..features import registered
from ..modules.agentos import AgentOS
from ..modules.errors import described
from ..modules.events.models import ChangeEvent
from ..modules.plugins import loading
from ..modules.plugins.feature import made_by
from ..modules.plugins.loading import Brought, LoadedPlugins, PluginProblem, accepted, harmless, load
from ..modules.records import dataclass
from .jobs.job import AnyJob, Job, StoreJob
from .jobs.schedule import JOBS, jobs_of, names_of

SHORTEST_S = 60
"""The shortest interval of a plugin's job, in seconds."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Observer:
    """Receives every change of these types or subjects once, and again if it fails; must be idempotent.

    Its place in the log of changes is kept under its name.
    """

    name: str
    types: Sequence[str]
    handle: Callable[[AgentOS, ChangeEvent], Awaitable[None]]


def jobs() -> LoadedPlugins:
    """Load the jobs of plugins. Blocks."""
    group = loading.JOBS
    taken = {*(job.name for job in JOBS), *names_of(None)}
    loaded = accepted(load(group), group, Job | StoreJob, taken, lambda job: job.name)  # type: ignore[arg-type]
    short = [
        one
        for one in loaded.brought
        if not isinstance(one.value.interval, timedelta) or one.value.interval.total_seconds() < SHORTEST_S
    ]
    problems = [
        PluginProblem(one.plugin, group, f"{one.value.name}: the interval is a timedelta of a minute or more")
        for one in short
    ]
    valid = tuple(one for one in loaded.brought if one not in short)
    return LoadedPlugins(valid, (*loaded.problems, *problems))


def observers() -> LoadedPlugins:
    """Load the observers of plugins. Blocks."""
    group = loading.OBSERVERS
    return accepted(load(group), group, Observer, (), lambda observer: observer.name)


def doors_of(features: Collection[str], opener: Callable[[], Awaitable[AgentOS]]) -> dict[str, Any]:
    """Return what features that are on answer at the daemon's socket, by what is asked for."""
    return made_by(registered(features), "doors", opener)


def all_jobs(loaded: LoadedPlugins, features: Collection[str]) -> tuple[AnyJob, ...]:
    """Return the built-in jobs, those of features that are on among them, and those of plugins after them."""
    theirs = (replace(one.value, run=harmless(one.value.run)) for one in loaded.brought)
    return (*jobs_of(features), *theirs)


def subscribe(agentos: AgentOS, loaded: LoadedPlugins) -> None:
    """Subscribe the plugins' observers to changes from now on; failures are logged."""
    for one in loaded.brought:
        try:
            _subscribe(agentos, one)
        except Exception as error:  # noqa: BLE001 - another's values may be anything
            log.warning("%s", PluginProblem(one.plugin, loading.OBSERVERS, described(error)))


def _subscribe(agentos: AgentOS, one: Brought) -> None:
    observer: Observer = one.value
    agentos.events.subscribe(f"plugin/{observer.name}", observer.types, partial(harmless(observer.handle), agentos))


def log_problems(problems: Sequence[PluginProblem]) -> None:
    """Write to the log what is wrong with plugins."""
    for problem in problems:
        log.warning("%s", problem)
