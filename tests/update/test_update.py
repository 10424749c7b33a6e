"""`agentos update` in an environment of its own: a good version stays, a bad one goes with all that it did."""

import functools
import http.server
import importlib.util
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import tomllib
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from agentos.interfaces.cli.outcome import CommandFailure
from agentos.interfaces.cli.update import command, journal
from agentos.interfaces.cli.update.command import TAKING_BACK
from agentos.interfaces.cli.update.installing import installer_here, installer_of
from agentos.interfaces.cli.update.wheels import newest, write
from agentos.modules.version import BUILD, SIGNATURE, VERSION
from tests.places import ROOT

DEADLINE_S = 300
GOOD, BAD, NEVER = "2.0.1", "2.0.2", "2.1.0rc1"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DOCTOR, VERSION_FILE = "interfaces/cli/doctor/command.py", "modules/version.py"
CHECKED, RELEASED = re.findall(
    r"```bash\n(.*?)```", (ROOT / "docs/builders/updates.md").read_text(encoding="utf-8"), re.S
)
LAST = max(int(path.name[:3]) for path in (ROOT / "storage/sqlite/migrations").glob("*.sql"))


def package_files() -> list[str]:
    spec = importlib.util.spec_from_file_location("build_bundles", ROOT / "packaging/build_bundles.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return [str(name) for name in script.package_files()]


def wheel(folder: Path, version: str, *, alone: bool = False, **other: str) -> Path:
    """A wheel of what is here, as another version, with other texts in some files; `alone` needs no packages."""
    info = f"agentos_mcp-{version}.dist-info"
    scripts = "".join(f"{name} = {place}\n" for name, place in PROJECT["scripts"].items())
    needs = "" if alone else "".join(f"Requires-Dist: {name}\n" for name in PROJECT["dependencies"])
    contents = {f"agentos/{name}": (ROOT / name).read_bytes() for name in package_files()}
    source = contents[f"agentos/{VERSION_FILE}"].decode()
    contents[f"agentos/{VERSION_FILE}"] = source.replace(f'"{VERSION}"', f'"{version}"', 1).encode()
    contents |= {f"agentos/{name.replace('__', '/')}": text.encode() for name, text in other.items()}
    contents |= {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: agentos-mcp\nVersion: {version}\n{needs}".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{scripts}".encode(),
    }
    path = folder / f"agentos_mcp-{version}-py3-none-any.whl"
    write(path, contents)
    return path


class Installed:
    """An environment with this version in it, which sees the packages that are here, and a home."""

    def __init__(self, folder: Path) -> None:
        self.home, self.folder = folder / "home", folder
        self.install(wheel(folder, VERSION))

    def install(self, path: Path) -> None:
        """A virtual environment of the folder's own."""
        venv.create(self.folder / "venv", with_pip=True)
        self.bin, self.python = self.folder / "venv/bin", self.folder / "venv/bin/python"
        self.sees_packages(next((self.folder / "venv").glob("lib/python*/site-packages")))
        self.run(str(self.python), "-m", "pip", "install", "--no-index", "--no-deps", str(path))

    def sees_packages(self, site: Path) -> None:
        """A folder of packages, through which those of the tests are seen too."""
        here = [path for path in sys.path if path.endswith("site-packages")]
        (site / "here.pth").write_text("\n".join(here), encoding="utf-8")
        self.site = site

    @property
    def environment(self) -> dict[str, str]:
        own = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.folder), "PIP_NO_CACHE_DIR": "1"}
        return {**own, "AGENTOS_HOME": str(self.home), "AGENTOS_EMBEDDING_MODEL": "none"}

    def run(self, *words: str, code: int = 0, **settings: str) -> "subprocess.CompletedProcess[str]":
        own = {**self.environment, **settings}
        done = subprocess.run(words, env=own, cwd="/", capture_output=True, text=True, timeout=DEADLINE_S)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def agentos(self, *words: str, code: int = 0, **settings: str) -> Any:
        return json.loads(self.run(str(self.bin / "agentos"), *words, "--json", code=code, **settings).stdout)

    @property
    def version(self) -> str:
        return self.run(str(self.bin / "agentos"), "--version").stdout

    def recalled(self) -> list[str]:
        return [memory["content"] for memory in self.agentos("list")["results"]]


