"""Views and forms as others take them: by the official TypeScript SDK of both eras, and by the Inspector."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import DEADLINE_S, SERVER, Wire, end_daemon, environment
from tests.e2e.test_apps import NO_MODEL, plant

VIEWS = {"context_get_snapshot": "ui://agentos/snapshot", "memory_questions": "ui://agentos/questions"}


@pytest.fixture
def server(home: Path) -> Iterator[Wire]:
    """A server whose daemon serves the clients after it too."""
    wire = Wire(home, settings=NO_MODEL)
    wire.initialize()
    yield wire
    wire.kill()
    end_daemon(home)


def output(home: Path, *command: str | Path) -> str:
    """What a program says that must succeed, beside the home."""
    env = {**environment(home), **NO_MODEL, "PATH": os.environ["PATH"]}
    done = subprocess.run(command, cwd=home.parent, env=env, capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_typescript_sdk_shows_views_and_asks_by_forms(home: Path, server: Wire) -> None:
    inspector = Path(shutil.which("mcp-inspector") or "").resolve()
    packages = next(folder for folder in inspector.parents if folder.name == "node_modules")
    (home.parent / "node_modules").symlink_to(packages)
    script = shutil.copy(Path(__file__).with_name("apps.mjs"), home.parent)
    for era in ("legacy", "auto"):
        plant(server, home, era)
        told = json.loads(output(home, "node", script, era, *SERVER))
        [message] = told.pop("asked")
        assert f"The {era} demo is on Thursday" in message
        pages = dict.fromkeys(VIEWS.values(), True)
        assert told == {"views": VIEWS, "pages": pages, "refused": True, "open": 0}


def test_the_inspector_finds_the_views_and_that_they_reach_nothing(home: Path, server: Wire) -> None:
    settings = {"AGENTOS_HOME": str(home), **NO_MODEL}  # a server gets no more of the environment than is named here
    named = [part for name, value in settings.items() for part in ("-e", f"{name}={value}")]
    options = ("--advertise-apps", "--app-info", "--method", "tools/list", "-q", *named, *SERVER)
    told = [json.loads(line) for line in output(home, "mcp-inspector", "--cli", *options).splitlines()]
    assert {one["toolName"]: one["resourceUri"] for one in told if one["hasApp"]} == VIEWS
    assert not any(places for one in told if one["hasApp"] for places in one["csp"].values())
