"""`agentos model install NAME`: a model of a hub, here a server on loopback that does all that can go wrong."""

import hashlib
import http.server
import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agentos.interfaces.cli.app import app
from agentos.interfaces.cli.languages import MULTILINGUAL
from agentos.storage.embedding import hub
from agentos.storage.embedding.default_weights import ModelFile
from agentos.storage.embedding.hub_install import MODEL_BYTES_MAX, chosen, install_hub_model, installed_hub_model
from agentos.storage.embedding.locate import EmbeddingUnavailable, locate
from agentos.storage.embedding.weights_install import InstallFailed
from tests.places import needs_weights
from tests.tables import every

NAME = "maker/small-e5"
REVISION = "5" * 40
LARGE = 1_000


def unwatched(what: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


class StubHub(http.server.BaseHTTPRequestHandler):
    """Lists and serves a model's files; large ones by a redirect, with ranges, and as wrong as `faults` say."""

    files: dict[str, bytes]
    asked: list[tuple[str, str | None]]
    faults: dict[str, Any]

    def do_GET(self) -> None:
        path, _, _ = self.path.partition("?")
        if path in (f"/api/models/{NAME}", f"/api/models/{MULTILINGUAL}"):
            self.answer(json.dumps({"sha": REVISION, "siblings": [*map(self.listed, self.files)]}).encode())
        elif path.startswith((f"/{NAME}/resolve/{REVISION}/", f"/{MULTILINGUAL}/resolve/{REVISION}/")):
            name = path.split(f"/{REVISION}/")[1]
            if len(self.files[name]) >= LARGE or name in self.faults.get("loop", ()):
                self.send_response(302)
                self.send_header("Location", path if name in self.faults.get("loop", ()) else f"/large/{name}")
                self.send_header("Content-Length", "0")
                self.end_headers()
            else:
                self.answer(self.files[name])
        elif path.startswith("/large/"):
            self.large(path.removeprefix("/large/"))
        else:
            self.send_error(404)

    def listed(self, name: str) -> dict[str, Any]:
        data = self.files[name]
        size = self.faults.get("sizes", {}).get(name, len(data))
        blob = hashlib.sha1(f"blob {len(data)}\0".encode() + data).hexdigest()
        entry = {"rfilename": name, "size": size, "blobId": blob}
        large = {"sha256": hashlib.sha256(data).hexdigest(), "size": size}
        return {**entry, "lfs": large} if len(data) >= LARGE else entry

    def large(self, name: str) -> None:
        asked = self.headers["Range"]
        self.asked.append((name, asked))
        data = self.faults.get("content", {}).get(name, self.files[name])
        begin = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        cut = self.faults.get("cut", {}).pop(name, None)
        self.answer(data[begin:], 206 if asked else 200, cut)

    def answer(self, data: bytes, status: int = 200, cut: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[:cut])

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[StubHub]]:
    StubHub.files = {
        "config.json": b'{"model_type": "xlm-roberta"}',
        "modules.json": b"[]",
        "tokenizer.json": b"{}",
        "README.md": b"of no use",
        "model.safetensors": b"w" * 5_000,
        "onnx/model.onnx": b"g" * (3 << 20),
        "onnx/model.onnx_data": b"d" * 2_000,
        "openvino/model.json": b"{}",
        "../outside.json": b"{}",
    }
    StubHub.asked, StubHub.faults = [], {}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), StubHub)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", address)
    monkeypatch.setattr(
        "agentos.storage.embedding.weights_sources.address_of",
        lambda repository, file, revision: f"{address}/{repository}/resolve/{revision}/{file}",
    )
    yield StubHub
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_model_is_fetched_whole_by_redirects_and_goes_on_where_it_was_cut_off(
    stub: type[StubHub], tmp_path: Path
) -> None:
    stub.faults["cut"] = {"onnx/model.onnx": 2 << 20}
    folder = install_hub_model(tmp_path, NAME, unwatched)
    kept = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    wanted = ("config.json", "modules.json", "tokenizer.json", "onnx/model.onnx", "onnx/model.onnx_data")
    assert kept == {name: stub.files[name] for name in wanted}
    ranges = [asked for name, asked in stub.asked if name == "onnx/model.onnx"]
    assert ranges[0] is None and ranges[1] is not None and 0 < int(ranges[1][6:-1]) <= 2 << 20
    assert installed_hub_model(tmp_path, NAME) == folder == tmp_path / f"maker--small-e5@{REVISION[:12]}"
    stub.asked.clear()
    assert install_hub_model(tmp_path, NAME, unwatched) == folder
    assert stub.asked == [], "what is there and whole is not fetched again"


def test_the_next_run_goes_on_with_what_an_earlier_one_has(stub: type[StubHub], tmp_path: Path) -> None:
    stub.faults["content"] = {"onnx/model.onnx_data": b"other" * 400}
    with pytest.raises(InstallFailed, match=r"onnx/model.onnx_data missing or with another sha256\. Run it again"):
        install_hub_model(tmp_path, NAME, unwatched)
    assert installed_hub_model(tmp_path, NAME) is None
    stub.faults.clear()
    stub.asked.clear()
    install_hub_model(tmp_path, NAME, unwatched)
    assert [name for name, _ in stub.asked] == ["onnx/model.onnx_data"]