class OfUser(Installed):
    """What `pip install --user` makes, with a Python that has pip."""

    def install(self, path: Path) -> None:
        self.bin, self.python = self.folder / "base/bin", Path(sys.base_prefix, "bin/python3")
        if subprocess.run((self.python, "-m", "pip", "--version"), capture_output=True, check=False).returncode:
            pytest.skip("the Python that made this environment has no pip")
        options = ("--user", "--break-system-packages", "--no-index", "--no-deps")
        self.run(str(self.python), "-m", "pip", "install", *options, str(path))
        self.sees_packages(next((self.folder / "base").glob("lib/python*/site-packages")))

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, "PYTHONUSERBASE": str(self.folder / "base")}


class OfPipx(Installed):
    """What pipx makes; it is fetched into an environment of its own."""

    def install(self, path: Path) -> None:
        venv.create(self.folder / "pipx", with_pip=True)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        self.run(str(self.folder / "pipx/bin/pip"), "install", "--quiet", "pipx")
        (self.bin / "pipx").symlink_to(self.folder / "pipx/bin/pipx")
        self.run("pipx", "install", str(wheel(self.folder, VERSION, alone=True)))
        self.sees_packages(next((self.folder / "made").glob("venvs/*/lib/python*/site-packages")))

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, "PIPX_HOME": str(self.folder / "made"), "PIPX_BIN_DIR": str(self.bin)}


@contextmanager
def index_of(folder: Path) -> Iterator[str]:
    """A package index of the wheels in a folder's `simple/NAME/`, on loopback."""
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/simple"
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None: ...


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("installed"))


@pytest.fixture
def again(installed: Installed) -> Installed:
    """The environment with this version, whatever another test left there, and a home with a memory."""
    if [path.name for path in installed.site.glob("agentos_mcp-*.dist-info")] != [f"agentos_mcp-{VERSION}.dist-info"]:
        path = installed.folder / f"agentos_mcp-{VERSION}-py3-none-any.whl"
        options = ("--force-reinstall", "--no-index", "--no-deps")
        installed.run(str(installed.python), "-m", "pip", "install", *options, str(path))
    shutil.rmtree(installed.home, ignore_errors=True)
    installed.agentos("remember", "The harbour opens at six")
    return installed


def test_a_version_whose_doctor_fails_goes_with_all_that_it_did_and_a_good_one_stays(
    again: Installed, tmp_path: Path
) -> None:
    installed = again
    assert installed.version == f"{SIGNATURE}\n"
    wheel(tmp_path, NEVER)
    later = {f"storage__sqlite__migrations__{LAST + 1:03}_later.sql": "CREATE TABLE later (x TEXT) STRICT;\n"}
    bad = wheel(tmp_path, BAD, **later, **{DOCTOR.replace("/", "__"): "raise SystemExit(9)\n"})
    here = ("update", "--from", str(tmp_path))
    report = installed.agentos(*here, "--check")
    assert (report["installed"], report["newest"], report["action"]) == (VERSION, BAD, "available")
    assert installed.agentos(*here, code=3)["error"]["message"].endswith("add --yes to update")
    report = installed.agentos(*here, "--yes", code=3)
    assert (report["action"], report["problems"]) == ("rolled-back", ["its doctor does not run"])
    assert installed.version == f"{SIGNATURE}\n" and installed.recalled() == ["The harbour opens at six"]
    bad.unlink()
    sums = tmp_path / "SHA256SUMS"
    good = wheel(tmp_path, GOOD)
    sums.write_text(f"{'0' * 64}  {good.name}\n", encoding="utf-8")
    assert "does not match SHA256SUMS" in installed.agentos(*here, "--yes", code=3)["error"]["message"]
    sums.write_text(f"{sha256(good.read_bytes()).hexdigest()}  {good.name}\n", encoding="utf-8")
    installed.run("bash", "-euc", CHECKED.splitlines()[0].replace("dist", str(tmp_path)))
    report = installed.agentos(*here, "--yes")
    assert (report["action"], report["installed"], report["problems"]) == ("updated", GOOD, [])
    assert installed.version.startswith(f"AgentOS {GOOD} ") and installed.recalled() == ["The harbour opens at six"]
    assert Path(report["backup"]).is_file()
    assert installed.agentos(*here, "--yes")["action"] == "none"


