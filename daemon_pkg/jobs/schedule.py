"""The jobs there are."""

from . import (
    approvals,
    backup,
    consolidation,
    fact_extraction,
    goal_monitor,
    memory_decay,
    memory_lifecycle,
    queue_worker,
    reflection_analyzer,
    self_maintenance,
    session_observer,
    tiers,
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
    consolidation.JOB,
    memory_lifecycle.JOB,
    backup.JOB,
    approvals.JOB,
    usage.JOB,
    fact_extraction.JOB,
    turn_salience.JOB,
    tiers.JOB,
    queue_worker.JOB,
)
