"""Answers of Ollama, of a chat and of a prompt: lines that each hold a piece, or one that holds all."""

import json
from collections.abc import Mapping
from typing import Any

from ...modules.usage.models import Tokens
from .reply import ReplyParts, count, objects


def read(reply: ReplyParts, answer: Mapping[str, Any]) -> None:
    """Read a line."""
    message = answer.get("message")
    if isinstance(message, dict):
        reply.say(0, message.get("content"))
        for one in objects(message.get("tool_calls")):
            if isinstance(call := one.get("function"), dict):
                given = json.dumps(call.get("arguments"), ensure_ascii=False)
                reply.call(0, len(reply.calls), f"{call.get('name')} {given}")
    reply.say(0, answer.get("response"))
    if answer.get("done") is True:
        reply.is_complete = True
        if "eval_count" in answer:
            reply.tokens = Tokens(count(answer.get("prompt_eval_count")), output=count(answer.get("eval_count")))
