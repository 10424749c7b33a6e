"""The domain types of sessions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class SessionState(StrEnum):
    """A session is active until it ends, well or not; whatever happens in it makes it active again."""

    ACTIVE = "active"
    COMPLETED = "completed"
    FAILED = "failed"


class EventType(StrEnum):
    """What happened: something was said, a tool ran, an agent judged its own action, or something else was noted."""

    TURN = "turn"
    TOOL_CALL = "tool_call"
    REFLECTION = "reflection"
    SIGNAL = "signal"
    DOCUMENT = "document"


class Signal(StrEnum):
    """What a signal says: its event's text."""

    STARTED = "session started"
    TURN_ENDED = "turn ended"
    SESSION_ENDED = "session ended"
    COMPACTING = "compacting"


@dataclass(frozen=True)
class Checkout:
    """What a folder is to git: the top of its working tree and what identifies the repository behind it.

    `repository` is the folder that all worktrees of one clone share; None outside of git. `root_commit` is the oldest
    commit without parents, None where there is none yet, where history is cut off, or where git did not say in time
    or must not be asked.
    `remote` is the normalised address of its origin.
    """

    folder: str
    repository: str | None = None
    root_commit: str | None = None
    remote: str | None = None


@dataclass(frozen=True)
class Project:
    """A repository, whatever folder it is in, or a folder that is in none. `name` is for people, never identity."""

    id: str
    namespace: str
    name: str
    location: str
    root_commit: str | None
    remote: str | None


@dataclass(frozen=True)
class Session:
    """One run of an agent on one project. `key` is what its client calls it, unique with `client` in a namespace."""

    id: str
    namespace: str
    client: str
    key: str
    project: Project
    parent: str | None
    state: SessionState
    title: str
    started_at: datetime
    last_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True)
class NewEvent:
    """What is to be appended to a session. The same `key` twice in a namespace is the same event, kept once."""

    type: EventType
    key: str
    role: str = ""
    text: str = ""
    structured: Mapping[str, Any] = field(default_factory=dict)
    occurred_at: datetime | None = None


@dataclass(frozen=True)
class Event:
    """Something that happened in a session; `seq` orders the events of a store. The past never changes."""

    seq: int
    id: str
    type: EventType
    role: str
    text: str
    structured: Mapping[str, Any]
    occurred_at: datetime


@dataclass(frozen=True)
class ToolCall:
    """A tool's run, as far as it is worth keeping. Paths are relative to the project where they are inside of it.

    `error` is what it said when it failed, `outcome` otherwise; both are cut.
    """

    tool: str
    success: bool
    command: str = ""
    subject: str = ""
    files_read: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    outcome: str = ""
    error: str = ""


class ObservationType(StrEnum):
    """What sort of work a stretch of a session was."""

    BUGFIX = "bugfix"
    FEATURE = "feature"
    REFACTOR = "refactor"
    CHANGE = "change"
    DISCOVERY = "discovery"
    DECISION = "decision"


class Concept(StrEnum):
    """What a reader can learn from an observation."""

    HOW_IT_WORKS = "how-it-works"
    WHAT_CHANGED = "what-changed"
    PROBLEM_SOLUTION = "problem-solution"
    WHY_IT_EXISTS = "why-it-exists"
    GOTCHA = "gotcha"
    TRADE_OFF = "trade-off"


@dataclass(frozen=True)
class Observation:
    """What a stretch of a session comes down to, by rules; `actions` are the commands it ran and how each ended.

    `subtitle` is the agent's conclusion in short, `next` what it says is still to do, `tool` the one that did most.
    """

    type: ObservationType
    title: str
    narrative: str
    facts: tuple[str, ...]
    concepts: tuple[Concept, ...]
    files_read: tuple[str, ...]
    files_modified: tuple[str, ...]
    occurred_at: datetime
    actions: tuple["Action", ...] = ()
    subtitle: str = ""
    next: tuple[str, ...] = ()
    tool: str = ""


@dataclass(frozen=True)
class Action:
    """A command by its name, as `pytest` or `git push`, and how its last run in a stretch of work ended."""

    name: str
    success: bool
    outcome: str


@dataclass(frozen=True)
class Stretch:
    """The events `first` to `last` of a session, which make up at most one observation; known by its first one's id."""

    id: str
    session: Session
    first: int
    last: int
