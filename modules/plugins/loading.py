"""Loading of plugins: entry points of other distributions, through pluggy; one that fails stops nothing."""

import asyncio
import contextlib
import functools
import importlib.metadata
import itertools
import os
import queue
import re
import sys
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, TypeVar

import pluggy

from ..errors import described
from ..records import dataclass
from .feature import Feature

T = TypeVar("T")

PROJECT = "agentos"
TOOLS, JOBS, OBSERVERS, IMPORTERS, READERS = GROUPS = (
    "agentos.tools", "agentos.jobs", "agentos.observers", "agentos.importers", "agentos.readers",
)  # fmt: skip
"""The groups of entry points; the hook of a group has its name with an underscore."""
FEATURES = "agentos.features"
"""The group of entry points that each name a `Feature`, which may bring something of every group."""
MOST_PLUGINS = 50
"""The most entry points of a group that are loaded."""
MOST_OF_ONE = 100
"""The most tools, jobs, … that one entry point may bring."""
LOADS_WITHIN_S = 20.0
"""How long an entry point may take to load."""
NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_Loaded = tuple[list[Any], list[str]]
"""What an entry point brings of a group, and the kinds of parts that it names and no plugin can bring."""
_ONE_AT_A_TIME = threading.Lock()
"""Standard output is the process's: two that put it aside at once would not both put it back."""

_hookspec = pluggy.HookspecMarker(PROJECT)


class Hooks:
    """The hooks of a plugin. An entry point is a module, or an object, that has the one of its group."""

    @_hookspec
    def agentos_tools(self) -> Iterable[Any]:  # type: ignore[empty-body]
        """Return the tools that every session is shown."""

    @_hookspec
    def agentos_jobs(self) -> Iterable[Any]:  # type: ignore[empty-body]
        """Return the jobs that the daemon runs."""

    @_hookspec
    def agentos_observers(self) -> Iterable[Any]:  # type: ignore[empty-body]
        """Return the observers to notify of changes."""

    @_hookspec
    def agentos_importers(self) -> Iterable[Any]:  # type: ignore[empty-body]
        """Return the formats that `agentos import` reads."""

    @_hookspec
    def agentos_readers(self) -> Iterable[Any]:  # type: ignore[empty-body]
        """Return the readers of text in files that are attached, as in pictures."""


@dataclass(frozen=True)
class Brought:
    """One contribution of a plugin: a tool, job, observer or importer."""

    plugin: str
    value: Any


@dataclass(frozen=True)
class PluginProblem:
    """A problem of a plugin; the rest of it, and other plugins, are still used."""

    plugin: str
    group: str
    message: str

    def __str__(self) -> str:
        return f"plugin {self.plugin} ({self.group}): {self.message}"


@dataclass(frozen=True)
class LoadedPlugins:
    """The contributions of a group's plugins, and their problems."""

    brought: tuple[Brought, ...]
    problems: tuple[PluginProblem, ...]


def load(group: str) -> LoadedPlugins:
    """Load the plugins of a group. Blocks: their code is imported. What one raises is reported as a problem."""
    entries = [(entry, of) for of in (group, FEATURES) for entry in importlib.metadata.entry_points(group=of)]
    found = sorted(entries, key=lambda one: (one[0].name, one[0].value))
    brought: list[Brought] = []
    problems = [
        PluginProblem(entry.name, of, f"is skipped: there are more than {MOST_PLUGINS} plugins")
        for entry, of in found[MOST_PLUGINS:]
    ]
    for entry, of in found[:MOST_PLUGINS]:
        bring = _of_feature if of == FEATURES else _of
        with _ONE_AT_A_TIME, _output_aside():
            loaded = _within(LOADS_WITHIN_S, entry, group, bring)
        if isinstance(loaded, BaseException):
            problems.append(PluginProblem(entry.name, of, f"cannot be loaded: {described(loaded)}"))
            continue
        values, unusable = loaded
        if unusable:
            problems.append(PluginProblem(entry.name, of, f"{', '.join(unusable)}: no plugin can bring these yet"))
        if len(values) > MOST_OF_ONE:
            problems.append(PluginProblem(entry.name, group, f"has more than {MOST_OF_ONE}; the others are skipped"))
        brought += [Brought(entry.name, value) for value in values[:MOST_OF_ONE]]
    return LoadedPlugins(tuple(brought), tuple(problems))


