"""The procedure service: mine habits and lessons, find those that apply to a query, promote the surest."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from ...modules import identifiers, inputs, offload
from ...modules.clock import Clock
from ...modules.errors import Conflict, NotFound
from ...modules.memory.service import MemoryService
from ...modules.redactor import Redactor
from ...modules.store_request import StoreRequest
from ...modules.suspicion import unsuspicious
from ...storage.repositories.event_retention import HABIT, MINER, READ_FOR_HABITS
from . import cues, mining
from .models import (
    LESSON,
    Action,
    Backing,
    Habit,
    Lesson,
    Mined,
    Procedure,
    ProcedureMemory,
    Relevant,
    Revision,
    StoredLesson,
    Trigger,
)
from .rows import ProcedureRows

"""Metadata keys that say what a memory holds; also used as tags."""
RULE_TAG = "rule"
IMPORTANCE = 0.3
OBSERVED, PROMOTED = 0.35, 0.7
"""Confidence of a memory that rules derived from observations (it waits for confirmation), and of a promoted one."""
PROMOTED_FROM = 0.8
DEMOTED_BELOW = 0.6
"""Lower than the threshold for promotion, so that a habit near it does not come and go."""
MIN_CONFIDENCE = 0.4
MAX_QUERY_BYTES = 64 * 1024
MAX_SHOWN = 50
MAX_LESSONS = 3
INFORM = "inform"
"""The effect of a lesson: it informs. A warning or a block takes a rule that a person has made."""

log = logging.getLogger(__name__)


class ProcedureService:
    """Procedures over one store: a function of what was said and done, recomputed by each mining."""

    def __init__(self, repository: ProcedureRows, keeper: MemoryService, redactor: Redactor, clock: Clock) -> None:
        self._repository = repository
        self._keeper = keeper
        self._redactor = redactor
        self._clock = clock
        self._reader = cues.CueReader()
        self._mined: dict[str, tuple[int, ...]] = {}

    async def mine(self, namespace: str) -> Mined:
        """Find habits and lessons, and store them. Mining the same evidence again changes nothing.

        A memory is made for each, once; those whose evidence is gone are erased unless somebody has judged them. A
        habit promoted from here is no longer backed if its confidence is below .6 by now, or it was rejected. May be
        interrupted at any point and run concurrently.
        """
        mark = await self._repository.mark(namespace)
        evidence = await self._repository.evidence(namespace, READ_FOR_HABITS)
        habits, lessons = await asyncio.to_thread(
            lambda: (mining.habits(evidence, self._reader), mining.lessons(evidence.attempts))
        )
        stored = {_key(one.metadata): one for one in await self._repository.memories(namespace) if _key(one.metadata)}
        found = [(*_procedure(habit), habit.evidence) for habit in habits]
        found += [(*await self._lesson(lesson), lesson.evidence) for lesson in lessons]
        wanted = {_key(metadata): (text, metadata, shown) for text, metadata, shown in found}
        made: set[str] = set()
        revisions: list[Revision] = []
        for key, (text, metadata, shown) in wanted.items():
            known = stored.get(key)
            if known is None:
                memory_id = await self._keep(namespace, text, metadata, OBSERVED)
                made.add(memory_id)
            else:
                memory_id = known.memory_id
            revisions.append(Revision(memory_id, {**(known.metadata if known else {}), **metadata}, shown))
        changed = await self._repository.revise(namespace, revisions, self._clock()) if revisions else frozenset()
        gone = [one for key, one in stored.items() if key not in wanted and not one.judged]
        if len(evidence.attempts) == READ_FOR_HABITS:  # older ones were not read: a lesson may rest on them
            gone = [one for one in gone if LESSON not in one.metadata]
        for one in gone:
            with suppress(NotFound):
                await self._keeper.delete(namespace, one.memory_id)
        current = await self._repository.memories(namespace)
        procedures = _procedures(current)
        demoted = await self._weigh_promoted(namespace, habits, procedures)
        self._mined[namespace] = mark
        return Mined(
            tuple(_ordered(procedures)),
            tuple(_lessons(current)),
            mining.turns(evidence),
            len(made),
            len(changed - made),
            len(gone),
            demoted,
            tuple(habits),
        )

    async def mine_what_is_new(self, namespace: str) -> Mined | None:
        """Mine if something has changed since this process mined last; return None if nothing has."""
        if namespace == identifiers.GLOBAL or await self._repository.mark(namespace) == self._mined.get(namespace):
            return None
        return await self.mine(namespace)

    async def relevant(
        self, namespace: str, query: str, limit: int = 3, min_confidence: float = MIN_CONFIDENCE
    ) -> Relevant:
        """Return the habits for what a query asks for, by confidence × support, and lessons about what it mentions.

        Habits are the agent's own; if there are none, those that agents of this store have promoted. Rejected ones are
        left out, and lessons that look like instructions. Raises InvalidInput.
        """
        inputs.text("query", query, MAX_QUERY_BYTES)
        inputs.count("limit", limit, 1, MAX_SHOWN)
        inputs.unit_interval("min_confidence", min_confidence)
        trigger = await asyncio.to_thread(cues.trigger_of, query)
        own = await self._repository.memories(namespace)
        found = _fitting(_procedures(own), trigger, min_confidence)
        if not found:
            promoted = _procedures(await self._repository.memories(identifiers.GLOBAL), is_global=True)
            found = _fitting(promoted, trigger, min_confidence)
        offered = [one for one in _lessons(own) if one.is_offered]
        named = await offload.read(len(query), lambda: [one for one in offered if mining.names(one.action, query)])
        lessons = await unsuspicious(named, lambda one: one.content)
        result = Relevant(trigger, tuple(found[:limit]), tuple(lessons[:MAX_LESSONS]))
        shown = [one.memory_id for one in result.procedures] + [one.memory_id for one in result.lessons]
        await self._keeper.shown(namespace, shown)
        return result

    async def promote(self, namespace: str, memory_id: str) -> Procedure:
        """Promote a habit to every agent of the store; its confidence must be at least .8 by the current evidence.

        What is promoted is the sentence of its classes, whatever the memory says by now. Of several namespaces that
        promote it, the highest numbers count. Promoting again only updates the numbers. Raises InvalidInput, NotFound,
        and Conflict if it is not sure enough or rejected.
        """
        inputs.text("id", memory_id, 200)
        known = next(
            (one for one in _procedures(await self._repository.memories(namespace)) if one.memory_id == memory_id), None
        )
        if known is None:
            raise NotFound(f"id: there is no procedure {memory_id[:60]!r}; procedures_mine gives valid ids")
        if not known.is_offered:
            raise Conflict(f"id: procedure {known.memory_id} is {known.status} and cannot be promoted")
        evidence = await self._repository.evidence(namespace, READ_FOR_HABITS)
        habits = await asyncio.to_thread(mining.habits, evidence, self._reader)
        habit = next((h for h in habits if _classes(h) == _classes(known)), None)
        confidence = 0.0 if habit is None else habit.confidence
        if habit is None or confidence < PROMOTED_FROM:
            raise Conflict(
                f"id: procedure {known.memory_id} has confidence {confidence:.3g}; from {PROMOTED_FROM} on it "
                "may be promoted"
            )
        return await self._promoted(namespace, habit)

    async def _promoted(self, namespace: str, habit: Habit) -> Procedure:
        known = _procedures(await self._repository.memories(identifiers.GLOBAL))
        same = next((p for p in known if _classes(p) == _classes(habit)), None)
        if same is None:
            metadata: dict[str, Any] = {
                HABIT: {
                    "trigger": habit.trigger.value,
                    "action": habit.action.value,
                    "support": 0,
                    "confidence": 0.0,
                    "method": "rules",
                    mining.BACKED_BY: {},
                }
            }
            text = mining.sentence(habit.trigger, habit.action)
            memory_id = await self._keep(identifiers.GLOBAL, text, metadata, PROMOTED)
        else:
            memory_id = same.memory_id
        await self._repository.back(memory_id, namespace, Backing(habit.support, habit.confidence), self._clock())
        stored = [one for one in await self._repository.memories(identifiers.GLOBAL) if one.memory_id == memory_id]
        return _procedures(stored, is_global=True)[0]

    async def _weigh_promoted(self, namespace: str, habits: Sequence[Habit], procedures: Sequence[Procedure]) -> int:
        """Update the backing of promoted habits by a namespace's evidence; return how many it no longer backs."""
        by_classes = {_classes(habit): habit for habit in habits}
        rejected = {_classes(one) for one in procedures if not one.is_offered}
        demoted = 0
        for one in _procedures(await self._repository.memories(identifiers.GLOBAL), is_global=True):
            if namespace not in one.backers:
                continue
            habit = by_classes.get(_classes(one))
            if habit is None or habit.confidence < DEMOTED_BELOW or _classes(one) in rejected:
                demoted += await self._repository.back(one.memory_id, namespace, None, self._clock())
            else:
                now = Backing(habit.support, habit.confidence)
                await self._repository.back(one.memory_id, namespace, now, self._clock())
        return demoted

    async def _keep(self, namespace: str, text: str, metadata: dict[str, Any], confidence: float) -> str:
        is_lesson = LESSON in metadata
        stored = await self._keeper.store(
            namespace,
            StoreRequest(
                text,
                "procedural",
                IMPORTANCE,
                [LESSON, RULE_TAG] if is_lesson else [HABIT, metadata[HABIT]["trigger"], metadata[HABIT]["action"]],
                metadata,
                MINER,
                confidence=confidence,
                kind="rule" if is_lesson else "procedure",
            ),
        )
        return stored.memory.id

    async def _lesson(self, lesson: Lesson) -> tuple[str, dict[str, Any]]:
        metadata = {
            LESSON: {
                "action": lesson.action,
                "failures": lesson.failures,
                **({"failure": lesson.failure} if lesson.failure else {}),
                "attempts": list(lesson.attempts),
                "method": "rules",
            },
            "trigger": {"tool": "*", "contains": lesson.action},
            "severity": "info",
            "effect": INFORM,
        }
        return await self._redactor.text(mining.lesson_text(lesson)), await self._redactor.json(metadata)


