"""Plugins: the guide's sample brings a tool, a job and an observer; one that is broken is named and stops nothing."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import DEADLINE_S, Start, end_daemon, environment
from tests.places import ROOT

GUIDE = (ROOT / "docs/builders/plugins.md").read_text(encoding="utf-8")
[SAMPLE] = re.findall(r"```python\n(.*?)```", GUIDE, re.S)
[PROJECT] = re.findall(r"```toml\n(.*?)```", GUIDE, re.S)


TOOLS = """
from agentos.plugins import AgentOS, Answer, Tool, hookimpl

{0}

@hookimpl
def agentos_tools():
    return [{1}]
"""
FAILING = TOOLS.format(
    """
async def leaves(agentos: AgentOS, namespace: str) -> Answer:
    "Leave."
    raise SystemExit(3)

async def floods(agentos: AgentOS, namespace: str) -> Answer:
    "Flood."
    return Answer("x" * 2_000_000)

async def chatters(agentos: AgentOS, namespace: str) -> Answer:
    return Answer("x")
chatters.__doc__ = "Chatter. " * 5_000
""",
    "*(Tool(one, 'Fail') for one in (leaves, floods, chatters))",
)
EVASIVE = TOOLS.format("class Evasive(Tool): name = property(lambda self: 1 / 0)", "object.__new__(Evasive)")


def install(folder: Path, name: str, module: str, groups: list[str]) -> None:
    """Put a distribution into a folder as an installer would."""
    (folder / f"{name}.py").write_text(module, encoding="utf-8")
    info = folder / f"agentos_{name}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: agentos-{name}\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("".join(f"[{group}]\n{name} = {name}\n" for group in groups), "utf-8")


def once(job: str, in_use: dict[str, str]) -> str:
    """Run a job of the daemon, which must be done; return what it says on standard error."""
    command = (sys.executable, "-m", "agentos.daemon", "--once", job)
    done = subprocess.run(command, env=in_use, capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.stdout == f"{job}: done\n", done.stderr
    return done.stderr


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    folder = tmp_path / "packages"
    folder.mkdir()
    install(folder, "sample", SAMPLE, re.findall(r'entry-points."(.*?)"', PROJECT))
    install(folder, "broken", "raise SystemExit('not today')", ["agentos.tools", "agentos.jobs"])
    install(folder, "abrupt", "raise KeyboardInterrupt", ["agentos.jobs"])
    install(folder, "evasive", EVASIVE, ["agentos.tools"])
    install(folder, "failing", FAILING, ["agentos.tools"])
    install(folder, "greedy", SAMPLE.replace("memory_count", "memory_store"), ["agentos.tools"])
    return folder


def test_a_sample_adds_a_tool_a_job_and_an_observer_and_a_broken_one_stops_nothing(
    home: Path, start: Start, packages: Path
) -> None:
    settings = {
        "PYTHONPATH": str(packages),
        "AGENTOS_DAEMON_LINGER_S": "60",
        "AGENTOS_EMBEDDING_MODEL": "none",
    }
    in_use = {**environment(home), **settings}
    try:
        wire = start(settings=settings)
        wire.initialize()
        wire.call("memory_store", content="Deploys go out on Tuesdays.")
        output = once("queue_worker", in_use)  # from here on at the latest it is told
        once("greeter", in_use)
        assert wire.call("memory_count")["data"] == {"count": 2}
        for name in ("leaves", "floods"):
            failed = wire.request("tools/call", {"name": name, "arguments": {}})["result"]
            assert failed["isError"] and "internal error" in failed["content"][0]["text"]
        assert wire.call("memory_count")["data"] == {"count": 2}, "nobody else's call fails"
        output += once("queue_worker", in_use)
        assert "heard memory.store of mem_" in output + next(home.rglob("daemon.log")).read_text("utf-8")
        log = next(home.rglob("daemon.log")).read_text("utf-8")
        assert "plugin broken (agentos.tools): cannot be loaded: SystemExit: not today" in log
        assert "plugin greedy (agentos.tools): memory_store: the name is taken" in log
        wire.end()
        wire = start(settings=settings)
        wire.initialize()
        tools = {tool["name"]: tool for tool in wire.request("tools/list")["result"]["tools"]}
        assert tools["memory_count"]["description"] == "Count the memories of this namespace."
    finally:
        end_daemon(home)


def test_commands_name_what_plugins_bring_and_what_is_wrong_with_them(home: Path, packages: Path) -> None:
    env = {**environment(home), "PYTHONPATH": str(packages)}
    command = (sys.executable, "-m", "agentos.interfaces.cli", "plugins", "--json")
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=DEADLINE_S)
    listed = json.loads(done.stdout)
    assert done.returncode == 3
    assert [tuple(one.values()) for one in listed["plugins"]] == [
        ("failing", "tool", "leaves"),
        ("failing", "tool", "floods"),
        ("sample", "tool", "memory_count"),
        ("sample", "job", "greeter"),
        ("sample", "observer", "listener"),
    ]
    assert {(one["plugin"], one["group"]) for one in listed["problems"]} == {
        ("broken", "agentos.tools"),
        ("broken", "agentos.jobs"),
        ("abrupt", "agentos.jobs"),
        ("evasive", "agentos.tools"),
        ("failing", "agentos.tools"),
        ("greedy", "agentos.tools"),
    }
