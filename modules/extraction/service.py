"""The extraction service: reads turns once, and stores the facts they state as candidates with their evidence."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

from .. import offload
from ..clock import Clock
from ..facts.models import Relation
from ..language.ports import LanguageError, LanguageModel
from ..suspicion import unsuspicious
from . import asking, lasting
from .evidence import problem
from .models import (
    MAX_EVIDENCE,
    MODEL_READER,
    READER,
    About,
    ExtractedFact,
    ExtractionOutcome,
    FactType,
    Method,
    SpokenTurn,
)
from .sentences import facts_in

if TYPE_CHECKING:
    from ...storage.repositories.extraction import TurnReadingsRepository
    from ...storage.repositories.lifecycle import LifecycleRepository
    from ..memory.service import MemoryService

SOURCE = "extraction"
STATED = f"{SOURCE}:prompt"
"""The source of what users stated in prompts."""
EVIDENCE_OF = "evidence_of"
TURNS_AT_ONCE = 50
"""Turns read before their facts are written: an interrupted job loses no more."""
TRUSTED = 0.5
"""Trust below which a source's turns are not read: nothing may gain trust by being read."""

log = logging.getLogger(__name__)

_KINDS = {
    FactType.EVENT: "fact",
    FactType.STATE: "fact",
    FactType.PREFERENCE: "preference",
    FactType.IDENTITY: "attribute",
}


