"""Answers of Gemini: each event of a stream has the form of a whole answer."""

import json
from collections.abc import Mapping
from typing import Any

from ...modules.usage.models import Tokens
from .reply import ReplyParts, count, objects


def read(reply: ReplyParts, answer: Mapping[str, Any]) -> None:
    """Read an answer or a piece of one; the model's thoughts are none of it."""
    for number, candidate in enumerate(objects(answer.get("candidates"))):
        content = candidate.get("content")
        place = count(candidate.get("index"), number)
        for part in objects(content.get("parts")) if isinstance(content, dict) else ():
            if not part.get("thought"):
                reply.say(place, part.get("text"))
            if isinstance(call := part.get("functionCall"), dict):
                given = json.dumps(call.get("args"), ensure_ascii=False)
                reply.call(place, len(reply.calls), f"{call.get('name')} {given}")
        if candidate.get("finishReason"):
            reply.is_complete = True
    if isinstance(identifier := answer.get("responseId"), str):
        reply.id = identifier[:200]
    usage = answer.get("usageMetadata")
    if isinstance(usage, dict):
        cached = count(usage.get("cachedContentTokenCount"))
        asked = count(usage.get("promptTokenCount")) + count(usage.get("toolUsePromptTokenCount"))
        output = count(usage.get("candidatesTokenCount")) + count(usage.get("thoughtsTokenCount"))
        reply.tokens = Tokens(max(0, asked - cached), cached, 0, output)
