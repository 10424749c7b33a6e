"""The processes of AgentOS that this user runs for a home, and the holders of locks: from /proc, so on Linux only."""

import os
import sys
from pathlib import Path

from ....modules.records import dataclass
from ....modules.system import locks, users
from ....modules.system.processes import age_s as age_of

PROC = Path("/proc")
INIT = 1
UNKNOWN = 0
_PACKAGE = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class RunningProcess:
    """One process: `kind` is daemon, front or index (the child that holds the vector index)."""

    pid: int
    parent: int
    kind: str
    age_s: float
    command: tuple[str, ...]
    stdin: str

    @property
    def is_once(self) -> bool:
        """Return whether it is a daemon that does one job and ends."""
        return "--once" in self.command

    @property
    def is_of_this_installation(self) -> bool:
        """Return whether it runs the code that this process runs, as far as its command line tells."""
        for word in self.command:
            if word.endswith(("daemon.py", "server.py")) and os.path.isabs(word):
                return Path(word).resolve().parent == _PACKAGE
        executable = Path(self.command[0])
        return not executable.is_absolute() or executable.parent == Path(sys.executable).parent


def find(home: Path, default_home: Path | None) -> list[RunningProcess]:
    """Return every AgentOS process of a home; processes that name none work for `default_home`."""
    found = []
    for folder in _folders():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            if not users.owns(folder.stat()):
                continue
            command = tuple((folder / "cmdline").read_text(encoding="utf-8", errors="replace").split("\0")[:-1])
            kind = _kind(command)
            if kind is None or not _is_for(folder, command, home, default_home):
                continue
            found.append(_described(folder, kind, command))
        except (OSError, ValueError, IndexError):  # it has ended meanwhile
            continue
    return found


def _folders() -> list[Path]:
    """Return the folders of all processes; none where the system shows none."""
    try:
        return list(PROC.iterdir())
    except OSError:
        return []


def holder(lock: Path) -> int | None:
    """Return the process that holds a file lock; None when nobody does, UNKNOWN where the kernel does not tell."""
    if not locks.is_held_at(lock):
        return None
    try:
        inode = lock.stat().st_ino
        lines = (PROC / "locks").read_text(encoding="ascii").splitlines()
    except OSError:
        return UNKNOWN
    for line in lines:
        words = line.split()  # 1: FLOCK ADVISORY WRITE pid major:minor:inode start end
        if "->" not in words and words[1] == "FLOCK" and words[5].rpartition(":")[2] == str(inode):
            return int(words[4])
    return UNKNOWN


def age_s(pid: int) -> float | None:
    """Return how many seconds ago a process was started; None where that cannot be seen."""
    try:
        return _stat(PROC / str(pid))[1]
    except (OSError, ValueError, IndexError):
        return None


def is_without_parent(process: RunningProcess) -> bool:
    """Return whether the process's parent has ended: then nobody ends the process any more."""
    if process.parent != INIT:
        return False
    try:  # in a container the client itself may be the first process
        return all(os.readlink(entry) != process.stdin for entry in (PROC / str(INIT) / "fd").iterdir())
    except OSError:
        return True


def _kind(command: tuple[str, ...]) -> str | None:
    for word in command[:5]:
        name = os.path.basename(word)
        if name == "agentos-daemon" or word == "agentos.daemon":
            return "daemon"
        if name in ("agentos-server", "agentos-mcp") or word == "agentos.server":
            return "front"
        if name in ("daemon.py", "server.py") and Path(word).with_name("daemon_pkg").is_dir():
            return "daemon" if name == "daemon.py" else "front"
        if name == "chroma_child.py":
            return "index"
    return None


def _is_for(folder: Path, command: tuple[str, ...], home: Path, default_home: Path | None) -> bool:
    if "--until-idle" in command:
        return Path(command[command.index("--until-idle") + 1]) == home
    if any(word.startswith(str(home) + os.sep) for word in command):
        return True
    for line in (folder / "environ").read_text(encoding="utf-8", errors="replace").split("\0"):
        if line.startswith("AGENTOS_HOME=") and line != "AGENTOS_HOME=":
            named = Path(line.removeprefix("AGENTOS_HOME=")).expanduser()
            return Path(os.path.realpath(named)) == home
    return home == default_home


def _described(folder: Path, kind: str, command: tuple[str, ...]) -> RunningProcess:
    parent, age_s = _stat(folder)
    try:
        stdin = os.readlink(folder / "fd" / "0")
    except OSError:
        stdin = ""
    return RunningProcess(int(folder.name), parent, kind, age_s, command, stdin)


def _stat(folder: Path) -> tuple[int, float]:
    """Return the parent of a process, and its age in seconds. Raises OSError, ValueError, IndexError."""
    # After the name in parentheses, which may hold anything: state, parent, …, start in ticks since boot.
    fields = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    return int(fields[1]), age_of(int(fields[19]))
