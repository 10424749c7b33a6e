"""The examination: every check in turn, whatever the others find; repairs on request."""

from collections.abc import Iterable

from ..errors import AgentOSError, described
from .models import Check, CheckResult, Finding, NotRepaired, Report, Severity


def examine(checks: Iterable[Check], *, repair: bool) -> Report:
    """Make the checks in order. Blocks.

    Changes nothing unless `repair` is set, and then only what is safe to repair.
    """
    results: list[CheckResult] = []
    blocked: set[str] = set()
    left_out: list[str] = []
    for check in checks:
        if blocked.intersection(check.needs):
            blocked.add(check.id)
            left_out.append(check.id)
            continue
        finding = _look(check)
        repaired = False
        if repair and finding.severity.is_fault and finding.repair is not None:
            finding, repaired = _mend(check, finding)
        if finding.blocks:
            blocked.add(check.id)
        results.append(
            CheckResult(
                check.id,
                finding.severity,
                finding.message,
                finding.remedy,
                finding.details,
                repairable=repaired or finding.repair is not None,
                repaired=repaired,
            )
        )
    return Report(tuple(results), tuple(left_out))


def _look(check: Check) -> Finding:
    try:
        return check.look()
    except Exception as error:  # noqa: BLE001 - one check that fails must not keep the others from being made
        return Finding(
            Severity.ERROR,
            f"this check could not be made: {described(error)}",
            "fix the other findings and run it again; if it remains, report it",
            blocks=True,
        )


def _mend(check: Check, found: Finding) -> tuple[Finding, bool]:
    """Repair and check again; return the finding to report, and whether the fault is gone."""
    assert found.repair is not None
    try:
        done = found.repair()
    except (NotRepaired, AgentOSError) as reason:
        return _with(found, f"{found.message} (not repaired: {reason})"), False
    except Exception as error:  # noqa: BLE001 - a repair that fails has changed nothing, and the next may work
        return _with(found, f"{found.message} (not repaired: {described(error)})"), False
    again = _look(check)
    if again.severity.is_fault:
        return _with(again, f"{again.message} (it was tried: {done})"), False
    return _with(again, f"repaired: {done} (it was: {found.message})"), True


def _with(finding: Finding, message: str) -> Finding:
    return Finding(finding.severity, message, finding.remedy, finding.details, finding.repair, finding.blocks)
