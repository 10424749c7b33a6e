"""The sessions of conversations that name none: each known by all that its user has said, not by its first words."""

from collections import OrderedDict
from uuid import uuid4

from .requests import Request

MAX_TURNS = 50_000
"""The user's messages whose session is known; the least recently used go first."""


class Sessions:
    """Tells conversations apart: where one goes on otherwise than it did before, another one has begun."""

    def __init__(self, max_turns: int = MAX_TURNS) -> None:
        """Begin with none."""
        self._max_turns = max_turns
        self._turns: OrderedDict[str, tuple[str, str]] = OrderedDict()

    def of(self, request: Request) -> str:
        """Return the session of a request; one that is asked again, or goes on with a tool, stays in its own."""
        said = [one.digest for one in request.messages if one.role == "user"] or [request.messages[0].digest]
        known = next((n for n in range(len(said), 0, -1) if said[n - 1] in self._turns), 0)
        session, following = self._turns[said[known - 1]] if known else (_named(said[0]), "")
        if known < len(said):
            if following and following != said[known]:
                session = _named(said[known])
        elif following and not any(one.is_the_models for one in request.messages):
            session, following = f"gateway-{uuid4().hex[:20]}", ""  # it has gone on before, and begins anew
            self._put(said[-1], session, following)
        for n in range(max(known - 1, 0), len(said) - 1):
            before, _ = self._turns.get(said[n], (session, ""))
            self._put(said[n], before, said[n + 1])
        if known < len(said):
            self._put(said[-1], session, "")
        while len(self._turns) > self._max_turns:
            self._turns.popitem(last=False)
        return session

    def _put(self, digest: str, session: str, following: str) -> None:
        self._turns[digest] = session, following
        self._turns.move_to_end(digest)


def _named(digest: str) -> str:
    return f"gateway-{digest[:20]}"
