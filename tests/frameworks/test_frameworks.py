"""Each adapter works in the real library, in an environment of its own, at a live server; and so does its page."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agentos.modules.principals.models import Role
from tests.e2e.conftest import environment
from tests.e2e.test_serve import Serving
from tests.places import ROOT

PAGE = (ROOT / "docs/builders/frameworks.md").read_text(encoding="utf-8")
SECTION = re.compile(r"^## [^\n]+\n\n`pip install \"\./sdk/python\[([\w-]+)\]\"`.*?^```python\n(.*?)^```", re.M | re.S)
SHOWN = dict(SECTION.findall(PAGE))
CASES = {path.stem.replace("_", "-"): path for path in (Path(__file__).parent / "cases").glob("*.py")}
WITHIN_S = 240


def settings_of(serving: Serving, tmp_path: Path, name: str) -> dict[str, str]:
    """Return the environment of a program with a key as `agentos keys create NAME` makes it."""
    made = {"name": name, "role": Role.WRITER.value, "namespaces": {name: "write", "maria": "write"}}
    status, key = serving.request("POST", "/api/v1/keys", made)
    assert status == 201, key
    quiet = {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true", "CREWAI_STORAGE_DIR": str(tmp_path)}
    own = {**environment(tmp_path / "home"), "HOME": str(tmp_path), **quiet}
    return {**own, "AGENTOS_URL": serving.url, "AGENTOS_KEY": key["secret"]}


def run(python: Path, program: tuple[str, ...], settings: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        (str(python), *program), env=settings, cwd=tmp_path, capture_output=True, text=True, timeout=WITHIN_S
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-8000:]


def test_every_framework_has_a_case_and_a_section() -> None:
    assert SHOWN.keys() == CASES.keys()


@pytest.mark.parametrize("name", sorted(CASES))
def test_it_works_in_the_real_library(
    installed: Callable[..., Path], serving: Serving, tmp_path: Path, name: str
) -> None:
    python = installed(name)
    run(python, ("-P", str(CASES[name])), settings_of(serving, tmp_path, name), tmp_path)
    run(python, ("-c", SHOWN[name]), settings_of(serving, tmp_path, f"{name}-page"), tmp_path)
    packages = {path.name for path in python.parent.parent.glob("lib/*/site-packages/*")}
    assert not packages & {"agentos", "torch"}
