"""The wheel of the Python SDK: light, typed, current, and what its pages show works in an environment of its own."""

import os
import re
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.conftest import environment
from tests.e2e.test_serve import KEY, Serving
from tests.places import ROOT
from tests.tables import every
from tests.terminal import at_terminal

PAGES = ("sdk/python/README.md", "docs/builders/sdk-python.md")
SNIPPET = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
SNIPPETS = [(page, snippet) for page in PAGES for snippet in SNIPPET.findall((ROOT / page).read_text(encoding="utf-8"))]
COMMANDS = re.findall(r"^```bash\n(.*?)^```", (ROOT / PAGES[1]).read_text(encoding="utf-8"), re.M | re.S)[0]
SECRET = re.compile(r"\bagos_\w{16,}")
DEADLINE_S = 120


def test_it_brings_httpx_alone(installed: Callable[..., Path], tmp_path: Path) -> None:
    python = installed()
    program = (
        "import agentos_sdk, importlib.metadata as m, importlib.util as u\n"
        "assert not any(map(u.find_spec, ('agentos', 'mcp', 'chromadb', 'pydantic', 'numpy')))\n"
        "print(*sorted(d.name.lower() for d in m.distributions()))\n"
    )
    done = subprocess.run((python, "-W", "error", "-c", program), capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    brought = {"agentos-sdk", "anyio", "certifi", "h11", "httpcore", "httpx", "idna", "sniffio", "typing_extensions"}
    assert set(done.stdout.split()) <= {*brought, "pip", "setuptools"}


@pytest.fixture(scope="module")
def guided(serving: Serving, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A Python and a key, made as the guide says."""
    place = tmp_path_factory.mktemp("guide") / "venv"
    venv.create(place, with_pip=True)
    path = f"{place / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    ours = {**serving.environment, "PATH": path, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    code, shown = at_terminal(("bash", "-euc", COMMANDS), ours, cwd=ROOT)  # only a person makes a key
    found = SECRET.search(shown)
    assert code == 0 and found is not None, shown
    return place / "bin/python", found[0]


@every("page, snippet", SNIPPETS)
def test_what_the_pages_show_works(
    guided: tuple[Path, str], serving: Serving, tmp_path: Path, page: str, snippet: str
) -> None:
    python, key = guided
    settings = {**environment(tmp_path / "home"), "AGENTOS_URL": serving.url}
    settings["AGENTOS_KEY"] = KEY if "import_bundle" in snippet else key
    del settings["AGENTOS_HOME"]
    done = subprocess.run(
        (python, "-W", "error", "-c", snippet),
        env=settings,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert done.returncode == 0, snippet + done.stderr


def test_it_is_typed_strictly() -> None:
    command = (sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", f"--cache-dir={os.devnull}")
    done = subprocess.run(command, cwd=ROOT / "sdk/python", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