def test_what_is_not_ours_is_not_installed(installed: Installed, tmp_path: Path) -> None:
    before = installed.version
    other = tmp_path / "agentos_mcp-9.0.0-py3-none-any.whl"
    write(other, {"agentos/__init__.py": b"raise SystemExit", "agentos_mcp-9.0.0.dist-info/METADATA": b""})
    for source, message in (
        (other, "not an AgentOS wheel"),
        (tmp_path, "not an AgentOS wheel"),
        (tmp_path / "none", "neither a wheel nor a folder"),
    ):
        code = 1 if source.name == "none" else 3
        assert message in installed.agentos("update", "--from", str(source), "--yes", code=code)["error"]["message"]
    assert "AGENTOS_OFFLINE" in installed.agentos("update", "--yes", code=3)["error"]["message"]
    assert installed.version == before


def test_what_lies_beside_a_wheel_that_was_named_is_no_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "agentos_mcp-9.0.0-py3-none-any.whl"
    assert command._links(path, offline=False) is None and command._links(tmp_path, offline=False) == tmp_path
    assert command._links(path, offline=True) == tmp_path
    content = f'BUILD = "{BUILD}"\nVERSION = "nine_x"\n'.encode()
    write(path, {"agentos/modules/version.py": content, "agentos_mcp-9.0.0.dist-info/METADATA": b""})
    with pytest.raises(CommandFailure, match="not an AgentOS wheel"):
        newest(tmp_path, pre=False)


@pytest.mark.parametrize("kind", [Installed, OfUser, OfPipx])
def test_an_index_has_the_newest_of_ours_for_whoever_installed_it(kind: type[Installed], tmp_path: Path) -> None:
    (project := tmp_path / "index/simple/agentos-mcp").mkdir(parents=True)
    (own := tmp_path / "own").mkdir()
    installed = kind(own)
    for version in (GOOD, BAD):
        wheel(project, version, alone=kind is OfPipx)
    wheel(project, NEVER)
    with index_of(tmp_path / "index") as url:
        report = installed.agentos("update", "--yes", AGENTOS_OFFLINE="false", PIP_INDEX_URL=url)
    assert (report["action"], report["installed"], report["problems"]) == ("updated", BAD, [])
    assert installed.version.startswith(f"AgentOS {BAD} ")
    assert [path.name for path in installed.site.glob("agentos_mcp-*.dist-info")] == [f"agentos_mcp-{BAD}.dist-info"]


def test_a_checkout_says_how_it_is_updated() -> None:
    with pytest.raises(
        CommandFailure, match=r"runs from the checkout .*: update it there with git pull, then .* -m pip install -e "
    ):
        installer_here()


def half_removed(installed: Installed) -> bool:
    return (installed.site / "~gentos").exists()


def at_step(name: str) -> Callable[[Installed], bool]:
    return lambda installed: (left := journal.found(installed.home)) is not None and left.step == name


taking_back = at_step(TAKING_BACK)


