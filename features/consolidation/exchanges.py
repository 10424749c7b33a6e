"""Exchanges of a conversation: what somebody said, with the answer to it."""

from collections.abc import Sequence

from .models import SummarySource

ANSWERING = "Assistant"
ASKING = "User"
TURNS_MAX = 6
"""Turns of one exchange, at most: what was said, and an answer in several turns."""


def exchanges(turns: Sequence[SummarySource]) -> list[tuple[SummarySource, ...]]:
    """Return turns in order as exchanges: a turn, with those after it in which somebody else answers."""
    found: list[list[SummarySource]] = []
    for turn in turns:
        if found and _answers(turn, found[-1]):
            found[-1].append(turn)
        else:
            found.append([turn])
    return [tuple(exchange) for exchange in found]


def _answers(turn: SummarySource, exchange: Sequence[SummarySource]) -> bool:
    first, last = exchange[0], exchange[-1]
    follows = turn.origin == last.origin and turn.place == last.place + 1 and len(exchange) < TURNS_MAX
    is_reply = turn.speaker not in (first.speaker, ASKING) and first.speaker != ANSWERING
    return follows and is_reply and (len(exchange) == 1 or turn.speaker == last.speaker)
