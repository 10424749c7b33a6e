"""Passports and histories: a part of a memory carried away is a bundle, with its lineage, and comes in elsewhere."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentos.conformance import reader
from agentos.conformance.parts import Part, Scope, belongs
from agentos.interfaces.cli.running import run
from tests.places import ROOT
from tests.tables import every


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, Any]:
    capsys.readouterr()
    code = run([str(one) for one in arguments])
    out = capsys.readouterr().out
    return code, json.loads(out) if out.startswith(("{", "[")) else out


@every(
    "tags, session, scopes",
    [
        ([], None, "all project"),
        ([], "s1", "all personal"),
        (["Preference"], None, "all personal"),
        (["preference", "decision"], None, "all personal project"),
        (["team"], None, "all team project"),
        (["runbook"], "s1", "all team personal"),
        (["decision"], "s1", "all personal project"),
        (["lunch"], None, "all project"),
    ],
)
def test_the_scopes_of_a_memory(tags: list[str], session: str | None, scopes: str) -> None:
    memory = {"tags": json.dumps(tags), "session": session}
    assert {scope for scope in Scope if belongs(memory, scope)} == set(scopes.split())


@pytest.fixture
def home(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with four memories, of which one supersedes another."""
    monkeypatch.setenv("AGENTOS_DAEMON", "off")
    home = tmp_path / "home"
    at = ("--home", home, "--agent", "ann")
    for text, *more in (
        ("The deploy runs on Tuesdays", "--tag", "decision"),
        ("Ann prefers short answers", "--tag", "preference"),
        ("Two people review each change", "--tag", "team"),
    ):
        assert run_json(capsys, "remember", text, *more, *at)[0] == 0
    _, listed = run_json(capsys, "list", *at, "--json")
    old = next(one["id"] for one in listed["results"] if "Tuesdays" in one["content"])
    replacing = ("remember", "The deploy runs on Fridays", "--tag", "decision", "--supersedes", old)
    assert run_json(capsys, *replacing, *at)[0] == 0
    return home


def contents(file: Path) -> set[str]:
    return {row["content"] for row in Part.of(file.read_bytes().splitlines()).memories.values()}


def test_a_passport_holds_one_scope_opens_without_a_home_and_its_history_is_replayed_elsewhere(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    team, lineage = tmp_path / "team.jsonl", tmp_path / "lineage.jsonl"
    code, output = run_json(capsys, "passport", team, "--scope", "team", "--agent", "ann", "--home", home, "--json")
    assert (code, output["rows"]["memories"], output["uri"].partition("?")[2]) == (0, 1, "kind=passport&scope=team")
    assert reader.seal_of(team.read_bytes().splitlines())["integrity"] == "whole"
    assert contents(team) == {"Two people review each change"}
    shows = [run_json(capsys, "bundle", "open", team, "--format", form) for form in ("text", "html", "json")]
    assert all("Two people review" in str(shown) for _, shown in shows)

    newest = run_json(capsys, "list", "--home", home, "--agent", "ann", "--json")[1]["results"][0]["id"]
    assert run_json(capsys, "history", "export", newest, lineage, "--agent", "ann", "--home", home)[0] == 0
    before = Part.of(lineage.read_bytes().splitlines())
    assert contents(lineage) == {"The deploy runs on Tuesdays", "The deploy runs on Fridays"}
    assert len(before.relations) == 1
    assert run_json(capsys, "history", "replay", lineage, "--into", "ann", "--home", home)[0] == 3
    assert run_json(capsys, "history", "replay", lineage, "--into", "branch", "--home", home)[0] == 0
    assert run_json(capsys, "history", "replay", lineage, "--into", "branch", "--home", home)[0] == 3
    again = tmp_path / "again.jsonl"
    [now] = [one for one in run_json(capsys, "list", "--home", home, "--agent", "branch", "--json")[1]["results"][:1]]
    assert run_json(capsys, "history", "export", now["id"], again, "--agent", "branch", "--home", home)[0] == 0
    after = Part.of(again.read_bytes().splitlines())
    texts = [
        {
            (part.memories[r["from_id"]]["content"], r["type"], part.memories[r["to_id"]]["content"])
            for r in part.relations
        }
        for part in (before, after)
    ]
    assert texts[0] == texts[1]
    assert not before.memories.keys() & after.memories.keys()


def test_a_preview_writes_nothing_and_a_page_runs_nothing_that_a_memory_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTOS_DAEMON", "off")
    home, small, file = tmp_path / "home", ROOT / "conformance/fixtures/valid/small.jsonl", tmp_path / "all.jsonl"
    assert run(["remember", "<script>alert(1)</script> is how they tried", "--home", str(home), "--agent", "ann"]) == 0
    for option, new in (("--dry-run", 2), ("--dry-run", 2), ("--yes", 2), ("--dry-run", 0)):
        _, output = run_json(capsys, "import", small, option, "--home", home, "--json")
        assert output["new"].get("memories", 0) == new
        assert output["memories"] == {"create": new, "merge": output["known"].get("memories", 0), "conflict": 0}
    assert run_json(capsys, "passport", file, "--agent", "ann", "--home", home)[0] == 0
    _, shown = run_json(capsys, "bundle", "open", file, "--format", "html")
    assert "&lt;script&gt;" in shown
    assert "<script" not in shown
