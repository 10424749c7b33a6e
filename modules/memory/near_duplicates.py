"""Near duplicates: memories that say the same in nearly the same words are linked as evidence; nothing is merged.

Looked for in the background, once a new memory has its vector and nothing else is left to embed.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from ..clock import Clock
from ..facts.models import EVIDENCE_OF, RELATES_TO, Relation
from ..text.scripts import normal_form
from . import lifecycle
from .conflict_resolution import Decision
from .lifecycle import Verdict
from .models import HIDDEN, Candidate, Kind, Memory, MemoryFilter, MemoryType, Vector
from .ports import MemoryChanges, Neighbours
from .stems import stem

NEAR, SIMILAR = 0.95, 0.80
"""Cosines from which on two memories may say the same, and from which on they are about the same."""
NEIGHBOURS = 6
MAX_CHARS = 2_000
FOUND_BY = "near duplicate"
ABOUT_THE_SAME = "similar"

_SAYS_NOTHING = frozenset({"a", "an", "the", "that", "s"})
_NOT = re.compile(r"n['\u2019]t\b|\bcannot\b")
_WITHIN_NUMBERS = re.compile(r"(?<=\d)[.,:/-](?=\d)")
_WORD_OR_SIGN = re.compile(r"[^\W_]+|(?<!\w)-(?=\d)|[^\w\s.,;:!'\"()\[\]\u2018-\u201f\u2026\u2010-\u2015-]")
"""Words, and signs that mean something: "C++" is not "C#", 5 % not 5 €, -3 not 3, a question no statement."""


def says_the_same(one: str, other: str) -> bool:
    """Return whether two texts have the same words in the same order.

    Case, articles, endings, punctuation and which part comes first ("On Mondays the team meets") do not matter.
    Numbers, names and negations count as every other word does.
    """
    if len(one) > MAX_CHARS or len(other) > MAX_CHARS:
        return False
    first, second = _content(one), _content(other)
    if len(first) != len(second):
        return False
    return first == second or any(first[n:] + first[:n] == second for n in range(1, len(first)))


def _content(text: str) -> list[str]:
    """Return the stems of the words, and the signs, in order."""
    text = _NOT.sub(" not", unicodedata.normalize("NFC", text).lower())
    text = _WITHIN_NUMBERS.sub(lambda sign: f"x{ord(sign[0]):x}x", text)
    return [stem(normal_form(word)) for word in _WORD_OR_SIGN.findall(text) if word not in _SAYS_NOTHING]


class NearDuplicates:
    """Links new memories with the older ones that they repeat or resemble."""

    def __init__(self, repository: Neighbours, standings: MemoryChanges, clock: Clock) -> None:
        self._repository = repository
        self._changes = standings
        self._clock = clock

    async def look(self, memory_id: str, generation: int) -> None:
        """Look at one memory that has its vector; the second time changes nothing. Raises StorageUnavailable."""
        embedded = await self._repository.with_vector_everywhere(memory_id, generation)
        if embedded is None or not _may_repeat(embedded[0]):
            return
        memory, vector = embedded
        namespace = memory.namespace
        near = await self._repository.vector_candidates(
            namespace, Vector(generation, vector), MemoryFilter(), self._clock(), NEIGHBOURS
        )
        near = [candidate for candidate in near if candidate.id != memory.id and candidate.score >= SIMILAR]
        known = {each.id: each for each in await self._repository.fetch(namespace, [each.id for each in near])}
        older = [(each, known[each.id]) for each in near if each.id in known and _is_older(known[each.id], memory)]
        same = [each for each in older if each[0].score >= NEAR and says_the_same(memory.content, each[1].content)]
        if same:  # the oldest of them is what is confirmed: the others have confirmed it before
            found_by, oldest = min(same, key=lambda each: (each[1].created_at, each[1].id))
            await self._confirm(memory, oldest, found_by)
        similar = [
            Relation(memory.id, other.id, RELATES_TO, round(candidate.score, 4), ABOUT_THE_SAME)
            for candidate, other in older
            if (candidate, other) not in same
        ]
        await self._changes.relate(namespace, similar, self._clock())

    async def _confirm(self, memory: Memory, older: Memory, found: Candidate) -> None:
        relation = Relation(memory.id, older.id, EVIDENCE_OF, round(min(found.score, 1.0), 4), FOUND_BY)

        def decide(memories: Sequence[Memory]) -> list[Decision]:
            present = {each.id: each for each in memories}
            as_it_was = all(
                each.id in present and present[each.id].version == each.version and _may_repeat(present[each.id])
                for each in (memory, older)
            )
            if not as_it_was:
                return []
            standing = present[older.id].standing
            if memory.trust >= lifecycle.TRUSTED:
                standing = replace(standing, confirmations=standing.confirmations + 1)
            return [Decision(Verdict.CONFIRM, older.id, FOUND_BY, {older.id: standing}, [relation], once=True)]

        await self._changes.judge(memory.namespace, [memory.id, older.id], decide, "job", self._clock())


def _may_repeat(memory: Memory) -> bool:
    """Return whether a memory may be evidence: no turn, no summary, nothing that expires, has ended or is hidden."""
    lasting = (
        memory.session is None and memory.memory_type is not MemoryType.WORKING and memory.kind is not Kind.SUMMARY
    )
    return lasting and memory.status not in HIDDEN and memory.valid_to is None


def _is_older(other: Memory, memory: Memory) -> bool:
    return (other.created_at, other.id) < (memory.created_at, memory.id) and _may_repeat(other)