class ExtractionService:
    """The rules of extraction over one store."""

    def __init__(
        self,
        turns: "TurnReadingsRepository",
        keeper: "MemoryService",
        relator: "LifecycleRepository",
        clock: Clock,
        language: LanguageModel | None = None,
    ) -> None:
        self._turns = turns
        self._keeper = keeper
        self._relator = relator
        self._clock = clock
        self._language = language

    async def analyse(self, namespace: str, turn_ids: Sequence[str]) -> list[str]:
        """Read turns that were not read yet; return the ids of all facts that any of the given turns supports."""
        return list((await self.read(namespace, turn_ids)).fact_ids)

    async def read(self, namespace: str, turn_ids: Sequence[str]) -> ExtractionOutcome:
        """Read those of the turns that were not read yet, and store what they state. Idempotent."""
        by_rules = await self._turns.read_before(namespace, turn_ids, READER)
        known = by_rules
        if self._language is not None:
            known = await self._turns.read_before(namespace, turn_ids, MODEL_READER)
        turns = await self._turns.turns(namespace, [one for one in turn_ids if one not in known])
        found = [
            await self._read(namespace, turns[begin : begin + TURNS_AT_ONCE], read=by_rules)
            for begin in range(0, len(turns), TURNS_AT_ONCE)
        ]
        fact_ids = await self._turns.standing_on(namespace, turn_ids)
        return ExtractionOutcome(
            tuple(fact_ids),
            sum(one.new for one in found),
            sum(one.rejected for one in found),
            Method.LLM if any(one.method is Method.LLM for one in found) else Method.RULES,
            tuple(dict.fromkeys(note for one in found for note in one.notes)),
        )

    async def read_new(self, limit: int = 4 * TURNS_AT_ONCE) -> int:
        """Read unread user turns of all namespaces, by the rules, and return how many facts are new.

        May be interrupted at any point: turns not marked as read are read again, and their facts are stored once.
        """
        new = 0
        turns = await self._turns.unread_everywhere(limit)
        by_namespace = sorted(turns, key=lambda turn: turn.namespace)  # stable: keeps the order within each
        for namespace, group in groupby(by_namespace, key=lambda turn: turn.namespace):
            waiting = list(group)
            for begin in range(0, len(waiting), TURNS_AT_ONCE):
                found = await self._read(namespace, waiting[begin : begin + TURNS_AT_ONCE], by_rules=True)
                new += found.new
        return new

    async def keep_stated(
        self,
        namespace: str,
        prompt: str,
        key: str,
        at: datetime,
        session: Mapping[str, Any],
        project: Mapping[str, Any],
    ) -> int:
        """Store what a prompt states for good as candidates; return how many are new. The same again adds nothing.

        `key` names the prompt, `session` is metadata of all that is found in it, `project` of what is not about the
        person.
        """
        said = SpokenTurn(key, namespace, About.USER.value, None, prompt, at)
        if not await unsuspicious([said], lambda turn: turn.text):
            return 0
        facts = await asyncio.to_thread(lasting.statements, said)
        new = 0
        for fact, why in zip(facts, _problems(facts, [said]), strict=True):
            if why is not None:
                log.info("a statement without evidence was rejected (%s)", why)
                continue
            kept = await self._keeper.keep_found(
                namespace,
                fact.text,
                _KINDS[fact.type],
                fact.confidence,
                STATED,
                {**fact.metadata, **session, **({} if lasting.is_about_the_person(fact) else project)},
                fact.occurred_at,
            )
            new += not kept.duplicate
        return new

    async def evidence(self, namespace: str, fact_ids: Sequence[str]) -> dict[str, list[str]]:
        """Return the turns that support each fact."""
        return await self._turns.evidence(namespace, fact_ids)

    async def _read(
        self,
        namespace: str,
        turns: Sequence[SpokenTurn],
        *,
        by_rules: bool = False,
        read: frozenset[str] = frozenset(),
    ) -> ExtractionOutcome:
        """Return what turns state; those that the rules have `read` are not read by them again."""
        trusted = (turn for turn in turns if turn.about and turn.trust >= TRUSTED)
        readable = await unsuspicious(trusted, lambda turn: turn.text)
        method = Method.RULES
        notes: tuple[str, ...] = ()
        facts: list[ExtractedFact] | None = None
        if self._language is not None and readable and not by_rules:
            facts, notes = await self._ask_model(readable)
            method = Method.RULES if facts is None else Method.LLM
        if facts is None:
            unread = [turn for turn in readable if turn.memory_id not in read]
            facts = await asyncio.to_thread(lambda: [fact for turn in unread for fact in facts_in(turn)])
        rejected = 0
        new = 0
        problems = await offload.read(offload.length(turn.text for turn in turns), _problems, facts, turns)
        for fact, why in zip(facts, problems, strict=True):
            if why is not None:
                log.info("a fact without evidence was rejected (%s)", why)
                rejected += 1
                continue
            project = next((turn.project for turn in turns if turn.project and turn.memory_id in fact.evidence), "")
            new += await self._keep(namespace, fact, project)
        is_done = method is Method.LLM or (self._language is not None and not by_rules and not readable)
        await self._turns.note_read(namespace, turns, (READER, MODEL_READER) if is_done else (READER,))
        return ExtractionOutcome((), new, rejected, method, notes)

    async def _ask_model(self, turns: Sequence[SpokenTurn]) -> tuple[list[ExtractedFact] | None, tuple[str, ...]]:
        """Return the facts that the language model finds in turns; None and a note if it is unavailable."""
        assert self._language is not None
        try:
            answer = await self._language.complete(asking.INSTRUCTION, asking.transcript(turns), asking.MAX_TOKENS)
        except LanguageError as error:
            return None, (f"no language model, facts were found by rules: {error}",)
        facts = asking.facts_of(answer, turns)
        if facts is None:
            return None, ("the language model's answer was not a list of facts; they were found by rules",)
        return facts, ()

    async def _keep(self, namespace: str, fact: ExtractedFact, project: str) -> bool:
        kind = _KINDS[fact.type] if fact.about is About.USER else "knowledge"
        stored = await self._keeper.keep_found(
            namespace,
            fact.text,
            kind,
            fact.confidence,
            f"{SOURCE}:{fact.method.value}",
            {**fact.metadata, **({"project": project} if project else {})},
            fact.occurred_at,
        )
        known = (await self._turns.evidence(namespace, [stored.memory.id])).get(stored.memory.id, [])
        room = MAX_EVIDENCE - len(known)
        fresh = [turn for turn in fact.evidence if turn not in known][: max(0, room)]
        await self._relator.relate(
            namespace,
            [Relation(turn, stored.memory.id, EVIDENCE_OF, 1.0, "said in this turn") for turn in fresh],
            self._clock(),
        )
        return not stored.duplicate


def _problems(facts: Sequence[ExtractedFact], turns: Sequence[SpokenTurn]) -> list[str | None]:
    """Return why these turns do not support each fact; None if they do."""
    return [problem(fact, turns) for fact in facts]