def _procedure(habit: Habit) -> tuple[str, dict[str, Any]]:
    return mining.sentence(habit.trigger, habit.action), {
        HABIT: {
            "trigger": habit.trigger.value,
            "action": habit.action.value,
            "support": habit.support,
            "pairs": habit.pairs,
            "sessions": len(habit.sessions),
            "confidence": habit.confidence,
            "method": "rules",
        }
    }


def _key(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a memory holds: a habit by its classes, a lesson by its action; empty if neither."""
    habit, lesson = metadata.get(HABIT), metadata.get(LESSON)
    if isinstance(habit, dict):
        return (HABIT, str(habit.get("trigger")), str(habit.get("action")))
    return (LESSON, str(lesson.get("action"))) if isinstance(lesson, dict) else ()


def _procedures(memories: Sequence[ProcedureMemory], *, is_global: bool = False) -> list[Procedure]:
    found = []
    for one in memories:
        procedure = one.metadata.get(HABIT)
        if not isinstance(procedure, dict):
            continue
        with suppress(KeyError, TypeError, ValueError):  # metadata that somebody else has written: no longer a habit
            found.append(
                Procedure(
                    one.memory_id,
                    one.content,
                    Trigger(procedure["trigger"]),
                    Action(procedure["action"]),
                    float(procedure["confidence"]),
                    int(procedure["support"]),
                    one.status,
                    is_global,
                    frozenset(mining.backers_of(procedure)),
                )
            )
    return found


def _lessons(memories: Sequence[ProcedureMemory]) -> list[StoredLesson]:
    return [
        StoredLesson(one.memory_id, one.content, str(lesson.get("action", "")), one.status)
        for one in memories
        if isinstance(lesson := one.metadata.get(LESSON), dict)
    ]


def _classes(one: Procedure | Habit) -> tuple[Trigger, Action]:
    return one.trigger, one.action


def _ordered(procedures: Sequence[Procedure]) -> list[Procedure]:
    return sorted(procedures, key=lambda p: (-p.confidence * p.support, p.trigger, p.action))


def _fitting(procedures: Sequence[Procedure], trigger: Trigger, min_confidence: float) -> list[Procedure]:
    return _ordered([p for p in procedures if p.trigger is trigger and p.confidence >= min_confidence and p.is_offered])
