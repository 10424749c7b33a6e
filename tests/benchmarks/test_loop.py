"""`agentos bench loop`: every metric is a number with how it was measured, and leaving something out is seen."""

import json

import pytest

from agentos.interfaces.cli.running import run

METRICS = {
    "portability": 1,
    "merge rate": 1,
    "conflict rate": 1,
    "blocked actions": 1,
    "confirmations": 0.5,
    "replay fidelity": 1,
}


def test_the_loop_is_proved_and_what_is_left_out_is_missed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "loop", "--quick", "--model", "none", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    metrics = {one["name"]: one["value"] for one in report["metrics"]}
    assert {name: metrics[name] for name in METRICS} == METRICS
    assert len(metrics) == 9 and all(one["how"] for one in report["metrics"])
    assert metrics["task-state quality"] >= 0.5 and metrics["repeated context eliminated"] > 0
    tiers = {one["left_out"]: one for one in report["ablation"]}
    assert tiers["nothing"]["answered"] == 1
    for kind in ("working", "semantic + conversation", "procedural + conversation"):
        assert tiers[kind]["by_kind"][kind.split()[0]] == 0
    assert {one["way"] for one in report["costs"]} >= {"full history", "AgentOS", "last 10 exchanges"}
