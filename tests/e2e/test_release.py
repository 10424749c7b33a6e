"""What a release has beside its wheel: links that start our wheel, an SBOM, checksums; and the workflow's words."""

import base64
import hashlib
import html
import importlib.util
import json
import re
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import yaml

from agentos.interfaces.cli.setup.launch import is_fetched
from agentos.modules.version import VERSION
from tests.places import ROOT

URL = f"https://forge.example.com/agentos/releases/download/v{VERSION}"


def test_a_release_is_complete(tmp_path: Path) -> None:
    wheel = tmp_path / f"agentos_mcp-{VERSION}-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    spec = importlib.util.spec_from_file_location("build_release", ROOT / "packaging/build_release.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.main([str(tmp_path), "--url", f"{URL}/"]) == 0

    names = {path.name for path in tmp_path.iterdir()}
    bundle, extension, bill = (
        f"agentos-{VERSION}.mcpb",
        f"agentos-gemini-{VERSION}.tar.gz",
        f"agentos-{VERSION}.cdx.json",
    )
    assert names == {wheel.name, bundle, extension, bill, "install.html", "SHA256SUMS"}
    sums = dict(reversed(line.split("  ")) for line in (tmp_path / "SHA256SUMS").read_text().splitlines())
    assert sums == {name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in names - {"SHA256SUMS"}}
    page = (tmp_path / "install.html").read_text(encoding="utf-8")
    cursor, code = (html.unescape(link) for link in re.findall(r'href="([^"]+)"', page))
    wanted = {"command": "uvx", "args": ["--python", ">=3.11", "--from", f"{URL}/{wheel.name}", "agentos-server"]}
    asked = parse_qs(urlsplit(cursor).query)
    assert asked["name"] == ["agentos"] and json.loads(base64.b64decode(asked["config"][0])) == wanted
    assert json.loads(unquote(code.removeprefix("vscode:mcp/install?"))) == {"name": "agentos", **wanted}
    assert not is_fetched([str(wanted["command"]), *wanted["args"]]), "it names a file, no name in a registry"
    parts = {part["name"]: part for part in json.loads((tmp_path / bill).read_text())["components"]}
    assert {"mcp", "pydantic-core", "chromadb", "pyyaml"} <= set(parts) and "pytest" not in parts
    assert parts["mcp"]["purl"] == f"pkg:pypi/mcp@{parts['mcp']['version']}"


def test_the_workflow_names_what_is_there() -> None:
    text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    [job] = yaml.safe_load(text)["jobs"].values()
    commands = "\n".join(step.get("run", "") for step in job["steps"])
    named = set(re.findall(r"(?:packaging|modules|tests|\.ci)/[\w./]+|constraints\.txt|CHANGELOG\.md", commands))
    assert len(named) == 5 and all((ROOT / name).exists() for name in named)
    pattern = re.search(r"s/\^VERSION = \"\\\(\.\*\\\)\"\$/", commands)
    assert pattern is not None and f'VERSION = "{VERSION}"\n' in (ROOT / "modules/version.py").read_text(
        encoding="utf-8"
    )
    assert {"attestations", "id-token"} < set(job["permissions"]) and "Untried" in text
