"""The optional second reader of the graph: a language model that adds to what the rules read, never replaces it."""

import asyncio
import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..clock import Clock
from ..language.ports import LanguageError, LanguageModel, LanguageRefused
from ..suspicion import unsuspicious
from . import asking
from .models import Text, Understood

if TYPE_CHECKING:
    from ...storage.repositories.graph import GraphsRepository

TEXTS_AT_ONCE = 12
"""Memories per request."""
MAX_REQUESTS = 5
"""Requests of one run of the job at most; the next run goes on from there."""

PROBE = Text(0, "", 1, "Ada works at Acme.", datetime(2026, 1, 1, tzinfo=UTC))
"""A sentence that no model has a reason to decline, to tell a refusal from an outage."""

log = logging.getLogger(__name__)


class LanguageReader:
    """Asks a language model for the relations of each version of a memory, once. Its edges are marked `llm`."""

    def __init__(self, repository: "GraphsRepository", language: LanguageModel, clock: Clock) -> None:
        self._repository = repository
        self._language = language
        self._clock = clock

    async def read(self, namespace: str) -> int:
        """Ask about memories that the rules have read, and return how many relations are new.

        If the model is unavailable, nothing is marked as read, and the next run asks again. A memory that it declines
        while it answers about others is not asked about again; what the rules read of it stays.
        """
        new = 0
        for _ in range(MAX_REQUESTS):
            texts = await self._repository.unasked(namespace, TEXTS_AT_ONCE)
            if not texts:
                break
            understood = await self._ask_model(texts)
            if not understood:
                break
            _, edges = await self._repository.record_asked(namespace, understood, self._clock())
            new += edges
        return new

    async def _ask_model(self, texts: Sequence[Text]) -> list[tuple[Text, Understood]]:
        """Return what the model reads in each text; empty if the model is unavailable."""
        readable = await unsuspicious(texts, lambda text: text.content)
        found = [(text, Understood()) for text in texts if text not in readable]
        if not readable:
            return found
        try:
            return [*found, *await self._answered_or_declined(readable)]
        except LanguageError as error:
            log.warning("the graph's relations wait for the language model: %s", error)
            return []

    async def _answered_or_declined(self, texts: Sequence[Text]) -> list[tuple[Text, Understood]]:
        """Return what the model reads in each text, and an empty result for those that it declines.

        Raises LanguageError if the model does not serve at all: it declines even the probe sentence.
        """
        try:
            return await self._answered(texts)
        except LanguageRefused:
            await self._answered([PROBE])
        if len(texts) == 1:
            log.warning("the language model declined a memory: rules alone have read it")
            return [(texts[0], Understood())]
        found = []
        for text in texts:
            try:
                found += await self._answered([text])
            except LanguageRefused as error:
                log.warning("the language model declined a memory, rules alone have read it: %s", error)
                found.append((text, Understood()))
        return found

    async def _answered(self, texts: Sequence[Text]) -> list[tuple[Text, Understood]]:
        answer = await self._language.complete(asking.INSTRUCTION, asking.listing(texts), asking.MAX_TOKENS)
        understood = await asyncio.to_thread(asking.relations_of, answer, texts)
        if understood is None:
            raise LanguageRefused("its answer was not a list of relations")
        return list(zip(texts, understood, strict=True))
