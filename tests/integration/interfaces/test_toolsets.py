"""Toolsets: front and server alike show a session the default tools, and those of the sets that it asked for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest

from agentos import config
from agentos.interfaces.stdio import recording
from agentos.interfaces.stdio.front import handshake
from agentos.modules.agentos import AgentOS
from agentos.modules.principals.models import Door, local_owner
from agentos.modules.version import VERSION
from agentos.tools import mcp
from agentos.tools.bound import BoundTools, bind
from agentos.tools.catalog import all_tools
from agentos.tools.resources import handlers
from agentos.tools.tool import Tool
from tests.tables import every

META = {handshake.PROTOCOL_VERSION_KEY: handshake.MODERN, handshake.CAPABILITIES_KEY: {}}
NAMES = get_args(config.Toolset)
SUBSETS = [(), *((name,) for name in NAMES), NAMES[:2], NAMES]


@dataclass(frozen=True)
class Answer:
    """A result."""

    id: str

    def as_text(self) -> str:
        return self.id


async def example(agentos: AgentOS, namespace: str) -> Answer:
    """An example."""
    return Answer(namespace)


def tools_of(name: str) -> tuple[Tool, ...]:
    """Those there are, and two of the same name."""
    return (
        *all_tools(None),
        Tool(example, "Example", read_only=True, toolset=name),
        Tool(example, "Another example", read_only=True, toolset=NAMES[-1]),
    )


async def live(tools: tuple[Tool, ...], bound: BoundTools, chosen: frozenset[str] | None) -> dict[str, Any]:
    async def no_store() -> AgentOS:
        raise AssertionError("lists need no store")

    caller = local_owner("default", None, Door.STDIO)
    catalog = list(tools)
    if chosen is not None:
        catalog = list({tool.name: tool for tool in tools if tool.toolset in (None, *chosen)}.values())

    def build(*, resources: bool = False) -> Any:
        return mcp.build(bound, no_store, caller, chosen, VERSION, handlers if resources else None)

    return await recording.record(build, [(tool.toolset, tool.feature) for tool in catalog])


async def test_the_front_lists_what_the_server_of_the_session_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tools_of(NAMES[0])
    bound = bind(tools)
    everything = await live(tools, bound, None)
    snapshot = tmp_path / "handshake.jsonl"
    snapshot.write_text(recording.written(everything), encoding="utf-8")
    monkeypatch.setattr(handshake, "SNAPSHOT", snapshot)

    @every("chosen", SUBSETS)
    async def listed_alike(chosen: tuple[str, ...]) -> None:
        served = await live(tools, bound, frozenset(chosen))
        shown = [one["tool"] for one in served["tools"]]
        listed = [tool["name"] for tool in shown]
        assert listed.count("example") == (NAMES[0] in chosen or NAMES[-1] in chosen)
        modern = handshake.Handshake(frozenset(chosen))
        assert modern.result_of({"id": 1, "method": "tools/list", "params": {"_meta": META}}) == {
            **served["list_modern"],
            "tools": shown,
        }
        legacy = handshake.Handshake(frozenset(chosen))
        client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
        legacy.result_of({"id": 1, "method": "initialize", "params": client})
        assert legacy.result_of({"id": 2, "method": "tools/list"}) == {**served["list_legacy"], "tools": shown}
        for name in ("initialize", "discover", "failure_modern", "handshake_versions"):
            assert served[name] == everything[name]

    await listed_alike()
