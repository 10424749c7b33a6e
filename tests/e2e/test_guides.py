"""The guides that no other test walks through: every command of theirs works in a home of its own, line by line."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.commands import walked
from tests.e2e.conftest import end_daemon, environment
from tests.places import ROOT

Walk = Callable[[str], str]


@pytest.fixture
def walk(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Walk]:
    """Runs the commands of a page as its reader would, and returns what they printed."""
    (tmp_path / "work").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    own = {**environment(home), "AGENTOS_EMBEDDING_MODEL": "none"}

    def walk_through(page: str) -> str:
        output = ""
        for block in re.findall(r"```bash\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.S):
            for done in walked(block, own, tmp_path / "work"):
                fine = (0, 1, 2) if done.args == ["doctor"] else (0,)
                assert done.returncode in fine, f"{done.args}\n{done.stdout}{done.stderr}"
                output += done.stdout + done.stderr
        return output

    yield walk_through
    end_daemon(home)


def test_documents_and_old_conversations_come_in(walk: Walk, tmp_path: Path) -> None:
    handbook = tmp_path / "work/handbook"
    handbook.mkdir()
    (handbook / "leave.md").write_text("# Handbook\n\n## Leave\nParental leave is sixteen weeks.\n", encoding="utf-8")
    assert "sixteen weeks" in walk("docs/builders/files.md")
    projects = tmp_path / ".claude/projects/-work-shop"
    projects.mkdir(parents=True)
    turns = [("user", "Where does the client live?"), ("assistant", "The client of the shop lives in Porto.")]
    lines = [
        {
            "type": role,
            "sessionId": "s1",
            "uuid": f"u{number}",
            "timestamp": f"2026-01-02T10:0{number}:00Z",
            "message": {"role": role, "content": text},
        }
        for number, (role, text) in enumerate(turns)
    ]
    (projects / "s1.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    output = walk("docs/builders/back-fill.md")
    assert output.count("lives in Porto") > 1, "previewed, and found"


def test_setup_and_the_background(walk: Walk, home: Path, tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    output = walk("docs/builders/setup.md")
    assert "+AGENTOS_PATTERN_MIN_FREQUENCY=2" in output and "the settings of the profile coding" in output
    assert '+    "command": ' in output and "+openai-api-base" in output
    assert not (home / ".env").exists() or "AGENTOS_" not in (home / ".env").read_text(encoding="utf-8")
    output = walk("docs/teams/containers.md")
    assert output.count("running, process") == 2 and "stopped" in output
