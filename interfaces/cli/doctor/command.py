"""The examination as a command: the checks, their order, and the report."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from .... import config, database
from ....features import registered
from ....modules.clock import system_clock
from ....modules.health.models import Check, CheckResult, Report, Severity
from ....modules.health.service import examine
from ....modules.plugins.feature import parts
from ....modules.text.counting import counted
from ....modules.version import VERSION
from ..options import expanded
from ..terminal import one_line, say, say_json
from . import clients, installation
from .daemon import DaemonChecks

COLOURS = {Severity.OK: "green", Severity.INFO: "cyan", Severity.WARNING: "yellow", Severity.ERROR: "red"}


def run(home: Path | None, *, as_json: bool, repair: bool, deep: bool) -> int:
    """Examine, report on standard output, and return the exit code: 0 nothing to do, 1 warnings, 2 errors."""
    named = None if home is None else expanded(home)
    settings = installation.settings_or_defaults(named)
    with _checks(named, settings, deep) as checks:
        report = examine(checks, repair=repair)
    place = None if settings is None else settings.home
    if as_json:
        say_json(as_facts(report, place))
    else:
        _show(report, place)
    return report.exit_code


@contextmanager
def _checks(home: Path | None, settings: config.Settings | None, deep: bool) -> Iterator[list[Check]]:
    """Yield every check; without settings only those of the installation and the clients."""
    first = [*installation.checks(home), *clients.checks()]
    if settings is None:
        yield first
        return
    first += [Check("settings.features", lambda: installation.look_at_features(settings))]
    daemon = DaemonChecks(settings, _default_home())
    with database.health_checks(settings, system_clock, deep=deep) as of_store:
        of_home = [check for check in of_store if check.id.startswith("home.")]
        others = [check for check in of_store if not check.id.startswith("home.")]
        of_features = [one for checks in parts(registered(settings.features), "checks") for one in checks(settings)]
        yield [*first, *of_home, *daemon.checks(), *of_features, *others]


def _default_home() -> Path | None:
    try:
        return config.default_home()
    except config.SettingsError:  # a user without a home folder who named another one
        return None


def as_facts(report: Report, home: Path | None) -> dict[str, Any]:
    """Return the report as one object; its keys are stable."""
    summary: dict[str, Any] = {str(severity): report.count(severity) for severity in Severity}
    summary |= {
        "status": str(report.worst),
        "repaired": sum(result.repaired for result in report.results),
        "left_out": list(report.left_out),
        "exit_code": report.exit_code,
    }
    return {
        "home": None if home is None else str(home),
        "version": VERSION,
        "checks": [
            {
                "id": result.id,
                "status": str(result.severity),
                "message": result.message,
                "remedy": result.remedy,
                "repairable": result.repairable,
                "repaired": result.repaired,
                "details": dict(result.details),
            }
            for result in report.results
        ],
        "summary": summary,
    }


def _show(report: Report, home: Path | None) -> None:
    """Print a row for each check and, under a finding, the command that repairs it."""
    say(f"agentos {VERSION}, {home or 'home unknown'}\n")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    for result in report.results:
        table.add_row(Text(str(result.severity), COLOURS[result.severity]), result.id, Text(one_line(result.message)))
        if result.remedy and result.severity is not Severity.OK:
            table.add_row("", "", Text(f"-> {one_line(result.remedy)}"))
    say(table)
    say(f"\n{_verdict(report)}")


def _verdict(report: Report) -> str:
    parts = [f"{report.count(severity)} {severity}" for severity in Severity]
    text = f"{counted(len(report.results), 'check')}: {', '.join(parts)}"
    if report.left_out:
        text += f"; skipped because of earlier findings: {len(report.left_out)}"
    if any(_could_repair(result) for result in report.results):
        text += "\nagentos doctor --repair fixes what can be fixed without losing anything"
    return text


def _could_repair(result: CheckResult) -> bool:
    return result.severity.is_fault and result.repairable and not result.repaired
