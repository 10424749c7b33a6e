"""The lesson service: notes what is told, reads the runs that follow, judges, and retires what does not help."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from ...modules import inputs
from ...modules.clock import Clock
from ...modules.context import lessons
from ...modules.errors import Conflict, PermissionDenied, StorageUnavailable, Suspended
from ...modules.memory.lifecycle_service import AGENT, HUMAN, JOB, LifecycleService
from ...modules.memory.models import HIDDEN, Change
from ...modules.proving import LessonStanding, ProvenLesson, Way, no_lesson
from ...storage.engine.ports import Engine
from .judging import EVERY, Verdict, rate, repeats, verdict, witnesses
from .reading import Held, counted, digest_of
from .rows import NOTHING, Evidence, LessonRows, State, Telling, begun_anew

if TYPE_CHECKING:
    from ...storage.repositories.archive import ArchiveRepository

MOST_UNWRITTEN = 2_000
"""The tellings that wait to be written; the oldest beyond them are lost."""
LOOKED_BACK = 500
"""The latest sessions of a namespace in which the runs before a new lesson are looked for."""
EVENTS_AT_ONCE = 20_000
UNDER_WAY = 200
"""The events before the last one read that are looked for again: others may have been committed after it."""
AT_WORK = timedelta(hours=12)
"""How long after its last event a session counts as one that an answer may have gone to."""
AGAINST = (Verdict.USELESS, Verdict.HARMS)

log = logging.getLogger(__name__)


def lessons_over(
    engine: Engine,
    lifecycle: LifecycleService,
    archive: "ArchiveRepository",
    clock: Clock,
    for_person: Callable[[], bool],
) -> "Proof":
    """Return the lessons of a store."""
    return Proof(LessonRows(engine), lifecycle, archive, clock, for_person)


class Proof:
    """Implements `modules.proving.Lessons` over one store."""

    def __init__(
        self,
        rows: LessonRows,
        lifecycle: LifecycleService,
        archive: "ArchiveRepository",
        clock: Clock,
        for_person: Callable[[], bool],
    ) -> None:
        self._archive = archive
        self._rows = rows
        self._lifecycle = lifecycle
        self._clock = clock
        self._for_person = for_person
        self._unwritten: deque[Telling] = deque(maxlen=MOST_UNWRITTEN)
        self._writing: asyncio.Task[None] | None = None

    def told(self, namespaces: Sequence[str], memory_ids: Sequence[str], way: Way, session: str | None = None) -> None:
        if not memory_ids or self._for_person() or self._rows.read_only:
            return
        self._unwritten.append(Telling(tuple(namespaces), tuple(memory_ids), way, session, self._clock()))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write(), name="lessons told")

    async def _write(self) -> None:
        while self._unwritten:
            told = list(self._unwritten)
            self._unwritten.clear()
            try:
                await self._rows.tell(told, self._clock() - AT_WORK)
            except (StorageUnavailable, Suspended) as error:  # a statistic: what was told goes on all the same
                log.warning("what lessons were told was not counted: %s", error)

    async def settled(self) -> None:
        if self._writing is not None:
            await asyncio.wait([self._writing])

    async def standings(self, namespace: str) -> Mapping[str, LessonStanding]:
        return await self._rows.standings(namespace)

    async def prove(self) -> int:
        await self.settled()
        namespaces = await self._rows.namespaces()
        if not namespaces:
            return 0
        until, after = await self._rows.newest_event(), await self._rows.read_up_to()
        active = await self._active(until if after is None else after, until)
        retired = 0
        for namespace in namespaces:
            found = await self._begin(namespace, everything=after is None)
            shown = [held for held, _ in found if held.is_shown and held.memory.status not in HIDDEN]
            for session in active.get(namespace, ()):
                await self._read(namespace, session, shown)
            retired += await self._judge(namespace, found)
        if after != until:
            await self._rows.note_read(until)
        return retired

    async def _active(self, begin: int, until: int) -> Mapping[str, set[str]]:
        """Return by namespaces the sessions with runs among some events."""
        active: dict[str, set[str]] = {}
        while begin < until:
            end = min(begin + EVENTS_AT_ONCE, until)
            for namespace, session in await self._rows.sessions_between(begin - UNDER_WAY, end):
                active.setdefault(namespace, set()).add(session)
            begin = end
        return active

    async def _begin(self, namespace: str, *, everything: bool) -> list[tuple[Held, State | None]]:
        """Return the lessons of a namespace, after what the past says of those that are new, or read otherwise than
        before, was read; of all, where nothing was read yet.
        """
        now, past = self._clock(), []
        found, anew = await self._rows.lessons(namespace), []
        for at, (held, state) in enumerate(found):
            digest = await asyncio.to_thread(digest_of, held.memory)
            if held.is_shown and held.digest != digest:
                since = held.memory.created_at if state is None or not held.digest else now
                fresh = replace(held, digest=digest, since=since)
                anew.append(fresh)
                found[at] = fresh, begun_anew(state, since)
            elif held.is_shown and everything:
                past.append(held)
        if anew:
            await self._rows.renew(anew)
        if anew or past:
            for session in await self._rows.latest_sessions(namespace, LOOKED_BACK):
                await self._read(namespace, session, [*anew, *past])
        return found

    async def _read(self, namespace: str, session_id: str, held: Sequence[Held]) -> None:
        part = await self._rows.session(namespace, session_id) if held else None
        if part is None:
            return
        runs = await asyncio.to_thread(lambda: [one for lesson in held for one in counted(lesson, part)])
        if runs:
            await self._rows.count(session_id, runs)

    async def _judge(self, namespace: str, found: Sequence[tuple[Held, State | None]]) -> int:
        """Look at the lessons that have enough new runs; return how many were retired.

        How a lesson stands is written only where it still stands as it was read: whoever was quicker is right.
        """
        retired = 0
        evidence = await self._rows.evidence(namespace, [held.seq for held, _ in found])
        for held, state in found:
            if state is None or held.memory.status in HIDDEN:
                continue
            if state.standing is LessonStanding.RETIRED:
                retired += await self._shown_though_retired(namespace, held, state)
            elif held.is_shown and held.seq in evidence:
                retired += await self._look(namespace, held, state, evidence[held.seq])
        return retired

    async def _shown_though_retired(self, namespace: str, held: Held, state: State) -> bool:
        """Retire a lesson whose retirement was cut off, or keep who has brought it back, as by undoing the change."""
        last = await self._last_turn(namespace, held.memory.id)
        if last is None or (last.at < state.at and not _hides(last, held.memory.id)):
            await self._lifecycle.archive(namespace, held.memory.id, JOB)
            return True
        by = HUMAN if last.by == HUMAN else AGENT
        note = f"restored by {by}"
        await self._rows.judge(held, state, Verdict.UNKNOWN, state.looked, _brought_back(by), note, self._clock())
        return False

    async def _look(self, namespace: str, held: Held, state: State, found: Evidence) -> bool:
        """Judge a lesson if there is enough that is new; return whether it was retired."""
        runs = witnesses(found.untold, found.told)
        if not runs or runs < state.looked + EVERY:
            return False
        said = verdict(found.untold, found.told)
        standing = _standing(state, said)
        note = _note(said, found)
        if standing is LessonStanding.RETIRED:
            confirmed = await self._archive.vouched(namespace, lessons.TAG, self._clock())
            if any(one.id == held.memory.id for one in confirmed):
                standing = LessonStanding.QUIET  # figures are shown, and a person decides
        if not await self._rows.judge(held, state, said, runs, standing, note, self._clock()):
            return False
        if standing is not state.standing:
            log.info("lesson %s: %s; %s", held.memory.id, standing.value, note)
        if standing is LessonStanding.RETIRED:  # the next run ends what is cut off here
            await self._lifecycle.archive(namespace, held.memory.id, JOB)
        return standing is LessonStanding.RETIRED

    async def page(self, namespace: str) -> Sequence[ProvenLesson]:
        await self.settled()
        found = [(held, state) for held, state in await self._rows.lessons(namespace) if held.is_shown]
        evidence = await self._rows.evidence(namespace, [held.seq for held, _ in found])
        views = [_view(held, state, evidence.get(held.seq, NOTHING)) for held, state in found]
        return sorted(views, key=lambda one: (-one.after.runs, -one.told))

    async def get(self, namespace: str, memory_id: str) -> ProvenLesson:
        held, state = await self._held(namespace, memory_id)
        return _view(held, state, (await self._rows.evidence(namespace, [held.seq])).get(held.seq, NOTHING))

    async def retire(self, namespace: str, memory_id: str, by: str) -> ProvenLesson:
        held, state = await self._held(namespace, memory_id)
        if held.memory.status in HIDDEN:
            raise Conflict(f"{memory_id} is {held.memory.status.value} already; agentos lessons restore brings it back")
        await self._lifecycle.archive(namespace, held.memory.id, by)
        await self._mark(held, state, LessonStanding.RETIRED, f"retired by {by}")
        return await self.get(namespace, memory_id)

    async def restore(self, namespace: str, memory_id: str, by: str) -> ProvenLesson:
        held, state = await self._held(namespace, memory_id)
        if held.memory.status not in HIDDEN:
            raise Conflict(f"{memory_id} is told already; nothing to restore")
        if by != HUMAN and await self._is_persons(namespace, held.memory.id):
            raise PermissionDenied(f"{memory_id} was retired by a person; only a person brings it back")
        await self._lifecycle.restore(namespace, held.memory.id, by)
        await self._mark(held, state, _brought_back(by), f"restored by {by}")
        return await self.get(namespace, memory_id)

    async def _is_persons(self, namespace: str, memory_id: str) -> bool:
        """Return whether a person has last hidden a memory, or shown it again."""
        last = await self._last_turn(namespace, memory_id)
        return last is not None and last.by == HUMAN

    async def _last_turn(self, namespace: str, memory_id: str) -> Change | None:
        """Return the newest change that has hidden a memory, or shown it again."""
        for change in await self._lifecycle.changes(namespace, memory_id):
            if _hides(change, memory_id) is not None:
                return change
        return None

    async def _mark(self, held: Held, state: State | None, standing: LessonStanding, note: str) -> None:
        """Keep what somebody has decided, whatever stood there."""
        if state is None or not held.digest:
            await self._rows.renew([replace(held, digest=await asyncio.to_thread(digest_of, held.memory))])
        await self._rows.mark(held.seq, standing, note, self._clock())

    async def _held(self, namespace: str, memory_id: str) -> tuple[Held, State | None]:
        await self.settled()
        found = await self._rows.lessons(namespace, inputs.text("id", memory_id, 200))
        if not found or not found[0][0].is_shown:
            raise no_lesson(memory_id)
        return found[0]


def _hides(change: Change, memory_id: str) -> bool | None:
    """Return whether a change has hidden a memory; False where it has shown it again, None where neither."""
    sides = (change.before.get(memory_id), change.after.get(memory_id))
    before, after = (one is not None and one.status in HIDDEN for one in sides)
    return None if before == after else after


def _brought_back(by: str) -> LessonStanding:
    return LessonStanding.KEPT if by == HUMAN else LessonStanding.UNPROVEN


def _standing(state: State, said: Verdict) -> LessonStanding:
    """Return how a lesson stands after a look: one look against it tells it less, two in a row retire it, and two in a
    row that it helps raise it. What a person brought back stays.
    """
    if state.standing is LessonStanding.KEPT:
        return LessonStanding.KEPT
    if said in AGAINST:
        return LessonStanding.RETIRED if state.verdict in AGAINST else LessonStanding.QUIET
    helped = state.verdict is Verdict.HELPS or state.standing is LessonStanding.HELPS
    return LessonStanding.HELPS if said is Verdict.HELPS and helped else LessonStanding.UNPROVEN


def _note(said: Verdict, found: Evidence) -> str:
    before, after = repeats(found.untold), repeats(found.told)
    if said is Verdict.HARMS:
        before, after = (
            rate(sum(one.failed + one.others for one in side.values()), sum(one.runs for one in side.values()))
            for side in (found.untold, found.told)
        )
    text = f"failed {before.failed} of {before.runs} runs without it, {after.failed} of {after.runs} after it was told"
    known = found.followed + found.ignored
    return f"{text}; followed in {found.followed} of {known}" if known else text


def _view(held: Held, state: State | None, found: Evidence) -> ProvenLesson:
    memory = held.memory
    trigger = lessons.trigger_of(memory)
    tools, parts = (_several(trigger.get(name)) for name in ("tool", "contains"))
    standing = LessonStanding.UNPROVEN if state is None else state.standing
    if memory.status in HIDDEN:
        standing = LessonStanding.RETIRED
    elif standing is LessonStanding.RETIRED:  # brought back by other means: the next look says by whom
        standing = LessonStanding.UNPROVEN
    return ProvenLesson(
        memory.id,
        memory.content,
        f"{', '.join(tools)}: {', '.join(parts)}" if parts else ", ".join(tools),
        standing.value,
        "" if state is None else state.note,
        memory.created_at if state is None else state.at,
        0 if state is None else state.told,
        None if state is None else state.told_at,
        repeats(found.untold),
        repeats(found.told),
        found.followed,
        found.ignored,
        found.unknown,
    )


def _several(value: object) -> list[str]:
    return [str(one) for one in (value if isinstance(value, list) else [value]) if one]
