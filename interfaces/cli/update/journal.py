"""The record of an update that is under way, in the home: what it needs to go on or to be taken back after any end."""

import json
import os
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from ....modules.records import dataclass

FOLDER, _RECORD, _SCRIPT = "update", "update.json", "take-back.sh"
_LARGEST = 64 * 1024
_PRIVATE = 0o700


@dataclass(frozen=True)
class Journal:
    """An update from one version to another: the kept wheel, the backup, and the errors that were there before it."""

    home: str
    before: str
    wanted: str
    wheel: str
    backup: str | None
    known: tuple[str, ...]
    step: str = "installing"

    @property
    def folder(self) -> Path:
        """The folder of the record, the wheel and the script."""
        return Path(self.home) / FOLDER

    @property
    def script(self) -> Path:
        """The shell script that takes the update back where `agentos` does not start."""
        return self.folder / _SCRIPT

    def at(self, step: str) -> "Journal":
        """Return the record at a step, once that is on the disk."""
        noted = replace(self, step=step)
        _put(self.folder / _RECORD, json.dumps(asdict(noted), indent=2))
        return noted

    def begin(self, remains: str, back: Sequence[str], python: str) -> None:
        """Write the script, which removes what remains and runs the command that puts the old version back; the record.

        `remains` are patterns for a shell.
        """
        command = (python, "-P", "-m", "agentos.interfaces.cli")
        migrate = shlex.join((*command, "migrate", "--home", self.home))
        restore = shlex.join((*command, "restore", self.backup, "--yes", "--home", self.home)) if self.backup else ""
        lines = (
            "#!/bin/sh",
            f"# Restores AgentOS {self.before} if an update to {self.wanted} was interrupted and nothing starts.",
            "set -eu",
            f"rm -rf {remains}",
            shlex.join(back),
            f"{migrate} || {restore}" if restore else "",
            shlex.join(("rm", "-rf", str(self.folder))),
        )
        _put(self.script, "\n".join(line for line in lines if line) + "\n")
        self.at(self.step)

    def close(self) -> None:
        """Remove the record and all that was kept for it."""
        (self.folder / _RECORD).unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def folder_in(home: Path) -> Path:
    """Return the empty private folder of a home for an update that begins."""
    folder = home / FOLDER
    home.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=_PRIVATE)
    return folder


def found(home: Path) -> Journal | None:
    """Return the record of an update that has not ended, or was cut off; None where there is none."""
    path = home / FOLDER / _RECORD
    try:
        if path.stat().st_size > _LARGEST:
            return None
        content = json.loads(path.read_text(encoding="utf-8"))
        return Journal(**{**content, "known": tuple(content["known"]), "home": str(home)})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _put(path: Path, text: str) -> None:
    """Replace a file atomically."""
    unfinished = path.with_suffix(".unfinished")
    with unfinished.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
