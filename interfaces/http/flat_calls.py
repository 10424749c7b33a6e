"""Calls of tools whose arguments stand beside the tool's name, as some clients write them: they are put in their place.

The SDK drops what it does not know, so this happens before it reads the message.
"""

import json
import re
from typing import Any

from starlette.types import Message, Receive

_OF_A_CALL = frozenset({"name", "arguments", "_meta", "task", "inputResponses", "requestState"})
_ARGUMENTS = re.compile(rb'"arguments"\s{0,9}:\s{0,9}(?!\s|\{\s{0,9}\}|null)')
"""Arguments that are in their place already; some clients send empty ones beside those that they mean."""


async def with_arguments(receive: Receive, most: int) -> Receive:
    """Read a request's body, and return what gives it again, with the arguments of a flat call in their place.

    A body of more than `most` bytes is given on as it comes.
    """
    messages: list[Message] = []
    size, ended = 0, False
    while not ended and size <= most:
        messages.append(await receive())
        size += len(messages[-1].get("body", b""))
        ended = messages[-1]["type"] != "http.request" or not messages[-1].get("more_body", False)
    body = b"".join(message.get("body", b"") for message in messages)
    if ended and messages[-1]["type"] == "http.request" and b'"tools/call"' in body and not _ARGUMENTS.search(body):
        messages = [{"type": "http.request", "body": _nested(body), "more_body": False}]
    waiting = iter(messages)

    async def again() -> Message:
        return next(waiting, None) or await receive()

    return again


def _nested(body: bytes) -> bytes:
    """Return a message with its arguments in their place; what is no flat call as it is."""
    try:
        message: Any = json.loads(body)
    except (ValueError, RecursionError):
        return body  # the SDK says what is wrong with it
    params = message.get("params") if isinstance(message, dict) else None
    if not isinstance(params, dict) or message.get("method") != "tools/call":
        return body
    if params.get("arguments") or params.keys() <= _OF_A_CALL:
        return body
    given = {name: value for name, value in params.items() if name not in _OF_A_CALL}
    kept = {name: value for name, value in params.items() if name in _OF_A_CALL}
    return json.dumps({**message, "params": {**kept, "arguments": given}}).encode()
