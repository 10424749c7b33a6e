"""A fork has learnt what its parent was sure of, and is less sure; what it is surer of by then comes back."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agentos.modules.branches.learning import is_learnt, surer, taught
from agentos.modules.memory.models import Memory, MemoryType, Status
from tests.e2e.conftest import end_daemon
from tests.integration.portability.test_passports import run_json
from tests.tables import every

AT = datetime(2026, 1, 1, tzinfo=UTC)


def memory(name: str, content: str, confidence: float = 0.8, **more: Any) -> Memory:
    fields = {"memory_type": MemoryType.SEMANTIC, "metadata": {}, "source": "", **more}
    moments = dict.fromkeys(("occurred_at", "created_at", "updated_at", "accessed_at"), AT)
    about = {"summary": content, "tags": (), "importance": 0.5, "access_count": 0, "version": 1}
    return Memory(id=name, namespace="ann", content=content, confidence=confidence, **about, **moments, **fields)


@every(
    ("more", "expected"),
    [
        ({}, True),
        ({"memory_type": MemoryType.PROCEDURAL}, True),
        ({"memory_type": MemoryType.EPISODIC}, False),
        ({"memory_type": MemoryType.WORKING}, False),
        ({"session": "s1"}, False),
        ({"status": Status.CANDIDATE}, False),
        ({"status": Status.CONTESTED}, False),
        ({"valid_to": AT}, False),
        ({"confidence": 0.69}, False),
        ({"confidence": 0.7}, True),
    ],
)
def test_what_is_learnt_is_sure_stands_and_did_not_merely_happen(more: dict[str, Any], expected: bool) -> None:
    assert is_learnt(memory("mem_1", "x", **{"confidence": 0.8, **more}), 0.7) is expected


def test_a_fork_has_a_share_of_the_confidence_and_support_and_names_its_origin() -> None:
    copy = taught(memory("mem_1", "Lint first", metadata={"support": 5}, source="procedures"))
    assert copy is not None and copy.confidence == pytest.approx(0.68) and copy.source == "fork:ann"
    assert copy.metadata == {"support": 2, "forked_from": {"agent": "ann", "id": "mem_1"}}


@every(
    ("of_parent", "of_child", "expected"),
    [(0.8, 0.9, 0.9), (0.9, 0.8, None), (0.8, 0.8, None), (0.5, 0.75, 0.75)],
)
def test_a_merge_keeps_the_greater_confidence(of_parent: float, of_child: float, expected: float | None) -> None:
    there, mine = memory("mem_1", "Lint first", of_parent), memory("mem_2", "Lint first", of_child)
    confidences = {
        name: one.confidence for decision in surer([(mine, there)], "bea") for name, one in decision.standings.items()
    }
    assert confidences == ({} if expected is None else {"mem_1": expected})


@pytest.fixture
def served_home(tmp_path: Path) -> Iterator[Path]:
    """A home whose daemon, which the first command starts, answers them all."""
    yield tmp_path / "home"
    end_daemon(tmp_path / "home")


def test_an_agent_is_forked_learns_and_is_merged_back(served_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = ("--home", served_home)
    for text, kind in (("The build needs Node 20", "semantic"), ("Ann met Bob", "episodic")):
        assert run_json(capsys, "remember", text, "--type", kind, *home, "--agent", "ann")[0] == 0
    assert run_json(capsys, "fork", "ann", "bea", *home, "--json") == (
        0,
        {"parent": "ann", "child": "bea", "memories": 1},
    )
    assert run_json(capsys, "fork", "ann", "bea", *home)[0] == 3, "bea has memories now"
    [copy] = run_json(capsys, "list", *home, "--agent", "bea", "--json")[1]["results"]
    shown = run_json(capsys, "show", copy["id"], *home, "--agent", "bea", "--json")[1]
    assert shown["confidence"] == pytest.approx(0.7 * 0.85)
    for _ in range(2):
        assert run_json(capsys, "feedback", copy["id"], "confirm", *home, "--agent", "bea")[0] == 0
    assert run_json(capsys, "remember", "The tests need Redis", "--confidence", "0.9", *home, "--agent", "bea")[0] == 0
    assert run_json(capsys, "merge", "bea", "ann", *home, "--json")[1] == {
        "parent": "ann", "child": "bea", "new": 1, "surer": 1,
    }  # fmt: skip
    listed = run_json(capsys, "list", *home, "--agent", "ann", "--json")[1]["results"]
    assert {one["content"] for one in listed} == {"The build needs Node 20", "Ann met Bob", "The tests need Redis"}
    [known] = [one for one in listed if "Node" in one["content"]]
    assert run_json(capsys, "show", known["id"], *home, "--agent", "ann", "--json")[1]["confidence"] == 1.0
    assert run_json(capsys, "merge", "bea", "ann", *home, "--json")[1]["surer"] == 0
    assert run_json(capsys, "revert", known["id"], *home, "--agent", "ann")[0] == 0
    assert run_json(capsys, "show", known["id"], *home, "--agent", "ann", "--json")[1]["confidence"] == 0.7
    assert run_json(capsys, "edit", copy["id"], "--content", "The build needs Node 22", *home, "--agent", "bea")[0] == 0
    assert run_json(capsys, "merge", "bea", "ann", *home, "--json")[1] == {
        "parent": "ann", "child": "bea", "new": 1, "surer": 0,
    }  # fmt: skip
    assert run_json(capsys, "show", known["id"], *home, "--agent", "ann", "--json")[1]["confidence"] == 0.7
