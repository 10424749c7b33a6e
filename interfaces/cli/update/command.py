"""The update step by step: prove, back up, install, examine; and everything back if the examination finds errors."""

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import field
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....modules import update_lock
from ....modules.errors import Conflict
from ....modules.records import dataclass
from ....modules.system.processes import apart
from ....modules.version import BUILD, VERSION
from ...stdio.front import hello
from ...stdio.front.place import socket_path
from .. import background
from ..doctor import processes
from ..doctor.installation import DISTRIBUTION
from ..opened import settings_here
from ..outcome import CommandFailure, ExitCode
from ..terminal import ask, can_ask, say, say_json
from . import journal
from .installing import Installer, installer_here, packages_here, remains_in_shell
from .journal import Journal
from .wheels import Wheel, newest, of_installed

if TYPE_CHECKING:
    from ....config import Settings

WITHIN_S = 1800.0
"""How long a step of a new version may take: a migration of a large memory, above all."""
LEAVES_WITHIN_S = 10.0
OTHERS_WITHIN_S = 10.0
"""How long another update, or a setup, is waited for."""
TAKING_BACK = "taking-back"
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_COMMAND = (sys.executable, "-P", "-m", "agentos.interfaces.cli")
"""Other versions run in processes of their own: this one has read its modules from files that are replaced."""


@dataclass(frozen=True)
class UpdateOptions:
    """The options of the command."""

    source: Path | None = None
    check: bool = False
    pre: bool = False
    backup: bool = True
    yes: bool = False
    as_json: bool = False


@dataclass
class UpdateReport:
    """The report of an update: `action` is none, available, updated or rolled-back."""

    newest: str
    action: str = "none"
    backup: str | None = None
    problems: list[str] = field(default_factory=list)

    @property
    def facts(self) -> dict[str, Any]:
        """The report as JSON; its keys are stable."""
        versions = {"installed": VERSION if self.action != "updated" else self.newest, "newest": self.newest}
        return {**versions, "action": self.action, "backup": self.backup, "problems": self.problems}


def run(request: UpdateOptions, home: Path | None) -> int:
    """Carry out an update; return the exit code: REFUSED where it was taken back. Raises CommandFailure."""
    settings = settings_here(home)
    installer = installer_here()
    with tempfile.TemporaryDirectory(prefix="agentos-update-") as scratch:
        if not request.check and (ended := journal.found(settings.home)) is not None:
            with _alone(settings):
                report = _ended(ended, settings, installer)
            if report is not None:
                _tell(report, request)
                return ExitCode.REFUSED
        wheel = _found(request, settings, installer, Path(scratch))
        report = UpdateReport(wheel.version)
        if _is_newer(wheel.version):
            report.action = "available"
            if not request.check:
                _confirmed(request, wheel)
                with _alone(settings):
                    _update(report, request, settings, installer, wheel)
    _tell(report, request)
    return ExitCode.REFUSED if report.action == "rolled-back" else ExitCode.DONE


def _found(request: UpdateOptions, settings: "Settings", installer: Installer, scratch: Path) -> Wheel:
    """Return the newest wheel of AgentOS, from where the request allows. Raises CommandFailure."""
    if request.source is not None:
        return newest(request.source, pre=request.pre)
    if settings.offline:
        raise CommandFailure(
            "AGENTOS_OFFLINE is true, so no package index is used; name a wheel or a folder of wheels with --from",
            ExitCode.REFUSED,
        )
    folder = scratch / "fetched"
    folder.mkdir()
    installer.fetch(folder, pre=request.pre)
    return newest(folder, pre=request.pre)


def _is_newer(version: str) -> bool:
    from packaging.version import Version

    return Version(version) > Version(VERSION)


def _confirmed(request: UpdateOptions, wheel: Wheel) -> None:
    question = f"Update AgentOS from {VERSION} to {wheel.version}?"
    if not request.yes and not (can_ask() and ask(question)):
        raise CommandFailure("nothing was changed; add --yes to update", ExitCode.REFUSED)


