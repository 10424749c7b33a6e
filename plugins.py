"""The contract of plugins: what a distribution may bring, and how it says so.

An entry point of the group `agentos.features` names a `Feature`, as AgentOS's own are. One of `agentos.tools`,
`agentos.jobs`, `agentos.observers`, `agentos.importers` or `agentos.readers` names a module, or an object, with a
function `agentos_tools`, `agentos_jobs`, … that is marked with `hookimpl`. docs/builders/plugins.md has an example.
"""

import pluggy

from .daemon_pkg import plugged as of_daemon
from .daemon_pkg.jobs.job import Job, StoreJob
from .daemon_pkg.plugged import Observer
from .modules.agentos import AgentOS
from .modules.events.models import ChangeEvent
from .modules.plugins.feature import Feature, Listed
from .modules.plugins.loading import PROJECT, Brought, PluginProblem
from .modules.portability.models import ActionEntry, GoalEntry
from .modules.portability.models import MemoryEntry as Entry
from .modules.reading import FileReader, readers
from .modules.store_request import StoreRequest
from .storage.imports import plugged as of_imports
from .storage.imports.plugged import Importer
from .tools import plugged as of_tools
from .tools.plugged import PluggedAnswer as Answer
from .tools.tool import Tool

__all__ = [
    "ActionEntry",
    "AgentOS",
    "Answer",
    "ChangeEvent",
    "Entry",
    "Feature",
    "FileReader",
    "GoalEntry",
    "Importer",
    "Job",
    "Listed",
    "Observer",
    "StoreJob",
    "StoreRequest",
    "Tool",
    "found",
    "hookimpl",
]

hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks the functions of a plugin that AgentOS calls."""


def found() -> tuple[list[tuple[str, str, str]], list[PluginProblem]]:
    """Load every plugin; return what each brings, as plugin, kind and name, and what is wrong. Blocks."""
    tools = of_tools.bind_all()
    jobs, observers, importers = of_daemon.jobs(), of_daemon.observers(), of_imports.importers()
    of_files = readers()
    brought = [
        *((plugin, "tool", entry.tool.name) for plugin, entry in tools.of_plugins),
        *_named("job", jobs.brought),
        *_named("observer", observers.brought),
        *_named("importer", importers.brought),
        *_named("reader", of_files.brought),
    ]
    problems = (*tools.problems, *jobs.problems, *observers.problems, *importers.problems, *of_files.problems)
    return brought, list(dict.fromkeys(problems))


def _named(kind: str, brought: tuple[Brought, ...]) -> list[tuple[str, str, str]]:
    return [(one.plugin, kind, one.value.name) for one in brought]
