"""The webhook: tells one address of a request for approval, in three fields and bounded time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..modules.approvals.models import Approval

WITHIN_S = 10.0


class WebhookFailed(Exception):
    """The address took no notice; the message says how, and names neither the address nor its answer."""


async def post(url: str, approval: Approval) -> None:
    """Send id, action and risk of an approval. Raises WebhookFailed.

    Follows no redirect and uses no proxy of the environment: it goes where the settings say, and nowhere else.
    """
    import httpx2

    content = {"id": approval.id, "action": approval.action, "risk": approval.risk}
    try:
        async with (
            asyncio.timeout(WITHIN_S),
            httpx2.AsyncClient(timeout=WITHIN_S, follow_redirects=False, trust_env=False) as client,
            client.stream("POST", url, json=content) as response,  # its body is of no interest, however long
        ):
            status = response.status_code
    except TimeoutError:
        raise WebhookFailed(f"no answer in {WITHIN_S:g} s") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise WebhookFailed(f"it cannot be reached ({type(error).__name__})") from None
    if not 200 <= status < 300:
        raise WebhookFailed(f"it answers {status}")
