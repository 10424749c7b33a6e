"""Approvals without a disk: risk, states, keys, lists, and who can decide at all."""

import ast
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from agentos import config
from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.models import MAY_BECOME, Approval, ApprovalRequest, ApprovalStatus, Inbox
from agentos.modules.approvals.risk import Course, RiskInputs
from agentos.modules.approvals.service import ApprovalService
from agentos.modules.errors import InvalidInput
from tests.places import ROOT
from tests.tables import every

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
RISKY = RiskInputs(1, 0, 1)


def approval(approval_id: str = "apr_1", version: int = 1) -> Approval:
    return Approval(
        id=approval_id,
        namespace="ada",
        subject="s",
        action="deploy",
        payload={},
        inputs=RISKY,
        reason="r",
        requested_by="agent:ada",
        automatic=False,
        status=ApprovalStatus.PENDING,
        version=version,
        created_at=NOW,
        updated_at=NOW,
        expires_at=NOW + timedelta(days=1),
        decided_at=None,
        decided_by=None,
        note=None,
        attempts=0,
        finished_at=None,
        result=None,
    )


@every(
    ("inputs", "risk", "course"),
    [
        (RiskInputs(0, 1, 0), 0.0, Course.RUN),
        (RiskInputs(1, 0, 1), 1.0, Course.ASK),
        (RiskInputs(0.5, 0.7, 0), 0.29, Course.RUN),
        (RiskInputs(0, 0, 0), 0.3, Course.NOTIFY),
        (RiskInputs(0, 1, 1), 0.3, Course.NOTIFY),
        (RiskInputs(1, 1, 0), 0.4, Course.NOTIFY),
        (RiskInputs(0.975, 0, 0), 0.69, Course.NOTIFY),
        (RiskInputs(1, 0, 0), 0.7, Course.ASK),
        (RiskInputs(1, 1, 1), 0.7, Course.ASK),
        (RiskInputs(0.8, 0.3, 0.6), 0.71, Course.ASK),
    ],
)
def test_the_risk_and_what_it_calls_for(inputs: RiskInputs, risk: float, course: Course) -> None:
    assert (inputs.risk, inputs.course) == (risk, course)


@every("value", [-0.1, 1.1, float("nan"), float("inf")])
@every("field", ["impact", "reversibility", "sensitivity"])
def test_a_risk_is_of_numbers_from_0_to_1(field: str, value: float) -> None:
    with pytest.raises(InvalidInput, match=field):
        RiskInputs(**{"impact": 0.5, "reversibility": 0.5, "sensitivity": 0.5, field: value})


def test_what_agentos_does_not_do_itself_is_always_asked() -> None:
    harmless = RiskInputs(0, 1, 0)
    assert ApprovalRequest("ada", "s", "deploy", {}, harmless, "r", "agent:ada", automatic=False).course is Course.ASK
    assert ApprovalRequest("ada", "s", "deploy", {}, harmless, "r", "job:x").course is Course.RUN


@every(
    ("field", "value"),
    [
        ("action", "Deploy it now, please"),
        ("action", ""),
        ("action", "x" * 65),
        ("subject", " "),
        ("reason", ""),
        ("reason", "x" * 501),
        ("payload", {"text": "x" * 20_000}),
        ("payload", {"number": float("nan")}),
        ("requested_by", ""),
    ],
)
def test_a_request_that_is_not_acceptable_is_refused_by_its_field(field: str, value: object) -> None:
    given = {"subject": "s", "action": "deploy", "payload": {}, "reason": "r", "requested_by": "agent:ada"}
    with pytest.raises(InvalidInput, match=field):
        ApprovalRequest(namespace="ada", inputs=RISKY, **{**given, field: value})  # type: ignore[arg-type]


def test_every_way_ends_and_nothing_comes_back() -> None:
    assert set(MAY_BECOME) == set(ApprovalStatus)
    seen: set[ApprovalStatus] = set()
    waiting = [ApprovalStatus.PENDING]
    while waiting:
        status = waiting.pop()
        assert status not in seen or not MAY_BECOME[status]
        seen.add(status)
        waiting += MAY_BECOME[status]
    assert seen == set(ApprovalStatus)
    ends = {status for status, following in MAY_BECOME.items() if not following}
    assert ends == {"rejected", "expired", "done", "failed"}


def test_a_key_is_of_one_version_of_one_item_and_never_a_number() -> None:
    keys = {approval(f"apr_{n}", version).key for n, version in product(range(100), (1, 2))}
    assert len(keys) == 200
    assert all(len(key) == 6 and key.isalpha() and key.islower() for key in keys)
    assert approval().key == approval().key


def test_a_list_is_another_when_anything_in_it_changes() -> None:
    one, two = approval("apr_1"), approval("apr_2")
    lists = [Inbox(found).generation for found in ([], [one], [two], [one, two], [two, one], [approval("apr_1", 2)])]
    assert len(set(lists)) == len(lists)
    assert Inbox([one, two]).generation == Inbox([one, two]).generation


def test_only_the_command_line_and_a_persons_browser_can_decide() -> None:
    """Decisions are no part of what tools, jobs and sessions are handed, and nobody else makes them.

    The dashboard is handed them by the daemon; test_dashboard.py holds that only a person's session gets to them.
    """
    held = {name for service in (AgentOS, ApprovalService) for name in dir(service)}
    assert not {name for name in held if "decide" in name or "decision" in name or name in ("approve", "reject")}
    importers = set()
    rooms = [path for path in ROOT.iterdir() if path.is_dir() and path.name not in ("tests", "benchmarks")]
    inside = (path for room in rooms if not room.name.startswith(".") for path in room.rglob("*.py"))
    for path in (*ROOT.glob("*.py"), *inside):
        place, text = path.relative_to(ROOT), path.read_text(encoding="utf-8")
        if "ecisions" not in text or any(part.startswith(".") for part in place.parts):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (
                (node.module or "").endswith("approvals.decisions") or any(a.name == "Decisions" for a in node.names)
            ):
                importers.add(place.as_posix())
    of_dashboard = {"daemon.py", "features/dashboard/visit.py"}
    of_dashboard |= {f"interfaces/http/{name}.py" for name in ("app", "mounting", "service")}
    assert importers == {"database.py", "interfaces/cli/approvals.py", *of_dashboard}


@every("url", ["https://hooks.example.com/x?y=1", "http://127.0.0.1:8080/", "http://localhost/a", "http://[::1]:1/x"])
def test_a_webhook_is_https_or_of_this_machine(url: str) -> None:
    assert config.load(approval_webhook=url).approval_webhook.get_secret_value() == url
    assert url not in repr(config.load(approval_webhook=url))


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.com/",
        "http://10.0.0.1/",
        "http://localhost.example.com/",
        "ftp://127.0.0.1/",
        "https://",
        "https://ada:secret@host/",
        "https://10.0.0.1/",
        "https://192.168.1.9:8443/hook",
        "https://169.254.169.254/latest/meta-data",
        "https://[fe80::1]/",
        "https://[fd00::2]/",
        "https://0.0.0.0/",
        "https://a b/",
        "127.0.0.1:80",
        "http://[::1/",
    ],
)
def test_any_other_webhook_is_refused_without_repeating_it(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTOS_APPROVAL_WEBHOOK", url)
    with pytest.raises(config.SettingsError, match="AGENTOS_APPROVAL_WEBHOOK") as raised:
        config.load()
    assert "secret" not in str(raised.value)
    assert "AGENTOS_APPROVAL_WEBHOOK" not in config.index_environment()
