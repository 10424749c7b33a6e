"""The words in a body of a request: texts of its parts, and who says them."""

import json
from collections.abc import Sequence
from typing import Any

TEXT_PARTS = ("text", "input_text", "output_text")
_REMINDER, _REMINDER_END = "<system-reminder>", "</system-reminder>"
"""What Claude Code adds to the words of its user."""
_OTHERS = frozenset("assistant model system developer tool function critic reasoning".split())
LONGEST_SECRET = 8_192
_MADE_BY_OTHERS = ("_call", "_output", "_result")


def role_of(message: dict[str, Any]) -> str:
    """Return who says a message, in small letters: its role or, where it names none, its type."""
    return str(message.get("role") or message.get("type") or "").strip().lower()


def is_users(role: str) -> bool:
    """Return whether a message of this role is the user's: whatever is known to be nobody else's."""
    return role not in _OTHERS and not role.endswith(_MADE_BY_OTHERS)


def is_models(role: str) -> bool:
    """Return whether the model says it, in words or as a call of a tool."""
    return role in ("assistant", "model", "reasoning") or role.endswith("_call")


def is_text(part: Any) -> bool:
    """Return whether a part of a content is a text; Gemini's parts name no type."""
    return isinstance(part, dict) and part.get("type", "text") in TEXT_PARTS and isinstance(part.get("text"), str)


def is_all_text(content: Any) -> bool:
    """Return whether a content is text, and nothing else."""
    return isinstance(content, str) or (isinstance(content, list) and bool(content) and all(map(is_text, content)))


def texts(content: Any) -> tuple[str, ...]:
    """Return the texts of a content, each without what a client has added to it."""
    if isinstance(content, str):
        content = [content]
    parts: Sequence[Any] = content if isinstance(content, list) else ()
    raw_texts = (
        part if isinstance(part, str) else part["text"] for part in parts if isinstance(part, str) or is_text(part)
    )
    return tuple(filter(None, map(_without_reminders, raw_texts)))


def begun(text: str, most: int) -> str:
    """Return the beginning of a text, at most so many characters; it does not end within a secret.

    These are printable ASCII; a run of it that is longer than any is cut all the same.
    """
    if len(text) <= most:
        return text
    at = most
    while at > most - LONGEST_SECRET and "!" <= text[at - 1] <= "~":
        at -= 1
    return text[: at if at > max(0, most - LONGEST_SECRET) else most]


def prompts(value: Any) -> tuple[str, ...]:
    """Return the texts that a model is to go on with. Raises ValueError where they are numbers of tokens."""
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str) for one in items):
        raise ValueError("its prompt consists of token ids, not words")
    return tuple(items)


def spoken(body: bytes) -> tuple[str, ...]:
    """Return what users say in a body of JSON of any form: in threads, events or the requests of a batch.

    Of a list of messages, only what comes after the model's last one. Raises ValueError.
    """
    if not body.strip():
        return ()
    try:
        waiting: list[Any] = [json.loads(body.decode("utf-8"))]
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    found: list[str] = []
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += reversed(_since_the_model(one))
        elif isinstance(one, dict) and (is_users(role_of(one)) or not one.keys() & {"content", "parts"}):
            found += [*texts(one.get("content")), *texts(one.get("parts"))]
            if isinstance(one.get("prompt"), str | list):
                found += prompts(one["prompt"])
            waiting += reversed([inner for inner in one.values() if isinstance(inner, list | dict)])
    return tuple(found)


def _since_the_model(messages: list[Any]) -> list[Any]:
    """Return the messages after the model's last one; such at the very end, for it to go on with, are none."""
    last = len(messages)
    while last and _is_the_models(messages[last - 1]):
        last -= 1
    first = next((n for n in range(last, 0, -1) if _is_the_models(messages[n - 1])), 0)
    return messages[first:last]


def _is_the_models(one: Any) -> bool:
    return isinstance(one, dict) and is_models(role_of(one))


def _without_reminders(text: str) -> str:
    """Return a text without the reminders in it; one that does not end is the user's."""
    pieces, at = [], 0
    while (begin := text.find(_REMINDER, at)) >= 0:
        end = text.find(_REMINDER_END, begin)
        if end < 0:
            break
        pieces.append(text[at:begin])
        at = end + len(_REMINDER_END)
    return "".join([*pieces, text[at:]]).strip()
