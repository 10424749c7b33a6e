"""Memories: row, tags, audit and outbox change in one transaction; each engine finds words and vectors its own way."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from ...modules.judging import erasing, guards, vouched
from ...modules.judging.keeping import keep, revise
from ...modules.memory.conflict_resolution import Addition, AddOutcome, ConflictResolver
from ...modules.memory.exact_terms import ExactTerm
from ...modules.memory.models import Candidate, Memory, MemoryFilter, Order, Vector, WordFrequencies, require_version
from ...modules.memory.words import stem
from ...modules.text.spelling import KEPT, one_slip_apart
from ..engine.exact_match import LOOKED_THROUGH, WEAK_WEIGHT, Matches
from ..engine.ports import Connection, Engine, Row
from ..engine.times import to_us
from . import predicates
from .memory_rows import COLUMNS, as_json, to_memory
from .rows import TransactionRows

SPELLINGS_READ = 20_000
"""The places of the text index that are read for the words that begin as a misspelt one does: some 20 ms at most."""
_IDS_A_QUERY = 500
_ORDERS = {
    Order.NEWEST: (("seq",), True),
    Order.OLDEST: (("seq",), False),
    Order.IMPORTANT: (("importance", "accessed_at", "seq"), True),
    Order.UNIMPORTANT: (("importance", "accessed_at", "seq"), False),
    Order.UNUSED: (("accessed_at", "seq"), False),
}
"""By which columns each order goes, and whether it descends; they follow those of an index where there is one."""
_OF_SLOT = "memories m /*by memories_by_slot*/ WHERE m.namespace = :namespace AND m.subject"
_STATED_OF = f"""
WITH RECURSIVE named(subject, last) AS (
    SELECT (SELECT min(m.subject) FROM {_OF_SLOT} > given.value || ' ' AND m.subject < given.value || '!'),
        given.value || '!'
    FROM json_texts(:subjects) given
    UNION ALL
    SELECT (SELECT min(m.subject) FROM {_OF_SLOT} > named.subject AND m.subject < named.last), named.last
    FROM named WHERE named.subject IS NOT NULL
    /*limit 500*/
),
whose(subject) AS (
    SELECT value FROM json_texts(:subjects) UNION SELECT subject FROM named WHERE subject IS NOT NULL
),
slots(subject, attribute) AS (
    SELECT whose.subject, (SELECT min(m.attribute) FROM {_OF_SLOT} = whose.subject) FROM whose
    UNION ALL
    SELECT slots.subject,
        (SELECT min(m.attribute) FROM {_OF_SLOT} = slots.subject AND m.attribute > slots.attribute)
    FROM slots WHERE slots.attribute IS NOT NULL
    /*limit 5000*/
)
SELECT subject, attribute FROM slots WHERE attribute IS NOT NULL LIMIT :limit
"""
"""Steps from one name to the next in the index: what is stated a thousand times costs no more than once. "dana"
includes "dana kim": subjects that begin with it and a space, which is the character before "!"."""


Visit = Callable[[Connection, Sequence[str], Sequence[str], datetime], Awaitable[None]]
"""Notes in a transaction that memories, of some namespaces and by their ids, were in an answer at a moment."""
E = TypeVar("E", bound=Engine)
On = TypeVar("On", contravariant=True)


class TextSearch(Protocol[On]):
    """Finds memories by their words; each function as the method of `MemoriesRepository` of its name."""

    async def candidates(
        self, on: On, /, namespace: str, words: WordFrequencies, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]: ...
    async def frequencies(
        self, on: On, /, namespace: str, words: Sequence[str], *, with_aside: bool
    ) -> WordFrequencies: ...
    async def longer_words(self, on: On, /, namespace: str, words: Sequence[str]) -> list[Row]:
        """Return each `word` with each `longer` one of memories that contains it or is in it, shorter ones first."""

    async def words_beginning(self, on: On, /, namespace: str, beginning: str, limit: int) -> list[str]:
        """Return the stems of a namespace's words that begin so, found in at most `limit` places of the index."""


class IdentifierSearch(Protocol[On]):
    """Finds memories that contain exact terms."""

    async def containing(
        self, on: On, /, namespace: str, term: str, where: MemoryFilter, now: datetime, limit: int
    ) -> Matches:
        """Return the newest memories that contain a term in any case.

        Where no memory has the term's words in a row, the last word may be a prefix (`TokenBucketLimiter`).
        """


