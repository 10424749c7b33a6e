"""Requests for the user's permission as results."""

from collections.abc import Sequence

from ..approvals.models import Approval
from ..framing import named, quote
from ..records import dataclass
from .texts import Minute

NOBODY = "nobody"
HOW = "The user decides in a terminal: agentos approvals list."


@dataclass(frozen=True)
class ApprovalView:
    """A request and its state; while it is pending, the user can decide until it `expires_at`.

    `decided_by` is "nobody" until somebody decides.
    """

    id: str
    status: str
    action: str
    subject: str
    reason: str
    risk: float
    requested_by: str
    decided_by: str
    expires_at: Minute | None = None
    decided_at: Minute | None = None
    note: str | None = None
    result: str | None = None
    hints: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return the request as one line."""
        return " ".join([self.line(), *self.hints])

    def line(self) -> str:
        """Return the request without what to do about it."""
        line = f"{self.id} {self.status}: {named(self.action)} {quote(self.subject, 100)}, risk {self.risk:.2f}"
        line += f", asked by {quote(self.requested_by, 100)}: {quote(self.reason, 200)}"
        by = None if self.decided_by == NOBODY else self.decided_by
        for label, value in (("decided by", by), ("note", self.note), ("result", self.result)):
            line += f"; {label} {quote(value, 200)}" if value else ""
        line += f"; decided {self.decided_at:%Y-%m-%d %H:%M} UTC" if self.decided_at else ""
        return line + (f"; until {self.expires_at:%Y-%m-%d %H:%M} UTC" if self.expires_at else "")


@dataclass(frozen=True)
class ApprovalList:
    """Requests that wait for the user, the riskiest first, and their total."""

    results: tuple[ApprovalView, ...]
    total: int
    hints: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return the requests as lines."""
        lines = [f"- {one.line()}" for one in self.results]
        return "\n".join([*lines, f"{len(self.results)} of {self.total} wait for the user.", *self.hints])


@dataclass(frozen=True)
class ApprovalHistory:
    """Requests that no longer wait, the latest decision first."""

    results: tuple[ApprovalView, ...]

    def as_text(self) -> str:
        """The requests as lines."""
        return "\n".join(f"- {one.line()}" for one in self.results) or "Nothing was decided yet."


def history(found: Sequence[Approval]) -> ApprovalHistory:
    """Return the view of requests that no longer wait."""
    return ApprovalHistory(tuple(map(_view, found)))


def approval(found: Approval) -> ApprovalView:
    """Return the view of a request, with what to do about it."""
    return _view(found, (HOW,) if found.status.value == "pending" else ())


def approvals(shown: Sequence[Approval], total: int) -> ApprovalList:
    """Return the view of what waits for the user."""
    return ApprovalList(tuple(_view(one) for one in shown), total, (HOW,) if shown else ())


def _view(found: Approval, hints: tuple[str, ...] = ()) -> ApprovalView:
    return ApprovalView(
        found.id,
        found.status.value,
        found.action,
        found.subject,
        found.reason,
        found.risk,
        found.requested_by,
        found.decided_by or NOBODY,
        found.expires_at if found.status.value == "pending" else None,
        found.decided_at,
        found.note,
        found.result,
        hints,
    )
