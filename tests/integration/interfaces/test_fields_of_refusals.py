"""A refusal names an argument that its tool has: every tool, with ids of nothing and numbers that are out of range."""

import re
from collections.abc import Iterator
from typing import Any

from agentos.modules.agentos import AgentOS
from agentos.modules.errors import AgentOSError
from agentos.modules.principals.models import Door, local_owner
from agentos.tools.bound import BoundTool
from agentos.tools.catalog import all_tools

FIELD = re.compile(r"([a-z_]+)(?:\.\d+)?: ")
OF_ANOTHER_SYSTEM = {"agent-memory", "agentmem", "agentos-1", "memoryos"}
"""Their tools have the arguments of another system for services that name their own."""
SAMPLES: dict[str, Any] = {"string": "x", "integer": 3, "number": 0.5, "boolean": True, "array": ["x"], "object": {}}


def kind_of(schema: dict[str, Any]) -> str:
    """The type of an argument, without null."""
    options = schema.get("anyOf", [schema])
    return next((str(one["type"]) for one in options if one.get("type", "null") != "null"), "string")


def calls(tool: BoundTool) -> Iterator[dict[str, Any]]:
    """Calls with arguments of the right types that name nothing, each number out of range once."""
    known, required = tool.input_schema.get("properties", {}), tool.input_schema.get("required", [])
    given = {name: known[name].get("enum", [SAMPLES[kind_of(known[name])]])[0] for name in required}
    yield given
    for name, schema in known.items():
        if kind_of(schema) in ("integer", "number"):
            yield {**given, name: -7}


async def test_a_refusal_begins_with_an_argument_of_its_tool(agentos: AgentOS) -> None:
    async def opener() -> AgentOS:
        return agentos

    caller = local_owner("default", None, Door.STDIO)
    refused, wrong = 0, []
    for tool in (BoundTool(one) for one in all_tools(None) if one.toolset not in OF_ANOTHER_SYSTEM):
        for given in calls(tool):
            try:
                await tool.run(opener, caller, "client", given)
            except AgentOSError as error:
                refused += 1
                field = FIELD.match(str(error))
                if field is not None and field[1] not in tool.model.model_fields:
                    wrong.append((tool.tool.name, given, str(error)))
    assert refused > 50
    assert not wrong
