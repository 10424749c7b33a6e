"""The checks of the embedded store, ordered so that each follows those it depends on."""

from ....modules.health.models import Check
from . import audit, backups, database, files, index, jobs, rows
from .subject import Subject


def all_checks(subject: Subject) -> list[Check]:
    """Return every check of a home, its database, its index and its backups."""
    return [check for part in (files, database, rows, audit, index, jobs, backups) for check in part.checks(subject)]