@contextlib.contextmanager
def _output_aside() -> Iterator[None]:
    """Let go to standard error what is printed meanwhile: standard output is for who asked, who may be a program."""
    try:
        kept = os.dup(1)
        os.dup2(2, 1)
    except OSError:  # one of them is closed
        yield
        return
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _within(
    seconds: float,
    entry: importlib.metadata.EntryPoint,
    group: str,
    bring: Callable[[importlib.metadata.EntryPoint, str], _Loaded],
) -> _Loaded | BaseException:
    """Return what an entry point brings, or what it raises; one that takes longer is left behind in its thread."""
    name = f"{group} of {entry.name}"
    if any(thread.name == name for thread in threading.enumerate()):
        return TimeoutError("it is still loading")
    found: queue.SimpleQueue[_Loaded | BaseException] = queue.SimpleQueue()

    def work() -> None:
        try:
            found.put(bring(entry, group))
        except BaseException as error:  # noqa: BLE001 - another's code may raise anything
            found.put(error)

    threading.Thread(target=work, name=name, daemon=True).start()
    try:
        return found.get(timeout=seconds)
    except queue.Empty:
        return TimeoutError(f"it took more than {seconds:g} s")


def _of(entry: importlib.metadata.EntryPoint, group: str) -> _Loaded:
    hook = group.replace(".", "_")
    plugins = pluggy.PluginManager(PROJECT)  # of its own: a hook that fails is nobody else's matter
    plugins.add_hookspecs(Hooks)
    plugins.register(entry.load(), entry.name)
    plugins.check_pending()
    if not getattr(plugins.hook, hook).get_hookimpls():
        raise LookupError(f"it has no {hook} marked with hookimpl")
    values = itertools.chain.from_iterable(getattr(plugins.hook, hook)())
    return list(itertools.islice(values, MOST_OF_ONE + 1)), []


def _of_feature(entry: importlib.metadata.EntryPoint, group: str) -> _Loaded:
    feature = entry.load()
    if not isinstance(feature, Feature):
        raise TypeError(f"it names a {type(feature).__name__} instead of a Feature")
    brought = itertools.islice(feature.brought(group.rpartition(".")[2]), MOST_OF_ONE + 1)
    return [part for _, part in brought], [kind for kind in feature.kinds() if f"{PROJECT}.{kind}" not in GROUPS]


def harmless(run: Callable[..., Awaitable[T]]) -> Callable[..., Awaitable[T]]:
    """Return a function of a plugin that can only fail: what would end the process is an error of its call."""

    @functools.wraps(run)
    async def guarded(*args: Any, **arguments: Any) -> T:
        try:
            return await run(*args, **arguments)
        except Exception:
            raise
        except BaseException as error:
            task = asyncio.current_task()
            if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
                raise
            raise RuntimeError(f"the plugin raised {type(error).__name__}") from error

    return guarded


def accepted(loaded: LoadedPlugins, group: str, kind: type, taken: Iterable[str], name_of: Any) -> LoadedPlugins:
    """Return what is of the wanted `kind`, with a well-formed name that is not taken yet; the rest as problems."""
    names = set(taken)
    usable: list[Brought] = []
    problems = list(loaded.problems)
    for one in loaded.brought:
        try:
            problem = _problem(one.value, kind, names, name_of)
        except Exception as error:  # noqa: BLE001 - another's object may raise anything when it is looked at
            problem = f"cannot be used: {described(error)}"
        if problem is None:
            names.add(name_of(one.value))
            usable.append(one)
        else:
            problems.append(PluginProblem(one.plugin, group, problem))
    return LoadedPlugins(tuple(usable), tuple(dict.fromkeys(problems)))


def _problem(value: Any, kind: Any, names: set[str], name_of: Any) -> str | None:
    if not issubclass(type(value), kind):
        return f"returns a {type(value).__name__} instead of a {getattr(kind, '__name__', kind)}"
    name = name_of(value)
    if not (isinstance(name, str) and NAME.fullmatch(name)):
        return f"{name!r}: a name must be lowercase letters, digits and _, at most 64"
    return f"{name}: the name is taken" if name in names else None
