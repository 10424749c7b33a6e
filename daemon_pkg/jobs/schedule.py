"""The jobs there are."""

from . import (
    approvals,
    backup,
    goal_monitor,
    graph_reader,
    memory_decay,
    memory_lifecycle,
    reflection_analyzer,
    self_maintenance,
    session_observer,
    usage,
)
from .job import AnyJob

JOBS: tuple[AnyJob, ...] = (
    reflection_analyzer.JOB,
    goal_monitor.JOB,
    self_maintenance.JOB,
    memory_decay.JOB,
    session_observer.JOB,
    memory_lifecycle.JOB,
    backup.JOB,
    approvals.JOB,
    usage.JOB,
    graph_reader.JOB,
)
