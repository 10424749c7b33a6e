"""The domain types of an examination: checks, their findings, and the report."""

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from ..records import dataclass


class Severity(StrEnum):
    """The severity of a finding; `info` is worth knowing and needs no action."""

    OK = "ok"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def is_fault(self) -> bool:
        """Return whether somebody should do something about it."""
        return self in (Severity.WARNING, Severity.ERROR)


@dataclass(frozen=True)
class Finding:
    """The finding of a check: one line, and the command that repairs it.

    `repair` repairs it without losing anything and returns what it did in words; it raises NotRepaired or an error of
    storage. `blocks`: the checks that need this one would only repeat the finding.
    """

    severity: Severity
    message: str
    remedy: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    repair: Callable[[], str] | None = None
    blocks: bool = False


@dataclass(frozen=True)
class Check:
    """One check. It is left out if a check that it `needs` blocks it or was itself left out."""

    id: str
    look: Callable[[], Finding]
    needs: tuple[str, ...] = ()


class NotRepaired(Exception):
    """A repair cannot be made now; the message says why, and what to do."""


@dataclass(frozen=True)
class CheckResult:
    """The result of one check; after a repair `message` says what was repaired."""

    id: str
    severity: Severity
    message: str
    remedy: str | None
    details: Mapping[str, Any]
    repairable: bool
    repaired: bool


@dataclass(frozen=True)
class Report:
    """Every check that was made, in order, and the ids of those that were left out."""

    results: tuple[CheckResult, ...]
    left_out: tuple[str, ...]

    def count(self, severity: Severity) -> int:
        """Count the checks that ended with this severity."""
        return sum(result.severity is severity for result in self.results)

    @property
    def worst(self) -> Severity:
        """The highest severity of all results."""
        order = list(Severity)
        return max((result.severity for result in self.results), key=order.index, default=Severity.OK)

    @property
    def exit_code(self) -> int:
        """0 if nothing is above info, 1 for warnings, 2 for errors."""
        return {Severity.WARNING: 1, Severity.ERROR: 2}.get(self.worst, 0)


def ok(message: str, **details: Any) -> Finding:
    """Return a finding that all is well."""
    return Finding(Severity.OK, message, details=details)


def info(message: str, **details: Any) -> Finding:
    """Return a finding that is worth knowing and needs no action."""
    return Finding(Severity.INFO, message, details=details)