@contextmanager
def _alone(settings: "Settings") -> Iterator[None]:
    """Hold this installation and the home, with no daemon at work. Raises CommandFailure where others use them.

    A daemon that a person had started is started again at the end.
    """
    settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    locks = [
        lock for lock in (update_lock.installation_lock(), update_lock.home_lock(settings.home)) if lock is not None
    ]
    state = None
    try:
        for lock in locks:
            lock.take(OTHERS_WITHIN_S)
        if (found := metadata.version(DISTRIBUTION)) != VERSION:
            raise CommandFailure(f"AgentOS was updated to {found} meanwhile: nothing was changed", ExitCode.REFUSED)
        state = _daemon_ended(settings)
        with _not_interrupted():
            yield
    except Conflict as conflict:
        raise CommandFailure(str(conflict), ExitCode.REFUSED) from None
    finally:
        for lock in reversed(locks):
            lock.release()
        if state is not None and state.get("started_by") == "hand":
            listen = str(state.get("http") or "").partition("://")[2]
            _ran(settings, "start", *(("--listen", listen) if listen else ()))


def _daemon_ended(settings: "Settings") -> dict[str, Any] | None:
    """End a daemon that serves nobody, return what it said of itself. Raises CommandFailure where sessions are open."""
    from .... import config

    state = background.state_of(settings)
    fronts = [process for process in processes.find(settings.home, config.default_home()) if process.kind == "front"]
    if fronts or int((state or {}).get("sessions") or 0):
        raise CommandFailure("agents' sessions use this memory: end them, then run this again", ExitCode.REFUSED)
    if state is not None:
        hello.ask_to_leave(socket_path(settings.home), LEAVES_WITHIN_S)
        background.ended(settings)
    return state


