"""The jobs there are."""

from . import backup, goal_monitor, memory_decay, reflection_analyzer, self_maintenance, session_observer
from .job import AnyJob

JOBS: tuple[AnyJob, ...] = (
    reflection_analyzer.JOB,
    goal_monitor.JOB,
    self_maintenance.JOB,
    memory_decay.JOB,
    session_observer.JOB,
    backup.JOB,
)
