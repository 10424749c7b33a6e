"""Answers a question from memory: finds the evidence, and says what it bears."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...modules import inputs
from ...modules.errors import InvalidInput
from ...modules.identifiers import Source
from ...modules.language.ports import LanguageError
from ...modules.memory.lifecycle_service import LifecycleService
from ...modules.memory.models import MemoryFilter, SearchHit
from ...modules.memory.service import MemoryService
from ...modules.views.labels import labels_of, suspicious_among, without_ids
from . import checking, rules
from .models import AskEvidence, AskOutcome, Reply
from .reading import read

if TYPE_CHECKING:
    from ...modules.language.service import LanguageService

MAX_BYTES, READ, NEAREST = 1_000, 30, 3
"""The longest question in bytes, and the most memories that are read for it, and that are named as nearest."""


async def ask(
    memory: MemoryService,
    lifecycle: LifecycleService,
    language: "LanguageService | None",
    namespace: str,
    question: str,
    where: MemoryFilter,
    also: Sequence[Source] = (),
    *,
    by_model: bool = False,
) -> tuple[Reply, tuple[SearchHit, ...], tuple[str, ...]]:
    """Return the answer, the nearest memories where there is none, and notes. Raises InvalidInput."""
    if not question.strip():
        raise InvalidInput("question", "is empty; ask something")
    inputs.text("question", question, MAX_BYTES)
    found = await memory.search(
        namespace, question, replace(where, include_superseded=where.as_of is None), READ, is_use=False, also=also
    )
    partly = {one.namespace for one in also if one.tag is not None} - {namespace}
    hits = _with_newer(without_ids((*found.hits, *found.misses)[:READ], partly))
    labels = await labels_of(lifecycle, namespace, [hit.memory for hit in hits], partly)
    now = where.as_of or labels.now
    ended = {hit.memory.id for hit in hits if hit.memory.has_ended(now)}
    successors = {old: new for old, new in labels.successors.items() if old in ended}
    evidence = AskEvidence(hits, successors, now, found.next_cursor is not None)
    evidence = evidence.without(await suspicious_among(hit.memory for hit in hits))
    notes = found.notes
    reply = await asyncio.to_thread(rules.answer, read(question), evidence)
    if by_model and language is None:
        notes = (*notes, "answered by rules: no language model is configured; set AGENTOS_LLM_URL")
    elif by_model and language is not None and reply.outcome is not AskOutcome.WHICH and evidence.hits:
        try:
            written = await language.reply(
                checking.INSTRUCTION, checking.notes(evidence), question, checking.MAX_TOKENS
            )
        except LanguageError as error:
            notes = (*notes, f"answered by rules: {error}")
        else:
            reply = checking.checked(written, question, evidence)
    await memory.shown(namespace, [one for sentence in reply.sentences for one in sentence.memories])
    return reply, evidence.hits[:NEAREST] if reply.outcome is AskOutcome.UNKNOWN else (), notes


def _with_newer(hits: Sequence[SearchHit]) -> tuple[SearchHit, ...]:
    """Return hits, and behind them what may have replaced one of them and was not found by itself."""
    by_id = {hit.memory.id: hit for hit in hits}
    for hit in hits:
        if hit.newer is not None:
            found = replace(hit, memory=hit.newer, passage=None, stretch=None, also=(), newer=None)
            by_id.setdefault(hit.newer.id, found)
    return tuple(by_id.values())
