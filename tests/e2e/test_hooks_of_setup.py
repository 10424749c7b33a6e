"""Two sessions of Claude Code on a machine that `agentos setup` has just set up: the second knows what the first did.

The fixtures are what the client sends, event by event; this is the client: it runs what its settings say.
"""

import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import DEADLINE_S, Wire, end_daemon

FIXTURES = Path(__file__).parent / "fixtures" / "claude-code"
SETUP = (sys.executable, "-m", "agentos.interfaces.cli", "setup")
MATCHED_BY = {"SessionStart": "source", "PreCompact": "trigger", "SessionEnd": "reason"}


class ClaudeCode:
    """A client that reads its settings in a home and runs the hooks that they name."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "home", folder / "shop"
        self.data = self.home / ".local" / "share" / "agentos"
        self.home.mkdir()
        self.project.mkdir()

    @property
    def environment(self) -> Mapping[str, str]:
        path = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "TMPDIR") if name in os.environ}
        return {**path, "HOME": str(self.home), "HF_HUB_OFFLINE": "1"}

    def setup(self, *options: str) -> None:
        command = (*SETUP, "--client", "claude-code", "--yes", *options)
        subprocess.run(command, env=self.environment, cwd=self.project, check=True, timeout=DEADLINE_S)

    def replay(self, name: str) -> list[tuple[str, str]]:
        """Run the hooks of a recorded session, one event after the other; each event with the context that it got."""
        lines = (FIXTURES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        events = [json.loads(line.replace("PROJECT", str(self.project))) for line in lines]
        return [(event["hook_event_name"], self.context(event)) for event in events]

    def context(self, payload: Mapping[str, Any]) -> str:
        """What all hooks of an event add to the conversation."""
        event = payload["hook_event_name"]
        settings = json.loads((self.home / ".claude" / "settings.json").read_bytes())
        subject = str(payload.get(MATCHED_BY.get(event, "tool_name"), ""))
        contexts = []
        for entry in settings["hooks"].get(event, []):
            matcher = entry.get("matcher", "*")
            if matcher == "*" or re.fullmatch(matcher, subject):
                contexts += [self._run(hook, payload) for hook in entry["hooks"]]
        return "".join(contexts)

    def _run(self, hook: Mapping[str, Any], payload: Mapping[str, Any]) -> str:
        done = subprocess.run(
            (hook["command"], *hook["args"]),
            input=json.dumps(payload).encode(),
            env={**self.environment, "CLAUDE_PROJECT_DIR": str(self.project)},
            cwd=self.project,
            capture_output=True,
            timeout=DEADLINE_S,
        )
        assert (done.returncode, done.stderr) == (0, b""), done
        output = json.loads(done.stdout)
        assert set(output) <= {"hookSpecificOutput"}
        specific = output.get("hookSpecificOutput", {"hookEventName": payload["hook_event_name"]})
        assert specific["hookEventName"] == payload["hook_event_name"]
        return str(specific.get("additionalContext", ""))

    @contextmanager
    def session(self) -> Iterator[Wire]:
        """A session: its server, as the settings name it, runs beside the hooks."""
        entry = json.loads((self.home / ".claude.json").read_bytes())["mcpServers"]["agentos"]
        command = ("env", "-u", "AGENTOS_HOME", entry["command"], *entry["args"])
        wire = Wire(self.project.parent / "server", command, self.project, {**self.environment, "XDG_DATA_HOME": ""})
        try:
            wire.initialize()
            wire.call("memory_list")  # a daemon has answered
            yield wire
            assert wire.end() == 0
        finally:
            wire.kill()

    def rows(self, sql: str) -> list[Any]:
        with closing(sqlite3.connect(f"file:{self.data}/agentos.db?mode=ro", uri=True)) as connection:
            return connection.execute(sql).fetchall()

    def files(self) -> dict[str, bytes]:
        """Every file of the user but our data, and what the model's runtime caches."""
        excluded = (self.data, self.home / ".cache")
        paths = [path for path in self.home.rglob("*") if path.is_file()]
        return {str(p): p.read_bytes() for p in paths if not any(map(p.is_relative_to, excluded))}


@pytest.fixture
def claude(tmp_path: Path) -> Iterator[ClaudeCode]:
    client = ClaudeCode(tmp_path)
    yield client
    end_daemon(client.data)


def test_the_second_session_knows_what_the_first_did_and_uninstall_leaves_no_trace(claude: ClaudeCode) -> None:
    (claude.home / ".claude").mkdir()
    (claude.home / ".claude" / "settings.json").write_text('{"model": "opus"}', encoding="utf-8")
    before = claude.files()
    claude.setup()

    with claude.session() as model:
        rule = {"trigger": {"tool": "Bash", "contains": "git push"}}
        model.call("memory_store", content="Never push on Fridays", tags=["rule"], metadata=rule)
        model.call("memory_store", content="The staging database of the shop listens on port 6543", importance=0.2)
        for text in STRONGER:
            model.call("memory_store", content=text, importance=0.9)
        first = claude.replay("first")
    compacted = [context for event, context in first if event == "SessionStart"][1]
    assert "## Where this session was" in compacted and "src/checkout.py" in compacted
    give_up = time.monotonic() + DEADLINE_S
    while not claude.rows("SELECT 1 FROM memories WHERE content LIKE '%checkout%' AND session IS NOT NULL"):
        assert time.monotonic() < give_up, "the daemon's job makes an observation of what was done"
        time.sleep(0.05)
    assert claude.rows("SELECT count(*) FROM events WHERE type = 'tool_call'") == [(4,)], "no todo list, no subagent"

    with claude.session():
        start, asked, haiku, yes, push, *_ = [context for _, context in claude.replay("second")]
    assert "off by a few cents" in start and "src/checkout.py" in start, "what was done"
    assert "port 6543" not in start and STRONGER[-1] in start, "of what was kept, what matters most"
    assert "port 6543" in asked, "and with a prompt, what is relevant for it"
    assert haiku == yes == "", "but nothing with one that nothing is known about"
    assert "Never push on Fridays" in push

    claude.setup("--uninstall")
    assert claude.files() == before


STRONGER = (
    "The shop's invoices are numbered by year",
    "Ada decides about the shop's prices",
    "The shop ships to Norway since May",
    "Refunds of the shop take five days",
    "The shop's logo is a blue heron",
    "The warehouse of the shop is in Ghent",
    "The shop's newsletter goes out on Mondays",
    "Coupons of the shop end after a year",
    "The shop takes no cash on delivery",
    "The shop's oldest supplier is Brouwer",
    *(f"Shelf {number} of the warehouse of the shop holds the parcels of route {number + 100}" for number in range(35)),
)
"""More memories than a briefing shows."""
