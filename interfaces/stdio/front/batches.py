"""Batches of protocol 2025-03-26, the only version that has them: taken apart for the server, answered together."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from ....modules.records import dataclass
from ..wire import INVALID_REQUEST, RequestId, is_request_id, nobodys_error

VERSION = "2025-03-26"
MAX_MESSAGES = 1_000

_Message = dict[str, Any]


@dataclass
class _Batch:
    """A batch whose answers have not all come."""

    waiting: set[RequestId]
    answers: list[bytes] = field(default_factory=list)

    def line(self) -> bytes:
        return b"[" + b",".join(self.answers) + b"]"


class Batches:
    """The batches of one session that are not answered yet."""

    def __init__(self) -> None:
        self._of: dict[RequestId, _Batch] = {}

    def open(self, entries: list[Any], agreed: str | None) -> tuple[list[_Message], bytes | None]:
        """The messages of a batch to be taken one by one, and the line to be answered at once, if there is one."""
        if agreed != VERSION:
            return [], nobodys_error(
                INVALID_REQUEST, f"Invalid Request: batches belong to protocol {VERSION}; send one message a line"
            )
        if not entries or len(entries) > MAX_MESSAGES:
            return [], nobodys_error(INVALID_REQUEST, f"Invalid Request: a batch has 1 to {MAX_MESSAGES} messages")
        batch, messages = _Batch(set()), []
        for entry in entries:
            if not _is_message(entry) or entry.get("id") in {*batch.waiting, *self._of}:
                batch.answers.append(nobodys_error(INVALID_REQUEST, "Invalid Request: no message, or its id is taken"))
                continue
            messages.append(entry)
            if _wants_answer(entry):
                batch.waiting.add(entry["id"])
        self._of |= dict.fromkeys(batch.waiting, batch)
        return messages, batch.line() if batch.answers and not batch.waiting else None

    def answered(self, identifier: RequestId | None, line: bytes) -> bytes | None:
        """Return what to send the client for an answer: it, its whole batch with the last answer, or nothing yet."""
        batch = None if identifier is None else self._of.pop(identifier, None)
        if batch is None or identifier is None:
            return line
        batch.answers.append(line)
        return self._without(batch, identifier)

    def cancelled(self, identifier: RequestId) -> bytes | None:
        """The whole batch, where only the answer to a request that is taken back was missing."""
        batch = self._of.pop(identifier, None)
        return None if batch is None else self._without(batch, identifier)

    def _without(self, batch: _Batch, identifier: RequestId) -> bytes | None:
        batch.waiting.discard(identifier)
        return batch.line() if batch.answers and not batch.waiting else None


def _wants_answer(message: _Message) -> bool:
    return "id" in message and not message.keys() & {"result", "error"}


def _is_message(entry: object) -> bool:
    if not isinstance(entry, dict):
        return False
    if "id" in entry:
        return is_request_id(entry["id"]) and entry.get("method") != "initialize"
    return isinstance(entry.get("method"), str)
