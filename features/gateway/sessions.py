"""The sessions of conversations: each known by all that its user has said, or by its client's name, until it rests.

What is known here is lost when the gateway ends; `unknown` and `restore` bring it back from the turns that are stored.
"""

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from uuid import uuid4

from ...modules.records import dataclass
from .requests import Request

MAX_TURNS = 50_000
"""The user's messages whose session is known; the least recently used go first."""
MOST_SOUGHT = 8
"""The last messages of a conversation that its session is sought by."""
IDLE_S = 12 * 3600.0
"""How long a conversation may rest; what is said later begins another session."""
OURS, LATER = "gateway-", "."
"""What names of sessions begin with that are made here, and what stands before the mark of a later part."""


@dataclass(frozen=True)
class _Turn:
    """A user's message: its session, what the user said next ("" if nothing yet), and when it was seen last."""

    session: str
    following: str
    at: float


@dataclass(frozen=True)
class StoredTurn:
    """What is stored of a user's message: its session, whether the user has gone on, and how long that rests."""

    digest: str
    session: str
    goes_on: bool
    rests_s: float


class ConversationTracker:
    """Tells conversations apart: where one goes on otherwise than it did before, another one has begun."""

    def __init__(
        self, max_turns: int = MAX_TURNS, idle_s: float = IDLE_S, clock: Callable[[], float] = time.time
    ) -> None:
        """Begin with none."""
        self._max_turns = max_turns
        self._idle_s = idle_s
        self._clock = clock
        self._turns: OrderedDict[str, _Turn] = OrderedDict()

    def unknown(self, request: Request, thread: str = "") -> list[str]:
        """Return the last messages of a conversation of which none is known; none where one is."""
        said = _said(request)
        return [] if any(thread + one in self._turns for one in said) else said[-MOST_SOUGHT:]

    def restore(self, found: Sequence[StoredTurn], thread: str = "") -> None:
        """Take what is stored of messages, the latest session last."""
        for one in found:
            self._put(thread + one.digest, one.session, "?" if one.goes_on else "", self._clock() - one.rests_s)

    def of(self, request: Request, thread: str = "") -> str:
        """Return the session of a request; one that is asked again, or goes on with a tool, stays in its own.

        `thread` is the client's own name of the conversation, which then decides.
        """
        said = [thread + one for one in _said(request)]
        known = next((n for n in range(len(said), 0, -1) if said[n - 1] in self._turns), 0)
        session = self._of_thread(said, f"{OURS}{thread}") if thread else self._of_words(request, said, known)
        for n in range(max(known - 1, 0), len(said) - 1):
            before = self._turns.get(said[n])
            self._put(said[n], before.session if before else session, said[n + 1])
        last = self._turns.get(said[-1])
        self._put(said[-1], session, last.following if last and last.session == session else "")
        while len(self._turns) > self._max_turns:
            self._turns.popitem(last=False)
        return session

    def _of_words(self, request: Request, said: Sequence[str], known: int) -> str:
        if not known:
            return f"{OURS}{said[0][:20]}"
        before = self._turns[said[known - 1]]
        if known < len(said):
            if before.following and before.following != said[known]:
                return f"{OURS}{said[known][:20]}"
            return self._later(before, said[known])
        if (before.following or self._rested(before)) and not any(one.is_the_models for one in request.messages):
            return f"{OURS}{uuid4().hex[:20]}"  # it has gone on before, and begins anew
        return before.session

    def _of_thread(self, said: Sequence[str], name: str) -> str:
        before = self._turns.get(name)
        if before is None:  # by what was said, where that is still known
            stored = [one for text in said if (one := self._turns.get(text)) is not None]
            same = [one for one in stored if one.session.partition(LATER)[0] == name]
            before = same[-1] if same else _Turn(name, "", self._clock())
        again = self._turns.get(said[-1])
        session = again.session if again and again.session.startswith(name) else self._later(before, said[-1])
        self._put(name, session, "")
        return session

    def _later(self, before: _Turn, digest: str) -> str:
        """Return the session of what follows a message: another part of the conversation where that has rested."""
        return f"{before.session.partition(LATER)[0]}{LATER}{digest[-8:]}" if self._rested(before) else before.session

    def _rested(self, turn: _Turn) -> bool:
        return self._clock() - turn.at > self._idle_s

    def _put(self, digest: str, session: str, following: str, at: float | None = None) -> None:
        self._turns[digest] = _Turn(session, following, self._clock() if at is None else at)
        self._turns.move_to_end(digest)


def turn_key(digest: str) -> str:
    """Return the key under which a user's message is stored, by the digest of its conversation."""
    return f"gateway:{digest}"


def answer_key(client: str, answer_id: str) -> str:
    """Return the key of an answer to a client: its session is kept under it among the blocks, for as long as they are.

    No other client finds it, whatever it names.
    """
    return f"answer:{hashlib.sha256(json.dumps([client, answer_id]).encode()).hexdigest()[:40]}"


def is_of(session: str, other: str) -> bool:
    """Return whether two sessions are of one conversation, though it has rested between them."""
    if session.startswith(OURS):
        return session.partition(LATER)[0] == other.partition(LATER)[0]
    return session == other


def _said(request: Request) -> list[str]:
    return [one.digest for one in request.messages if one.role == "user"] or [request.messages[0].digest]
