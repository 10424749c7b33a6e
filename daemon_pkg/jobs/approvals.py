"""Every 2 minutes: executes what was approved, expires what nobody decided, and reminds of what waits."""

import logging
from datetime import timedelta

from ...modules.agentos import AgentOS
from ...modules.approvals.models import Approval
from ...modules.identifiers import EVERYWHERE
from ...modules.insights.models import InsightSeverity
from .. import webhook
from ..writer import InsightWriter, RuleFinding
from .job import StoreJob

RULE = "waiting"
ANNOUNCED_AT_ONCE = 20

log = logging.getLogger(__name__)


async def attend_approvals(agentos: AgentOS) -> None:
    """Expire requests, execute what is due, remind each namespace of what waits, and call the webhook."""
    await agentos.approvals.expire()
    for approval in await agentos.approvals.executor.run_due():
        log.info("%s is %s", approval.id, approval.status)
    await _remind(agentos)
    await _announce(agentos)


async def _remind(agentos: AgentOS) -> None:
    """Write one insight in each namespace where something waits: an agent can tell the user, but not decide."""
    writer = InsightWriter(JOB.name, agentos.insights)
    newest: dict[str, Approval] = {}
    for approval in sorted(
        (await agentos.approvals.inbox(EVERYWHERE)).approvals, key=lambda waiting: waiting.created_at
    ):
        newest[approval.namespace] = approval
    for namespace in sorted({*newest, *await agentos.insights.open_everywhere(JOB.name)}):
        # Its subject is the newest one: the next request is a new finding, however recently this one was closed.
        findings = [
            RuleFinding(
                RULE,
                f"approval:{approval.id}",
                InsightSeverity.WARNING,
                "A request needs the user's decision: tell the user to run `agentos approvals list`.",
            )
            for approval in [newest.get(namespace)]
            if approval is not None
        ]
        await writer.write(namespace, (RULE,), findings)


async def _announce(agentos: AgentOS) -> None:
    """Call the webhook for each new request; after a failure the next run goes on. Decided ones are not announced."""
    if not agentos.approvals.webhook:
        return
    for approval in await agentos.approvals.unannounced(ANNOUNCED_AT_ONCE):
        try:
            await webhook.post(agentos.approvals.webhook, approval)
        except webhook.WebhookFailed as error:
            log.warning("the approval webhook: %s; it is called again", error)
            return
        await agentos.approvals.announced(approval)


JOB = StoreJob(
    "approvals", timedelta(minutes=2), "carries out approved actions and reports pending requests", attend_approvals
)
