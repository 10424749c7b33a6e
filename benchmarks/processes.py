"""Processes as /proc shows them: which belong to AgentOS, their roles, and their resources."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MEGABYTE = 2**20


@dataclass(frozen=True)
class Process:
    """A running process of the system under test; `role` is front, daemon, child (of the daemon) or other."""

    pid: int
    role: str
    command: tuple[str, ...]


@dataclass(frozen=True)
class Usage:
    """Resources of processes, summed: memory in MB (`rss_mb` counts shared pages per process, `pss_mb` once)."""

    rss_mb: float
    pss_mb: float
    descriptors: int
    threads: int


def belonging_to(token: str, folder: Path) -> list[Process]:
    """Return the processes that have `token` in their environment, or name or hold a file of `folder`."""
    found = {pid: _command(pid) for pid in _pids() if pid != os.getpid() and _belongs(pid, token, folder)}
    daemons = {pid for pid, command in found.items() if _is_named(command, "daemon")}
    return [
        Process(pid, _role(pid, command, daemons), command) for pid, command in sorted(found.items()) if is_alive(pid)
    ]


def is_alive(pid: int) -> bool:
    """Return whether a process runs; a zombie does not."""
    return _field(pid, "State", "Z").split()[0] not in ("Z", "X")


def kill(pid: int) -> None:
    """Kill a process, if it is still there."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def usage(pids: list[int]) -> Usage:
    """Return the resources of the processes now, summed; one that has ended counts nothing."""
    return Usage(
        rss_mb=sum(int(_field(pid, "VmRSS", "0").split()[0]) for pid in pids) / 1024,
        pss_mb=sum(_pss_kb(pid) for pid in pids) / 1024,
        descriptors=sum(len(_descriptors(pid)) for pid in pids),
        threads=sum(int(_field(pid, "Threads", "0")) for pid in pids),
    )


def rss_mb(pid: int) -> float:
    """Return the resident memory of one process, in MB."""
    return usage([pid]).rss_mb


def _pids() -> Iterator[int]:
    return (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal())


def _belongs(pid: int, token: str, folder: Path) -> bool:
    if token.encode() in _read(pid, "environ") or str(folder).encode() in _read(pid, "cmdline"):
        return True
    return any(path == str(folder) or path.startswith(f"{folder}/") for path in _descriptors(pid))


def _role(pid: int, command: tuple[str, ...], daemons: set[int]) -> str:
    if pid in daemons and _parent(pid) not in daemons:
        return "daemon"
    if _parent(pid) in daemons:
        return "child"
    return "front" if _is_named(command, "server") else "other"


def _is_named(command: tuple[str, ...], name: str) -> bool:
    names = {f"agentos-{name}", f"{name}.py", f"agentos.{name}"}
    return any(Path(argument).name in names for argument in command[:4])


def _command(pid: int) -> tuple[str, ...]:
    return tuple(part.decode("utf-8", "replace") for part in _read(pid, "cmdline").split(b"\0") if part)


def _parent(pid: int) -> int:
    return int(_field(pid, "PPid", "0"))


def _descriptors(pid: int) -> list[str]:
    """Return the targets of the open descriptors."""
    try:
        numbers = os.listdir(f"/proc/{pid}/fd")
    except OSError:  # it has ended, or is another user's
        return []
    paths = []
    for number in numbers:
        with suppress(OSError):  # closed meanwhile
            paths.append(os.readlink(f"/proc/{pid}/fd/{number}"))
    return paths


def _pss_kb(pid: int) -> int:
    for line in _read(pid, "smaps_rollup").splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1])
    return 0


def _field(pid: int, name: str, default: str) -> str:
    for line in _read(pid, "status").decode("utf-8", "replace").splitlines():
        if line.startswith(f"{name}:"):
            return line.partition(":")[2].strip()
    return default


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:  # it has ended, or is another user's
        return b""
