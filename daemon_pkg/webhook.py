"""The webhook: reports a request for approval to one address, in three fields and bounded time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from . import destination

if TYPE_CHECKING:
    from ..modules.approvals.models import Approval

WITHIN_S = 10.0


class WebhookFailed(Exception):
    """The address did not accept the report; the message says why, and names neither the address nor its answer."""


async def post(url: str, approval: Approval) -> None:
    """Send id, action and risk of an approval. Raises WebhookFailed.

    Follows no redirect and uses no proxy of the environment: it goes where the settings say, and nowhere else. A name
    that resolves to a private network is not called.
    """
    import httpx2

    content = {"id": approval.id, "action": approval.action, "risk": approval.risk}
    try:
        async with (
            asyncio.timeout(WITHIN_S),
            httpx2.AsyncClient(timeout=WITHIN_S, follow_redirects=False, trust_env=False) as client,
        ):
            to = await destination.resolved(url)
            headers, named = {"Host": to.authority}, {"sni_hostname": to.name}
            async with client.stream("POST", to.url, json=content, headers=headers, extensions=named) as response:
                status = response.status_code  # its body is of no interest, however long
    except destination.Forbidden:
        raise WebhookFailed("its name leads into a private network, where it may not go") from None
    except TimeoutError:
        raise WebhookFailed(f"no answer in {WITHIN_S:g} s") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise WebhookFailed(f"it cannot be reached ({type(error).__name__})") from None
    if not 200 <= status < 300:
        raise WebhookFailed(f"it answers {status}")
