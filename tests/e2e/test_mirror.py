"""The Markdown mirror with a real daemon: its guide's commands work, an edit is found, and a kill loses nothing."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.commands import walked
from tests.e2e.conftest import DEADLINE_S, daemon_pid, end_daemon, environment
from tests.places import ROOT

SNIPPETS = re.findall(r"```bash\n(.*?)```", (ROOT / "docs/builders/mirror.md").read_text(encoding="utf-8"), re.S)


def until(done: Callable[[], bool]) -> None:
    give_up = time.monotonic() + DEADLINE_S
    while not done():
        assert time.monotonic() < give_up, "it did not come about"
        time.sleep(0.1)


def test_the_guide_works_and_edits_are_found_also_after_a_kill(home: Path, tmp_path: Path) -> None:
    home.mkdir(exist_ok=True, mode=0o700)
    commands = tmp_path / "bin"
    commands.mkdir()
    (commands / "agentos").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m agentos.interfaces.cli "$@"\n')
    (commands / "agentos").chmod(0o755)
    path = f"{commands}{os.pathsep}{os.environ['PATH']}"
    own = environment(home) | {"HOME": str(tmp_path), "PATH": path, "AGENTOS_EMBEDDING_MODEL": "none"}
    folder = tmp_path / "memories"

    def run(script: str) -> str:
        done = subprocess.run(["bash", "-euc", script], env=own, capture_output=True, text=True, timeout=DEADLINE_S)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def agentos(command: str) -> str:
        [done] = walked(command, own, tmp_path)
        return done.stdout

    def file_of(word: str) -> Path | None:
        return next((path for path in folder.glob("*.md") if word in path.read_text(encoding="utf-8")), None)

    try:
        first, second, third = SNIPPETS
        assert f"{folder}: " in run(first)
        until(lambda: file_of("Dana prefers tea.") is not None)
        write, recall = second.split("sleep 5\n")
        run(write)
        until(lambda: "harbour opens at six" in agentos(recall))
        assert "paused" in run(third)
        os.kill(daemon_pid(home), signal.SIGKILL)
        path = file_of("Dana prefers tea.")
        assert path is not None
        path.write_text(path.read_text(encoding="utf-8").replace("tea", "mate"), encoding="utf-8")
        agentos("agentos start")
        until(lambda: "prefers mate" in agentos("agentos list"))
        (folder / "damaged.md").write_text("---\ntags: [a\n---\nA text.\n", encoding="utf-8")
        until(lambda: "damaged.md" in json.loads(agentos("agentos mirror status --json"))["problems"])
        assert "damaged.md" in agentos("agentos doctor")
    finally:
        end_daemon(home)
