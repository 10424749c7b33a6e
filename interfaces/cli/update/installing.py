"""The program that installed AgentOS here: pip, uv or pipx, its command lines, and the folder of packages."""

import json
import shlex
import shutil
import site
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ....modules.records import dataclass
from ....modules.system import processes
from ..doctor.installation import DISTRIBUTION
from ..outcome import CommandFailure, ExitCode

WITHIN_S = 1800.0
"""How long an installation may take: it may fetch packages that a newer version needs."""
PACKAGE = "agentos"
_PIP = ("-m", "pip", "--no-input", "--disable-pip-version-check")
_OURS = (PACKAGE, f"{DISTRIBUTION.replace('-', '_')}-*.dist-info", "~gentos*")
"""What an installation of ours is in a folder of packages; pip renames what it is about to remove to `~…`."""


@dataclass(frozen=True)
class Installer:
    """A program that installs into this environment; `again` makes it replace what is there."""

    name: str
    install: tuple[str, ...]
    download: tuple[str, ...]
    again: str = "--force-reinstall"

    def put(self, wheel: Path, links: Path | None, *, offline: bool) -> None:
        """Install a wheel, with the packages that it needs: from `links`, and if not `offline` from the index.

        Raises CommandFailure.
        """
        beside = ("--find-links", str(links)) if links is not None else ()
        self._run((*self.install, *(("--no-index",) if offline else ()), *beside, str(wheel)))

    def back(self, wheel: Path) -> tuple[str, ...]:
        """Return the command that installs a wheel in the place of whatever is there, and nothing else."""
        return (*self.install, self.again, "--no-deps", "--no-index", str(wheel))

    def put_back(self, wheel: Path, packages: Path) -> None:
        """Remove all of AgentOS from the packages, halves too, and install a wheel. Raises CommandFailure."""
        for path in remains(packages):
            shutil.rmtree(path, ignore_errors=True)
        self._run(self.back(wheel))

    def fetch(self, folder: Path, *, pre: bool) -> None:
        """Fetch the newest wheel of our name from the index into a folder; it is not run. Raises CommandFailure."""
        options = ("--no-deps", "--only-binary", ":all:", "--dest", str(folder), *(("--pre",) if pre else ()))
        self._run((*self.download, *options, DISTRIBUTION))

    def _run(self, command: Sequence[str]) -> None:
        if shutil.which(command[0]) is None:
            raise CommandFailure(f"{command[0]}, which installed AgentOS, is no longer there", ExitCode.UNAVAILABLE)
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=WITHIN_S,
                **processes.apart(),  # what interrupts us does not stop it halfway
            )
        except subprocess.TimeoutExpired:
            raise CommandFailure(f"{self.name} does not end", ExitCode.UNAVAILABLE) from None
        if done.returncode:
            lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
            raise CommandFailure(f"{self.name}: {' '.join(lines[-3:])[:500]}", ExitCode.UNAVAILABLE)


def installer_here() -> Installer:
    """Return the program that installed AgentOS here. Raises CommandFailure where AgentOS runs from a checkout."""
    found = _distribution()
    if (checkout := _checkout_of(found)) is not None:
        again = f"{sys.executable} -m pip install -e '{checkout}'"
        raise CommandFailure(
            f"this runs from the checkout {checkout}: update it there with git pull, then {again}", ExitCode.REFUSED
        )
    return installer_of(Path(sys.prefix), sys.executable, found.read_text("INSTALLER"), _options(packages_here()))


def installer_of(prefix: Path, python: str, recorded: str | None, options: Sequence[str] = ()) -> Installer:
    """Return the program that made an environment; `recorded` is the content of its INSTALLER file."""
    if (prefix / "pipx_metadata.json").exists():
        run = ("pipx", "runpip", prefix.name)
        return Installer("pipx", (*run, "install"), (*run, "download"))
    if (recorded or "").strip() == "uv":
        of_uv = ("uv", "pip", "install", "--python", python)
        return Installer("uv", of_uv, ("uv", "tool", "run", "pip", "download"), "--reinstall")
    return Installer("pip", (python, *_PIP, "install", *options), (python, *_PIP, "download"))


def packages_here() -> Path:
    """Return the folder of packages in which AgentOS lies. Raises CommandFailure where it runs from a checkout."""
    return Path(str(_distribution().locate_file(""))).resolve()


def remains(packages: Path) -> list[Path]:
    """Return the folders that are of AgentOS among the packages."""
    return [path for pattern in _OURS for path in packages.glob(pattern) if path.is_dir() and not path.is_symlink()]


def remains_in_shell(packages: Path) -> str:
    """Return the same folders as patterns for a shell, which finds those that are there then."""
    return " ".join(f"{shlex.quote(str(packages))}/{pattern}" for pattern in _OURS)


def _options(packages: Path) -> tuple[str, ...]:
    """Return what leads pip to the folder in which AgentOS lies. Raises CommandFailure where nothing does."""
    if packages in {Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")}:
        return ()
    if packages == Path(site.getusersitepackages()).resolve():
        managed = Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED").exists()
        return ("--user", *(("--break-system-packages",) if managed else ()))  # as whoever installed it there did
    location = f"AgentOS is in {packages}, a custom location (--target, --prefix)"
    raise CommandFailure(f"{location}: install the new version as you installed this one", ExitCode.REFUSED)


def _distribution() -> metadata.Distribution:
    try:
        return metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        raise CommandFailure(
            "this runs from a checkout that is not installed; update it with git pull", ExitCode.REFUSED
        ) from None


def _checkout_of(found: metadata.Distribution) -> Path | None:
    """Return the checkout that an editable installation runs from."""
    try:
        origin = json.loads(found.read_text("direct_url.json") or "{}")
        if origin["dir_info"]["editable"]:
            return Path(unquote(urlsplit(origin["url"]).path))
    except (ValueError, KeyError, TypeError):
        pass
    return None
