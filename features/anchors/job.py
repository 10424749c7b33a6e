"""Every 10 minutes: marks the notes whose code was renamed, moved, changed, or is gone; nothing without a folder."""

import logging
from datetime import timedelta

from ...daemon_pkg.jobs.job import StoreJob
from ...modules.agentos import AgentOS

log = logging.getLogger(__name__)


async def check(agentos: AgentOS) -> None:
    """Anchor new notes of the folders that are followed, and check those that are anchored."""
    anchors = await agentos.anchors()
    if anchors is None:
        return
    done = await anchors.check()
    if done.found or done.marked or done.cleared:
        log.info("anchors: %d found, %d notes marked, %d cleared", done.found, done.marked, done.cleared)
    for folder, why in done.words.items():
        log.warning("anchors: %s: %s", folder, why)


JOB = StoreJob(
    "code_anchors",
    timedelta(minutes=10),
    "marks notes whose code changed, in folders you follow",
    check,
)
