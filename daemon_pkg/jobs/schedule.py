"""All jobs, those of features among them."""

from collections.abc import Collection

from ...features import registered
from ...modules.plugins.feature import named_parts, with_brought
from . import (
    approvals,
    backup,
    event_retention,
    fact_extraction,
    goal_monitor,
    graph_reader,
    memory_capacity,
    memory_decay,
    memory_lifecycle,
    near_duplicates,
    queue_worker,
    reflection_analyzer,
    retention,
    self_maintenance,
    session_observer,
    turn_salience,
    usage,
)
from .job import AnyJob

JOBS: tuple[AnyJob, ...] = (
    reflection_analyzer.JOB,
    goal_monitor.JOB,
    self_maintenance.JOB,
    memory_decay.JOB,
    session_observer.JOB,
    event_retention.JOB,
    memory_lifecycle.JOB,
    memory_capacity.JOB,
    retention.JOB,
    near_duplicates.JOB,
    backup.JOB,
    approvals.JOB,
    usage.JOB,
    turn_salience.JOB,
    graph_reader.JOB,
    fact_extraction.JOB,
    queue_worker.JOB,
)
"""The jobs of no feature."""


def jobs_of(features: Collection[str] | None) -> tuple[AnyJob, ...]:
    """Return the built-in jobs, of features those that are on; with None all. Imports those."""
    brought = named_parts(registered(features), "jobs")
    return tuple(with_brought(JOBS, brought, lambda job: job.name))


def names_of(features: Collection[str] | None) -> set[str]:
    """Return the names of the jobs of features that are on; with None of all. Imports none of them."""
    return {name for feature in registered(features) for name in feature.jobs}
