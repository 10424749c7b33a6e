"""The check of the jobs by their records: whether one fails."""

from ...modules.health.models import Finding, Severity, ok
from .overview import Reader


def look_at_errors(reader: Reader) -> Finding:
    """Check that the last run of every job succeeded."""
    failed = reader.rows("SELECT name, last_error, failures FROM job_runs WHERE last_status = 'failed' ORDER BY name")
    if not failed:
        return ok("no job has failed at its last run")
    name, error, failures = failed[0]
    message = f"the job {name} has failed {failures} times in a row: {error}"
    if len(failed) > 1:
        message += f"; and {len(failed) - 1} more"
    return Finding(
        Severity.WARNING, message, f"agentos-daemon --once {name}", {"jobs": {row[0]: row[1] for row in failed}}
    )
