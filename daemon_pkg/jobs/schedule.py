"""All jobs."""

from . import (
    approvals,
    backup,
    consolidation,
    event_retention,
    fact_extraction,
    goal_monitor,
    graph_reader,
    memory_decay,
    memory_lifecycle,
    procedure_miner,
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
    event_retention.JOB,
    consolidation.JOB,
    memory_lifecycle.JOB,
    backup.JOB,
    approvals.JOB,
    usage.JOB,
    procedure_miner.JOB,
    turn_salience.JOB,
    graph_reader.JOB,
    fact_extraction.JOB,
    tiers.JOB,
    queue_worker.JOB,
)
