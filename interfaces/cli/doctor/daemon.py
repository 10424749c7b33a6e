"""Checks of the daemon: whether it answers, is ours, is the only one, and logs no errors."""

import os
from functools import cached_property
from pathlib import Path
from typing import Any

from ....config import Settings
from ....modules.health.models import Check, Finding, NotRepaired, Severity, info, ok
from ....modules.records import dataclass
from ....modules.system import door
from ....modules.version import VERSION
from ...hooks.spool import FOLDER, Spool
from ...stdio.front import hello
from ...stdio.front.place import socket_path
from . import processes

STARTS_WITHIN_S = 30.0
MIGRATES_WITHIN_S = 120.0
LARGE_LOG_BYTES = 20_000_000
LOG_TAIL_BYTES = 200_000
SHOWN = 3
BAD_LEVELS = (" ERROR ", " CRITICAL ")


@dataclass(frozen=True)
class DaemonChecks:
    """The checks of the daemon of one home."""

    settings: Settings
    default_home: Path | None

    def checks(self) -> list[Check]:
        """Return the checks, in order."""
        return [
            Check("daemon.answers", self._look_for_it, ("home.folder",)),
            Check("daemon.version", self._look_at_version, ("daemon.answers",)),
            Check("daemon.settings", self._look_at_settings, ("daemon.answers",)),
            Check("daemon.parts", self._look_at_parts, ("daemon.answers",)),
            Check("daemon.alone", self._look_for_others, ("home.folder",)),
            Check("daemon.locks", self._look_at_locks, ("home.folder",)),
            Check("daemon.log", self._look_at_log, ("home.folder",)),
            Check("hooks.spool", self._look_at_spool, ("home.folder",)),
        ]

    @cached_property
    def _answer(self) -> dict[str, Any] | None:
        return hello.ask_status(self._socket) if self._is_socket else None

    @cached_property
    def _processes(self) -> list[processes.RunningProcess]:
        return processes.find(self.settings.home, self.default_home)

    @property
    def _socket(self) -> Path:
        return socket_path(self.settings.home)

    @property
    def _is_socket(self) -> bool:
        return door.is_one(self._socket)

    @property
    def _lock(self) -> Path:
        return self.settings.database.with_name("daemon.lock")

    def _look_for_it(self) -> Finding:
        """Check that a daemon answers at its socket, or that there is none and no remains of one."""
        answer = self._answer
        if answer is not None:
            message = f"the daemon {answer.get('pid')} answers, {answer.get('sessions')} sessions"
            return ok(message, **answer)
        pid = processes.holder(self._lock)
        if pid is not None:
            return self._silent(pid)
        if not self._is_socket:
            return Finding(Severity.OK, "no daemon runs; the next session starts one", blocks=True)
        message = f"nothing listens on the socket {self._socket}: its daemon was killed"
        details = {"socket": str(self._socket)}
        return Finding(Severity.WARNING, message, f"rm '{self._socket}'", details, self._remove_socket, blocks=True)

    def _silent(self, pid: int) -> Finding:
        """Return the finding about a process that has the daemon's lock and does not answer."""
        process = next((process for process in self._processes if process.pid == pid), None)
        details = {"pid": pid, "lock": str(self._lock)}
        if process is not None and process.is_once:
            return Finding(Severity.INFO, f"process {pid} is running a single daemon job", details=details, blocks=True)
        if process is not None and process.age_s < STARTS_WITHIN_S and not self._is_socket:
            return Finding(Severity.INFO, f"the daemon {pid} is starting", details=details, blocks=True)
        message = f"{_process(pid)} holds the daemon's lock and does not answer"
        return Finding(Severity.ERROR, message, _end(pid, self._lock, "kill -9"), details, blocks=True)

    def _remove_socket(self) -> str:
        from filelock import FileLock, Timeout

        try:
            with FileLock(self._lock, timeout=0, mode=0o600):
                self._socket.unlink(missing_ok=True)
        except Timeout:
            raise NotRepaired("a daemon has just started") from None
        return f"{self._socket} removed"

    def _look_at_version(self) -> Finding:
        """Check that the daemon runs the same code as this command: otherwise every session serves itself."""
        assert self._answer is not None
        pid = self._answer.get("pid")
        remedy = f"end the sessions that use it, or run: kill {pid}"
        if not hello.same_version(self._answer):
            theirs = self._answer["version"]
            message = f"the daemon {pid} has version {theirs}, this is {VERSION}; this version's sessions do not use it"
            return Finding(Severity.WARNING, message, remedy, {"version": theirs, "pid": pid})
        process = next((process for process in self._processes if process.pid == pid), None)
        if process is not None and not process.is_of_this_installation:
            message = f"the daemon {pid} belongs to another installation: {' '.join(process.command[:3])}"
            return Finding(Severity.WARNING, message, remedy, {"command": list(process.command), "pid": pid})
        return ok(f"the daemon is of version {VERSION}", version=VERSION)

    def _look_at_settings(self) -> Finding:
        """Check that the daemon uses the env file's current settings; their values are not shown."""
        assert self._answer is not None
        names = list(self._answer.get("differs") or ())
        if not names:
            return ok("the daemon uses the current settings")
        message = f"the settings have changed since the daemon {self._answer.get('pid')} began: {', '.join(names)}"
        return Finding(Severity.WARNING, message, "agentos restart", {"settings": names})

    def _look_at_parts(self) -> Finding:
        """Check that its model and its index work."""
        assert self._answer is not None
        parts = {name: self._answer.get(name) or {} for name in ("model", "index")}
        broken = {name: part["problem"] for name, part in parts.items() if part.get("problem")}
        failed = [name for name, part in parts.items() if part.get("state") == "failed"]
        if not broken and not failed:
            return ok("the daemon's model and index work", **parts)
        problems = "; ".join(f"{name}: {broken.get(name, 'failed')}" for name in {**broken, **dict.fromkeys(failed)})
        if self.settings.embedding_model == "none" and not failed:
            return ok("the daemon runs without a model, as the settings say", **parts)
        return Finding(Severity.WARNING, f"the daemon has a problem, {problems}", "see the daemon's log", parts)

    def _look_for_others(self) -> Finding:
        """Check that no AgentOS process has lost its parent, and that there is only one daemon."""
        if not processes.PROC.is_dir():
            return ok("processes cannot be inspected on this system")
        serving = {processes.holder(self._lock), self._answer and self._answer.get("pid")}
        strays = [
            process
            for process in self._processes
            if (process.kind == "daemon" and process.pid not in serving and process.age_s > STARTS_WITHIN_S)
            or (process.kind != "daemon" and processes.is_without_parent(process))
        ]
        counted = {kind: sum(process.kind == kind for process in self._processes) for kind in ("daemon", "front")}
        if not strays:
            return ok(f"daemons of this home: {counted['daemon']}; servers: {counted['front']}", **counted)
        pids = " ".join(str(process.pid) for process in strays)
        kinds = ", ".join(f"{process.kind} {process.pid}" for process in strays)
        details = {"processes": {str(process.pid): " ".join(process.command) for process in strays}}
        return Finding(Severity.WARNING, f"processes that are no longer needed: {kinds}", f"kill {pids}", details)

    def _look_at_locks(self) -> Finding:
        """Check that nobody holds a lock for longer than the work takes."""
        database = self.settings.database
        for path in (database.with_name("migrate.lock"), self.settings.home / "starting.lock"):
            pid = processes.holder(path)
            if pid is None:
                continue
            details = {"lock": str(path), "pid": pid}
            age_s = processes.age_s(pid)
            if age_s is None or age_s > MIGRATES_WITHIN_S:
                message = f"{_process(pid)} has held {path.name} for too long; nothing else can start"
                return Finding(Severity.WARNING, message, _end(pid, path, "kill"), details)
            return info(f"{_process(pid)} holds {path.name}: it is starting", **details)
        return ok("no lock is held for too long")

    def _look_at_log(self) -> Finding:
        """Check that the log is not too long, and report its last errors."""
        files = sorted((self.settings.home / "logs").glob("daemon.log*"))
        size = sum(path.stat().st_size for path in files)
        details: dict[str, Any] = {"bytes": size, "files": [path.name for path in files]}
        if size > LARGE_LOG_BYTES:
            message = f"the daemon's log has {size / 1e6:.0f} MB: it is not being rotated"
            return Finding(Severity.WARNING, message, f"rm '{files[0]}' while no daemon runs", details)
        errors = _last_errors(self.settings.home / "logs" / "daemon.log")
        if errors:
            return info(f"the last error in the daemon's log: {errors[-1]}", **details, errors=errors)
        return ok("the daemon's log has no errors", **details)

    def _look_at_spool(self) -> Finding:
        """Check that no hook's report was set aside, as unrecordable or because no daemon got it done."""
        spool = Spool(self.settings.home)
        refused = spool.refused()
        if not refused:
            return ok(f"{len(spool.waiting())} hook events are waiting to be stored", waiting=len(spool.waiting()))
        message = f"{len(refused)} hook events were set aside: {', '.join(refused[:SHOWN])}"
        remedy = f"no action is needed; to remove them: rm '{self.settings.home / FOLDER}'/*.refused"
        return Finding(Severity.WARNING, message, remedy, {"refused": refused})


def _process(pid: int) -> str:
    return f"the process {pid}" if pid != processes.UNKNOWN else "a process"


def _end(pid: int, lock: Path, command: str) -> str:
    """Return the command that ends the holder of a lock."""
    return f"{command} {pid}" if pid != processes.UNKNOWN else f"fuser -v '{lock}', then end that process"


def _last_errors(log: Path) -> list[str]:
    """Return the last lines of a log that report an error."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - LOG_TAIL_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return []
    return [line for line in lines if any(level in line[:60] for level in BAD_LEVELS)][-SHOWN:]
