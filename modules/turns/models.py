"""The domain types of conversations."""

from datetime import datetime
from enum import StrEnum

from ..records import dataclass


class TurnRole(StrEnum):
    """The role that said a turn."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


@dataclass(frozen=True)
class Turn:
    """A message of a conversation, stored as a memory. `place` is its number in the session, from 0, by arrival.

    `page` is the id of its page. `tokens` are estimated. `salience` (0..1) is how much it would be missed
    (`salience.py`), None until the background job has computed it.
    """

    memory_id: str
    session: str
    place: int
    page: str
    role: TurnRole
    text: str
    tokens: int
    salience: float | None
    occurred_at: datetime


@dataclass(frozen=True)
class Page:
    """A question with its answers: a turn of the user, and the turns that follow it until the next one.

    `number` is its place in the session, from 0. `chain` is the id of the first page of its chain, its own if it begins
    one; `gist` is the topic of that chain, on its first page only, "" until the background job has looked. `segment` is
    the id of the segment of mid-term memory that holds it, None while it is in short-term memory.
    """

    id: str
    session: str
    number: int
    turns: tuple[Turn, ...]
    chain: str
    gist: str
    segment: str | None
    created_at: datetime


@dataclass(frozen=True)
class Chain:
    """Pages of a session that continue one another, as far as they are visible.

    Their topic in one sentence, their numbers, and the time of the last turn.
    """

    gist: str
    pages: tuple[int, ...]
    occurred_at: datetime


@dataclass(frozen=True)
class NewTurn:
    """A turn to be added. The same `key` twice in a session is the same turn, kept once.

    `continues` says that its words refer back, so that a page which it opens continues a chain.
    """

    memory_id: str
    role: TurnRole
    text: str
    tokens: int
    key: str
    occurred_at: datetime
    continues: bool = False


@dataclass(frozen=True)
class SessionOpening:
    """The session that turns are added to; created if there is none of that name.

    `parent` names the session that a new one branches off from; `source` is who reports the turns, and
    `project` names what they are about.
    """

    namespace: str
    session: str
    parent: str | None = None
    source: str = ""
    project: str = ""


@dataclass(frozen=True)
class Added:
    """The result of an addition: the session's id, the turns as stored, and how many of them are new."""

    session_id: str
    turns: tuple[Turn, ...]
    new: int


@dataclass(frozen=True)
class SessionBranch:
    """A session that inherits the turns of another, its `parent`, up to the one at `place`; -1 if there are none.

    `is_new` is False if it existed already.
    """

    session_id: str
    session: str
    parent: str
    place: int
    is_new: bool


@dataclass(frozen=True)
class Unweighed:
    """A session with turns whose salience is not known; the first of them has the place `first`."""

    namespace: str
    session: str
    first: int


@dataclass(frozen=True)
class Weighable:
    """A turn as the background job needs it.

    With the `number` of its page in the session, its `chain` and whether that has no gist yet, its vector, if it has
    one, and its memory's `version`.
    """

    turn: Turn
    number: int
    chain: str
    lacks_gist: bool
    vector: bytes | None
    version: int
    created_at: datetime


@dataclass(frozen=True)
class Stretch:
    """A part of a lineage: the turns of a session up to and including one place; None: all of them."""

    session: str
    until: int | None
