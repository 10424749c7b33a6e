"""The TypeScript client, built by the compiler that its lock file names."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import home  # noqa: F401 - a fixture
from tests.e2e.test_serve import KEY, Serving

CLIENT = Path(__file__).parents[2] / "sdk/typescript"
WITHIN_S = 300


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """The output of a program that must succeed."""
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, timeout=WITHIN_S
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-20_000:]
    return done.stdout


@pytest.fixture(scope="session")
def built() -> Path:
    """The folder of the client with what it is built into; needs `npm ci` in it."""
    assert (CLIENT / "node_modules").is_dir(), "run: npm ci --prefix sdk/typescript"
    shutil.rmtree(CLIENT / "dist", ignore_errors=True)
    shutil.rmtree(CLIENT / "build", ignore_errors=True)
    run("npm", "run", "build", cwd=CLIENT)
    run("npm", "run", "build:test", cwd=CLIENT)
    return CLIENT


@pytest.fixture(scope="session")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that has installed the package as it would be published, and has a compiler."""
    folder = tmp_path_factory.mktemp("project")
    packed = run("npm", "pack", "--silent", "--pack-destination", folder, cwd=built).split()[-1]
    (folder / "package.json").write_text('{"type": "module", "private": true}')
    run("npm", "install", "--offline", "--no-audit", "--no-fund", f"./{packed}", cwd=folder)
    for package in (built / "node_modules").iterdir():
        if not package.name.startswith("."):
            (folder / "node_modules" / package.name).symlink_to(package)
    return folder


Serve = Callable[..., Serving]


@pytest.fixture
def serve(home: Path) -> Iterator[Serve]:  # noqa: F811
    """Serves the home, as often as it is called."""
    started: list[Serving] = []

    def one(listen: str = "127.0.0.1:0", **settings: str) -> Serving:
        started.append(Serving(home, listen, **settings))
        assert started[-1].url, started[-1].startup
        return started[-1]

    yield one
    for serving in started:
        if serving.process.poll() is None:
            serving.process.kill()
        serving.process.wait()
        assert serving.process.stderr is not None
        serving.process.stderr.close()


def access(serving: Serving, base_path: str = "") -> dict[str, str]:
    """The environment that a client finds a server by."""
    return {"AGENTOS_URL": serving.url + base_path, "AGENTOS_KEY": KEY}