@every(
    "faults, message",
    [
        ({"loop": ["config.json"]}, "cannot be reached"),
        ({"sizes": {"onnx/model.onnx": MODEL_BYTES_MAX}}, r"takes 4\.3 GB, more than 4\.3 GB"),
        ({"content": {"onnx/model.onnx": b"short"}}, "ended early|another sha256"),
    ],
)
def test_a_hub_that_is_wrong_installs_nothing(
    stub: type[StubHub], tmp_path: Path, faults: dict[str, Any], message: str
) -> None:
    stub.faults = faults
    with pytest.raises(InstallFailed, match=message):
        install_hub_model(tmp_path, NAME, unwatched)
    assert installed_hub_model(tmp_path, NAME) is None


@every("name", ["maker/absent", "../../etc", "a b/c"])
def test_what_the_hub_has_not_is_said(stub: type[StubHub], tmp_path: Path, name: str) -> None:
    with pytest.raises(InstallFailed, match=r"the hub has no model maker/absent|is no name of a model"):
        install_hub_model(tmp_path, name, unwatched)


@every(
    "names, wanted",
    [
        (["model.safetensors", "pytorch_model.bin"], "model.safetensors"),
        (["pytorch_model.bin", "training_args.bin"], "pytorch_model.bin"),
        (["tokenizer.json", "onnx/model.onnx", "model.safetensors"], "onnx/model.onnx"),
        (["onnx/model.onnx", "model.safetensors"], "model.safetensors"),
        (["tokenizer.json", "onnx/model.onnx", "2_Dense/model.safetensors"], "2_Dense/model.safetensors"),
        (["tokenizer.json", "onnx/model_quantized.onnx", "onnx/model.onnx"], "onnx/model_quantized.onnx"),
    ],
)
def test_the_smallest_set_of_files_that_can_be_run_is_fetched(names: list[str], wanted: str) -> None:
    files = [ModelFile(name, 1, "0" * 40) for name in ("config.json", *names)]
    found = [file.name for file in chosen(files, NAME)]
    assert wanted in found and found.count(wanted) == 1
    assert {name.rpartition(".")[2] for name in found} & {"bin", "safetensors", "onnx"} <= {
        wanted.rpartition(".")[2],
        *({"onnx"} if "Dense" in wanted else set()),
    }


@needs_weights
def test_one_option_sets_a_model_for_any_language_says_what_it_costs_and_sets_ours_again(
    stub: type[StubHub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = locate("all-MiniLM-L6-v2", True, tmp_path / "cache").folder
    names = ("config.json", "tokenizer.json", "modules.json", "1_Pooling/config.json", "model.safetensors")
    stub.files = {name: (source / name).read_bytes() for name in names}
    home = tmp_path / "home"
    env_file, line = home / ".env", f"AGENTOS_EMBEDDING_MODEL={MULTILINGUAL}\n"
    monkeypatch.setenv("AGENTOS_HOME", str(home))
    home.mkdir(0o700)
    env_file.write_text("AGENTOS_AGENT_ID=ann\n")
    env_file.chmod(0o600)

    def install(*words: str) -> Any:
        return CliRunner().invoke(app, ["model", "install", *words])

    assert install("--languages", "any", NAME).exit_code == install("--languages", "some").exit_code == 2
    done = install("--languages", "any")
    assert done.exit_code == 0, done.output
    assert all(said in done.stdout for said in ("MB", "ms on this machine", "English notes", "it is set")), done.stdout
    assert line in env_file.read_text() and "AGENTOS_AGENT_ID=ann\n" in env_file.read_text()
    assert env_file.stat().st_mode & 0o777 == 0o600
    assert json.loads(install("--languages", "any", "--json").stdout)["used"]
    assert env_file.read_text().count("EMBEDDING_MODEL") == 1
    assert install("--languages", "english", "--from", str(source)).exit_code == 0
    assert env_file.read_text() == "AGENTOS_AGENT_ID=ann\n"

    env_file.write_text("AGENTOS_EMBEDDING_MODEL=none\n")
    kept = install("--languages", "any")
    assert kept.exit_code == 0 and f"set AGENTOS_EMBEDDING_MODEL={MULTILINGUAL}" in kept.stderr
    assert env_file.read_text() == "AGENTOS_EMBEDDING_MODEL=none\n"


@needs_weights
def test_the_command_installs_a_model_that_runs_and_says_how_to_use_it(
    stub: type[StubHub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = locate("all-MiniLM-L6-v2", True, tmp_path / "cache").folder
    names = ("config.json", "tokenizer.json", "modules.json", "1_Pooling/config.json", "model.safetensors")
    stub.files = {name: (source / name).read_bytes() for name in names}
    stub.faults["cut"] = {"model.safetensors": 1_000_000}
    home = tmp_path / "home"
    monkeypatch.setenv("AGENTOS_HOME", str(home))
    done = CliRunner().invoke(app, ["model", "install", NAME])
    assert done.exit_code == 0, done.output
    assert "MB, with vectors of 384 values; a short text takes " in done.stdout
    assert f"set AGENTOS_EMBEDDING_MODEL={NAME}" in done.stderr
    models = home / "models"
    assert locate(NAME, True, models).folder.parent == models
    shutil.rmtree(models)
    with pytest.raises(EmbeddingUnavailable, match=f"run agentos model install {NAME}"):
        locate(NAME, True, models)
    assert locate(NAME, False, models).folder.parent == models
    monkeypatch.setenv("AGENTOS_EMBEDDING_MODEL", NAME)
    said = json.loads(CliRunner().invoke(app, ["model", "status", "--json"]).stdout)
    assert "maker--small-e5@" in said["found"] and said["vectors"] == "the vectors in the store are from this model"
    both = CliRunner().invoke(app, ["model", "install", NAME, "--from", str(source)])
    assert both.exit_code == 2
    assert hub.listing_of(NAME).endswith(f"/api/models/{NAME}?blobs=true")
