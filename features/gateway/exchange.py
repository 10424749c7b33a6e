"""An exchange: what one call of a model leaves for memory."""

from collections.abc import Sequence
from datetime import datetime

from ...modules.records import dataclass


@dataclass(frozen=True)
class Exchange:
    """The texts of one call: the user's ("" if a tool result was sent) and the model's.

    `key` identifies the call's question: the same key again changes nothing. `answer_id` is the provider's name of the
    answer, by which a later request may continue it. `shown` are the memories that were
    injected into the request, and `calls` the tool calls in the answer.
    """

    session: str
    key: str
    prompt: str
    replies: Sequence[str] = ()
    calls: Sequence[str] = ()
    shown: Sequence[str] = ()
    project: str = ""
    answer_id: str = ""


@dataclass(frozen=True)
class Learnt:
    """The result of an exchange: new turns and facts, and the memories that the answer used."""

    turns: int = 0
    facts: int = 0
    reused: tuple[str, ...] = ()


@dataclass(frozen=True)
class Held:
    """An exchange of which it shows later whether a person said it, and when it was."""

    namespace: str
    client: str
    exchange: Exchange
    at: datetime
