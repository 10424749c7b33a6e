"""`agentos bundle`: bundles looked into by a person or a script, without any store."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

from tests.places import ROOT

FIXTURES = ROOT / "conformance/fixtures"
MAIN = "from agentos.interfaces.cli import main; main()"
SMALL = FIXTURES / "valid/small.jsonl"


def run(*arguments: str | Path) -> "subprocess.CompletedProcess[bytes]":
    """`agentos bundle` with arguments, in an environment of its own."""
    command = (sys.executable, "-c", MAIN, "bundle", *map(str, arguments))
    return subprocess.run(command, capture_output=True, timeout=120, check=False, env={**os.environ, "NO_COLOR": "1"})


def test_the_normal_form_goes_to_a_pipe_or_to_a_new_private_file(tmp_path: Path) -> None:
    spelled, normal = FIXTURES / "valid/spellings.jsonl", (FIXTURES / "normal/spellings.jsonl").read_bytes()
    assert run("normalise", spelled).stdout == normal
    target = tmp_path / "normal.jsonl"
    assert run("normalise", spelled, "--output", target).returncode == 0
    assert target.read_bytes() == normal and stat.S_IMODE(target.stat().st_mode) == 0o600
    again = run("normalise", SMALL, "--output", target)
    assert again.returncode == 3 and b"already exists" in again.stderr and target.read_bytes() == normal


def test_validate_says_what_is_wrong_and_ends_with_a_code() -> None:
    good = run("validate", SMALL)
    assert good.returncode == 0 and b"valid: schema 9" in good.stdout
    checked = run("validate", FIXTURES / "unfit/no-such-status.jsonl", "--json")
    answer = json.loads(checked.stdout)
    assert checked.returncode == 1 and not answer["valid"]
    assert [(one["code"], one["line"]) for one in answer["complaints"]] == [("schema", 3)]
    assert b"status" in run("validate", FIXTURES / "unfit/no-such-status.jsonl").stdout
    broken = run("validate", FIXTURES / "invalid/row-changed.jsonl")
    assert broken.returncode == 1 and b"their hash" in broken.stdout
    unknown = run("validate", FIXTURES / "valid/unknown-fields.jsonl")
    assert unknown.returncode == 0 and b"memories.mood" in unknown.stdout and b"line.note" in unknown.stdout
    assert run("validate", "no-such-file").returncode == 4
    assert run("validate").returncode == 2


def test_diff_names_rows_and_columns_and_ends_as_diff_does(tmp_path: Path) -> None:
    same = run("diff", SMALL, FIXTURES / "valid/spellings.jsonl")
    assert same.returncode == 0 and same.stdout == b"both bundles have the same contents\n"
    other = FIXTURES / "valid/unknown-fields.jsonl"
    found = json.loads(run("diff", SMALL, other, "--json").stdout)
    changed = {(row["table"], row["is_in"], *row["columns"]) for row in found["rows"]}
    assert not found["same"] and changed == {("memories", "both", "mood"), ("goals", "both", "colour")}
    shown = run("diff", SMALL, FIXTURES / "valid/empty.jsonl")
    assert shown.returncode == 1 and b"first" in shown.stdout and b"sealed_1" in shown.stdout
    broken = run("diff", SMALL, FIXTURES / "invalid/cut-off.jsonl")
    assert broken.returncode == 4 and b"cut-off.jsonl: ends too early" in broken.stderr
