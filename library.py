"""AgentOS inside a Python program: the memory of this machine, without a server, as one typed, async object."""

import copy
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec, TypeVar, cast, get_args, get_origin

from . import config, database
from .features import registered
from .modules.agentos import AgentOS as Services
from .modules.clock import Clock, system_clock
from .modules.errors import AgentOSError as AgentOSError
from .modules.errors import Conflict as Conflict
from .modules.errors import InvalidInput as InvalidInput
from .modules.errors import NotFound as NotFound
from .modules.errors import PermissionDenied as PermissionDenied
from .modules.errors import StorageUnavailable as StorageUnavailable
from .modules.installing import switched_off
from .modules.plugins.feature import Feature
from .modules.principals.models import Door, local_owner
from .modules.views.texts import Result
from .tools import context, editing, goals, memory, reflection, search, sessions, turns
from .tools.bound import BoundTool
from .tools.catalog import TOOLS, all_tools
from .tools.tool import Tool

if TYPE_CHECKING:
    from .features.compat.tools import agentmem
    from .features.procedures import tools as procedures
    from .features.profile import tools as profile

P = ParamSpec("P")
R = TypeVar("R", bound=Result)

CLIENT = "library"
"""The client that the library's calls are counted for."""


class NotOpen(AgentOSError):
    """A call outside of `async with AgentOS() as memory`."""

    code = "not_open"


def _as_method(
    run: Callable[Concatenate[Services, str, P], Awaitable[R]], of: Feature | None = None
) -> Callable[Concatenate["AgentOS", P], Awaitable[R]]:
    """Return the function of a tool, `of` a feature or of none, as a method: with its arguments and documentation."""

    async def method(self: "AgentOS", /, *args: P.args, **kwargs: P.kwargs) -> R:
        if args:
            raise TypeError(f"{run.__name__} takes its arguments by name")
        return cast(R, await self._run(run, kwargs, TOOLS if of is None else self._tools_of(of)))

    method.__name__, method.__qualname__, method.__doc__ = run.__name__, run.__qualname__, run.__doc__
    whole = inspect.signature(run)
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    named = [
        one.replace(annotation=get_args(one.annotation)[0])  # the rest is said to models
        if get_origin(one.annotation) is Annotated
        else one
        for one in whole.parameters.values()
        if one.kind is inspect.Parameter.KEYWORD_ONLY
    ]
    method.__signature__ = whole.replace(parameters=[itself, *named])  # type: ignore[attr-defined]
    return method


def _of_feature(name: str, place: str) -> Any:
    """Return the function of a feature's tool as a method; where the feature is not there, one that says so."""
    feature = next((one for one in registered() if one.name == name), None)
    if feature is not None:
        return _as_method(feature.load(place), feature)

    async def missing(_: "AgentOS", /, **_given: Any) -> Result:
        raise NotFound(switched_off(name))

    return missing


def _with_remarks(result: R, remarks: Sequence[str], fields: Mapping[str, Any]) -> R:
    """Return a result whose text also ends with some lines, and with `fields` that it has; its class stays its kind."""
    if not remarks:
        return result
    kind = type(result)

    def as_text(self: R) -> str:
        return "\n".join([kind.as_text(self), *remarks])

    found = copy.copy(result)
    for name in fields.keys() & vars(result).keys():
        object.__setattr__(found, name, fields[name])
    object.__setattr__(found, "__class__", type(kind.__name__, (kind,), {"as_text": as_text}))
    return found


