"""Human decisions in rows from elsewhere, which do not count here: a file cannot prove that a human decided."""

from typing import Any

HUMAN = "human:"
ELSEWHERE = "elsewhere"
"""The decider, as far as this store knows."""

UNDECIDED: dict[str, Any] = {
    "status": "pending",
    "note": None,
    **dict.fromkeys(("decided_at", "decided_by", "lease_owner", "lease_until", "announced_at")),
}
"""Columns of an approval that is pending again: approved elsewhere, and not executed yet."""


def undecided(table: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return the row as pending again if it is an approval that is not executed yet; for a store that would run it."""
    return row | UNDECIDED if table == "approvals" and row["status"] in ("approved", "executing") else row


def without_authority(table: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return the row as one in which no human of this store has decided anything."""
    row = undecided(table, row)
    if table == "approvals" and str(row["decided_by"] or "").startswith(HUMAN):
        return row | {"decided_by": ELSEWHERE}
    if table == "approval_events" and str(row["by"]).startswith(HUMAN):
        return row | {"by": ELSEWHERE}
    if table == "changes" and row["by"] == "human":
        return row | {"by": "agent", "approval": None}
    return row
