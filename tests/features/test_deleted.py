"""Features whose folders are deleted, each alone and all at once: the rest works as before."""

import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from agentos.features import THERE
from agentos.modules.abilities import PAGE, VIEWS
from tests.places import ROOT
from tests.unit.test_architecture import ROOMS

WITHIN_S = 600.0
"""How long a program may take, even on a busy machine."""
COMMANDS = {"attachments": "attach", "connectors": "connect", "gateway": "chat", "mirror": "mirror", "teams": "team"}
COMMANDS |= {"dashboard": "open"}
COMMANDS |= {name: name for name in ("anchors", "ask", "ingest", "lessons", "sync", "tiers")}
JOBS = {"anchors": "- code_anchors ", "procedures": "- procedure_miner "}
JOBS |= {name: f"- {name} " for name in ("consolidation", "lessons", "sync", "tiers")}
SHOWS_VIEWS = {"extensions": {VIEWS: {"mimeTypes": [PAGE]}}}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": SHOWS_VIEWS, "clientInfo": {"name": "test", "version": "1"}}
STANDS_ON_FEATURES = (
    "--ignore=tests/unit/anchors",
    "--ignore=tests/unit/apps",
    "--ignore=tests/unit/ask",
    "--ignore=tests/unit/connectors",
    "--ignore=tests/unit/consolidation",
    "--ignore=tests/unit/dashboard",
    "--ignore=tests/unit/gateway",
    "--ignore=tests/unit/lessons",
    "--ignore=tests/unit/mirror",
    "--ignore=tests/unit/procedures",
    "--ignore=tests/unit/profile",
    "--ignore=tests/unit/sync",
    "--ignore=tests/unit/tiers",
    "--ignore=tests/unit/test_architecture.py",
    "--ignore=tests/unit/interfaces/test_typescript_source.py",
    "--deselect=tests/unit/interfaces/test_doctor_settings.py::"
    "test_a_setting_that_only_a_feature_reads_is_told_where_the_feature_is_off",
    "--deselect=tests/unit/interfaces/test_hooks_and_tools.py::test_what_hooks_take_for_keeping_are_tools_that_write",
    "--deselect=tests/unit/interfaces/test_place.py::"
    "test_features_are_those_of_the_settings_and_views_are_there_with_theirs",
)
"""Leaves out the unit tests of features, and those of the tree of files, and of the SDK's types, as they are."""


def without(others: Sequence[str], folder: Path) -> Path:
    """Return what a copy of the package is importable from, with no features but these."""
    package = folder / "only" / "agentos"
    package.mkdir(parents=True)
    for path in ROOT.glob("*.py"):
        shutil.copy2(path, package)
    for room in ROOMS:  # compiled as they are: each start is quicker
        shutil.copytree(ROOT / room, package / room)
    (package / "benchmarks").symlink_to(ROOT / "benchmarks")
    for name in {*THERE}.difference(others):
        shutil.rmtree(package / "features" / name)
    return package.parent


@pytest.mark.parametrize("deleted", [*THERE, "all"])
def test_the_rest_works_without_the_folder_of_a_feature(deleted: str, tmp_path: Path) -> None:
    names = [name for name in THERE if deleted not in (name, "all")]
    env = {name: value for name, value in os.environ.items() if not name.startswith("AGENTOS_")}
    env |= {"PYTHONPATH": str(without(names, tmp_path)), "AGENTOS_HOME": str(tmp_path / "home")}
    env |= {"AGENTOS_EMBEDDING_MODEL": "none", "AGENTOS_TOOLSETS": "jobs,ask", "AGENTOS_DAEMON_LINGER_S": "60"}

    def ran(*given: str, worst: int = 0) -> str:
        command = (sys.executable, "-m", "agentos.interfaces.cli", *given)
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=WITHIN_S)
        assert done.returncode <= worst, done.stdout + done.stderr
        assert "Traceback" not in done.stdout + done.stderr
        return done.stdout + done.stderr

    def called(tool: str, **given: str) -> str:
        return asked("tools/call", {"name": tool, "arguments": given})

    def asked(method: str, given: dict[str, Any]) -> str:
        calls = (("initialize", HELLO), (method, given))
        command = (sys.executable, "-m", "agentos.server")
        with subprocess.Popen(command, env=env, cwd=tmp_path, stdin=PIPE, stdout=PIPE, text=True) as server:
            assert server.stdin is not None and server.stdout is not None
            for number, (name, one) in enumerate(calls):
                request = {"jsonrpc": "2.0", "id": number, "method": name, "params": one}
                print(json.dumps(request), file=server.stdin, flush=True)
            answers = map(json.loads, server.stdout)
            results = {one["id"]: one["result"] for one in itertools.islice(answers, len(calls))}
            server.stdin.close()
        assert ("resources" in results[0]["capabilities"]) is ("apps" in names)
        return json.dumps(results[1])

    commands = {line.split()[1] for line in ran("--help").splitlines() if line.startswith("│ ")}
    assert {"remember", "doctor"} <= commands
    assert commands & {*COMMANDS.values()} == {COMMANDS[name] for name in names if name in COMMANDS}
    assert "mem_" in called("memory_store", content="The garden gate is painted green")
    assert "painted green" in called("memory_search", query="garden gate")
    assert "painted green" in called("context_get_snapshot")
    assert ("memory_ask" in asked("tools/list", {})) is ("ask" in names)
    jobs = called("job_list")
    assert {name for name, job in JOBS.items() if job in jobs} == {*names} & {*JOBS}
    ran("doctor", worst=1)  # it may warn that no client is connected
    ran("stop")


def test_the_core_passes_its_own_tests_without_any(tmp_path: Path) -> None:
    paths = f"pythonpath={without((), tmp_path)} {ROOT / 'sdk/python'}"
    command = (sys.executable, "-m", "pytest", "-q", "-n", "0", "-o", paths, "tests/unit", *STANDS_ON_FEATURES)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=WITHIN_S)
    assert done.returncode == 0, done.stdout + done.stderr
