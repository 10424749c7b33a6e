"""The domain types of conversations."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Role(StrEnum):
    """Who said a turn."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


@dataclass(frozen=True)
class Turn:
    """Something that was said: a memory of a session. `place` is its number there, from 0, in order of arrival.

    `page` is the id of the page that it stands on. `tokens` are estimated. `salience` (0..1) is how much it would be
    missed (`salience.py`), None until the background has worked it out.
    """

    memory_id: str
    session: str
    place: int
    page: str
    role: Role
    text: str
    tokens: int
    salience: float | None
    occurred_at: datetime


@dataclass(frozen=True)
class Page:
    """A question with its answers: a turn of the user, and the turns that follow it until the next one.

    `number` is its place in the session, from 0. `chain` is the id of the first page of what it continues, its own
    where it begins; `gist` is what that chain is about, on its first page alone, "" until the background has looked.
    `segment` is the id of the segment of mid-term memory that holds it, None while it is in short-term memory.
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
    """Pages of a session that go on with one another, as far as they are seen: what they are about in one sentence,
    which they are (their numbers), and when the last of it was said.
    """

    gist: str
    pages: tuple[int, ...]
    occurred_at: datetime


@dataclass(frozen=True)
class NewTurn:
    """What is to be added. The same `key` twice in a session is the same turn, kept once.

    `continues` says that its words take up what was said before, so that a page which it opens goes on with a chain.
    """

    memory_id: str
    role: Role
    text: str
    tokens: int
    key: str
    occurred_at: datetime
    continues: bool = False


@dataclass(frozen=True)
class Opening:
    """The session that turns are added to: it is made where there is none of that name. `parent` names the session
    that a new one branches off from; `source` is who tells of the turns.
    """

    namespace: str
    session: str
    parent: str | None = None
    source: str = ""


@dataclass(frozen=True)
class Added:
    """What an addition did: the session's id, the turns as they stand, and how many of them are new."""

    session_id: str
    turns: tuple[Turn, ...]
    new: int


@dataclass(frozen=True)
class Branch:
    """A session that inherits what was said in another, its `parent`, up to the turn at `place`; -1 when nothing was.

    `is_new` is False where it was there already.
    """

    session_id: str
    session: str
    parent: str
    place: int
    is_new: bool


@dataclass(frozen=True)
class Unweighed:
    """A session with turns whose salience is not known: the first of these has the place `first`."""

    namespace: str
    session: str
    first: int


@dataclass(frozen=True)
class Weighable:
    """A turn with what the background needs of it: its page's `number` in the session, its `chain`, and
    whether that has no gist yet; its vector, if it has one, and its memory's `version`.
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
    """A part of a lineage: the turns of a session up to one place, that one included; None: all of them."""

    session: str
    until: int | None
