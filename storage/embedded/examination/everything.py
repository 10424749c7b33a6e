"""The checks of the embedded store, in the order in which one makes the next worth making."""

from ....modules.health.models import Check
from . import backups, database, files, index, jobs, rows
from .subject import Subject


def all_checks(subject: Subject) -> list[Check]:
    """Every check of a home, its database, its index and its backups."""
    return [check for part in (files, database, rows, index, jobs, backups) for check in part.checks(subject)]
