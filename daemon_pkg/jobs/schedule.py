"""The jobs there are."""

from . import goal_monitor, memory_decay, reflection_analyzer, self_maintenance
from .job import Job

JOBS: tuple[Job, ...] = (reflection_analyzer.JOB, goal_monitor.JOB, self_maintenance.JOB, memory_decay.JOB)
