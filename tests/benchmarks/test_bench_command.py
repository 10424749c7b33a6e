"""`agentos bench retrieval`, by hand, on a conversation of three turns."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentos.interfaces.cli.outcome import ExitCode
from agentos.interfaces.cli.running import run
from tests.tables import every

DATA = {
    "name": "tiny",
    "stores": [
        {
            "name": "talk",
            "items": [
                {
                    "id": f"turn {number}",
                    "session": "one",
                    "occurred_at": "2024-05-01T09:00:00Z",
                    "content": content,
                }
                for number, content in enumerate(
                    ["Ada: I adopted a kitten", "Bob: the lease ends in March", "Ada: the cello is hard to learn"]
                )
            ],
            "questions": [
                {"text": "When does the lease end?", "category": "when", "evidence": ["turn 1"]},
                {"text": "Which pet lives with us?", "category": "what", "evidence": ["turn 0"]},
            ],
        }
    ],
}


def bench(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (sys.executable, "-c", "from agentos.interfaces.cli import main; main()", "bench", "retrieval", *arguments),
        cwd=folder,
        env={**os.environ, "AGENTOS_HOME": "/nobody/asks/for/this"},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_a_setting_that_there_is_not_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    (tmp_path / "tiny.json").write_text(json.dumps(DATA), encoding="utf-8")
    for given in ("RERANKER=x", "RERANKER_MODEL"):
        answer = bench("--data", "tiny.json", "--setting", given, folder=tmp_path)
        assert (answer.returncode, answer.stdout) == (2, "")
        assert f"--setting is NAME=VALUE, with the name of a setting of AgentOS: '{given}'" in answer.stderr


def test_what_was_asked_for_and_did_not_work_is_no_result(tmp_path: Path) -> None:
    (tmp_path / "tiny.json").write_text(json.dumps(DATA), encoding="utf-8")
    answer = bench(
        *("--data", "tiny.json", "--systems", "agentos"),
        *("--setting", "EMBEDDING_MODEL=none", "--setting", "AGENTOS_RERANKER_MODEL=/no/folder"),
        folder=tmp_path,
    )
    assert answer.returncode == 1
    assert "FAILED agentos: " in answer.stdout
    assert "not reranked: AGENTOS_RERANKER_MODEL names the folder /no/folder" in answer.stdout


def test_one_command_gives_the_table_the_report_and_the_rows(tmp_path: Path) -> None:
    (tmp_path / "tiny.json").write_text(json.dumps(DATA), encoding="utf-8")
    systems = ("agentos", "agentos-without-model", "bm25", "vectors")
    answer = bench(
        *("--data", "tiny.json", "--systems", ",".join(systems), "--resamples", "50"),
        *("--json", "report.json", "--rows", "rows.jsonl", "--markdown"),
        folder=tmp_path,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "### tiny: 2 questions" in answer.stdout and "| agentos | 1.000 |" in answer.stdout
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    by_name = {system["system"]: system for system in report["data"][0]["systems"]}
    assert tuple(by_name) == systems
    ours = by_name["agentos"]
    assert ours["figures"]["R@1"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    assert ours["categories"]["when"]["questions"] == 1
    assert ours["difference"]["R@1"]["mean"] == 0.5, "words alone do not find the kitten"
    assert ours["search_ms"]["≤ 1,000 items"]["searches"] == 2
    assert ours["tokens"]["history"] > 0 and ours["relevance"] is not None
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 2 * len(systems)
    assert rows[0]["found"][0] == "turn 1" and rows[0]["R@1"] == 1


def test_help_and_refusals_are_those_of_the_benchmark(tmp_path: Path) -> None:
    helped = bench("--help", folder=tmp_path)
    assert helped.returncode == 0 and "--longmemeval FILE" in helped.stdout
    refused = bench("--data", "nowhere.json", folder=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.startswith("agentos: the data nowhere.json cannot be read")
    assert refused.stderr.endswith("Try: agentos bench retrieval --help\n")


@every("words", [["loop", "--seed", "x"], ["loop", "more"], ["retrieval", "--nonsense"], ["retrieval"]])
def test_wrong_arguments_are_refused_as_those_of_every_command(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["bench", *words]) == ExitCode.WRONG_USE
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith("agentos: ") and "usage:" not in captured.err
    assert f"Try: agentos bench {words[0]} --help" in captured.err
    report = ["report.json"] if words[0] == "retrieval" else []
    assert run(["bench", *words, "--json", *report]) == ExitCode.WRONG_USE
    error = json.loads(capsys.readouterr().out)["error"]
    assert (error["code"], error["exit_code"]) == ("wrong_use", 2)


def test_a_peer_that_is_missing_fails_the_run_but_not_the_others(tmp_path: Path) -> None:
    (tmp_path / "tiny.json").write_text(json.dumps(DATA), encoding="utf-8")
    answer = bench(
        *("--data", "tiny.json", "--systems", "bm25", "--peers", "mem0", "--peer-python", sys.executable),
        folder=tmp_path,
    )
    assert answer.returncode == 1
    assert "tiny: 2 questions" in answer.stdout
    assert "FAILED mem0: ModuleNotFoundError" in answer.stdout and "pip install mem0ai" in answer.stdout