@pytest.mark.parametrize(
    ("broken", "moment"),
    [(False, half_removed), (False, at_step("examining")), (True, taking_back), (True, taking_back)],
    ids=["installing", "examining", "taking-back", "taking-back-the-memory"],
)
def test_an_update_that_is_killed_comes_to_an_end_afterwards(
    again: Installed, tmp_path: Path, broken: bool, moment: Callable[[Installed], bool], request: pytest.FixtureRequest
) -> None:
    other = {DOCTOR.replace("/", "__"): "raise SystemExit(9)\n"} if broken else {}
    later = {f"storage__sqlite__migrations__{LAST + 1:03}_later.sql": "CREATE TABLE later (x TEXT) STRICT;\n"}
    wheel(tmp_path, GOOD, **later, **other)
    command = (str(again.bin / "agentos"), "update", "--from", str(tmp_path), "--yes", "--json")
    with subprocess.Popen(command, env=again.environment, cwd="/", stderr=subprocess.DEVNULL) as process:
        give_up_at = time.monotonic() + DEADLINE_S
        while not moment(again):
            assert process.poll() is None and time.monotonic() < give_up_at
            os.sched_yield()
        # what it started goes with it, as when the power does
        started = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        for pid in (process.pid, *map(int, started)):
            os.kill(pid, signal.SIGKILL)
    script = again.home / journal.FOLDER / "take-back.sh"
    assert shlex.quote(str(again.site)) in script.read_text(encoding="utf-8")
    if request.node.callspec.id == "taking-back-the-memory":
        *packages, _migrated, _ended = script.read_text(encoding="utf-8").splitlines()
        again.run("sh", "-c", "\n".join(packages))  # and killed once more, before the memory
        assert again.agentos(*command[1:-1], code=3)["action"] == "rolled-back"
        assert again.version == f"{SIGNATURE}\n"
    elif moment is half_removed or broken:
        again.run("sh", str(script))
        assert again.version == f"{SIGNATURE}\n"
    else:
        assert again.agentos("doctor", code=1)["summary"]["error"] == 0
        assert again.agentos(*command[1:-1])["action"] == "none"
        assert again.version.startswith(f"AgentOS {GOOD} ")
    assert not script.exists() and again.recalled() == ["The harbour opens at six"]
    assert not list(again.site.glob("~*"))


def test_each_installer_is_known_by_what_it_left(tmp_path: Path) -> None:
    assert installer_of(tmp_path, "/p", "pip\n").name == installer_of(tmp_path, "/p", None).name == "pip"
    assert installer_of(tmp_path, "/p", "uv").install == ("uv", "pip", "install", "--python", "/p")
    (tmp_path / "pipx_metadata.json").touch()
    assert installer_of(tmp_path, "/p", "pip").install == ("pipx", "runpip", tmp_path.name, "install")


def test_uv_updates_what_uv_installed(tmp_path: Path) -> None:
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not on the PATH")
    installed = Installed(tmp_path)
    (installed.bin / "uv").symlink_to(os.path.realpath(uv))
    [installer] = installed.site.glob("agentos_mcp-*.dist-info/INSTALLER")
    installer.write_text("uv", encoding="utf-8")
    # uv sees the packages of the environment itself alone, and those of the tests are elsewhere
    wheel(tmp_path, BAD, alone=True, **{DOCTOR.replace("/", "__"): "raise SystemExit(9)\n"})
    report = installed.agentos("update", "--from", str(tmp_path), "--yes", code=3)
    assert report["problems"] == ["its doctor does not run"] and installed.version == f"{SIGNATURE}\n"


def test_the_guide_s_commands_build_a_release(tmp_path: Path) -> None:
    """With the network, since pip fetches what builds a wheel."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    script = re.sub(r"\bdist\b", str(tmp_path / "dist"), RELEASED)
    done = subprocess.run(("bash", "-euc", script), cwd=ROOT, env={**os.environ, "PATH": path}, timeout=DEADLINE_S)
    names = {path.name for path in (tmp_path / "dist").iterdir()}
    assert done.returncode == 0 and {"SHA256SUMS", "install.html", f"agentos-{VERSION}.mcpb"} < names
