"""The service of acts: an act is a row of tasks, one a batch, whose payload says all that doing and undoing need.

What an act did is read from the memories themselves: a verdict names its act as its reason, and a change of a field is
the version after the one that the act was planned for. So whatever is killed in between, nothing is done twice, and an
undo knows what there is to undo.
"""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from .. import identifiers, inputs
from ..clock import Clock
from ..errors import AgentOSError, Conflict, InvalidInput, NotFound
from ..memory.bulk import Bulk
from ..memory.lifecycle_service import AGENT
from ..memory.models import Memory
from ..principals.acting import acting, actor
from ..principals.models import Caller, Door, Role
from ..queue.control import CANCELLED, QueueControl
from ..queue.models import Task, TaskState
from ..queue.service import QueueService
from ..redactor import Redactor
from .models import EDITS, Act, Outcome, RequestedAct, State, What
from .tracing_back import Traces

TYPE = "memory.act"
BATCH = 200
MOST = 5_000
"""Memories of one act."""
LISTED = 20
_OPEN = (TaskState.QUEUED, TaskState.LEASED)
Named = Sequence[tuple[str, int]]
"""Memories by id, with the version that each had when the act was planned."""

log = logging.getLogger(__name__)


class Acts:
    """Acts on the memories of one store; each is known, and can be undone, for as long as the queue keeps its tasks."""

    def __init__(
        self, bulk: Bulk, traces: Traces, queue: QueueService, control: QueueControl, redactor: Redactor, clock: Clock
    ) -> None:
        self._bulk = bulk
        self._traces = traces
        self._queue = queue
        self._control = control
        self._redactor = redactor
        self._clock = clock
        self._working: asyncio.Task[None] | None = None

    async def begin(
        self, namespace: str, asked: RequestedAct, memories: Sequence[Memory], by: str, act_id: str | None = None
    ) -> str:
        """Plan an act and begin it; return its id. A confirmation counts as an agent's: a person vouches one by one.

        With an `act_id` that was planned before, that act stands. Raises InvalidInput for none, or for more than MOST.
        """
        if not 0 < len(memories) <= MOST:
            raise InvalidInput("memories", f"choose 1 to {MOST:,}")
        if asked.what in (What.TAG, What.UNTAG):
            asked = RequestedAct(asked.what, list(await self._redactor.tags(asked.value)))
        named = [(memory.id, memory.version) for memory in memories]
        act, by = act_id or identifiers.new_id("act"), AGENT if asked.what is What.CONFIRM else by
        common = {"what": asked.what.value, "value": asked.value, "by": by, "asked_by": actor(), "total": len(named)}
        for number, begin in enumerate(range(0, len(named), BATCH)):
            batch = {**common, "memories": named[begin : begin + BATCH]}
            await self._queue.put(namespace, TYPE, f"{act}/{number}", batch)
        self._go_on()
        return act

    async def undo(self, namespace: str, act_id: str, by: str) -> None:
        """Begin to undo an act, the last batch first. Raises NotFound, and Conflict where there is nothing to undo."""
        act = await self.look(namespace, act_id)
        if act.asked.what is What.ERASE:
            raise Conflict("what was erased is gone for good")
        if act.state is State.RUNNING:
            raise Conflict("it is in progress; stop it first")
        for number in reversed(range(_batches(act.total))):
            await self._queue.put(namespace, TYPE, f"{act_id}/{number}/undo", {"by": by, "asked_by": actor()})
        self._go_on()

    async def stop(self, namespace: str, act_id: str) -> None:
        """Give up what an act has not done yet. Raises NotFound."""
        for task in (await self._tasks(namespace, act_id))[0]:
            if task is not None and task.state in _OPEN:
                try:
                    await self._control.cancel(namespace, task.id)
                except Conflict:
                    continue  # it was done meanwhile

    async def look(self, namespace: str, act_id: str) -> Act:
        """Return an act as it stands, with its outcome once it is over. Raises NotFound."""
        tasks, undoing_tasks = await self._tasks(namespace, act_id)
        act = _act(act_id, tasks, undoing_tasks)
        outcome = None
        if State.RUNNING not in (act.state, act.undoing):
            outcome = Outcome()
            for task in filter(None, tasks):
                asked, named = _read(task.payload)
                outcome += await self._traces.outcome(namespace, act_id, asked, named)
        return replace(act, outcome=outcome)

    async def recent(self, namespace: str) -> list[Act]:
        """Return the newest acts, without their outcome; at most LISTED."""
        found: list[Act] = []
        for task in await self._control.page(namespace, list(TaskState), 200):
            act_id, _, number = task.key.partition("/")
            if task.type == TYPE and number == "0" and len(found) < LISTED:
                found.append(_act(act_id, *await self._tasks(namespace, act_id)))
        return found

    async def settled(self, namespace: str, act_id: str, wait_s: float) -> Act:
        """Return an act once it is over, or as it stands after `wait_s` seconds; likewise its undoing. Raises NotFound.

        What is not over by then goes on.
        """
        give_up_at = asyncio.get_running_loop().time() + wait_s
        while True:
            act = await self.look(namespace, act_id)
            left_s = give_up_at - asyncio.get_running_loop().time()
            if State.RUNNING not in (act.state, act.undoing) or left_s <= 0:
                return act
            working = self._go_on()
            await asyncio.wait((working,), timeout=left_s)
            if working.done() and not working.cancelled():
                working.result()  # what broke the worker itself is not an act that takes long
            if working.done() and State.RUNNING in (act.state, act.undoing):
                again = await self.look(namespace, act_id)
                if (again.done, again.state, again.undoing) == (act.done, act.state, act.undoing):
                    return again  # it failed and is tried again later, or another process is at it

    async def close(self) -> None:
        """Leave the rest to the next worker of the queue."""
        if self._working is not None:
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)

    async def carry_out(self, task: Task) -> None:
        """Do, or undo, one batch on behalf of who asked; done again, it changes nothing more. Raises AgentOSError."""
        principal, door, request_id = task.payload["asked_by"]
        with acting(Caller(principal, Role.READER, {}, task.namespace, Door(door), request_id)):
            await self._carry_out(task)

    async def _carry_out(self, task: Task) -> None:
        act_id, number, *rest = task.key.split("/")
        if rest:
            planned = await self._queue.find(task.namespace, TYPE, f"{act_id}/{number}")
            if planned is not None:
                await self._undo(task.namespace, act_id, planned, str(task.payload["by"]))
            return
        asked, named = _read(task.payload)
        by = str(task.payload["by"])
        if asked.what in EDITS:
            await self._bulk.edit(task.namespace, named, asked.what.value, asked.value)
            return
        verdicts = await self._traces.verdicts(task.namespace, act_id, named) if asked.what is not What.ERASE else {}
        left = [one for one, _ in named if one not in verdicts]
        await self._bulk.carry_out(task.namespace, left, asked.what.value, by, note=act_id)

    async def _undo(self, namespace: str, act_id: str, planned: Task, by: str) -> None:
        asked, named = _read(planned.payload)
        if asked.what in EDITS:
            for memory, before in await self._traces.edited(namespace, asked, named):
                await self._bulk.unedit(namespace, memory, before, asked.what.value)
            return
        verdicts = await self._traces.verdicts(namespace, act_id, named)
        await self._bulk.undo(namespace, [change.id for change in verdicts.values() if change.reverted_by is None], by)

    def _go_on(self) -> "asyncio.Task[None]":
        """Work on the queue in the background."""
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work(), name="acts")
        return self._working

    async def _work(self) -> None:
        try:
            await self._queue.work(TYPE, self.carry_out)
        except AgentOSError as error:
            log.warning("an act waits for the next round of the queue: %s", error)

    async def _tasks(self, namespace: str, act_id: str) -> tuple[list[Task | None], list[Task | None]]:
        """Return the tasks of an act and those of its undoing, in order; None where one was not queued.

        Raises NotFound.
        """
        known = await self._queue.keyed(namespace, TYPE, inputs.text("act", act_id, 100))
        first = known.get(f"{act_id}/0")
        if first is None:
            raise NotFound(f"act: there is no act {act_id[:60]!r}; acts are kept for a week")
        keys = [f"{act_id}/{number}" for number in range(_batches(first.payload["total"]))]
        return [known.get(key) for key in keys], [known.get(f"{key}/undo") for key in keys]


