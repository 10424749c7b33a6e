"""The lesson service: notes what is told, reads the runs that follow, judges, and retires what does not help."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from ...modules import inputs
from ...modules.clock import Clock
from ...modules.context import lessons
from ...modules.errors import Conflict, PermissionDenied, StorageUnavailable, Suspended
from ...modules.memory.lifecycle_service import AGENT, HUMAN, JOB, LifecycleService
from ...modules.memory.models import HIDDEN
from ...modules.memory.ports import MemoryArchive
from ...modules.proving import ProvenLesson, Standing, Way, no_lesson
from ...storage.engine.ports import Engine
from .judging import EVERY, Verdict, rate, repeats, verdict, witnesses
from .reading import Held, counted, digest_of
from .rows import NOTHING, Evidence, LessonRows, State, Telling

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
    engine: Engine, lifecycle: LifecycleService, archive: MemoryArchive, clock: Clock, for_person: Callable[[], bool]
) -> "Proof":
    """Return the lessons of a store."""
    return Proof(LessonRows(engine), lifecycle, archive, clock, for_person)


class Proof:
    """Implements `modules.proving.Lessons` over one store."""

    def __init__(
        self,
        rows: LessonRows,
        lifecycle: LifecycleService,
        archive: MemoryArchive,
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

    async def standings(self, namespace: str) -> Mapping[str, Standing]:
        return await self._rows.standings(namespace)

    async def prove(self) -> int:
        await self.settled()
        namespaces = await self._rows.namespaces()
        if not namespaces:
            return 0
        until = await self._rows.newest_event()
        after = await self._rows.read_up_to()
        for namespace in namespaces:
            await self._begin(namespace, everything=after is None)
        begin = until if after is None else after
        shown: dict[str, list[Held]] = {}
        while begin < until:
            end = min(begin + EVENTS_AT_ONCE, until)
            for namespace, session in await self._rows.sessions_between(begin - UNDER_WAY, end):
                if namespace in namespaces:
                    if namespace not in shown:
                        shown[namespace] = await self._shown(namespace)
                    await self._read(namespace, session, shown[namespace])
            begin = end
        if after != until:
            await self._rows.note_read(until)
        return sum([await self._judge(namespace) for namespace in namespaces])

    async def _begin(self, namespace: str, *, everything: bool) -> None:
        """Read the past of lessons that are new, or read otherwise than before; of all, where nothing was read yet."""
        now, anew, past = self._clock(), [], []
        for held, state in await self._rows.lessons(namespace):
            digest = await asyncio.to_thread(digest_of, held.memory)
            if held.is_shown and held.digest != digest:
                since = held.memory.created_at if state is None or not held.digest else now
                anew.append(replace(held, digest=digest, since=since))
            elif held.is_shown and everything:
                past.append(held)
        if anew:
            await self._rows.renew(anew)
        if anew or past:
            for session in await self._rows.latest_sessions(namespace, LOOKED_BACK):
                await self._read(namespace, session, [*anew, *past])

    async def _shown(self, namespace: str) -> list[Held]:
        """Return the lessons whose runs count."""
        found = await self._rows.lessons(namespace)
        return [held for held, _ in found if held.is_shown and held.memory.status not in HIDDEN]

    async def _read(self, namespace: str, session_id: str, held: Sequence[Held]) -> None:
        part = await self._rows.session(namespace, session_id) if held else None
        if part is None:
            return
        runs = await asyncio.to_thread(lambda: [one for lesson in held for one in counted(lesson, part)])
        if runs:
            await self._rows.count(session_id, runs)

    async def _judge(self, namespace: str) -> int:
        """Look at the lessons that have enough new runs; return how many were retired."""
        retired = 0
        found = [(held, state) for held, state in await self._rows.lessons(namespace) if state is not None]
        evidence = await self._rows.evidence(namespace, [held.seq for held, _ in found])
        for held, state in found:
            if state.standing is Standing.RETIRED and held.memory.status not in HIDDEN:
                # Somebody has brought it back by other means, as by undoing the change.
                by = HUMAN if await self._is_persons(namespace, held.memory.id) else AGENT
                await self._mark(held, state, _brought_back(by), f"restored by {by}")
            elif held.memory.status not in HIDDEN and held.is_shown and held.seq in evidence:
                retired += await self._look(namespace, held, state, evidence[held.seq])
        return retired

    async def _look(self, namespace: str, held: Held, state: State, found: Evidence) -> bool:
        """Judge a lesson if there is enough that is new; return whether it was retired."""
        runs = witnesses(found.untold, found.told)
        if not runs or runs < state.looked + EVERY:
            return False
        said = verdict(found.untold, found.told)
        standing = _standing(state, said)
        note = _note(said, found)
        if standing is Standing.RETIRED:
            confirmed = await self._archive.vouched(namespace, lessons.TAG, self._clock())
            if any(one.id == held.memory.id for one in confirmed):
                standing = Standing.QUIET  # figures are shown, and a person decides
            else:
                await self._lifecycle.archive(namespace, held.memory.id, JOB)
        await self._rows.judge(held.seq, said, runs, standing, note, self._clock())
        if standing is not state.standing:
            log.info("lesson %s: %s; %s", held.memory.id, standing.value, note)
        return standing is Standing.RETIRED

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
        await self._mark(held, state, Standing.RETIRED, f"retired by {by}")
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
        for change in await self._lifecycle.changes(namespace, memory_id):
            sides = (change.before.get(memory_id), change.after.get(memory_id))
            before, after = (one is not None and one.status in HIDDEN for one in sides)
            if before != after:
                return change.by == HUMAN
        return False

    async def _mark(self, held: Held, state: State | None, standing: Standing, note: str) -> None:
        if state is None or not held.digest:
            await self._rows.renew([replace(held, digest=await asyncio.to_thread(digest_of, held.memory))])
        looked = 0 if state is None else state.looked
        await self._rows.judge(held.seq, Verdict.UNKNOWN, looked, standing, note, self._clock())

    async def _held(self, namespace: str, memory_id: str) -> tuple[Held, State | None]:
        await self.settled()
        found = await self._rows.lessons(namespace, inputs.text("id", memory_id, 200))
        if not found or not found[0][0].is_shown:
            raise no_lesson(memory_id)
        return found[0]


def _brought_back(by: str) -> Standing:
    return Standing.KEPT if by == HUMAN else Standing.UNPROVEN


def _standing(state: State, said: Verdict) -> Standing:
    """Return how a lesson stands after a look: one look against it tells it less, two in a row retire it, and two in a
    row that it helps raise it. What a person brought back stays.
    """
    if state.standing is Standing.KEPT:
        return Standing.KEPT
    if said in AGAINST:
        return Standing.RETIRED if state.verdict in AGAINST else Standing.QUIET
    helped = state.verdict is Verdict.HELPS or state.standing is Standing.HELPS
    return Standing.HELPS if said is Verdict.HELPS and helped else Standing.UNPROVEN


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
    standing = Standing.UNPROVEN if state is None else state.standing
    if memory.status in HIDDEN:
        standing = Standing.RETIRED
    elif standing is Standing.RETIRED:  # brought back by other means: the next look says by whom
        standing = Standing.UNPROVEN
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
