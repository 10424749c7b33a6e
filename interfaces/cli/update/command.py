"""The update step by step: prove, back up, install, examine; and everything back if the examination finds errors."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....modules.version import BUILD, SIGNATURE, VERSION
from ...stdio.front import hello
from ...stdio.front.place import socket_path
from .. import background
from ..opened import settings_here
from ..outcome import Failure, Outcome
from ..terminal import ask, can_ask, say, say_json
from .installing import Installer, installer_here
from .wheels import Wheel, newest, of_installed

if TYPE_CHECKING:
    from ....config import Settings

WITHIN_S = 1800.0
"""How long a step of a new version may take: a migration of a large memory, above all."""
LEAVES_WITHIN_S = 10.0
_COMMAND = (sys.executable, "-P", "-m", "agentos.interfaces.cli")
"""Other versions run in processes of their own: this one has read its modules from files that are replaced."""


@dataclass(frozen=True)
class Request:
    """The options of the command."""

    source: Path | None = None
    check: bool = False
    pre: bool = False
    backup: bool = True
    yes: bool = False
    as_json: bool = False


@dataclass
class Report:
    """The report of an update: `action` is none, available, updated or rolled-back."""

    newest: str
    action: str = "none"
    backup: str | None = None
    problems: list[str] = field(default_factory=list)

    @property
    def facts(self) -> dict[str, Any]:
        """The report as JSON; its keys are stable."""
        told = {"installed": VERSION if self.action != "updated" else self.newest, "newest": self.newest}
        return {**told, "action": self.action, "backup": self.backup, "problems": self.problems}


def run(request: Request, home: Path | None) -> int:
    """Carry out an update; return the exit code: REFUSED where it was taken back. Raises Failure."""
    settings = settings_here(home)
    installer = installer_here()
    with tempfile.TemporaryDirectory(prefix="agentos-update-") as kept:
        wheel = _found(request, settings, installer, Path(kept))
        report = Report(wheel.version)
        if _is_newer(wheel.version):
            report.action = "available"
            if not request.check:
                _confirmed(request, wheel)
                with _nobody_at_work(settings):
                    _update(report, request, settings, installer, wheel, of_installed(Path(kept)))
    _tell(report, request)
    return Outcome.REFUSED if report.action == "rolled-back" else Outcome.DONE


def _found(request: Request, settings: "Settings", installer: Installer, kept: Path) -> Wheel:
    """Return the newest wheel of AgentOS, from where the request allows. Raises Failure."""
    if request.source is not None:
        return newest(request.source, pre=request.pre)
    if settings.offline:
        raise Failure(
            "AGENTOS_OFFLINE is true: no index is asked. Name a wheel or a folder of wheels: --from", Outcome.REFUSED
        )
    folder = kept / "fetched"
    folder.mkdir()
    installer.fetch(folder, pre=request.pre)
    return newest(folder, pre=request.pre)


def _is_newer(version: str) -> bool:
    from packaging.version import Version

    return Version(version) > Version(VERSION)


def _confirmed(request: Request, wheel: Wheel) -> None:
    question = f"Update AgentOS from {VERSION} to {wheel.version}?"
    if not request.yes and not (can_ask() and ask(question)):
        raise Failure("nothing was changed; add --yes to update", Outcome.REFUSED)


@contextmanager
def _nobody_at_work(settings: "Settings") -> Iterator[None]:
    """End a daemon that serves nobody, and start it again at the end if a person had. Raises Failure."""
    state = background.state_of(settings)
    if state is not None:
        if int(state.get("sessions") or 0):
            raise Failure("agents' sessions use this memory: end them, then run this again", Outcome.REFUSED)
        hello.ask_to_leave(socket_path(settings.home), LEAVES_WITHIN_S)
        background.ended(settings)
    try:
        yield
    finally:
        if state is not None and state.get("started_by") == "hand":
            listen = str(state.get("http") or "").partition("://")[2]
            _ran(settings, "start", *(("--listen", listen) if listen else ()))


def _update(
    report: Report, request: Request, settings: "Settings", installer: Installer, wheel: Wheel, before: Path
) -> None:
    """Install a wheel, examine it, and put everything back if it finds errors that were not there. Raises Failure."""
    known = _errors(settings)
    if known is None:
        raise Failure("agentos doctor does not run here: mend that first", Outcome.UNAVAILABLE)
    report.backup = _backed_up(request, settings)
    try:
        installer.put(wheel.path, _links(request.source, offline=settings.offline), offline=settings.offline)
    except Failure as failure:
        report.problems = [str(failure)]
    ran = not report.problems
    if ran:
        report.problems = list(_examined(settings, wheel, known, has_memory=report.backup is not None))
    if not report.problems:
        report.action = "updated"
        return
    report.action = "rolled-back"
    try:
        installer.put_back(before)
        if _ran(settings, "--version", named=False) != (0, f"{SIGNATURE}\n"):
            raise Failure(f"AgentOS {VERSION} does not start again", Outcome.UNAVAILABLE)
        if ran and report.backup is not None and _ran(settings, "restore", report.backup, "--yes", "--json")[0]:
            raise Failure("the memory could not be restored", Outcome.UNAVAILABLE)
    except Failure as failure:
        told = f"the update failed ({'; '.join(report.problems)}), and was not taken back: {failure}"
        backup = f"; the memory before it: agentos restore {report.backup}" if report.backup else ""
        raise Failure(f"{told}; install {VERSION} again by hand{backup}", Outcome.UNAVAILABLE) from failure


def _links(source: Path | None, *, offline: bool) -> Path | None:
    """Return the folder in which packages that a wheel needs may lie.

    What lies beside a wheel that was named alone, among downloads, is no part of it: it counts where no index is asked.
    """
    if source is None or source.is_dir():
        return source
    return source.parent if offline else None


def _backed_up(request: Request, settings: "Settings") -> str | None:
    """Return the path of a verified backup; None where there is nothing to keep. Raises Failure."""
    if not request.backup:
        return None
    if settings.uses_postgres:
        raise Failure("the memory is in PostgreSQL: back it up there, then add --no-backup", Outcome.REFUSED)
    if not settings.database.exists():
        return None
    code, said = _ran(settings, "backup", "--json")
    try:
        return str(json.loads(said)["path"])
    except (ValueError, KeyError, TypeError):
        raise Failure(f"the memory could not be backed up (code {code}): agentos doctor", Outcome.UNAVAILABLE) from None


def _examined(settings: "Settings", wheel: Wheel, known: Collection[str], *, has_memory: bool) -> Iterator[str]:
    """Yield what is wrong with the version that is installed now, in the order in which it is looked at."""
    wanted = f"AgentOS {wheel.version} (agentos-mcp, build {BUILD})\n"
    if _ran(settings, "--version", named=False) != (0, wanted):
        yield f"{wheel.version} does not start"
        return
    if has_memory and _ran(settings, "migrate", "--json")[0]:
        yield "the memory cannot be brought to its schema"
        return
    errors = _errors(settings)
    if errors is None:
        yield "its doctor does not run"
    elif new := sorted(set(errors) - set(known)):
        yield f"its doctor finds {', '.join(new)}"


def _errors(settings: "Settings") -> list[str] | None:
    """Return the checks in which the installed version's doctor finds an error; None where it does not run."""
    _, said = _ran(settings, "doctor", "--json")
    try:
        return [check["id"] for check in json.loads(said)["checks"] if check["status"] == "error"]
    except (ValueError, KeyError, TypeError):
        return None


def _ran(settings: "Settings", *words: str, named: bool = True) -> tuple[int, str]:
    """Run the installed version's command for the home; return its exit code and what it printed."""
    home = ("--home", str(settings.home)) if named else ()
    try:
        done = subprocess.run(
            (*_COMMAND, *words, *home), capture_output=True, text=True, errors="replace", timeout=WITHIN_S
        )
    except subprocess.TimeoutExpired:
        return Outcome.UNAVAILABLE, ""
    return done.returncode, done.stdout


def _tell(report: Report, request: Request) -> None:
    if request.as_json:
        say_json(report.facts)
        return
    if report.action == "none":
        say(f"AgentOS {VERSION} is the newest")
    elif report.action == "available":
        say(f"AgentOS {report.newest} is there; {VERSION} is installed: agentos update")
    elif report.action == "updated":
        say(f"AgentOS is {report.newest} now, and its doctor finds no new error; start new sessions")
    else:
        say(f"{report.newest} was taken back, {VERSION} is installed again: {'; '.join(report.problems)}", err=True)
    if report.backup is not None:
        say(f"the memory as it was: {report.backup}")
