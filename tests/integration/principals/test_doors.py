"""The door that an entry of the audit log names is the one that the call came by."""

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.principals.models import Door, local_owner
from agentos.tools.bound import bind
from agentos.tools.calling import call
from agentos.tools.catalog import all_tools


@pytest.mark.parametrize(
    ("came_by", "client", "door"),
    [
        (Door.STDIO, "claude-code", "stdio"),
        (Door.STDIO, "agentos-cli", "command-line"),
        (Door.HTTP, "claude-code", "http"),
        (Door.HTTP, "agentos-cli", "http"),
    ],
)
async def test_a_call_is_entered_under_its_door(agentos: AgentOS, came_by: Door, client: str, door: str) -> None:
    store = next(one for one in bind(all_tools(None)) if one.tool.name == "memory_store")

    async def opener() -> AgentOS:
        return agentos

    await call(store, opener, local_owner("ada", None, came_by), client, {"content": "Ruth deploys on Fridays"})
    owner = local_owner("ada", None, Door.COMMAND_LINE)
    assert {one.door for one in await agentos.audit.show(owner, "ada")} == {door}
