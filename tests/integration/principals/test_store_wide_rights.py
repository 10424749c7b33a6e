"""What concerns every namespace is not for the owner's session of some; a key's role says what that key may."""

from typing import Any

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.errors import NotFound, PermissionDenied
from agentos.modules.principals.models import Caller, Door, Right, Role, local_owner
from agentos.tools.bound import bind
from agentos.tools.jobs import JOB_TOOLS

SOME = local_owner("bob", frozenset({"bob"}), next(iter(Door)))
ALL = local_owner("bob", None, next(iter(Door)))
OPERATOR = Caller("op", Role.OPERATOR, {"bob": Right.WRITE}, "bob", Door.HTTP)
CASES: list[tuple[str, dict[str, Any]]] = [
    ("job_list", {}),
    ("job_run", {"id": "backup"}),
    ("job_cancel", {"id": "backup"}),
    ("job_cancel", {"id": "task_none"}),
]


@pytest.mark.parametrize(("name", "given"), CASES)
async def test_a_session_of_some_namespaces_has_no_say_over_all(
    lexical: AgentOS, name: str, given: dict[str, Any]
) -> None:
    [tool] = [one for one in bind(JOB_TOOLS) if one.tool.name == name]

    async def opened() -> AgentOS:
        return lexical

    with pytest.raises(PermissionDenied, match="AGENTOS_ALLOWED_AGENTS"):
        await tool.run(opened, SOME, "a client", given)
    for allowed in (ALL, OPERATOR):
        try:
            await tool.run(opened, allowed, "a client", given)
        except NotFound:
            assert given  # such a job is not there
