"""The connectors `tickets`, `pull-requests` and `incidents`: exports of trackers and of git hosts."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from ..models import Connector, Signal
from . import records

_OF_PULL_REQUESTS = ("pull_request", "headRefName", "head", "source_branch", "merge_status", "mergedAt", "merged_at")
"""Fields that only a pull request has, or an issue that GitHub lists for one."""


def _places() -> Sequence[Path]:
    return []


def _tickets(path: Path, now: datetime) -> Iterable[Signal]:
    return records.signals("Ticket", (one for one in records.read(path) if not _is_pull_request(one)))


def _pull_requests(path: Path, now: datetime) -> Iterable[Signal]:
    found = (one for one in records.read(path) if _is_pull_request(one))
    return records.signals("Pull request", ({**one, "state": _state(one)} for one in found))


def _incidents(path: Path, now: datetime) -> Iterable[Signal]:
    return records.signals("Incident", records.read(path))


def _is_pull_request(record: records.Record) -> bool:
    return any(name in record for name in _OF_PULL_REQUESTS)


def _state(record: records.Record) -> str:
    """Return the state of a pull request; GitHub says "closed" of a merged one."""
    merged = record.get("merged_at") or record.get("mergedAt") or records.first(record, ("pull_request.merged_at",))
    return "merged" if merged else str(records.first(record, records.STATE))


TICKETS = Connector("tickets", "issues exported from GitHub, GitLab, Jira or Linear (JSON, CSV)", _places, _tickets)
PULL_REQUESTS = Connector(
    "pull-requests", "pull and merge requests exported from GitHub or GitLab (JSON)", _places, _pull_requests
)
INCIDENTS = Connector(
    "incidents", "incidents exported from PagerDuty, Statuspage and the like (JSON, CSV)", _places, _incidents
)
