"""Lessons over a simulated two weeks: which end told first, told less or retired, and how often wrongly.

python -m benchmarks --only lessons

Each stream is one command of one team: two weeks without the lesson, two with it, six sessions a day of one to four
runs. A run after a failure is likelier to fail than another. The lesson is told at a session's first run, as hooks do.
"""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from agentos.features.lessons.judging import EVERY, Side, Tally, Verdict, verdict, witnesses
from agentos.features.lessons.reading import Counted, Held, Outcome, Ran, SessionPart, counted
from agentos.features.lessons.reading import Side as Told
from agentos.features.lessons.rows import State
from agentos.features.lessons.service import _standing
from agentos.modules.context.lessons import by_standing
from agentos.modules.memory.models import Memory, MemoryType
from agentos.modules.proving import LessonStanding, Way
from agentos.modules.sessions.models import ToolCall

from .figures import Bar, Figure
from .run import Run

BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
DAYS, SESSIONS, AGAIN = 14, 6, 0.15
STREAMS, QUICK = 80, 10
KIND, OTHER = "rejected: fetch first", "host unreachable"


@dataclass(frozen=True)
class World:
    """How often a run fails in the lesson's way without it and after it, and in another way."""

    name: str
    without: float
    after: float
    other: float = 0.05
    names: bool = True
    """Whether the lesson says which failure it prevents."""
    retired: Bar | None = None


WORLDS = (
    World("helpful (.40 to .05)", 0.4, 0.05, retired=Bar(at_most=0.05)),
    World("helpful (.40 to .15)", 0.4, 0.15),
    World("helpful (.20 to .05)", 0.2, 0.05),
    World("helpful (.40 to .05), unnamed failure", 0.4, 0.05, names=False),
    World("useless (.40)", 0.4, 0.4),
    World("useless (.20)", 0.2, 0.2),
    World("useless (.60), unnamed failure", 0.6, 0.6, names=False),
    World("harmful (.10 to .45)", 0.1, 0.45, retired=Bar(at_least=0.95)),
    World("unrelated (.02), others fail .30", 0.02, 0.02, 0.3, retired=Bar(at_most=0.05)),
)


def _memory(world: World) -> Memory:
    at = BEGIN + timedelta(days=DAYS)
    prevents = {"prevents": "rejected"} if world.names else {}
    fields: dict[str, Any] = {"trigger": {"tool": "Bash", "contains": "git push"}, **prevents}
    return Memory(
        "mem_1", "a", MemoryType.PROCEDURAL, "Fetch first.", "", ("rule",), 0.5, fields, "agent", at, at, at, at, 0, 1
    )


def _session(world: World, draw: random.Random, at: datetime, *, is_told: bool) -> SessionPart:
    runs, failed = [], False
    for number in range(draw.choice((1, 2, 2, 3, 4))):
        chance = world.after if is_told and number else world.without
        is_kind = draw.random() < chance + (AGAIN if failed and chance > 0.1 else 0.0)
        is_other = not is_kind and draw.random() < world.other
        failed = is_kind or is_other
        error = KIND if is_kind else OTHER if is_other else ""
        runs.append(Ran(at + timedelta(minutes=number), ToolCall("Bash", not failed, "git push", error=error)))
    tellings = {(1, Way.TOOL.value): at} if is_told else {}
    return SessionPart(at - timedelta(minutes=5), ("p", "p"), runs, tellings)


def _sides(found: list[Counted]) -> tuple[Side, Side]:
    sides: dict[Told, dict[str, Tally]] = {Told.UNTOLD: {}, Told.TOLD: {}}
    for one in found:
        if one.side in sides and one.outcome is not Outcome.UNKNOWN:
            was = sides[one.side].get(one.place, Tally())
            failed, others = one.outcome is Outcome.FAILED, one.outcome is Outcome.OTHER
            sides[one.side][one.place] = Tally(was.runs + 1, was.failed + failed, was.others + others)
    return sides[Told.UNTOLD], sides[Told.TOLD]


def stream(world: World, seed: int) -> tuple[LessonStanding, int, int]:
    """Return how the lesson stands in the end, how often it was told, and on which day it was retired (or 0)."""
    draw, memory = random.Random(seed), _memory(world)
    held = Held(1, memory, "d", memory.created_at)
    state = State(0, None, LessonStanding.UNPROVEN, Verdict.UNKNOWN, 0, "", BEGIN)
    found: list[Counted] = []
    told = 0
    for day in range(2 * DAYS):
        for number in range(SESSIONS):
            standings = {memory.id: state.standing}
            is_told = day >= DAYS and bool(by_standing([(memory, False)], standings, f"{seed}-{day}-{number}"))
            told += is_told
            at = BEGIN + timedelta(days=day, hours=number, minutes=10)
            found += counted(held, _session(world, draw, at, is_told=is_told))
        untold, after = _sides(found)
        runs = witnesses(untold, after)
        if runs and runs >= state.looked + EVERY:
            said = verdict(untold, after)
            state = State(told, None, _standing(state, said), said, runs, "", BEGIN)
            if state.standing is LessonStanding.RETIRED:
                return state.standing, told, day - DAYS + 1
    return state.standing, told, 0


def measure(run: Run) -> Iterator[Figure]:
    """Yield, for each kind of lesson, the shares of streams in which it is told first, and retired."""
    streams = run.repeats(STREAMS, QUICK)
    for world in WORLDS:
        ends = Counter(stream(world, run.random_seed * STREAMS + number)[0] for number in range(streams))
        for standing, bar in ((LessonStanding.HELPS, None), (LessonStanding.RETIRED, world.retired)):
            share = ends[standing] / streams
            yield Figure(f"lessons: {world.name}, {standing.value}", share, f"of {streams}", bar=bar)
