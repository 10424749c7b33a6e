"""The seeded conversation through a real server: memory remembers what the window has lost."""

import json
from pathlib import Path
from typing import Any

from agentos.benchmarks.cognition.__main__ import main


def test_the_measures_beat_their_baselines_on_a_seeded_conversation(tmp_path: Path, capsys: Any) -> None:
    report_path = tmp_path / "report.json"
    assert main(["--quick", "--json", str(report_path), "--folder", str(tmp_path)]) == 0
    report = json.loads(report_path.read_text(encoding="utf-8"))
    assert all(score["ours"] > score["baseline"] for score in report["scores"])
    lcs = next(score for score in report["scores"] if score["measure"] == "LCS")
    assert lcs["ours"] >= 0.7 and lcs["baseline"] == 0.0, report["missed"]
    assert report["facts_in_graph"] and report["habits"]
    [savings] = report["savings"]
    assert 0 < savings["with_memory"] < savings["without"]
    assert {"all: context_compile", "working: turn_window"} <= report["latency_ms"].keys()
    table = capsys.readouterr().out
    assert "overall" in table and "LCS" in table
