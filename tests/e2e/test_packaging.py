"""What stands beside the code and must not drift from it: settings, pinned dependencies, versions, links."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from agentos.config import PREFIX, Settings
from agentos.modules.version import VERSION
from tests.places import ROOT
from tests.unit.test_architecture import imports

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def distribution(requirement: str) -> str:
    """The normalized name in a requirement."""
    name = re.match(r"[\w.-]+", requirement)
    assert name is not None, requirement
    return re.sub(r"[-_.]+", "-", name.group()).lower()


def test_the_example_of_an_env_file_lists_exactly_the_settings_with_their_defaults(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listed = dict(re.findall(rf"^#{PREFIX}(\w+)=(.*)$", (ROOT / ".env.example").read_text(encoding="utf-8"), re.M))
    assert [name.lower() for name in listed] == list(Settings.model_fields)
    monkeypatch.delenv("XDG_DATA_HOME")
    assert Path(listed.pop("HOME")).expanduser().is_absolute()
    chosen = Settings.model_validate({name.lower(): value for name, value in listed.items()})
    for name in listed:
        assert getattr(chosen, name.lower()) == Settings.model_fields[name.lower()].default, name


def test_the_example_of_an_env_file_explains_every_setting() -> None:
    blocks = re.split(r"\n\n+", (ROOT / ".env.example").read_text(encoding="utf-8").strip())[1:]
    assert all(re.match(r"# \S", block) for block in blocks)


def test_every_dependency_is_pinned_to_one_version_without_a_path() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in pins)
    project = PROJECT["project"]
    required = [
        *project["dependencies"],
        *(entry for more in project["optional-dependencies"].values() for entry in more),
    ]
    assert {distribution(requirement) for requirement in required} <= {distribution(pin) for pin in pins}
    assert len({distribution(pin) for pin in pins}) == len(pins)


def test_the_package_is_typed_and_its_link_leads_to_the_root() -> None:
    only = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    assert "py.typed" in only and (ROOT / "py.typed").is_file()
    assert (ROOT / ".src" / "agentos").resolve() == ROOT
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert packages - {"training", "benchmarks"} <= set(only), "a folder with code is missing from the wheel"


def test_the_wheel_has_every_module_that_one_of_its_modules_imports_and_nothing_to_train_or_test_with() -> None:
    command = (sys.executable, str(ROOT / "packaging/build_bundles.py"), "--list")
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    files = {ROOT / name.removeprefix("agentos/") for name in listed}
    assert all(path.is_file() for path in files) and ROOT / "benchmarks/retrieval/command.py" in files
    for path in (path for path in files if path.suffix == ".py"):
        assert imports(path) <= files, path
    others = {path for path in files if path.suffix in (".json", ".jsonl", ".npz", ".toml")}
    assert {path.relative_to(ROOT).parts[0] for path in others} == {
        "modules",
        "storage",
        "features",
        "interfaces",
        "conformance",
    }
    assert not any("fixtures" in path.parts or "training" in path.parts for path in files)


def test_the_source_distribution_holds_what_clients_install_from_it() -> None:
    targets = PROJECT["tool"]["hatch"]["build"]["targets"]
    assert targets["sdist"] == {"exclude": [".src"]}, "everything that git holds, plugin and server.json included"
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    assert not {"plugin/", "packaging/", "server.json", ".agents/", ".claude-plugin/"} & set(ignored)
    assert all((ROOT / name).exists() for name in ("plugin/.mcp.json", "packaging/mcpb/manifest.json", "server.json"))


def test_the_changelog_knows_the_version() -> None:
    assert f"## [{VERSION}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
