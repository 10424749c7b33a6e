"""Which runs of a session count for a lesson, and on which side. Pure.

Of a session one run counts on each side and at each place, so that a command tried again and again is one witness.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from ...modules.context import lessons
from ...modules.memory.models import Memory
from ...modules.proving import Way
from ...modules.records import dataclass
from ...modules.sessions.models import ToolCall
from .following import failure_of, followed, is_failure_of, wanted

LEARNED_FROM = timedelta(days=1)
"""The time before a lesson was stored whose runs count on no side: their failures are why it was stored."""
MAYBE = "maybe"
"""The way of a telling that somebody at work got, who may have been this session's agent."""
FIRST, LATER = "first", "later"


class Side(StrEnum):
    """Whether a run's agent was told the lesson before; `unknown` ones are counted, and judge nothing."""

    TOLD = "told"
    UNTOLD = "untold"
    UNKNOWN = "unknown"


class Outcome(StrEnum):
    """How a run ended; `other` where it failed, but not as the lesson says."""

    OK = "ok"
    FAILED = "failed"
    OTHER = "other"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Ran:
    """A tool's run in a session."""

    at: datetime
    call: ToolCall


@dataclass(frozen=True)
class Held:
    """A lesson as the store holds it: `since` when it reads so, `digest` under which its evidence was gathered."""

    seq: int
    memory: Memory
    digest: str
    since: datetime

    @property
    def is_shown(self) -> bool:
        """Whether it can be told at all."""
        return bool(lessons.trigger_of(self.memory))


@dataclass(frozen=True)
class SessionPart:
    """What of a session matters: when it began, the names of its project, its runs in order, and what it was told.

    `tellings` are by lesson and way.
    """

    started_at: datetime
    project: tuple[str, ...]
    runs: Sequence[Ran]
    tellings: Mapping[tuple[int, str], datetime]


@dataclass(frozen=True)
class Counted:
    """A run that counts for a lesson."""

    seq: int
    side: Side
    place: str
    outcome: Outcome
    followed: bool | None
    at: datetime


def digest_of(memory: Memory) -> str:
    """Return the digest of all by which runs are judged: another wording is another lesson."""
    parts = [memory.content, *(memory.metadata.get(name) for name in ("trigger", "follow", "prevents", "project"))]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:32]


def counted(lesson: Held, session: SessionPart) -> list[Counted]:
    """Return the runs of a session that count for a lesson."""
    memory = lesson.memory
    if memory.project and memory.project not in session.project:
        return []
    asked, failure = wanted(memory.metadata, memory.content), failure_of(memory.metadata)
    kept: dict[tuple[Side, str], Counted] = {}
    for place, side, index in _sided(lesson, session):
        ran, known = session.runs[index], kept.get((side, place))
        outcome = _outcome(ran.call, failure)
        if known is None or (known.outcome is Outcome.UNKNOWN and outcome is not Outcome.UNKNOWN):
            before = [one.call.command for one in session.runs[:index] if one.call.command] if asked.first else []
            did = followed(asked, ran.call.command, before) if ran.call.command else None
            kept[side, place] = Counted(lesson.seq, side, place, outcome, did, ran.at)
    if (first := kept.get((Side.TOLD, FIRST))) is not None and first.outcome is not Outcome.UNKNOWN:
        kept.pop((Side.TOLD, LATER), None)
    return list(kept.values())


def _sided(lesson: Held, session: SessionPart) -> Iterator[tuple[str, Side, int]]:
    """Yield the runs that a lesson concerns, each with its place and side; those that count on none are left out."""
    made, told_at = lesson.memory.created_at, session.tellings
    before, tool, maybe = (told_at.get((lesson.seq, way)) for way in (Way.BEFORE, Way.TOOL, MAYBE))
    knows_itself = session.started_at <= lesson.since
    has_run, is_told, place = False, False, FIRST
    for index, ran in enumerate(session.runs):
        if not lessons.applies(lesson.memory, ran.call.tool, _given(ran.call)):
            continue
        is_told = is_told or has_run or (before is not None and before < ran.at)
        if ran.at < made - LEARNED_FROM:
            yield place, Side.UNTOLD, index
        elif ran.at > lesson.since:
            unsure = knows_itself or (maybe is not None and maybe < ran.at)
            yield place, Side.TOLD if is_told else Side.UNKNOWN if unsure else Side.UNTOLD, index
        has_run = has_run or (tool is not None and tool <= ran.at)  # what it was told with had been decided
        place = LATER


def _given(call: ToolCall) -> str:
    return "\n".join(filter(None, (call.command, call.subject, *call.files_read, *call.files_modified)))


def _outcome(call: ToolCall, failure: Sequence[str]) -> Outcome:
    if call.success is None:
        return Outcome.UNKNOWN
    if call.success:
        return Outcome.OK
    return Outcome.FAILED if not failure or is_failure_of(failure, call.error) else Outcome.OTHER
