"""The domain types of an examination: checks, what they find, and the report."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Severity(StrEnum):
    """How bad a finding is; `info` is worth knowing and needs no action."""

    OK = "ok"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def is_fault(self) -> bool:
        """Whether somebody should do something about it."""
        return self in (Severity.WARNING, Severity.ERROR)


@dataclass(frozen=True)
class Finding:
    """What a check found: one line, and the command that mends it.

    `repair` mends it without losing anything and returns what it did in words; it raises NotRepaired or an error of
    storage. `blocks` says that the checks which need this one would only repeat it.
    """

    severity: Severity
    message: str
    remedy: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    repair: Callable[[], str] | None = None
    blocks: bool = False


@dataclass(frozen=True)
class Check:
    """One thing to look at. It is left out when a check that it `needs` blocks it or was itself left out."""

    id: str
    look: Callable[[], Finding]
    needs: tuple[str, ...] = ()


class NotRepaired(Exception):
    """A repair cannot be made now; the message says why, and what to do."""


@dataclass(frozen=True)
class Result:
    """How one check ended; after a repair `message` tells what was mended."""

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

    results: tuple[Result, ...]
    left_out: tuple[str, ...]

    def count(self, severity: Severity) -> int:
        """How many checks ended so."""
        return sum(result.severity is severity for result in self.results)

    @property
    def worst(self) -> Severity:
        """The worst there is."""
        order = list(Severity)
        return max((result.severity for result in self.results), key=order.index, default=Severity.OK)

    @property
    def exit_code(self) -> int:
        """0 when nothing is above info, 1 for warnings, 2 for errors."""
        return {Severity.WARNING: 1, Severity.ERROR: 2}.get(self.worst, 0)


def ok(message: str, **details: Any) -> Finding:
    """All is well."""
    return Finding(Severity.OK, message, details=details)


def info(message: str, **details: Any) -> Finding:
    """Worth knowing."""
    return Finding(Severity.INFO, message, details=details)