def _batches(total: int) -> int:
    return -(-total // BATCH)


def _read(payload: Any) -> tuple[RequestedAct, list[tuple[str, int]]]:
    asked = RequestedAct(What(payload["what"]), payload["value"])
    return asked, [(str(name), int(version)) for name, version in payload["memories"]]


def _sizes(total: int) -> Iterator[int]:
    for begin in range(0, total, BATCH):
        yield min(BATCH, total - begin)


def _progress(tasks: Sequence[Task | None], total: int) -> tuple[State, int]:
    """Return how it stands, and how many memories are in the batches that are over."""
    sized = list(zip(tasks, _sizes(total), strict=True))
    done = sum(size for task, size in sized if task is not None and task.state is TaskState.DONE)
    if any(task is not None and task.state in _OPEN for task in tasks):
        return State.RUNNING, done
    return State.FINISHED if done == total else State.STOPPED, done


def _act(act_id: str, tasks: Sequence[Task | None], undoing: Sequence[Task | None]) -> Act:
    """Return an act as its tasks tell it, without its outcome."""
    first = tasks[0]
    assert first is not None, "_tasks has looked"
    asked, _ = _read(first.payload)
    total = first.payload["total"]
    state, done = _progress(tasks, total)
    errors = [one.last_error for one in (*tasks, *undoing) if one and one.last_error not in (None, CANCELLED)]
    return Act(
        id=act_id,
        asked=asked,
        by=first.payload["by"],
        at=first.run_at,
        total=total,
        done=done,
        state=state,
        undoing=_progress(undoing, total)[0] if any(undoing) else None,
        problem=errors[0] if errors else None,
    )
