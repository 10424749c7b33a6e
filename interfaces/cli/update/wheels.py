"""Wheels: the newest of a folder, the proof that one is ours and whole, and the installed version as a wheel again."""

import base64
import hashlib
import re
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path, PurePosixPath

from ....modules.records import dataclass
from ....modules.version import BUILD
from ..doctor.installation import DISTRIBUTION
from ..outcome import CommandFailure, ExitCode
from .installing import PACKAGE

SUMS = "SHA256SUMS"
_SAYS_WHO = f"{PACKAGE}/modules/version.py"
_LARGEST_TEXT = 64 * 1024
_BUILT = re.compile(r'^BUILD = "(\w{1,40})"$', re.M)
_VERSION = re.compile(r'^VERSION = "([\w.+-]{1,40})"$', re.M)
_OF_AN_INSTALLATION = frozenset({"INSTALLER", "REQUESTED", "RECORD", "direct_url.json", "uv_cache.json"})


@dataclass(frozen=True)
class Wheel:
    """A wheel file of AgentOS, and its version."""

    path: Path
    version: str


def newest(source: Path, *, pre: bool) -> Wheel:
    """Return a wheel file, or AgentOS's newest in a folder, once it is proved to be ours. Raises CommandFailure."""
    if source.is_file():
        return proved(source)
    if not source.is_dir():
        raise CommandFailure(f"{source} is neither a wheel nor a folder of wheels", ExitCode.NOT_FOUND)
    from packaging.utils import InvalidWheelFilename, parse_wheel_filename

    found = []
    for path in source.glob(f"{DISTRIBUTION.replace('-', '_')}-*.whl"):
        try:
            version = parse_wheel_filename(path.name)[1]
        except InvalidWheelFilename:
            continue
        if pre or not version.is_prerelease:
            found.append((version, path))
    if not found:
        raise CommandFailure(f"{source} has no wheel of {DISTRIBUTION}", ExitCode.NOT_FOUND)
    return proved(max(found)[1])


def proved(path: Path) -> Wheel:
    """Return a wheel after checking that it is AgentOS's by its contents, and matches SHA256SUMS if that is next to it.

    Nothing of it is run. Raises CommandFailure.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            content = archive.read(_SAYS_WHO) if archive.getinfo(_SAYS_WHO).file_size <= _LARGEST_TEXT else b""
    except (OSError, zipfile.BadZipFile, KeyError, RuntimeError, NotImplementedError):
        content = b""
    text = content.decode(errors="replace")
    built, version = _BUILT.search(text), _VERSION.search(text)
    if built is None or built[1] != BUILD or version is None or not _is_version(version[1]):
        raise CommandFailure(
            f"{path.name} is not an AgentOS wheel; another project uses the same name", ExitCode.REFUSED
        )
    sums = path.with_name(SUMS)
    if sums.is_file() and sums.stat().st_size <= _LARGEST_TEXT:
        wanted = {name.lstrip("*"): digest for digest, _, name in _lines(sums)}
        if path.name in wanted and wanted[path.name] != hashlib.sha256(path.read_bytes()).hexdigest():
            raise CommandFailure(f"{path.name} does not match {SUMS}; download it again", ExitCode.REFUSED)
    return Wheel(path, version[1])


def _is_version(text: str) -> bool:
    """Return whether a text is a version as packages have them."""
    from packaging.version import InvalidVersion, Version

    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


def of_installed(folder: Path) -> Path:
    """Write the installed version into a folder as a wheel, to install it again. Raises CommandFailure."""
    found = metadata.distribution(DISTRIBUTION)
    files = [file for file in found.files or () if _belongs(PurePosixPath(file.as_posix()))]
    if not any(file.parts[0] == PACKAGE for file in files):
        raise CommandFailure("this runs from a checkout: run git pull, then install it again", ExitCode.REFUSED)
    path = folder / f"{DISTRIBUTION.replace('-', '_')}-{found.version}-py3-none-any.whl"
    write(path, {file.as_posix(): Path(str(file.locate())).read_bytes() for file in files})
    return path


def write(path: Path, contents: dict[str, bytes]) -> None:
    """Write a wheel of these files, one of which says in its folder's name where the record belongs."""
    [info] = {name.partition("/")[0] for name in contents if name.partition("/")[0].endswith(".dist-info")}
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in contents.items())
    contents = {**contents, f"{info}/RECORD": f"{record}{info}/RECORD,,\n".encode()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)


def _belongs(file: PurePosixPath) -> bool:
    return not (".." in file.parts or file.is_absolute() or "__pycache__" in file.parts) and not (
        file.parts[0].endswith(".dist-info") and file.name in _OF_AN_INSTALLATION
    )


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _lines(sums: Path) -> Iterator[tuple[str, str, str]]:
    for line in sums.read_text(encoding="utf-8", errors="replace").splitlines():
        yield line.strip().partition("  ")
