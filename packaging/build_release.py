"""Builds what a release has beside its wheel: bundles, links that install with one click, an SBOM, and checksums.

    pip wheel --no-deps --wheel-dir dist .
    python packaging/build_release.py dist --url https://forge.example.com/agentos/releases/download/v2.0.0

`--url` is where the release's files will be found. The SBOM names the packages of the environment that runs this, as
far as AgentOS needs them. Nothing is downloaded.
"""

import argparse
import base64
import hashlib
import html
import importlib.util
import json
import sys
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
NAME = "agentos-mcp"
PROGRAM = "agentos-server"


def main(arguments: list[str] | None = None) -> int:
    """Build all of it into the folder of the wheel, and print the names of the files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the wheel is, and where the rest goes")
    parser.add_argument("--url", required=True, help="where the release's files will be found")
    options = parser.parse_args(arguments)
    folder: Path = options.folder
    [wheel] = folder.glob("*.whl")
    version = wheel.name.split("-")[1]
    if _script("build_bundles").main([str(folder)]):
        return 1
    server = entry(f"{options.url.rstrip('/')}/{wheel.name}")
    (folder / "install.html").write_text(page(version, links(server)), encoding="utf-8")
    (folder / f"agentos-{version}.cdx.json").write_text(json.dumps(sbom(version), indent=1) + "\n", encoding="utf-8")
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (folder / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    sys.stdout.writelines(f"{path.name}\n" for path in (*files, folder / "SHA256SUMS"))
    return 0


def entry(wheel: str) -> dict[str, Any]:
    """Return the server's entry: uv starts it out of a wheel at an address, never by its name in a registry."""
    return {"command": "uvx", "args": ["--python", ">=3.11", "--from", wheel, PROGRAM]}


def links(server: dict[str, Any]) -> dict[str, str]:
    """Return a link for each client that installs a server by one."""
    own = json.dumps(server, separators=(",", ":"))
    named = json.dumps({"name": "agentos", **server}, separators=(",", ":"))
    encoded = quote(base64.b64encode(own.encode()).decode(), safe="")
    return {
        "Cursor": f"cursor://anysphere.cursor-deeplink/mcp/install?name=agentos&config={encoded}",
        "VS Code": f"vscode:mcp/install?{quote(named, safe='')}",
    }


def page(version: str, links: dict[str, str]) -> str:
    """Return a page with the links, which forges leave out of their own texts."""
    items = "".join(f'<li><a href="{html.escape(link)}">{client}</a></li>' for client, link in links.items())
    title = f"Install AgentOS {version}"
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
    body = f"<h1>{title}</h1><p>Needs uv. The client asks before it installs anything.</p><ul>{items}</ul>"
    return f"{head}{body}</html>\n"


def sbom(version: str) -> dict[str, Any]:
    """Return the packages that AgentOS needs in this environment, as a CycloneDX document."""
    found: dict[str, str] = {}
    waiting = [Requirement(line) for line in metadata.requires(NAME) or ()]
    while waiting:
        needed = waiting.pop()
        name = canonicalize_name(needed.name)
        if name in found or (needed.marker is not None and not needed.marker.evaluate({"extra": ""})):
            continue
        one = metadata.distribution(needed.name)
        found[name] = one.version
        waiting += [Requirement(line) for line in one.requires or ()]
    components = [
        {"type": "library", "name": name, "version": found[name], "purl": f"pkg:pypi/{name}@{found[name]}"}
        for name in sorted(found)
    ]
    about = {"component": {"type": "application", "name": NAME, "version": version}}
    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": about, "components": components}


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / f"packaging/{name}.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


if __name__ == "__main__":
    sys.exit(main())
