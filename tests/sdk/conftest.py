"""A served home for the Python SDK, and an environment that has nothing but its wheel."""

import subprocess
import sys
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from agentos_sdk import Client

from tests.e2e.test_serve import KEY, Serving
from tests.places import ROOT

SDK = ROOT / "sdk/python"
INSTALLED_WITHIN_S = 300


def end(serving: Serving) -> None:
    """End a server that may have ended."""
    if serving.process.poll() is None:
        serving.end()
    assert serving.process.stderr is not None
    serving.process.stderr.close()


@pytest.fixture(scope="session")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server that stays until the last test has run; each test has a namespace of its own."""
    one = Serving(tmp_path_factory.mktemp("served") / "home")
    yield one
    end(one)


@pytest.fixture
def namespace(tmp_path: Path) -> str:
    return tmp_path.name[:60]


@pytest.fixture
def client(serving: Serving, namespace: str) -> Iterator[Client]:
    with Client(serving.url, KEY, namespace=namespace) as one:
        yield one


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Makes environments: `installed("langgraph")` has the SDK's wheel with an extra; returns its Python."""
    folder = tmp_path_factory.mktemp("environments")
    wheels = folder / "wheels"

    def run(*command: str) -> None:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALLED_WITHIN_S)
        assert done.returncode == 0, done.stdout + done.stderr

    def make(extra: str = "") -> Path:
        if not wheels.exists():
            run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", f"--wheel-dir={wheels}", str(SDK))
        (wheel,) = wheels.glob("*.whl")
        place = folder / (extra or "plain")
        venv.create(place, with_pip=True)
        python = place / "bin/python"
        wanted = f"agentos-sdk[{extra}] @ {wheel.as_uri()}" if extra else str(wheel)
        run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted)
        return python

    return make