@contextmanager
def _not_interrupted() -> Iterator[None]:
    """Let nobody stop this halfway: Ctrl-C and SIGTERM count when all is done, one way or the other."""
    asked: list[int] = []

    def note(number: int, _: object) -> None:
        asked.append(number)
        say("waiting until it is complete or rolled back", err=True)

    before = {number: signal.signal(number, note) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if asked:
            signal.raise_signal(asked[0])


def _ended(left: Journal, settings: "Settings", installer: Installer) -> UpdateReport | None:
    """Bring an update that was cut off to its end; return the report if it was taken back. Raises CommandFailure."""
    if left.wanted == VERSION:
        problems = list(_examined(settings, left.wanted, left.known, has_memory=left.backup is not None))
        if problems:
            report = UpdateReport(left.wanted, "rolled-back", left.backup, problems)
            _take_back(report, left, settings, installer)
            return report
        say(f"the update to {left.wanted} had been interrupted; it is complete now", err=True)
    elif left.step == TAKING_BACK and left.backup is not None and _ran(settings, "migrate", "--json")[0]:
        # The old version was back, and its memory not yet.
        report = UpdateReport(left.wanted, "rolled-back", left.backup, ["it was interrupted while rolling back"])
        _take_back(report, left, settings, installer, restore=True)
        return report
    left.close()
    return None


def _update(
    report: UpdateReport, request: UpdateOptions, settings: "Settings", installer: Installer, wheel: Wheel
) -> None:
    """Install a wheel, examine it, and put all back if it finds new errors. Raises CommandFailure."""
    known = _errors(settings)
    if known is None:
        raise CommandFailure("agentos doctor does not run here; fix that first", ExitCode.UNAVAILABLE)
    fallback = of_installed(journal.folder_in(settings.home))
    report.backup = _backed_up(request, settings)
    under_way = Journal(str(settings.home), VERSION, wheel.version, str(fallback), report.backup, tuple(known))
    under_way.begin(remains_in_shell(packages_here()), installer.back(fallback), sys.executable)
    say(f"if this is interrupted and agentos does not start, run: sh '{under_way.script}'", err=True)
    try:
        installer.put(wheel.path, _links(request.source, offline=settings.offline), offline=settings.offline)
    except CommandFailure as failure:
        report.problems = [str(failure)]
    ran = not report.problems
    if ran:
        under_way = under_way.at("examining")
        has_memory = report.backup is not None
        report.problems = list(_examined(settings, wheel.version, known, has_memory=has_memory))
    if report.problems:
        report.action = "rolled-back"
        _take_back(report, under_way, settings, installer, restore=ran)
    else:
        under_way.close()
        report.action = "updated"


def _take_back(
    report: UpdateReport, under_way: Journal, settings: "Settings", installer: Installer, *, restore: bool = False
) -> None:
    """Put the version before an update back, and its memory; without `restore` only if that version cannot read it.

    Raises CommandFailure.
    """
    under_way = under_way.at(TAKING_BACK)
    try:
        installer.put_back(Path(under_way.wheel), packages_here())
        if not _ran(settings, "--version", named=False)[1].startswith(f"AgentOS {under_way.before} "):
            raise CommandFailure(f"AgentOS {under_way.before} does not start again", ExitCode.UNAVAILABLE)
        is_lost = report.backup is not None and (restore or _ran(settings, "migrate", "--json")[0])
        if is_lost and _ran(settings, "restore", str(report.backup), "--yes", "--json")[0]:
            raise CommandFailure("the memory could not be restored", ExitCode.UNAVAILABLE)
    except CommandFailure as failure:
        message = f"the update failed ({'; '.join(report.problems)}), and was not rolled back: {failure}"
        raise CommandFailure(f"{message}; by hand: sh '{under_way.script}'", ExitCode.UNAVAILABLE) from failure
    under_way.close()


def _links(source: Path | None, *, offline: bool) -> Path | None:
    """Return the folder in which packages that a wheel needs may lie.

    What lies beside a wheel that was named alone, among downloads, is no part of it: it counts where no index is asked.
    """
    if source is None or source.is_dir():
        return source
    return source.parent if offline else None


def _backed_up(request: UpdateOptions, settings: "Settings") -> str | None:
    """Return the path of a verified backup; None where there is nothing to keep. Raises CommandFailure."""
    if not request.backup:
        return None
    if settings.uses_postgres:
        raise CommandFailure("the memory is in PostgreSQL: back it up there, then add --no-backup", ExitCode.REFUSED)
    if not settings.database.exists():
        return None
    code, output = _ran(settings, "backup", "--json")
    try:
        return str(json.loads(output)["path"])
    except (ValueError, KeyError, TypeError):
        raise CommandFailure(
            f"the memory could not be backed up (code {code}): agentos doctor", ExitCode.UNAVAILABLE
        ) from None


def _examined(settings: "Settings", version: str, known: Collection[str], *, has_memory: bool) -> Iterator[str]:
    """Yield what is wrong with the version that is installed now, in the order in which it is looked at."""
    wanted = f"AgentOS {version} (agentos-mcp, build {BUILD})\n"
    if _ran(settings, "--version", named=False) != (0, wanted):
        yield f"{version} does not start"
        return
    if has_memory and _ran(settings, "migrate", "--json")[0]:
        yield "the memory cannot be migrated to its schema"
        return
    errors = _errors(settings)
    if errors is None:
        yield "its doctor does not run"
    elif new := sorted(set(errors) - set(known)):
        yield f"its doctor finds {', '.join(new)}"


def _errors(settings: "Settings") -> list[str] | None:
    """Return the checks in which the installed version's doctor finds an error; None where it does not run."""
    _, output = _ran(settings, "doctor", "--json")
    try:
        return [check["id"] for check in json.loads(output)["checks"] if check["status"] == "error"]
    except (ValueError, KeyError, TypeError):
        return None


def _ran(settings: "Settings", *words: str, named: bool = True) -> tuple[int, str]:
    """Run the installed version's command for the home; return its exit code and what it printed."""
    home = ("--home", str(settings.home)) if named else ()
    try:
        done = subprocess.run(
            (*_COMMAND, *words, *home),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=WITHIN_S,
            **apart(),
        )
    except subprocess.TimeoutExpired:
        return ExitCode.UNAVAILABLE, ""
    return done.returncode, done.stdout


def _tell(report: UpdateReport, request: UpdateOptions) -> None:
    if request.as_json:
        say_json(report.facts)
        return
    if report.action == "none":
        say(f"AgentOS {VERSION} is the newest")
    elif report.action == "available":
        say(f"AgentOS {report.newest} is available; {VERSION} is installed: agentos update")
    elif report.action == "updated":
        say(f"AgentOS is {report.newest} now, and its doctor finds no new errors; start new sessions")
    else:
        say(f"{report.newest} was rolled back, {VERSION} is installed again: {'; '.join(report.problems)}", err=True)
    if report.backup is not None:
        say(f"backup of the memory: {report.backup}")
