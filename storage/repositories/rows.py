"""The rows of an open transaction: they only get, insert, update, relate and note; `modules/judging` decides."""

from collections.abc import Collection
from datetime import datetime

from ...modules import identifiers
from ...modules.approvals.models import ApprovalRequest
from ...modules.branches.models import Demand, Review, Watch, WatchKind
from ...modules.facts.models import EVIDENCE_OF, FactState, Relation
from ...modules.facts.slots import CERTAIN
from ...modules.insights.models import InsightDraft
from ...modules.memory.models import HIDDEN, Kind, Memory
from ..engine.ports import Connection
from ..engine.times import to_us
from . import approvals, insights, memory_writing, pages, predicates
from .audit import register_namespace
from .change_rows import ChangeTable, columns_of, read
from .memory_rows import COLUMNS, as_json, to_memory

MOST_RIVALS = 100
"""The most rivals read in a write transaction: reading and judging so many takes a few milliseconds."""


class TransactionRows:
    """All rows of one transaction, by what they are of."""

    def __init__(self, connection: Connection) -> None:
        self.memories = MemoryTable(connection)
        self.texts = TextTable(connection)
        self.relations = RelationTable(connection)
        self.changes = ChangeTable(connection)
        self.questions = QuestionTable(connection)
        self.namespaces = NamespaceTable(connection)