class Nearest(Protocol):
    """Finds memories by their vectors."""

    async def nearest(
        self, namespace: str, vector: Vector, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        """Return the nearest living memories that pass a filter, best first."""


class MemoriesRepository(Generic[E]):
    """Memories as they are written and read, what is near them, and the candidates of searches."""

    def __init__(self, engine: E, text: TextSearch[E], identifiers: IdentifierSearch[E], vectors: Nearest) -> None:
        self._engine = engine
        self._text = text
        self._identifiers = identifiers
        self._vectors = vectors

    @property
    def read_only(self) -> str | None:
        """The reason why nothing can be stored just now, in words; None when it can."""
        return self._engine.read_only

    async def add(self, addition: Addition) -> AddOutcome:
        """Store a memory, or find the one of the same content hash, unless it is hidden or had ended before.

        Others are read, judged and changed in the same transaction. Raises NotFound for one that is named and not
        there.
        """

        async def work(connection: Connection) -> AddOutcome:
            return await keep(TransactionRows(connection), addition)

        return await self._engine.write(work)

    async def get(self, namespace: str, memory_id: str) -> Memory | None:
        """Return one memory by id, or None; does not count as access."""
        rows = await self._engine.read(
            f"SELECT {COLUMNS} FROM memories m WHERE m.namespace = ? AND m.id = ?", (namespace, memory_id)
        )
        return to_memory(rows[0]) if rows else None

    async def revise(
        self, memory: Memory, content_hash: str, expected_version: int, judge: ConflictResolver | None = None
    ) -> Memory:
        """Replace a memory's state and keep the replaced one in its history; a new text loses the old one's vectors.

        With a `judge` it is judged beside the others of its slot. Its standing stays as stored, but for the time that
        it holds. Raises Conflict for another version, or where another memory has the content; NotFound.
        """

        async def work(connection: Connection) -> Memory:
            return await revise(TransactionRows(connection), memory, content_hash, expected_version, judge)

        return await self._engine.write(work)

    async def erase(
        self,
        namespace: str,
        memory_ids: Sequence[str],
        where: MemoryFilter | None,
        now: datetime,
        by: str = "agent",
        version: int | None = None,
    ) -> int:
        """Delete by ids, or by a non-empty filter: rows, history, text index, vectors. Return how many.

        Raises PermissionDenied, and deletes nothing, where a person vouches for one, or is to decide about one, and
        `by` is none; Conflict where one is at another `version`, if that is given.
        """
        if where is None:
            chosen = predicates.Predicates()
            chosen.add("m.namespace = ?", namespace)
            chosen.add("m.id IN (SELECT value FROM json_texts(?))", as_json(list(memory_ids)))
        elif where.is_empty:
            raise ValueError("an empty filter would erase the whole namespace")
        else:
            chosen = predicates.for_memories(namespace, where, None)

        async def work(connection: Connection) -> int:
            await connection.lock(namespace)
            rows = await connection.fetch_all(f"SELECT {COLUMNS} FROM memories m WHERE {chosen.sql}", chosen.parameters)
            for row in rows:
                require_version(row["version"], version)
            rules = TransactionRows(connection)
            if by == "agent":
                await vouched.guard_erasing(rules, namespace, [row["id"] for row in rows])
                await guards.guard(rules, namespace, map(to_memory, rows), now)
            for row in rows:
                await erasing.erase(rules, to_memory(row), now, "memory.erase")
            return len(rows)

        return await self._engine.erase(work)

    async def page(
        self, namespace: str, where: MemoryFilter, now: datetime, limit: int, offset: int, before: int | None
    ) -> list[tuple[int, Memory]]:
        """Return memories newest first with their sequence numbers (those below `before`)."""
        # As a range, by whose index the rows are in order: else those of others are passed over one by one.
        chosen = predicates.for_memories(namespace, where, now)
        chosen.conditions[0] = "m.namespace >= ? AND m.namespace <= ?"
        chosen.parameters.insert(0, namespace)
        if before is not None:
            chosen.add("m.seq < ?", before)
        rows = await self._engine.read(
            f"SELECT {COLUMNS} FROM memories m WHERE {chosen.sql} "
            "ORDER BY m.namespace DESC, m.seq DESC LIMIT ? OFFSET ?",
            (*chosen.parameters, limit, offset),
        )
        return [(row["seq"], to_memory(row)) for row in rows]

    async def ordered(
        self,
        namespace: str,
        where: MemoryFilter,
        now: datetime,
        order: Order,
        limit: int,
        beyond: Sequence[float] | None = None,
        *,
        backwards: bool = False,
    ) -> list[tuple[tuple[float, ...], Memory]]:
        """Return memories in an order, each with its place in it: those after the place `beyond`, or before it.

        They are in the order asked for, also if `backwards`.
        """
        columns, descends = _ORDERS[order]
        falls = descends is not backwards
        chosen = predicates.for_memories(namespace, where, now)
        if beyond is not None:
            place = ", ".join("?" * len(columns))
            chosen.add(f"({', '.join(f'm.{one}' for one in columns)}) {'<' if falls else '>'} ({place})", *beyond)
        by = ", ".join(f"m.{one} {'DESC' if falls else 'ASC'}" for one in columns)
        rows = await self._engine.read(
            f"SELECT {COLUMNS} FROM memories m WHERE {chosen.sql} ORDER BY {by} LIMIT ?", (*chosen.parameters, limit)
        )
        found = [(tuple(row[one] for one in columns), to_memory(row)) for row in rows]
        return found[::-1] if backwards else found

    async def count(self, namespace: str, where: MemoryFilter, now: datetime) -> int:
        """Count the memories that a filter lets pass."""
        if where == MemoryFilter():  # else a large namespace would be read whole for a number
            moment = to_us(now)
            [row] = await self._engine.read(
                f"SELECT held_in(?) - (SELECT count(*) FROM ({predicates.LEFT_OUT}) o)",
                (namespace, namespace, moment, namespace, moment),
            )
            return int(row[0])
        chosen = predicates.for_memories(namespace, where, now)
        rows = await self._engine.read(f"SELECT count(*) FROM memories m WHERE {chosen.sql}", chosen.parameters)
        return int(rows[0][0])

    async def with_vector_everywhere(self, memory_id: str, generation: int) -> tuple[Memory, bytes] | None:
        """Return a memory of any namespace with its vector of that generation; None where it has none, or several.

        For what is done once a text has its vector, in the namespace that the memory names.
        """
        rows = await self._engine.read(
            f"SELECT {COLUMNS}, e.vector FROM memories m JOIN embeddings e ON e.generation = ? "
            "AND e.memory_seq = m.seq WHERE m.id = ? LIMIT 2",
            (generation, memory_id),
        )
        return (to_memory(rows[0]), rows[0]["vector"]) if len(rows) == 1 else None

    async def fetch(self, namespace: str, memory_ids: Sequence[str]) -> list[Memory]:
        """Return the memories with these ids that still exist, in no order."""
        found: list[Memory] = []
        for start in range(0, len(memory_ids), _IDS_A_QUERY):
            rows = await self._engine.read(
                # Else the whole namespace is walked to find a few ids.
                f"SELECT {COLUMNS} FROM memories m WHERE /*unindexed*/m.namespace = ? AND m.id IN (SELECT value FROM "
                "json_texts(?))",
                (namespace, as_json(list(memory_ids[start : start + _IDS_A_QUERY]))),
            )
            found += [to_memory(row) for row in rows]
        return found

    async def first_ids(self, namespace: str, where: MemoryFilter, now: datetime, limit: int) -> list[str]:
        """Return the ids of any `limit` memories that a filter lets pass."""
        chosen = predicates.for_memories(namespace, where, now)
        rows = await self._engine.read(
            f"SELECT m.id FROM memories m WHERE {chosen.sql} LIMIT ?", (*chosen.parameters, limit)
        )
        return [row["id"] for row in rows]

    async def stating(
        self, namespace: str, subject: str, attribute: str, where: MemoryFilter, now: datetime, limit: int
    ) -> list[str]:
        """Return the ids of memories that state an attribute of a subject, the last that came to hold first.

        Those of a subject that has this one as a first name count too.
        """
        chosen = predicates.for_memories(namespace, where, now)
        rows = await self._engine.read(
            "SELECT m.id FROM memories m /*by memories_by_slot*/ "
            f"WHERE {chosen.sql} AND m.attribute = ? AND (m.subject = ? OR (m.subject > ? AND m.subject < ?)) "
            "ORDER BY coalesce(m.valid_from, m.occurred_at) DESC, m.seq DESC LIMIT ?",
            # "dana" includes "dana kim": subjects that begin with it and a space, the character before "!".
            (*chosen.parameters, attribute, subject, f"{subject} ", f"{subject}!", limit),
        )
        return [row["id"] for row in rows]

    async def stated_of(self, namespace: str, subjects: Sequence[str], limit: int) -> list[tuple[str, str]]:
        """Return the slots, subject and attribute, of some subjects, and of those whose first name is one of these."""
        rows = await self._engine.read(
            _STATED_OF, {"namespace": namespace, "subjects": as_json(list(subjects)), "limit": limit}
        )
        return [(row["subject"], row["attribute"]) for row in rows]

    async def token_signs(
        self, namespace: str, memory_ids: Sequence[str], generation: int, limit: int
    ) -> dict[str, list[bytes]]:
        """Return the sign bits of the tokens of each memory's passages, in order; without memories that have none.

        Of `limit` passages at most: those of the first memories.
        """
        rows = await self._engine.read(
            # From the ids, in their order, to the rows that they name.
            "SELECT m.id, e.part, s.signs FROM json_texts(?) given /*then*/ JOIN memories m ON m.id = given.value "
            "/*then*/ JOIN embeddings e ON e.generation = ? AND e.memory_seq = m.seq "
            "/*then*/ JOIN token_signs s ON s.embedding = e.id WHERE m.namespace = ? LIMIT ?",
            (as_json(list(memory_ids)), generation, namespace, limit),
        )
        found: dict[str, list[bytes]] = {}
        for memory_id, _, signs in sorted(rows, key=lambda row: int(row["part"])):
            found.setdefault(memory_id, []).append(signs)
        return found

    async def touch(
        self, namespaces: Sequence[str], memory_ids: Sequence[str], at: datetime, visits: Sequence[Visit] = ()
    ) -> None:
        """Count one access for each, and do `visits` in the same transaction; not fsynced, since it is a statistic."""

        async def work(connection: Connection) -> None:
            await connection.execute(
                "UPDATE memories SET access_count = access_count + 1, accessed_at = greatest(accessed_at, ?) "
                # The hint keeps an engine from walking the whole namespace to find a few ids.
                "WHERE id IN (SELECT value FROM json_texts(?)) "
                "AND /*unindexed*/namespace IN (SELECT value FROM json_texts(?))",
                (to_us(at), as_json(list(memory_ids)), as_json(list(namespaces))),
            )
            for visit in visits:
                await visit(connection, namespaces, memory_ids, at)

        await self._engine.write(work, durable=False)

    async def text_candidates(
        self, namespace: str, words: WordFrequencies, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        """Return the best matches of any of the words in the text index, with their BM25 score, best first.

        How often the words occur decides which of them are asked for in a large store. Memories that searches leave
        aside are ranked by themselves, and have as many places of their own.
        """
        return await self._text.candidates(self._engine, namespace, words, where, now, limit)

    async def frequencies(self, namespace: str, words: Sequence[str], *, with_aside: bool = False) -> WordFrequencies:
        """Return in how many memories of the namespace each word occurs, in any of its forms, by the text index.

        Memories that searches leave aside unless they are asked for count only `with_aside`.
        """
        return await self._text.frequencies(self._engine, namespace, words, with_aside=with_aside)

    async def longer_words(self, namespace: str, words: Sequence[str], limit: int) -> dict[str, list[str]]:
        """Return long words of the namespace's memories that each word is part of, or that it has in it.

        At most `limit` of each, the shortest first: of "Versicherung" "Krankenversicherung".
        """
        found: dict[str, list[str]] = {}
        for row in await self._text.longer_words(self._engine, namespace, words):
            found.setdefault(row["word"], []).append(row["longer"])
        return {word: longer[:limit] for word, longer in found.items()}

    async def spellings(self, namespace: str, words: Sequence[str], limit: int) -> dict[str, list[str]]:
        """Return words of the namespace's memories, as stems, that each word is a misspelling of; at most `limit`."""
        found: dict[str, list[str]] = {}
        for word in words:
            held = stem(word)
            near = await self._text.words_beginning(self._engine, namespace, held[:KEPT], SPELLINGS_READ)
            alike = (other for other in near if one_slip_apart(held, other) or one_slip_apart(word, other))
            if others := list(alike)[:limit]:
                found[word] = others
        return found

    async def vector_candidates(
        self, namespace: str, vector: Vector, where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        """Return the memories with the nearest passages of the same generation, best first: of each the best one."""
        return await self._vectors.nearest(namespace, vector, where, now, limit)

    async def identifier_candidates(
        self, namespace: str, identifiers: Sequence[ExactTerm], where: MemoryFilter, now: datetime, limit: int
    ) -> list[Candidate]:
        """Return memories whose text contains exact terms as written, best first.

        A score is the share of the terms that a memory contains, of those that any memory contains (weak ones count
        half): 1 means all of them, letter for letter. A term counts less in other case or inside a longer one.
        """
        scores: dict[str, float] = {}
        places: dict[str, int] = {}
        weights = 0.0
        for identifier in identifiers:
            look_through = max(limit, LOOKED_THROUGH)
            found = await self._identifiers.containing(
                self._engine, namespace, identifier.text, where, now, look_through
            )
            weight = 1.0 if identifier.strong else WEAK_WEIGHT
            weights += weight if found else 0.0
            for memory_id, (seq, score) in found.items():
                scores[memory_id] = scores.get(memory_id, 0.0) + weight * score
                places[memory_id] = seq
        best = sorted(scores, key=lambda memory_id: (-scores[memory_id], -places[memory_id]))[:limit]
        return [Candidate(memory_id, scores[memory_id] / weights) for memory_id in best]
