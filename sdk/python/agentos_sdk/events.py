"""Server-sent events: blocks of lines, and the events that they stand for."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import AgentOSError, UnexpectedAnswer
from .retries import growing, is_passing

SILENT_S = 45.0
"""How long a stream may be silent: the server says every 15 s that it is there."""
RECONNECT_FOR_S = 300.0
LONGEST_WAIT_S = 15.0
MOST_CHARACTERS = 2**20


@dataclass(frozen=True, kw_only=True)
class ChangeEvent:
    """A change, without texts. `id` is the cursor that goes on after it; `subject` is the id of what changed."""

    id: int
    type: str
    subject: str
    namespace: str
    at: str
    detail: Mapping[str, Any]


class Following:
    """Where a stream of events stands: the last id, and how long to wait before it is asked for again."""

    def __init__(self, cursor: int | None) -> None:
        self.cursor = cursor
        self._wait_s = 1.0
        self._failures = 0
        self._lost_at: float | None = None
        self._was_connected = False
        self._id: int | None = None
        self._data: list[str] = []
        self._size = 0

    @property
    def last_id(self) -> str | None:
        """The id for the header Last-Event-ID; None where a stream begins."""
        return None if self.cursor is None else str(self.cursor)

    def connected(self) -> None:
        """Note that the server answers."""
        self._was_connected = True
        self._failures = 0
        self._lost_at = None
        self._begin()

    def take(self, line: str) -> ChangeEvent | None:
        """Take a line, without its end; return the event that it ends, if it does. Raises UnexpectedAnswer."""
        if line == "":
            event = self._event()
            self._begin()
            return event
        self._size += len(line)
        if self._size > MOST_CHARACTERS:
            raise UnexpectedAnswer(f"an event has more than {MOST_CHARACTERS} characters", 200)
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "id" and value.isdecimal() and len(value) <= 18:
            self._id = int(value)
        elif name == "retry" and value.isdecimal() and len(value) <= 6:
            self._wait_s = int(value) / 1000
        return None

    def wait_after(self, error: AgentOSError | None, now: float, give_up_after: float) -> float:
        """Return the seconds to wait before the stream is asked for again. Raises the error where that is no use."""
        if error is not None:
            self._lost_at = now if self._lost_at is None else self._lost_at
            if not self._was_connected or not is_passing(error) or now - self._lost_at >= give_up_after:
                raise error
            self._failures += 1
        return growing(self._failures, self._wait_s, LONGEST_WAIT_S)

    def _begin(self) -> None:
        self._id = None
        self._data = []
        self._size = 0

    def _event(self) -> ChangeEvent | None:
        if self._id is not None:
            self.cursor = self._id
        if not self._data or self.cursor is None:
            return None
        try:
            payload = json.loads("\n".join(self._data))
            members = {name: payload[name] for name in ("type", "subject", "namespace", "at", "detail")}
        except (ValueError, KeyError, TypeError) as error:
            raise UnexpectedAnswer(f"an event is not as this client knows it: {error!r}", 200) from error
        return ChangeEvent(id=self.cursor, **members)
