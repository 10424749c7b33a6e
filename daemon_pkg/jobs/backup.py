"""Every 24 hours: makes a verified backup of the store, if anything changed since the newest one."""

import logging
from datetime import timedelta

from ...modules.agentos import AgentOS
from ...modules.errors import AgentOSError
from ...modules.insights.models import InsightSeverity
from ..writer import InsightWriter, RuleFinding
from .job import StoreJob

RULE = "backup_failed"

log = logging.getLogger(__name__)


async def back_up(agentos: AgentOS) -> None:
    """Make a backup and drop old ones; if that fails, write an insight in every namespace. Raises AgentOSError."""
    if not agentos.backups.scheduled:
        return
    try:
        made = await agentos.backups.make_when_changed()
    except AgentOSError as error:
        try:
            await _write_insights(agentos, [await _failure(agentos, error)])
        except AgentOSError as unwritten:  # probably the same full disk: it is in the log, and the next run reports it
            log.warning("nobody could be told of the failed backup: %s", unwritten)
        raise
    await _write_insights(agentos, [])
    log.info("backup: %s", made.name if made else "nothing has changed")


async def _failure(agentos: AgentOS, error: AgentOSError) -> RuleFinding:
    newest = next((backup.name for backup in await agentos.backups.all() if backup.problem is None), None)
    # Its subject is the newest good one: a failure after the next success is a new finding, never a silenced one.
    return RuleFinding(
        RULE,
        f"backup after {newest or 'none'}",
        InsightSeverity.CRITICAL,
        f"The daily backup of the memory failed: {error}. The newest intact backup: {newest or 'there is none'}.",
        "Tell the user that backups fail, and why; `agentos backup` tries again.",
        0.9,
    )


async def _write_insights(agentos: AgentOS, findings: list[RuleFinding]) -> None:
    writer = InsightWriter(JOB.name, agentos.insights)
    for namespace in await agentos.jobs.namespaces():
        await writer.write(namespace, (RULE,), findings)


JOB = StoreJob(
    "backup", timedelta(hours=24), "makes a verified backup and removes old ones", back_up, at_first_start=False
)
