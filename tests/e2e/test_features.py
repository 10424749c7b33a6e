"""Features that the settings do not name: no job, tool, route, command or view is there, and nothing is imported."""

import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

from agentos import features
from agentos.config import FEATURES as NAMES
from agentos.daemon_pkg import plugged
from agentos.interfaces.cli import app as cli
from agentos.interfaces.cli.outcome import CommandFailure
from agentos.interfaces.cli.running import run
from agentos.interfaces.http.rest.routes import operations
from agentos.interfaces.stdio.front.handshake import CAPABILITIES_KEY, MODERN, PROTOCOL_VERSION_KEY, Handshake
from agentos.modules.plugins.loading import LoadedPlugins
from agentos.tools.bound import BoundTools, bind
from agentos.tools.catalog import all_tools
from agentos.tools.plugged import bind_all
from agentos.tools.serving import apps_of
from tests.tables import every

from .conftest import DEADLINE_S, environment

JOBS = {"anchors": {"code_anchors"}, "procedures": {"procedure_miner"}}
JOBS |= {name: {name} for name in ("consolidation", "lessons", "sync", "tiers")}
TOOLS_OF = {
    "ask": {"memory_ask"},
    "attachments": {"attachment_get", "attachment_list"},
    "compat": {
        *("approval_decide", "approval_get_details", "approval_history"),
        *("add_conversation_memory", "add_memory", "get_user_profile"),
        *("retrieve_conversation_memory", "retrieve_memory"),
        *("consolidate_session", "get_knowledge_graph", "get_patterns", "list_sessions"),
        *("recall_memory", "save_memory", "summarize_session"),
        *("create_lesson", "get_observations", "memory_search_guide", "search", "search_lessons", "timeline"),
    },
    "consolidation": {"consolidate", "consolidation_list"},
    "procedures": {"procedure_promote", "procedures_mine", "procedures_relevant"},
    "profile": {"profile_get", "profile_set"},
    "tiers": {"tiers_recall", "tiers_restore", "tiers_status"},
}
"""By names that no other tool has."""
ROUTES = {
    "anchors": {"/anchors", "/anchors/{memory_id}", "/anchors/{memory_id}/confirm"},
    "ask": {"/ask"},
    "attachments": {"/attachments", "/attachments/{memory_id}"},
    "lessons": {"/lessons", "/lessons/{id}", "/lessons/{id}/retire", "/lessons/{id}/restore"},
    "consolidation": {"/consolidations", "/sessions/{session}/consolidations"},
    "procedures": {"/procedures", "/procedures/mine", "/procedures/{id}/promote"},
    "profile": {"/profile", "/profile/{key}"},
    "sealed": {"/sealed", "/sealed/search", "/sealed/{memory_id}"},
    "tiers": {"/tiers", "/tiers/recall", "/tiers/{segment}/restore"},
}
COMMANDS = {
    "anchors": {"anchors"},
    "ask": {"ask"},
    "attachments": {"attach", "attachments"},
    "connectors": {"connect"},
    "dashboard": {"open"},
    "gateway": {"chat", "gateway"},
    "ingest": {"ingest"},
    "lessons": {"lessons"},
    "sync": {"sync"},
    "teams": {"team"},
    "tiers": {"tiers"},
}
LISTS = {"id": 1, "method": "tools/list", "params": {"_meta": {PROTOCOL_VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}}}
WORKS = """
import asyncio, sys
from agentos import config, database
from agentos.daemon_pkg import plugged
from agentos.interfaces.http.mounting import mounts_of
from agentos.interfaces.http.service import HttpService
from agentos.interfaces.http.rest.routes import operations
from agentos.modules.clock import system_clock
from agentos.modules.store_request import StoreRequest
from agentos.tools.bound import bind
from agentos.tools.catalog import all_tools
from agentos.tools.serving import apps_of

async def work(settings):
    async with database.opened(settings, system_clock) as (agentos, _):
        await agentos.memory.store("ana", StoreRequest("Builds run on Tuesdays", tags=("connector",)))
        await agentos.memory.search("ana", "build")
        for job in plugged.all_jobs(plugged.jobs(), agentos.features):
            await job.run_everywhere(agentos)
        print("there:", await agentos.anchors(), await agentos.sync(), await agentos.connectors("ana"))

settings = config.load()
apps_of(settings.features, views=True, forms=True)
mounts_of(settings)
operations(bind(all_tools(settings.features)), settings.features)
asyncio.run(work(settings))
loaded = {name.split(".", 3)[3] for name in sys.modules if name.startswith("agentos.features.") and name.count(".") > 2}
print("imported:", *sorted(loaded - {"feature"}), *({"jinja2"} & {*sys.modules}))
"""


