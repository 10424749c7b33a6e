"""Webhooks: report requests for approval, and events, each to one address, in bounded time and signed."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from typing import TYPE_CHECKING, Any

from ..modules.errors import AgentOSError
from . import destination

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from ..modules.approvals.models import Approval
    from ..modules.events.models import ChangeEvent

WITHIN_S = 10.0
PREFIX = "whsec_"
"""What secrets of Standard Webhooks begin with."""


class WebhookFailed(AgentOSError):
    """The address did not accept the report; the message says why, and names neither the address nor its answer."""


async def post(url: str, approval: Approval) -> None:
    """Send id, action and risk of an approval. Raises WebhookFailed."""
    await _send(url, {"id": approval.id, "action": approval.action, "risk": approval.risk}, {})


async def post_event(url: str, secret: str, event: ChangeEvent, now: datetime) -> None:
    """Send an event, without any text that somebody stored. Raises WebhookFailed.

    With a secret it is signed as Standard Webhooks says: HMAC-SHA256 of id, moment and body, in that order. An event
    keeps its id whenever it is sent.
    """
    named = {"webhook-id": f"evt_{event.cursor}", "webhook-timestamp": str(int(now.timestamp()))}
    await _send(url, event.told(), named, secret)


async def post_approved(url: str, secret: str, approval: Approval, now: datetime) -> None:
    """Send what a human approved, signed as an event is, under the id of the approval. Raises WebhookFailed."""
    content = {
        "type": approval.payload["type"],
        "subject": approval.subject,
        "namespace": approval.namespace,
        "data": approval.payload.get("data", {}),
    }
    named = {"webhook-id": approval.id, "webhook-timestamp": str(int(now.timestamp()))}
    await _send(url, content, named, secret)


def signature(secret: str, identifier: str, moment: str, body: bytes) -> str:
    """Return the signature of what is sent, as the libraries of Standard Webhooks compute it."""
    signed = f"{identifier}.{moment}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(_key(secret), signed, hashlib.sha256).digest()).decode("ascii")


def _key(secret: str) -> bytes:
    """Return the key that a secret stands for: base64 with or without `whsec_`; any other text is the key itself."""
    try:
        return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except ValueError:
        return secret.encode()


async def _send(url: str, content: Mapping[str, Any], named: Mapping[str, str], secret: str = "") -> None:
    """Post to an address, following no redirect and using no proxy of the environment. Raises WebhookFailed.

    It goes where the settings say, and nowhere else: a name that resolves to a private network is not called.
    """
    import httpx2

    body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    fields = {"Content-Type": "application/json", **named}
    if secret:
        fields["webhook-signature"] = signature(secret, fields["webhook-id"], fields["webhook-timestamp"], body)
    try:
        async with (
            asyncio.timeout(WITHIN_S),
            httpx2.AsyncClient(timeout=WITHIN_S, follow_redirects=False, trust_env=False) as client,
        ):
            to = await destination.resolved(url)
            headers, extensions = {**fields, "Host": to.authority}, {"sni_hostname": to.name}
            async with client.stream("POST", to.url, content=body, headers=headers, extensions=extensions) as response:
                status = response.status_code  # its body is of no interest, however long
    except destination.Forbidden:
        raise WebhookFailed("its name resolves to a private network, which is not allowed") from None
    except TimeoutError:
        raise WebhookFailed(f"no answer in {WITHIN_S:g} s") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:  # the last: a port or a name is none
        raise WebhookFailed(f"it cannot be reached ({type(error).__name__})") from None
    if not 200 <= status < 300:
        raise WebhookFailed(f"it answers {status}")
