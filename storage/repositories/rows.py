"""Implements `modules.judging.rows` over an open transaction: plain rows, decided about elsewhere."""

from collections.abc import Collection
from datetime import datetime

from ...modules import identifiers
from ...modules.approvals.models import ApprovalRequest
from ...modules.branches.models import Demand, Review, Watch, WatchKind
from ...modules.facts.models import FactState, Relation
from ...modules.facts.slots import CERTAIN
from ...modules.insights.models import InsightDraft
from ...modules.memory.models import HIDDEN, Memory
from ..engine.ports import Connection
from ..engine.times import to_us
from . import approvals, insights, pages, predicates
from .change_rows import ChangeRows, columns_of, read
from .memory_rows import COLUMNS, as_json, to_memory

MOST_RIVALS = 100
"""The most rivals read in a write transaction: reading and judging so many takes a few milliseconds."""


class TransactionRows:
    """Implements `modules.judging.rows.Rows`."""

    def __init__(self, connection: Connection) -> None:
        self.memories = MemoryRows(connection)
        self.relations = RelationRows(connection)
        self.changes = ChangeRows(connection)
        self.questions = QuestionRows(connection)
        self.namespaces = NamespaceRows(connection)


class MemoryRows:
    """Implements `modules.judging.rows.MemoryRows`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def get(self, namespace: str, memory_ids: Collection[str]) -> dict[str, Memory]:
        return await read(self._connection, namespace, memory_ids)

    async def rivals(self, memory: Memory, now: datetime) -> list[Memory]:
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

    async def stand(self, memory: Memory, standing: FactState) -> None:
        is_hidden = standing.status in HIDDEN
        if (memory.status in HIDDEN) is not is_hidden:
            await pages.look_again(self._connection, "SELECT seq FROM memories WHERE id = ?", memory.id)
        if is_hidden:
            found = await self._connection.fetch_all("SELECT seq FROM memories WHERE id = ?", (memory.id,))
            for row in found:
                await pages.untitle(self._connection, row["seq"], memory.content)
        await self._connection.execute(
            "UPDATE memories SET status = ?, confidence = ?, valid_from = ?, valid_to = ?, confirmations = ?, "
            "rejections = ? WHERE id = ?",
            (*columns_of(standing), memory.id),
        )

    async def unslot(self, memory_id: str) -> None:
        await self._connection.execute(
            "UPDATE memories SET subject = NULL, attribute = NULL, value = NULL, slot_confidence = NULL, "
            "polarity = NULL WHERE id = ?",
            (memory_id,),
        )


class RelationRows:
    """Implements `modules.judging.rows.RelationRows`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def begun(self, memory_ids: Collection[str], kind: str) -> list[Relation]:
        return await self._of("from_id", memory_ids, kind)

    async def against(self, memory_ids: Collection[str], kind: str) -> list[Relation]:
        return await self._of("to_id", memory_ids, kind)

    async def _of(self, end: str, memory_ids: Collection[str], kind: str) -> list[Relation]:
        rows = await self._connection.fetch_all(
            f"SELECT r.* FROM json_texts(?) given /*then*/ JOIN relations r ON r.{end} = given.value AND r.type = ?",
            (as_json(list(memory_ids)), kind),
        )
        return [Relation(row["from_id"], row["to_id"], row["type"], row["weight"], row["evidence"]) for row in rows]

    async def add(self, namespace: str, relation: Relation, now: datetime) -> bool:
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
        await self._connection.execute_many(
            "DELETE FROM relations WHERE from_id = ? AND type = ? AND to_id = ?",
            [(relation.from_id, str(relation.type), relation.to_id) for relation in relations],
        )

    async def clear(self, memory_id: str) -> None:
        await self._connection.execute("DELETE FROM relations WHERE from_id = ?1 OR to_id = ?1", (memory_id,))


class QuestionRows:
    """Implements `modules.judging.rows.QuestionRows`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def ask(self, request: ApprovalRequest, now: datetime) -> str:
        return (await approvals.write_request(self._connection, request, now)).id

    async def withdraw(self, namespace: str, action: str, subject: str, now: datetime, why: str) -> None:
        await approvals.withdraw_requests(self._connection, namespace, action, subject, now, why)

    async def is_asked(self, namespace: str, action: str, subject: str) -> bool:
        return await approvals.is_asked(self._connection, namespace, action, subject)


class NamespaceRows:
    """Implements `modules.judging.rows.NamespaceRows`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def watches(self, namespace: str) -> tuple[Watch, ...]:
        rows = await self._connection.fetch_all(
            "SELECT kind, value, demands FROM watches WHERE namespace = ? ORDER BY kind, value", (namespace,)
        )
        return tuple(Watch(WatchKind(row["kind"]), row["value"], Demand(row["demands"])) for row in rows)

    async def review(self, namespace: str) -> Review:
        review = await self._connection.fetch_value("SELECT review FROM governance WHERE namespace = ?", (namespace,))
        return Review.WATCHED if review is None else Review(review)

    async def limits(self, namespace: str) -> tuple[int | None, int | None]:
        row = await self._connection.fetch_one(
            "SELECT max_memories, max_bytes FROM namespace_policies WHERE namespace = ?", (namespace,)
        )
        return (None, None) if row is None else (row["max_memories"], row["max_bytes"])

    async def memories(self, namespace: str) -> int:
        found = await self._connection.fetch_value(
            f"SELECT (SELECT count(*) FROM memories m WHERE m.namespace = ?1 AND {predicates.VISIBLE}) "
            "+ (SELECT count(*) FROM sealed_memories s WHERE s.namespace = ?1)",
            (namespace,),
        )
        return int(found)

    async def size_bytes(self, namespace: str) -> int:
        found = await self._connection.fetch_value(
            "SELECT coalesce((SELECT sum(octet_length(m.content)) FROM memories m WHERE m.namespace = ?1), 0) "
            "+ coalesce((SELECT sum(octet_length(s.content)) FROM sealed_memories s WHERE s.namespace = ?1), 0) "
            "+ coalesce((SELECT sum(a.size) FROM attachments a WHERE a.namespace = ?1), 0)",
            (namespace,),
        )
        return int(found)

    async def note(self, namespace: str, draft: InsightDraft, now: datetime) -> None:
        await insights.note(self._connection, namespace, draft, identifiers.new_id("ins"), now, now)