def test_settings_know_the_features_that_there_are() -> None:
    folders = {one.parent.name for one in Path(features.__path__[0]).glob("*/__init__.py")}
    assert folders == set(features.THERE) and {*JOBS, *TOOLS_OF, *ROUTES, *COMMANDS} <= folders
    assert set(cli.of_features()) == {name for names in COMMANDS.values() for name in names}


@pytest.fixture(scope="module")
def bound() -> BoundTools:
    return bind(all_tools(None))


@pytest.mark.parametrize("off", NAMES)
def test_a_feature_that_is_not_named_is_not_there(
    off: str, bound: BoundTools, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    on = [name for name in NAMES if name != off]

    def jobs(names: list[str]) -> set[str]:
        return {job.name for job in plugged.all_jobs(LoadedPlugins((), ()), names)}

    def tools(names: list[str]) -> set[str]:
        listed = {entry.tool.name for entry in bind_all(names).all_tools}
        front = Handshake(
            frozenset(tool.toolset for tool in all_tools(None) if tool.toolset), features=frozenset(names)
        )
        assert {tool["name"] for tool in front.result_of(LISTS)["tools"]} == listed
        return listed

    def routes(names: list[str]) -> set[str]:
        return {route.path for route, _ in operations(bound, names)}

    def commands(names: list[str]) -> set[str]:
        monkeypatch.setenv("AGENTOS_FEATURES", ",".join(names) or "none")
        return set(group.list_commands(context))

    monkeypatch.setenv("AGENTOS_HOME", str(tmp_path / "home"))
    group = typer.main.get_group(cli.app)
    context = typer.Context(group)
    assert jobs(list(NAMES)) - jobs(on) == JOBS.get(off, set())
    assert tools(list(NAMES)) - tools(on) == TOOLS_OF.get(off, set())
    assert routes(list(NAMES)) - routes(on) == ROUTES.get(off, set())
    assert commands(list(NAMES)) - commands(on) == COMMANDS.get(off, set())
    for name in COMMANDS.get(off, ()):
        with pytest.raises(CommandFailure, match=f"the feature {off} is off"):
            group.get_command(context, name)
    apps = apps_of(on, views=True, forms=True)
    assert (apps.views is None, apps.forms is None) == (off == "apps", off == "apps")


def test_a_command_is_there_by_the_settings_of_the_home_that_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("AGENTOS_FEATURES", raising=False)
    for name, on in (("on", ""), ("off", "none")):
        (tmp_path / name).mkdir(mode=0o700)
        (tmp_path / name / ".env").write_text(f"AGENTOS_FEATURES={on}\n")

    @every(
        ("default", "named", "there"),
        [
            ("on", ["--home", "off"], False),
            ("off", ["--home", "on"], True),
            ("off", ["--home=off", "--home=on"], True),
            ("on", ["--json", "--home=./off"], False),
            ("on", [], True),
            ("off", [], False),
        ],
    )
    def said(default: str, named: list[str], there: bool) -> None:
        monkeypatch.setenv("AGENTOS_HOME", str(tmp_path / default))
        monkeypatch.chdir(tmp_path)
        code = run(["sync", "status", *named])
        assert ("the feature sync is off" in str(capsys.readouterr())) is not there, code

    said()


def test_where_all_are_off_nothing_of_them_is_imported(tmp_path: Path) -> None:
    env = {**environment(tmp_path / "home"), "AGENTOS_FEATURES": "none", "AGENTOS_EMBEDDING_MODEL": "none"}
    env |= {"AGENTOS_HTTP_COMPAT": "agentmem,memoryos"}
    done = subprocess.run(
        (sys.executable, "-c", WORKS), env=env, capture_output=True, text=True, timeout=DEADLINE_S, cwd=tmp_path
    )
    assert done.stdout.splitlines() == ["there: None None None", "imported:"], done.stdout + done.stderr
