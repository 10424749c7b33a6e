"""The domain types of procedures."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from ...modules.records import dataclass

OFFERED = frozenset({"candidate", "active", "stale"})
"""The statuses of memories whose habit or lesson is shown."""

LESSON = "lesson"
"""The tag of lessons, and their part of the metadata; that of habits is `HABIT`."""


class Trigger(StrEnum):
    """The class of a user's request."""

    BUG_REPORT = "bug_report"
    FEATURE_REQUEST = "feature_request"
    QUESTION = "question"
    CODE_REVIEW = "code_review"
    DEBUGGING = "debugging"
    PLANNING = "planning"
    CLARIFICATION = "clarification"
    GENERAL = "general"


class Action(StrEnum):
    """The class of an agent's action."""

    WRITE_TEST = "write_test"
    READ_CODE = "read_code"
    RUN_TESTS = "run_tests"
    FIX = "fix"
    IMPLEMENT = "implement"
    REFACTOR = "refactor"
    EXPLAIN = "explain"
    ASK_BACK = "ask_back"
    SEARCH_MEMORY = "search_memory"
    PLAN_STEPS = "plan_steps"
    DOCUMENT = "document"
    SHIP = "ship"


@dataclass(frozen=True)
class ToolUse:
    """A tool's run in a session: its name, the command or subject it was given, the files it wrote."""

    tool: str
    command: str = ""
    files_modified: tuple[str, ...] = ()


@dataclass(frozen=True)
class SessionMoment:
    """A moment of a session, in order: a turn (`role`, `text`), or a tool that ran (`tool`).

    `memory_id` is the memory that shows it: the turn itself, or the observation of it; None if there is none.
    """

    session: str
    role: str
    text: str
    memory_id: str | None
    tool: ToolUse | None = None


@dataclass(frozen=True)
class UserExchange:
    """A user's request and what was then done; `evidence` are the memories that show it."""

    session: str
    trigger: Trigger
    actions: frozenset[Action]
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Habit:
    """An action that usually follows a trigger.

    `support` is how many exchanges show it, of `pairs` with that trigger; `sessions` are the names of their sessions.
    All of it is a function of the exchanges, so that mining them again changes nothing.
    """

    trigger: Trigger
    action: Action
    support: int
    pairs: int
    sessions: frozenset[str]
    confidence: float
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Attempt:
    """One run of an action and its outcome; `memory_id` is the observation that shows it, if there is one."""

    id: str
    action: str
    success: bool
    outcome: str
    context: str
    memory_id: str | None


@dataclass(frozen=True)
class Lesson:
    """An action that kept failing until it worked: `failure` is its message, `remedy` the outcome of the success."""

    action: str
    failures: int
    failure: str
    remedy: str
    attempts: tuple[str, ...]
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class ProcedureEvidence:
    """The evidence of procedures: the moments of sessions, and the outcomes of actions, both in order."""

    moments: tuple[SessionMoment, ...]
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True)
class ProcedureMemory:
    """A memory that holds a procedure or a lesson, in whatever status."""

    memory_id: str
    content: str
    status: str
    judged: bool
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Revision:
    """The new content of a memory: its metadata, and the memories that are evidence of it."""

    memory_id: str
    metadata: Mapping[str, Any]
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Backing:
    """The support and confidence of a global habit by the evidence of one namespace."""

    support: int
    confidence: float


@dataclass(frozen=True)
class Procedure:
    """A stored habit.

    `is_global`: promoted, for every agent of the store, as long as one of `backers` stands by it; these are the
    namespaces that promoted it.
    """

    memory_id: str
    content: str
    trigger: Trigger
    action: Action
    confidence: float
    support: int
    status: str
    is_global: bool = False
    backers: frozenset[str] = frozenset()

    @property
    def is_offered(self) -> bool:
        """Return whether it is shown: neither rejected nor archived, and if it is global, somebody backs it."""
        return self.status in OFFERED and (bool(self.backers) or not self.is_global)


@dataclass(frozen=True)
class StoredLesson:
    """A stored lesson; a `candidate` until somebody confirms it."""

    memory_id: str
    content: str
    action: str
    status: str

    @property
    def is_offered(self) -> bool:
        """Return whether it is shown: neither rejected nor archived."""
        return self.status in OFFERED


@dataclass(frozen=True)
class Mined:
    """The result of mining: all habits and lessons, and how many memories were made, changed and removed.

    `demoted` counts global habits that its evidence no longer backs. `habits` are those that the procedures were made
    of.
    """

    procedures: tuple[Procedure, ...]
    lessons: tuple[StoredLesson, ...]
    turns: int
    made: int
    changed: int
    removed: int
    demoted: int = 0
    habits: tuple[Habit, ...] = ()


@dataclass(frozen=True)
class Relevant:
    """The habits that apply to a query, best first, and the lessons about actions that it mentions."""

    trigger: Trigger
    procedures: tuple[Procedure, ...]
    lessons: tuple[StoredLesson, ...]
