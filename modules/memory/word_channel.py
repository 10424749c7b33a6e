"""The channel of words: what is known of a query's words, and the memories that have them, also of a time it names."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..records import dataclass
from ..text.scripts import may_be_part, parts
from ..text.spelling import may_be_misspelt
from .asked_times import times_asked_for
from .dates import DateRange
from .exact_terms import MAX_TEXT
from .models import Candidate, MemoryFilter, WordFrequencies

if TYPE_CHECKING:
    from ...storage.repositories.memories import MemoriesRepository

CANDIDATES_OF_A_DATE = 50
LONGER_WORDS = 3
"""The number of longer words that are looked for instead of one that no memory has."""
MISSPELT_MAX, SPELLINGS = 3, 2
"""The number of absent words of a query that are looked for in other spellings, and that of spellings of each."""


@dataclass(frozen=True)
class KnownWords:
    """The words that are looked for, how often they occur, which of them no memory of the namespace has, and how many
    it has."""

    words: Sequence[str]
    frequencies: WordFrequencies
    absent: frozenset[str]
    memories: int


@dataclass(frozen=True)
class FoundByWords:
    """Findings about a query: its words, the times that it names, and the best matches anywhere and of those times."""

    known: KnownWords
    dates: tuple[DateRange, ...]
    candidates: Sequence[Candidate]


class WordChannel:
    """Asks the text index; `without` names channels that are left out, for measurements."""

    def __init__(self, repository: "MemoriesRepository[Any]", without: Collection[str]) -> None:
        self._repository = repository
        self._without = frozenset(without)

    async def __call__(
        self, namespace: str, text: str, words: Sequence[str], where: MemoryFilter, now: datetime, depth: int
    ) -> FoundByWords:
        """Look up what is known of a query's words, the times that it names, and the memories that have the words.

        A word that no memory has gives way to longer ones that it is part of, or to what it is a misspelling of; a name
        in code to its parts.
        """
        found = await self._found(namespace, text, words, where, now, depth)
        others = await self._instead(namespace, text, found.known)
        return found if others == list(words) else await self._found(namespace, text, others, where, now, depth)

    async def _instead(self, namespace: str, text: str, known: KnownWords) -> list[str]:
        """Return the words to look for where some are absent."""
        names = parts(text[:MAX_TEXT])
        alone = [word for word in known.words if word in known.absent and word not in names and may_be_part(word)]
        longer = await self._repository.longer_words(namespace, alone, LONGER_WORDS) if alone else {}
        odd = [word for word in known.words if word in known.absent.difference(names, longer) and may_be_misspelt(word)]
        odd.sort(key=lambda word: word.capitalize() not in text)  # names first: other words are absent in other words
        spelt = await self._repository.spellings(namespace, odd[:MISSPELT_MAX], SPELLINGS) if odd else {}
        others = {**longer, **spelt, **{name: inside for name, inside in names.items() if name in known.absent}}
        return list(dict.fromkeys(other for word in known.words for other in others.get(word, (word,))))

    async def _found(
        self, namespace: str, text: str, words: Sequence[str], where: MemoryFilter, now: datetime, depth: int
    ) -> FoundByWords:
        frequencies = await self._repository.frequencies(namespace, words, with_aside=not where.without_aside)
        anywhere, (dates, then) = await asyncio.gather(
            self._of_any_time(namespace, frequencies, where, now, depth),
            self._of_times(namespace, text, frequencies, where, now),
        )
        found = [anywhere, *then]
        candidates = {candidate.id: candidate for hits in reversed(found) for candidate in hits}  # the first one counts
        ordered = dict.fromkeys(candidate.id for hits in found for candidate in hits)
        known = KnownWords(words, frequencies, frequencies.absent, min(frequencies.memories, frequencies.bound))
        return FoundByWords(known, dates, [candidates[memory_id] for memory_id in ordered])

    async def _of_any_time(
        self, namespace: str, frequencies: WordFrequencies, where: MemoryFilter, now: datetime, depth: int
    ) -> list[Candidate]:
        if "text" in self._without:
            return []
        return await self._repository.text_candidates(namespace, frequencies, where, now, depth)

    async def _of_times(
        self, namespace: str, text: str, frequencies: WordFrequencies, where: MemoryFilter, now: datetime
    ) -> tuple[tuple[DateRange, ...], list[list[Candidate]]]:
        """Return the times that the query names, and the candidates of each whose year is known."""
        dates = await asyncio.to_thread(times_asked_for, text, now)
        if not self._without.isdisjoint(("text", "time")):
            return dates, []
        bounded = where.since is not None and where.until is not None  # that tells the year
        known = [each for each in dates if each.year_known or bounded]
        return dates, await asyncio.gather(*(self._of_then(namespace, frequencies, each, where, now) for each in known))

    async def _of_then(
        self, namespace: str, frequencies: WordFrequencies, dates: DateRange, where: MemoryFilter, now: datetime
    ) -> list[Candidate]:
        """Return candidates of a time that the query names: all of them where they are few, else the best matches."""
        begin = max(filter(None, (where.since, dates.begin)))
        end = min(filter(None, (where.until, dates.end)))
        then = replace(where, since=begin, until=end)
        # Where few memories are of that time, all of them are candidates; to rank them by words would be dearer.
        of_then = await self._repository.first_ids(namespace, then, now, CANDIDATES_OF_A_DATE + 1)
        if len(of_then) <= CANDIDATES_OF_A_DATE:
            return [Candidate(memory_id, 0.0) for memory_id in of_then]
        return await self._repository.text_candidates(namespace, frequencies, then, now, CANDIDATES_OF_A_DATE)