class MemoryTable:
    """Memories of a namespace."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def get(self, namespace: str, memory_ids: Collection[str]) -> dict[str, Memory]:
        """Return those that exist: by id, in the order of the ids."""
        return await read(self._connection, namespace, memory_ids)

    async def rivals(self, memory: Memory, now: datetime) -> list[Memory]:
        """Return the others that are certain of its slot and neither hidden nor expired; none without a slot.

        Those that still hold come first, then the newest; of many the first ones.
        """
        if memory.slot is None:
            return []
        rows = await self._connection.fetch_all(
            f"SELECT {COLUMNS} FROM memories m WHERE m.namespace = ? AND m.subject = ? AND m.attribute = ? "
            f"AND m.id <> ? AND m.slot_confidence >= {CERTAIN} AND {predicates.VISIBLE} "
            "AND (m.expires_at IS NULL OR m.expires_at > ?) "
            "ORDER BY m.valid_to IS NULL DESC, m.seq DESC LIMIT ?",
            (memory.namespace, memory.slot.subject, memory.slot.attribute, memory.id, to_us(now), MOST_RIVALS),
        )
        return [to_memory(row) for row in rows]

    async def next_place(self, memory: Memory) -> int:
        """Return the place after the last memory of its session."""
        place = await self._connection.fetch_value(
            "SELECT coalesce(max(place), -1) + 1 FROM memories WHERE namespace = ? AND session = ?",
            (memory.namespace, memory.session),
        )
        return int(place)

    async def insert(self, memory: Memory, content_hash: str) -> None:
        """Insert a new one with its tags, and note it in the audit log; its vector is owed."""
        await memory_writing.insert_memory(self._connection, memory, content_hash)

    async def rewrite(self, before: Memory, after: Memory, content_hash: str | None) -> None:
        """Replace what it says, keep the version before, and note it; what a new text makes untrue is made anew.

        With None its hash stays: it has the same text. Its standing stays, but for the time that it holds.
        """
        seq = await self._number(after)
        if seq is not None:
            await memory_writing.rewrite(self._connection, seq, before, after, content_hash)

    async def delete(self, memory: Memory, at: datetime, action: str) -> None:
        """Delete it with its history, tags, vectors and its place in a conversation; note that as `action`."""
        seq = await self._number(memory)
        if seq is not None:  # else it went with another one that it was made of
            await memory_writing.delete(self._connection, seq, memory, at, action)

    async def found_in_alone(self, memory: Memory) -> list[Memory]:
        """Return the unconfirmed facts that were found in it and in nothing else."""
        rows = await self._connection.fetch_all(
            f"SELECT {COLUMNS} FROM relations r /*then*/ JOIN memories m ON m.id = r.to_id "
            f"WHERE r.from_id = ?1 AND r.type = '{EVIDENCE_OF}' AND {predicates.UNCONFIRMED} "
            f"AND /*unindexed*/m.namespace = ?2 AND NOT EXISTS (SELECT 1 FROM relations o "
            f"WHERE o.to_id = m.id AND o.type = '{EVIDENCE_OF}' AND o.from_id <> ?1)",
            (memory.id, memory.namespace),
        )
        return [to_memory(row) for row in rows]

    async def summaries_of(self, memory: Memory) -> list[Memory]:
        """Return the summaries that were made of it."""
        rows = await self._connection.fetch_all(
            f"SELECT {COLUMNS} FROM relations r JOIN memories m ON m.id = r.from_id WHERE r.to_id = ? "
            f"AND r.type = '{predicates.DERIVED_FROM}' AND m.kind = '{Kind.SUMMARY}' AND /*unindexed*/m.namespace = ?",
            (memory.id, memory.namespace),
        )
        return [to_memory(row) for row in rows]

    async def stand(self, memory: Memory, standing: FactState) -> None:
        """Update a standing; where that hides the memory or shows it again, what its conversation derived goes."""
        is_hidden = standing.status in HIDDEN
        seq = await self._number(memory) if is_hidden or memory.status in HIDDEN else None
        if seq is not None:
            if (memory.status in HIDDEN) is not is_hidden:
                await pages.look_again(self._connection, "?", seq)
            if is_hidden:
                await pages.untitle(self._connection, seq, memory.content)
        await self._connection.execute(
            "UPDATE memories SET status = ?, confidence = ?, valid_from = ?, valid_to = ?, confirmations = ?, "
            "rejections = ? WHERE id = ? AND /*unindexed*/namespace = ?",
            (*columns_of(standing), memory.id, memory.namespace),
        )

    async def unslot(self, memory: Memory) -> None:
        """Update a memory to one that states no slot."""
        await self._connection.execute(
            "UPDATE memories SET subject = NULL, attribute = NULL, value = NULL, slot_confidence = NULL, "
            "polarity = NULL WHERE id = ? AND /*unindexed*/namespace = ?",
            (memory.id, memory.namespace),
        )

    async def _number(self, memory: Memory) -> int | None:
        number: int | None = await self._connection.fetch_value(
            "SELECT seq FROM memories WHERE id = ? AND /*unindexed*/namespace = ?", (memory.id, memory.namespace)
        )
        return number


class TextTable:
    """Memories by the hashes of their texts, of which each is once in a namespace."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def of(self, namespace: str, content_hash: str) -> Memory | None:
        """Return the memory that has a hash."""
        row = await self._connection.fetch_one(
            f"SELECT {COLUMNS} FROM memories m WHERE m.namespace = ? AND m.content_hash = ?", (namespace, content_hash)
        )
        return None if row is None else to_memory(row)

    async def of_any(self, namespace: str, content_hashes: Collection[str]) -> list[Memory]:
        """Return the memories that have one of some hashes, the oldest first."""
        rows = await self._connection.fetch_all(
            f"SELECT {COLUMNS} FROM json_texts(?) given /*then*/ JOIN memories m ON m.content_hash = given.value "
            "AND m.namespace = ? ORDER BY m.seq",
            (as_json(list(content_hashes)), namespace),
        )
        return [to_memory(row) for row in rows]

    async def between(self, namespace: str, first: str, last: str) -> list[tuple[str, Memory]]:
        """Return the memories with hashes from the first to the last, each with its hash, the last one first."""
        rows = await self._connection.fetch_all(
            f"SELECT {COLUMNS} FROM memories m WHERE m.namespace = ? AND m.content_hash BETWEEN ? AND ? "
            "ORDER BY m.content_hash DESC",
            (namespace, first, last),
        )
        return [(row["content_hash"], to_memory(row)) for row in rows]

    async def count_between(self, namespace: str, first: str, last: str) -> int:
        """Return how many memories have hashes from the first to the last."""
        found = await self._connection.fetch_value(
            "SELECT count(*) FROM memories WHERE namespace = ? AND content_hash BETWEEN ? AND ?",
            (namespace, first, last),
        )
        return int(found)


