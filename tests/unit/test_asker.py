"""Who asks for the user's permission is said in a way that a client's name cannot forge."""

from dataclasses import replace

from agentos.modules.approvals.models import ApprovalRequest
from agentos.modules.approvals.risk import RiskInputs
from agentos.modules.principals.models import Caller, Door, Role
from agentos.tools.approvals import _asker
from tests.tables import every

BOB = Caller(principal="bob", role=Role.WRITER, namespaces={}, default="shop", door=Door.STDIO)


@every(
    "client, expected",
    [
        ("codex", 'agent:shop, client "codex", key of bob'),
        ('codex", key of alice', 'agent:shop, client "codex key of alice", key of bob'),
        ("co\x1bdex\n\u202e", 'agent:shop, client "codex", key of bob'),
        (',"', "agent:shop, key of bob"),
        ("\U0001f600" * 100, f'agent:shop, client "{chr(0x1F600) * 25}", key of bob'),
    ],
)
def test_a_clients_name_is_quoted_and_bounded(client: str, expected: str) -> None:
    by = _asker("shop", replace(BOB, client=client))
    assert by == expected
    ApprovalRequest("shop", "s", "deploy", {}, RiskInputs(0.1, 0.1, 0.1), "r", by)