class AgentOS:
    """A memory, open within `async with`; its methods are the tools of the server, with the same names and rules.

    Several programs, and the server, may have one home open at once. Arguments are given by name and checked as
    those of any agent are; a refusal is an AgentOSError and changes nothing. Every result has its fields, and
    `as_text()` as a model would be told it.
    """

    def __init__(
        self,
        home: Path | str | None = None,
        agent_id: str | None = None,
        *,
        project: Path | str | None = None,
        clock: Clock = system_clock,
        **settings: Any,
    ) -> None:
        """Take the settings of this process, a `home` instead of the usual one, and the agent whose memory it is.

        `project` is the one that is worked in, by its absolute folder, its id or its name; without it there is none.
        Further `settings` are named as in the reference of settings, without AGENTOS_ and in small letters. Nothing is
        opened yet. Raises SettingsError.
        """
        given = {"home": home and Path(home).expanduser().absolute(), "agent_id": agent_id, **settings}
        self._settings = config.load(**{name: value for name, value in given.items() if value is not None})
        owner = local_owner(self._settings.agent_id, self._settings.agents, Door.LIBRARY)
        is_folder = project is not None and Path(project).is_absolute()
        named = "" if project is None else str(project)
        self._caller = replace(owner, folder=named) if is_folder else replace(owner, project=named)
        self._clock = clock
        self._opened = AsyncExitStack()
        self._services: Services | None = None
        self._bound: dict[Callable[..., Any], BoundTool] = {}

    async def __aenter__(self) -> "AgentOS":
        """Open the store, or create it. Raises StorageUnavailable, with the remedy."""
        opening = database.opened(self._settings, self._clock, is_own_process=False)
        self._services, _ = await self._opened.enter_async_context(opening)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Finish what was begun, and close the store."""
        self._services = None
        await self._opened.aclose()

    async def _open(self) -> Services:
        if self._services is None:
            raise NotOpen("the memory is not open: call within `async with AgentOS() as memory`")
        return self._services

    async def _run(self, run: Callable[..., Any], given: dict[str, Any], among: Sequence[Tool] = TOOLS) -> Result:
        await self._open()
        bound = self._bound.get(run)
        if bound is None:
            bound = self._bound[run] = BoundTool(next(tool for tool in among if tool.run is run))
        ran = await bound.run(self._open, self._caller, CLIENT, given)
        ran.note("")
        return _with_remarks(ran.result, ran.remarks, ran.remarked)

    def _tools_of(self, feature: Feature) -> Sequence[Tool]:
        if feature.name not in self._settings.features:
            raise NotFound(switched_off(feature.name))
        return [tool for _, tool in feature.brought("tools")]

    async def call(self, tool: str, **arguments: Any) -> Result:
        """Run any built-in tool by its name, also one of a toolset. Raises NotFound for a name that is none."""
        among = all_tools(None)
        found = next((one for one in among if one.name == tool), None)
        if found is None:
            raise NotFound(f"there is no tool {tool}; docs/reference/tools.md names them")
        return await self._run(found.run, arguments, among)

    add = _as_method(turns.conversation_add)
    store = _as_method(memory.memory_store)
    search = _as_method(search.memory_search)
    list = _as_method(memory.memory_list)
    get = _as_method(memory.memory_get)
    timeline = _as_method(memory.memory_timeline)
    update = _as_method(memory.memory_update)
    delete = _as_method(memory.memory_delete)
    forget = _as_method(editing.memory_forget)

    goal_add = _as_method(goals.goal_add)
    goal_list = _as_method(goals.goal_list)
    goal_get_active = _as_method(goals.goal_get_active)
    goal_update_progress = _as_method(goals.goal_update_progress)
    goal_update_status = _as_method(goals.goal_update_status)

    reflection_log = _as_method(reflection.reflection_log)
    reflection_analyze = _as_method(reflection.reflection_analyze)
    reflection_get_patterns = _as_method(reflection.reflection_get_patterns)

    snapshot = _as_method(context.context_get_snapshot)
    context = _as_method(context.context_compile)

    session_open = _as_method(sessions.session_open)
    session_list = _as_method(sessions.session_list)
    session_get = _as_method(sessions.session_get)
    session_search = _as_method(sessions.session_search)
    session_branch = _as_method(turns.session_branch)
    turn_add = _as_method(turns.turn_add)
    turn_window = _as_method(turns.turn_window)

    if TYPE_CHECKING:
        profile_get = _as_method(profile.profile_get)
        profile_set = _as_method(profile.profile_set)
        procedures_relevant = _as_method(procedures.procedures_relevant)
        save_memory = _as_method(agentmem.save_memory)
        recall_memory = _as_method(agentmem.recall_memory)
        consolidate_session = _as_method(agentmem.consolidate_session)
        get_knowledge_graph = _as_method(agentmem.get_knowledge_graph)
        list_sessions = _as_method(agentmem.list_sessions)
        get_patterns = _as_method(agentmem.get_patterns)
        summarize_session = _as_method(agentmem.summarize_session)
    else:
        profile_get = _of_feature("profile", "tools.profile_get")
        profile_set = _of_feature("profile", "tools.profile_set")
        procedures_relevant = _of_feature("procedures", "tools.procedures_relevant")
        save_memory = _of_feature("compat", "tools.agentmem.save_memory")
        recall_memory = _of_feature("compat", "tools.agentmem.recall_memory")
        consolidate_session = _of_feature("compat", "tools.agentmem.consolidate_session")
        get_knowledge_graph = _of_feature("compat", "tools.agentmem.get_knowledge_graph")
        list_sessions = _of_feature("compat", "tools.agentmem.list_sessions")
        get_patterns = _of_feature("compat", "tools.agentmem.get_patterns")
        summarize_session = _of_feature("compat", "tools.agentmem.summarize_session")
