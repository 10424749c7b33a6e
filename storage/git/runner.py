"""The one place that starts git: which program, in which environment, for how long and for how many bytes."""

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from ...modules.records import dataclass
from ...modules.system import processes
from .files import UnreadableHistory

MAX_COMPLAINT_BYTES = 4_096
_CHUNK_BYTES = 65_536
_LEAVING_WITHIN_S = 1.0

ALONE: Mapping[str, str] = {
    "GIT_ALLOW_PROTOCOL": "",  # nothing is fetched, by no protocol
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_EXEC_PATH": os.devnull,  # where git looks for its programs of many transports
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_ALLOC_LIMIT": "256m",  # objects declare their own size
    "LC_ALL": "C",
}
"""The environment of git; nothing of ours is passed on."""
UNCONFIGURED: Mapping[str, str] = {
    **ALONE,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
}
"""The same, without the system's and the user's configuration."""


@dataclass(frozen=True)
class GitOutput:
    """Git's exit code (0: success), its standard output, and the beginning of its standard error."""

    code: int
    output: bytes
    complaint: str


def program(outside: Sequence[Path]) -> str:
    """Return git's absolute path, from an absolute folder of PATH in none of these. Raises UnreadableHistory."""
    for folder in filter(os.path.isabs, os.get_exec_path()):
        found = shutil.which("git", path=folder)
        if found is None or not os.path.isabs(found):
            continue  # Windows looks in the current folder first
        names = {Path(found), Path(os.path.realpath(found))}
        if not any(name.is_relative_to(tree) for name in names for tree in outside):
            return found
    raise UnreadableHistory("git is not installed; a git inside the repository is not run")


def run(
    git: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    *,
    folder: Path,
    within_s: float,
    most_bytes: int,
) -> GitOutput:
    """Run git to its end. Blocks. Git and its children are killed when it takes longer or prints more than allowed.

    Raises UnreadableHistory for these, and where git cannot be started.
    """
    until = time.monotonic() + within_s
    try:
        process = subprocess.Popen(
            (git, *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            cwd=folder,
            **processes.apart(),  # with no terminal to ask at
        )
    except OSError as error:
        raise UnreadableHistory(f"git cannot be started: {error.strerror or error}") from error
    assert process.stdout is not None and process.stderr is not None
    output = _Beginning(process.stdout, most_bytes, drains=False)
    complaint = _Beginning(process.stderr, MAX_COMPLAINT_BYTES, drains=True)
    try:
        output.join(within_s)
        if output.is_cut:
            raise UnreadableHistory(f"git printed more than {most_bytes:,} bytes")
        if output.is_alive():
            raise UnreadableHistory(f"git took longer than {within_s:.0f} s")
        code = process.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired as error:
        raise UnreadableHistory(f"git took longer than {within_s:.0f} s") from error
    finally:
        if process.returncode is None:
            processes.end_all(process)
        output.join(_LEAVING_WITHIN_S)
        complaint.join(_LEAVING_WITHIN_S)
    return GitOutput(code, output.content, complaint.content.decode("utf-8", "replace"))


class _Beginning(threading.Thread):
    """A thread that reads the beginning of a stream, even if other processes hold its other end."""

    def __init__(self, stream: IO[bytes], most: int, *, drains: bool) -> None:
        super().__init__(daemon=True)
        self.content = b""
        self.is_cut = False
        self._stream = stream
        self._most = most
        self._drains = drains
        self.start()

    def run(self) -> None:
        with self._stream as stream:
            self.content = stream.read(self._most)
            self.is_cut = bool(stream.read(1))
            while self._drains and stream.read(_CHUNK_BYTES):
                pass
