"""Tools that plugins bring, beside the built-in ones."""

import functools
import json
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import field, replace
from typing import Any

from ..modules.errors import described
from ..modules.plugins.loading import TOOLS as GROUP
from ..modules.plugins.loading import Brought, PluginProblem, accepted, harmless, load
from ..modules.records import dataclass
from .bound import BoundTool, BoundTools, bind
from .catalog import TOOLS
from .tool import Tool

MOST_CHARS = 10_000
"""The longest description and schemas of a tool: every session is shown them."""
MOST_ANSWER_BYTES = 1_000_000


@dataclass(frozen=True)
class PluggedAnswer:
    """The result of a plugin's tool: a text for a model, and the same as data for programs."""

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)

    def as_text(self) -> str:
        """Return the text."""
        return self.text


@dataclass(frozen=True)
class PluggedTools:
    """All tools with their schemas; those of plugins by themselves, with its name; and what is wrong with some."""

    all_tools: BoundTools
    of_plugins: tuple[tuple[str, BoundTool], ...]
    problems: tuple[PluginProblem, ...]


def bind_all(features: Collection[str] | None = None) -> PluggedTools:
    """Bind the built-in tools, of features those that are on (None: all), and those of plugins, always shown.

    Blocks: imports the plugins.
    """
    loaded = accepted(load(GROUP), GROUP, Tool, {tool.name for tool in TOOLS}, lambda tool: tool.name)
    bound: list[tuple[str, BoundTool]] = []
    problems = list(loaded.problems)
    for brought in loaded.brought:
        try:
            bound.append((brought.plugin, _bound(brought)))
        except Exception as error:  # noqa: BLE001 - another's annotations may be anything
            problems.append(
                PluginProblem(brought.plugin, GROUP, f"{brought.value.name} has no usable schema: {described(error)}")
            )
    there = bind([tool for tool in TOOLS if features is None or tool.feature in (None, *features)])
    return PluggedTools((*there, *(entry for _, entry in bound)), tuple(bound), tuple(dict.fromkeys(problems)))


def _checked(result: Any) -> Any:
    """Return what a plugin's function returned. Raises ValueError, TypeError where no client could take it."""
    if isinstance(result, PluggedAnswer):
        size = len((result.text + json.dumps(result.data, ensure_ascii=False)).encode())
        if size > MOST_ANSWER_BYTES:
            raise ValueError(f"its answer has {size} bytes, of {MOST_ANSWER_BYTES}")
    return result


def _guarded(run: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    run = harmless(run)

    @functools.wraps(run)
    async def guarded(*args: Any, **arguments: Any) -> Any:
        return _checked(await run(*args, **arguments))

    return guarded


def _bound(brought: Brought) -> BoundTool:
    tool: Tool = brought.value
    if tool.toolset is not None:
        raise ValueError("a plugin's tool belongs to no toolset")
    if not tool.description:
        raise ValueError("its function has no docstring")
    bound = BoundTool(replace(tool, run=_guarded(tool.run)))
    if not (bound.input_schema and bound.output_schema):
        raise ValueError("it has none")
    told = len(tool.description) + len(json.dumps((bound.input_schema, bound.output_schema)))
    if told > MOST_CHARS:
        raise ValueError(f"with its description it has {told} characters, of {MOST_CHARS}")
    return bound