class RelationTable:
    """The relations between memories of one namespace."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def begun(self, memory_ids: Collection[str], kind: str) -> list[Relation]:
        """Return those of a kind that begin at some memories."""
        return await self._of("from_id", memory_ids, kind)

    async def against(self, memory_ids: Collection[str], kind: str) -> list[Relation]:
        """Return those of a kind that lead to some memories."""
        return await self._of("to_id", memory_ids, kind)

    async def _of(self, end: str, memory_ids: Collection[str], kind: str) -> list[Relation]:
        rows = await self._connection.fetch_all(
            f"SELECT r.* FROM json_texts(?) given /*then*/ JOIN relations r ON r.{end} = given.value AND r.type = ?",
            (as_json(list(memory_ids)), kind),
        )
        return [Relation(row["from_id"], row["to_id"], row["type"], row["weight"], row["evidence"]) for row in rows]

    async def add(self, namespace: str, relation: Relation, now: datetime) -> bool:
        """Add one; False where it is there, or a memory of it is not in the namespace."""
        changed = await self._connection.execute(
            "INSERT INTO relations (from_id, to_id, type, weight, evidence, created_at) SELECT ?1, ?2, ?3, ?4, ?5, ?6 "
            "WHERE (SELECT count(*) FROM memories WHERE id IN (?1, ?2) AND /*unindexed*/namespace = ?7) = 2 "
            "ON CONFLICT DO NOTHING",
            (
                relation.from_id,
                relation.to_id,
                str(relation.type),
                relation.weight,
                relation.evidence,
                to_us(now),
                namespace,
            ),
        )
        return changed > 0

    async def remove(self, relations: Collection[Relation]) -> None:
        """Delete some."""
        await self._connection.execute_many(
            "DELETE FROM relations WHERE from_id = ? AND type = ? AND to_id = ?",
            [(relation.from_id, str(relation.type), relation.to_id) for relation in relations],
        )

    async def clear(self, memory_id: str, kinds: Collection[str] = ()) -> None:
        """Delete those of a memory: all, or those of some kinds."""
        if not kinds:
            await self._connection.execute("DELETE FROM relations WHERE from_id = ?1 OR to_id = ?1", (memory_id,))
            return
        await self._connection.execute(
            "DELETE FROM relations WHERE (from_id = ?1 OR to_id = ?1) AND type IN (SELECT value FROM json_texts(?2))",
            (memory_id, as_json(list(kinds))),
        )


class QuestionTable:
    """Questions to a person, one at a time for each subject and action."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def ask(self, request: ApprovalRequest, now: datetime) -> str:
        """Ask, or renew what is asked already; return the approval's id."""
        return (await approvals.write_request(self._connection, request, now)).id

    async def withdraw(self, namespace: str, action: str, subject: str, now: datetime, why: str) -> None:
        """Close a question that needs no answer any more."""
        await approvals.withdraw_requests(self._connection, namespace, action, subject, now, why)

    async def is_asked(self, namespace: str, action: str, subject: str) -> bool:
        """Return whether a question waits, or is answered and not yet carried out."""
        return await approvals.is_asked(self._connection, namespace, action, subject)


class NamespaceTable:
    """What holds for a whole namespace."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def hold(self, namespace: str) -> None:
        """Hold it: no other transaction writes there before this one has ended."""
        await self._connection.lock(namespace)

    async def register(self, namespace: str, now: datetime) -> None:
        """Insert it where nothing is in it yet."""
        await register_namespace(self._connection, namespace, to_us(now))

    async def watches(self, namespace: str) -> tuple[Watch, ...]:
        """Return what is watched there."""
        rows = await self._connection.fetch_all(
            "SELECT kind, value, demands FROM watches WHERE namespace = ? ORDER BY kind, value", (namespace,)
        )
        return tuple(Watch(WatchKind(row["kind"]), row["value"], Demand(row["demands"])) for row in rows)

    async def review(self, namespace: str) -> Review:
        """Return when merges need a review there."""
        review = await self._connection.fetch_value("SELECT review FROM governance WHERE namespace = ?", (namespace,))
        return Review.WATCHED if review is None else Review(review)

    async def limits(self, namespace: str) -> tuple[int | None, int | None]:
        """Return how many memories and how many bytes of text it may hold; None for no limit."""
        row = await self._connection.fetch_one(
            "SELECT max_memories, max_bytes FROM namespace_policies WHERE namespace = ?", (namespace,)
        )
        return (None, None) if row is None else (row["max_memories"], row["max_bytes"])

    async def memories(self, namespace: str) -> int:
        """Return how many memories it holds, without the hidden ones."""
        found = await self._connection.fetch_value(
            f"SELECT (SELECT count(*) FROM memories m WHERE m.namespace = ?1 AND {predicates.VISIBLE}) "
            "+ (SELECT count(*) FROM sealed_memories s WHERE s.namespace = ?1)",
            (namespace,),
        )
        return int(found)

    async def size_bytes(self, namespace: str) -> int:
        """Return the bytes of all its texts, each of which is looked at."""
        found = await self._connection.fetch_value(
            "SELECT coalesce((SELECT sum(octet_length(m.content)) FROM memories m WHERE m.namespace = ?1), 0) "
            "+ coalesce((SELECT sum(octet_length(s.content)) FROM sealed_memories s WHERE s.namespace = ?1), 0) "
            "+ coalesce((SELECT sum(a.size) FROM attachments a WHERE a.namespace = ?1), 0)",
            (namespace,),
        )
        return int(found)

    async def note(self, namespace: str, draft: InsightDraft, now: datetime) -> None:
        """Record a finding, once for each key."""
        await insights.note(self._connection, namespace, draft, identifiers.new_id("ins"), now, now)
