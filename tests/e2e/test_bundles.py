"""The plugin, the extension, the bundle and the registry's entry: one version, true texts, accepted by their hosts."""

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from agentos.interfaces.cli.setup.clients import CLIENTS
from agentos.interfaces.cli.setup.instructions import INSTRUCTIONS
from agentos.modules.context.tokens import estimate
from agentos.modules.version import SIGNATURE, VERSION
from agentos.tools.catalog import all_tools
from tests.e2e.conftest import Start, Wire
from tests.places import ROOT
from tests.tables import every

PLUGIN = ROOT / "plugin"
TOOL_NAME = re.compile(r"`((?:memory|goal|reflection|context|insight)_\w+)`")


def read(path: str) -> Any:
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


def test_every_version_is_the_same() -> None:
    handshake = (ROOT / "interfaces/stdio/front/handshake.jsonl").read_text(encoding="utf-8")
    versions = {
        "claude plugin": read("plugin/.claude-plugin/plugin.json")["version"],
        "marketplace": read(".claude-plugin/marketplace.json")["plugins"][0]["version"],
        "codex plugin": read("plugin/.codex-plugin/plugin.json")["version"],
        "gemini extension": read("plugin/gemini/gemini-extension.json")["version"],
        "bundle": read("packaging/mcpb/manifest.json")["version"],
        "server.json": read("server.json")["version"],
        "handshake": set(re.findall(r'"name": "agentos", [^}]*?"version": "([^"]+)"', handshake)),
    }
    assert versions.pop("handshake") == {VERSION}
    assert versions == dict.fromkeys(versions, VERSION)
    for name in ("README.md", "llms-install.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert set(re.findall(r"AgentOS [\d.]+ \(.*?\)", text)) == {SIGNATURE}
        assert set(re.findall(r"agentos_mcp-([\d.]+)-py3", text)) <= {VERSION}


def test_the_registry_s_entry_names_no_package_and_the_readme_says_whose_it_is() -> None:
    registry = read("server.json")
    assert "packages" not in registry, "one of our name is another project's"
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", registry["name"])
    assert len(registry["description"]) <= 100 and len(registry["title"]) <= 100
    assert f"<!-- mcp-name: {registry['name']} -->" in (ROOT / "README.md").read_text(encoding="utf-8")


@every(
    "path",
    [
        *(path.relative_to(ROOT).as_posix() for path in sorted(PLUGIN.rglob("*")) if path.suffix in (".md", ".toml")),
        "llms-install.md",
    ],
)
def test_texts_name_tools_that_exist(path: str) -> None:
    named = set(TOOL_NAME.findall((ROOT / path).read_text(encoding="utf-8")))
    assert named <= {tool.name for tool in all_tools(None)}


def test_standing_instructions_are_short_and_the_same_everywhere() -> None:
    assert set(TOOL_NAME.findall(INSTRUCTIONS)) <= {tool.name for tool in all_tools(None)}
    assert estimate(INSTRUCTIONS) <= 250
    assert (PLUGIN / "gemini/GEMINI.md").read_text(encoding="utf-8") == INSTRUCTIONS
    for command in ("recall", "remember"):
        body = (PLUGIN / f"commands/{command}.md").read_text(encoding="utf-8").split("---\n", 2)[2].strip()
        known = tomllib.loads((PLUGIN / f"gemini/commands/{command}.toml").read_text(encoding="utf-8"))
        assert known["prompt"].strip() == body.replace("$ARGUMENTS", "{{args}}")


def test_the_documentation_names_every_client_and_file() -> None:
    text = (ROOT / "docs/clients.md").read_text(encoding="utf-8")
    for known in CLIENTS:
        assert f"`{known.key}`" in text and f"| {known.title} | `{known.key}`" in text
        assert known.project is None or f"`{known.project.removeprefix('{project}/')}`" in text
    keys = re.findall(
        r"one of ([\w, -]+)\.", (ROOT / "llms-install.md").read_text(encoding="utf-8").replace("\n  ", "")
    )
    assert keys[0].split(", ") == [known.key for known in CLIENTS]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the script builds, with the bundle's folder."""
    spec = importlib.util.spec_from_file_location("build_bundles", ROOT / "packaging/build_bundles.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    target = tmp_path_factory.mktemp("dist")
    assert script.main([str(target), "--folder"]) == 0
    return target


def test_the_bundle_holds_a_server_that_starts_from_it(built: Path) -> None:
    folder = built / f"agentos-{VERSION}"
    with zipfile.ZipFile(built / f"agentos-{VERSION}.mcpb") as archive:
        names = set(archive.namelist())
    assert {"manifest.json", "pyproject.toml", "icon.png", "agentos/server.py"} <= names
    assert any(name.endswith(".sql") for name in names) and not any("__pycache__" in name for name in names)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    started = subprocess.run(
        (sys.executable, str(folder / manifest["server"]["entry_point"]), "--version"),
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
        env={"PATH": "/usr/bin:/bin"},
    )
    assert started.stdout == f"{SIGNATURE}\n"
    required = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert any(name.startswith("mcp>=") for name in required) and any("minilm" in name for name in required)


def unpacked(built: Path, folder: Path) -> list[str]:
    """The command that a host starts once it has unpacked the bundle into a folder, as the manifest tells it."""
    with zipfile.ZipFile(built / f"agentos-{VERSION}.mcpb") as archive:
        archive.extractall(folder)
    config = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["server"]["mcp_config"]
    return [config["command"], *(word.replace("${__dirname}", str(folder)) for word in config["args"])]


def test_an_installed_bundle_searches_by_meaning(built: Path, tmp_path: Path, start: Start) -> None:
    """With the packages that are here, in the place of those that uv would install (tests/clients)."""
    folder = tmp_path / "installed"
    uv, run, directory, where, entry_point = unpacked(built, folder)
    assert (uv, run, directory, where) == ("uv", "run", "--directory", str(folder))
    server = start(tmp_path / "home", [sys.executable, str(folder / entry_point)], tmp_path, {"PYTHONPATH": ""})
    searches_by_meaning(server)


def searches_by_meaning(server: Wire) -> None:
    """A server that has just been started keeps two notes, finds one by its meaning and ends."""
    server.initialize()
    server.call("memory_store", content="The physician advised more sleep and less coffee")
    server.call("memory_store", content="The parcel to Lisbon was lost in the mail")
    [best, *_] = server.search_by_meaning("what did the doctor recommend?")
    assert best["content"].startswith("The physician")
    assert server.end() == 0
