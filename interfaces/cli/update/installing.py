"""The program that installed AgentOS here: pip, uv or pipx, and its command lines."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from ..doctor.installation import DISTRIBUTION
from ..outcome import Failure, Outcome

WITHIN_S = 1800.0
"""How long an installation may take: it may fetch packages that a newer version needs."""
_PIP = ("-m", "pip", "--no-input", "--disable-pip-version-check")


@dataclass(frozen=True)
class Installer:
    """A program that installs into this environment; `again` makes it replace what is there."""

    name: str
    install: tuple[str, ...]
    download: tuple[str, ...]
    again: str = "--force-reinstall"

    def put(self, wheel: Path, links: Path | None, *, offline: bool) -> None:
        """Install a wheel, with the packages that it needs: from `links`, and if not `offline` from the index.

        Raises Failure.
        """
        beside = ("--find-links", str(links)) if links is not None else ()
        self._run((*self.install, *(("--no-index",) if offline else ()), *beside, str(wheel)))

    def put_back(self, wheel: Path) -> None:
        """Install a wheel in the place of whatever version is there, and nothing else. Raises Failure."""
        self._run((*self.install, self.again, "--no-deps", "--no-index", str(wheel)))

    def fetch(self, folder: Path, *, pre: bool) -> None:
        """Fetch the newest wheel of our name from the index into a folder; nothing of it is run. Raises Failure."""
        options = ("--no-deps", "--only-binary", ":all:", "--dest", str(folder), *(("--pre",) if pre else ()))
        self._run((*self.download, *options, DISTRIBUTION))

    def _run(self, command: Sequence[str]) -> None:
        if shutil.which(command[0]) is None:
            raise Failure(f"{command[0]}, which installed AgentOS, is not there any more", Outcome.UNAVAILABLE)
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=WITHIN_S)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name} does not end", Outcome.UNAVAILABLE) from None
        if done.returncode:
            told = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
            raise Failure(f"{self.name}: {' '.join(told[-3:])[:500]}", Outcome.UNAVAILABLE)


def installer_here() -> Installer:
    """Return the program that installed AgentOS into this environment."""
    return installer_of(Path(sys.prefix), sys.executable, metadata.distribution(DISTRIBUTION).read_text("INSTALLER"))


def installer_of(prefix: Path, python: str, said: str | None) -> Installer:
    """Return the program that made an environment; `said` is what an installation says of its installer."""
    if (prefix / "pipx_metadata.json").exists():
        run = ("pipx", "runpip", prefix.name)
        return Installer("pipx", (*run, "install"), (*run, "download"))
    if (said or "").strip() == "uv":
        of_uv = ("uv", "pip", "install", "--python", python)
        return Installer("uv", of_uv, ("uv", "tool", "run", "pip", "download"), "--reinstall")
    return Installer("pip", (python, *_PIP, "install"), (python, *_PIP, "download"))
