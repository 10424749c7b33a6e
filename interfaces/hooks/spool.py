"""The spool: reports of hooks that did not reach the daemon, one file each, until they do.

A file is written under another name and then renamed, so that it is there whole or not at all; it is removed once its
report is recorded. A report sent twice, after a crash in between, is recorded once: its key identifies it.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...modules import foreign_files, private_files

FOLDER = "spool"
ENCRYPTED = "encryption.json"
"""The file that an encrypted home has."""
MAX_FILE_BYTES = 32 * foreign_files.MiB
MAX_FILES = 2_000
PRIVATE_FOLDER = 0o700
LEFT_OVER_S = 600.0
REFUSED_FOR_S = 30 * 86_400.0
"""How long a report that cannot be recorded stays, for diagnosis."""

MOST_TRIES = 3
"""How often a report is tried before it is set aside: the next daemon would not survive it either."""

_READY, _PARTIAL, _REFUSED, _LOST = ".json", ".partial", ".refused", "lost"
_TRIED = ".tried"


class Spool:
    """The spool of a home. Any number of hooks may write at once; one daemon takes."""

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER

    def put(self, fields: dict[str, Any]) -> bool:
        """Keep a report that did not reach the daemon; return False if the spool is full (noted). Raises OSError.

        In an encrypted home it is lost, which is noted: here is no key, and plain it must not lie there.
        """
        self._make()
        if (self._folder.parent / ENCRYPTED).exists():
            self._note_loss()
            return False
        if len(os.listdir(self._folder)) >= MAX_FILES:
            self._note_loss()
            return False
        name = f"{time.time_ns():020d}-{os.urandom(6).hex()}"
        partial = self._folder / (name + _PARTIAL)
        with private_files.create(partial) as file:
            file.write(json.dumps(fields).encode())
        partial.rename(self._folder / (name + _READY))
        return True

    def waiting(self) -> list[Path]:
        """Return the waiting files, in the order in which they came."""
        try:
            names = os.listdir(self._folder)
        except OSError:
            return []
        return [self._folder / name for name in sorted(names) if name.endswith(_READY)]

    def read(self, path: Path) -> dict[str, Any] | None:
        """Return the content of a file; None if it is not AgentOS's, or gone."""
        try:
            fields = json.loads(foreign_files.read(path, MAX_FILE_BYTES, self._folder))
        except (OSError, ValueError, RecursionError):
            return None
        return fields if isinstance(fields, dict) else None

    def begin(self, path: Path) -> Path | None:
        """Note in a file's name that it is being worked at; return its new path. Raises OSError.

        Returns None where it was set aside: too many daemons have ended, or were ended, over it.
        """
        stem, _, tries = path.stem.partition(_TRIED)
        count = int(tries) + 1 if tries.isdigit() else 1
        if count > MOST_TRIES:
            self.refuse(path)
            return None
        begun = path.with_name(f"{stem}{_TRIED}{count}{_READY}")
        path.rename(begun)
        return begun

    def again(self, path: Path) -> None:
        """Let a file wait as if it had never been tried: the failure was not its fault."""
        with contextlib.suppress(OSError):
            path.rename(path.with_name(path.stem.partition(_TRIED)[0] + _READY))

    def refused(self) -> list[str]:
        """Return the names of what was set aside, in the order in which it came."""
        try:
            return sorted(name for name in os.listdir(self._folder) if name.endswith(_REFUSED))
        except OSError:
            return []

    def done(self, path: Path) -> None:
        """Remove a file whose report is recorded."""
        path.unlink(missing_ok=True)

    def refuse(self, path: Path) -> None:
        """Set aside a file that can never be recorded; it stays for a while, for diagnosis."""
        with contextlib.suppress(OSError):
            path.rename(path.with_name(path.stem.partition(_TRIED)[0] + _REFUSED))

    def clean(self) -> int:
        """Remove the remains of crashes, and files refused long ago.

        Returns how many reports were lost since the last time because the spool was full.
        """
        for path in self._left_over():
            path.unlink(missing_ok=True)
        lost = self._folder / _LOST
        try:
            count = lost.stat().st_size
            lost.unlink()
        except OSError:
            return 0
        return count

    def claim_start(self, every_s: float) -> bool:
        """Return whether this hook may start a daemon: none has for `every_s` seconds. Raises OSError."""
        self._make()
        mark = self._folder / "starting"
        with contextlib.suppress(OSError):
            if 0 <= time.time() - mark.stat().st_mtime < every_s:
                return False
        descriptor = private_files.open_own(mark, os.O_WRONLY | os.O_CREAT)
        try:
            os.utime(descriptor)
        finally:
            os.close(descriptor)
        return True

    def _make(self) -> None:
        for folder in (self._folder.parent, self._folder):  # each one private, not only the last
            folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)

    def _note_loss(self) -> None:
        with open(private_files.open_own(self._folder / _LOST, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab") as file:
            file.write(b".")

    def _left_over(self) -> Iterator[Path]:
        with contextlib.suppress(OSError):
            for name in os.listdir(self._folder):
                path = self._folder / name
                stays_s = {_PARTIAL: LEFT_OVER_S, _REFUSED: REFUSED_FOR_S}.get(path.suffix)
                if stays_s is not None and time.time() - path.stat().st_mtime > stays_s:
                    yield path
