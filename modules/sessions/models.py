"""The domain types of sessions."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any

from ..records import dataclass

ANSWERED = "answered"
"""The mark, among what a session was shown, that an answer of it was compared with that."""


class SessionState(StrEnum):
    """The state of a session: active until it ends, well or not; any new event makes it active again."""

    ACTIVE = "active"
    COMPLETED = "completed"
    FAILED = "failed"


class EventType(StrEnum):
    """The type of an event: a turn, a tool's run, an agent's judgement of its own action, or something else noted."""

    TURN = "turn"
    TOOL_CALL = "tool_call"
    REFLECTION = "reflection"
    SIGNAL = "signal"
    DOCUMENT = "document"


class Signal(StrEnum):
    """The meaning of a signal event: its text."""

    STARTED = "session started"
    TURN_ENDED = "turn ended"
    SESSION_ENDED = "session ended"
    COMPACTING = "compacting"


@dataclass(frozen=True)
class Checkout:
    """A folder as git sees it: the top of its working tree, and what identifies the repository behind it.

    `repository` is the folder that all worktrees of one clone share; None outside of git. `root_commit` is the oldest
    commit without parents; None if there is none yet, if history is cut off, or if git did not say in time or must not
    be asked. `remote` is the normalised address of its origin. `is_project`: a repository or a project's marker is
    there, and it is neither the user's home folder nor the root; `is_kept_out` by a marker file.
    """

    folder: str
    repository: str | None = None
    root_commit: str | None = None
    remote: str | None = None
    is_project: bool = False
    is_kept_out: bool = False


@dataclass(frozen=True)
class Project:
    """A repository, wherever its folder is, or a folder outside of any. `name` is for display, never identity."""

    id: str
    namespace: str
    name: str
    location: str
    root_commit: str | None
    remote: str | None

    @property
    def fields(self) -> dict[str, str]:
        """The fields in the metadata of what belongs to it."""
        return {"project": self.id, "project_name": self.name}

    @property
    def names(self) -> tuple[str, str]:
        """Its id and its name, as memories of it may call it."""
        return self.id, self.name


@dataclass(frozen=True)
class Session:
    """One run of an agent on one project. `key` is its client's name for it, unique with `client` in a namespace."""

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
class Briefed:
    """The entries that a session was shown, and when it began."""

    entries: frozenset[str]
    at: datetime


@dataclass(frozen=True)
class NewEvent:
    """An event to be appended to a session. The same `key` twice in a namespace is the same event, kept once."""

    type: EventType
    key: str
    role: str = ""
    text: str = ""
    structured: Mapping[str, Any] = field(default_factory=dict)
    occurred_at: datetime | None = None


@dataclass(frozen=True)
class Event:
    """An event of a session; `seq` orders the events of a store. Events never change."""

    seq: int
    id: str
    type: EventType
    role: str
    text: str
    structured: Mapping[str, Any]
    occurred_at: datetime


@dataclass(frozen=True)
class ToolCall:
    """A tool's run, as far as it is worth keeping. Paths inside the project are relative to it.

    `success` is None where its client does not tell. `agent` is the kind of subagent that it ran, if it ran one.
    `error` is its output if it failed, `outcome` otherwise; both are truncated.
    """

    tool: str
    success: bool | None
    command: str = ""
    subject: str = ""
    files_read: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    outcome: str = ""
    error: str = ""
    agent: str = ""


class ObservationType(StrEnum):
    """The kind of work that a stretch of a session was."""

    BUGFIX = "bugfix"
    FEATURE = "feature"
    REFACTOR = "refactor"
    CHANGE = "change"
    DISCOVERY = "discovery"
    DECISION = "decision"


class Concept(StrEnum):
    """The kind of lesson in an observation."""

    HOW_IT_WORKS = "how-it-works"
    WHAT_CHANGED = "what-changed"
    PROBLEM_SOLUTION = "problem-solution"
    WHY_IT_EXISTS = "why-it-exists"
    GOTCHA = "gotcha"
    TRADE_OFF = "trade-off"


@dataclass(frozen=True)
class Observation:
    """The summary of a stretch of a session, by rules; `actions` are the commands it ran and how each ended."""

    type: ObservationType
    title: str
    narrative: str
    facts: tuple[str, ...]
    concepts: tuple[Concept, ...]
    files_read: tuple[str, ...]
    files_modified: tuple[str, ...]
    occurred_at: datetime
    actions: tuple["CommandRun", ...] = ()
    subtitle: str = ""
    next: tuple[str, ...] = ()
    tool: str = ""


@dataclass(frozen=True)
class CommandRun:
    """A command by its name, as `pytest` or `git push`, and the outcome of its last run in a stretch of work.

    `success` is None where its client does not tell.
    """

    name: str
    success: bool | None
    outcome: str


@dataclass(frozen=True)
class EventStretch:
    """The events `first` to `last` of a session, at most one observation; its id is that of the first event."""

    id: str
    session: Session
    first: int
    last: int
