"""Redacts what was stored earlier: memories with their history, index and vectors, and every other row with texts."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from ...modules.judging import erasing, questions
from ...modules.memory import dialogue, summarising
from ...modules.memory.models import Memory
from ...modules.memory.storing import content_hash
from ...modules.redaction.models import Scrub
from ...modules.redaction.redactor import SecretRedactor
from ...modules.redactor import Redactor
from ..engine.ports import Connection, Engine
from .audit import record_change
from .memory_rows import COLUMNS, to_memory
from .memory_writing import replace_texts
from .pages import key_of, turn_hash
from .rows import TransactionRows

AT_ONCE = 200
OTHER_TEXTS: Mapping[str, tuple[str, ...]] = {
    "memories": ("subject", "attribute", "value"),
    "memory_versions": ("content", "tags", "metadata", "subject", "attribute", "value"),
    "goals": ("title", "description", "tags"),
    "goal_notes": ("text",),
    "events": ("action", "outcome", "context", "tags", "text", "structured"),
    "patterns": ("action", "description", "suggested_action"),
    "insights": ("text", "subject"),
    "relations": ("evidence",),
    "changes": ("reason",),
    "approvals": ("subject", "reason", "payload", "note", "result"),
    "approval_events": ("note",),
    "sessions": ("title",),
    "pages": ("gist",),
    "segments": ("summary", "keywords"),
    "queue": ("payload", "last_error"),
    "entities": ("label", "key", "description"),
    "entity_aliases": ("label", "key"),
    "entity_relations": ("description",),
    "deeds": ("address", "undo"),
    "attachments": ("name",),
}
"""Columns with texts by agents, beside those of memories; a store has those of its schema."""
_JSON = frozenset({"tags", "metadata", "payload", "structured", "keywords", "undo"})


class ScrubRows:
    """One pass over a store. Each batch is a transaction of its own: after an interruption, start again."""

    def __init__(
        self, engine: Engine, redactor: Redactor | None = None, looked_at: Callable[[int], None] = lambda rows: None
    ) -> None:
        """Prepare a pass; `looked_at` is called now and then with the number of rows examined so far."""
        self._engine = engine
        self._looked_at = looked_at
        self._looks = 0
        self._redactor = redactor or SecretRedactor()
        self._rows: Counter[str] = Counter()
        self._kinds: Counter[str] = Counter()
        self._merged = 0

    async def run(self, now: datetime, *, apply: bool) -> Scrub:
        """Look for secrets in every text; with `apply`, replace them with markers for good. Return what was found."""
        await self._scrub_memories(now, apply=apply)
        for table, columns in OTHER_TEXTS.items():
            await self._scrub_table(table, columns, apply=apply)
        if apply and self._rows:
            await self._engine.forget_erased()
        return Scrub(dict(self._rows), dict(self._kinds.most_common()), self._merged, apply)

    async def _scrub_memories(self, now: datetime, *, apply: bool) -> None:
        after = 0
        while rows := await self._engine.read(
            f"SELECT {COLUMNS} FROM memories m WHERE m.seq > ? ORDER BY m.seq LIMIT ?", (after, AT_ONCE)
        ):
            after = rows[-1]["seq"]
            found = [row["seq"] for row in rows if await self._counted("memories", self._texts(to_memory(row)))]
            if found and apply:

                async def work(connection: Connection, found: Sequence[int] = tuple(found)) -> None:
                    for seq in found:
                        await self._scrub_memory(connection, seq, now)

                await self._engine.write(work)

    async def _scrub_memory(self, connection: Connection, seq: int, now: datetime) -> None:
        rows = await connection.fetch_all(f"SELECT {COLUMNS} FROM memories m WHERE m.seq = ?", (seq,))
        if not rows:
            return  # deleted meanwhile
        row = rows[0]
        memory = await self._clean(connection, to_memory(row))
        key = await key_of(connection, seq)
        digest = (
            content_hash(memory.content, memory.session)
            if key is None
            else turn_hash(memory.session or "", key, memory.content)
        )
        same = await connection.fetch_all(
            "SELECT 1 FROM memories WHERE namespace = ? AND content_hash = ? AND seq != ?",
            (memory.namespace, digest, seq),
        )
        if same:
            self._merged += 1
            await erasing.erase(TransactionRows(connection), to_memory(row), now, "memory.merge")
            return
        await replace_texts(connection, row, memory, digest)
        await questions.ask_again(TransactionRows(connection), to_memory(row), memory, now)
        await record_change(connection, now, memory.namespace, "memory.redact", memory.id)

    async def _clean(self, connection: Connection, memory: Memory) -> Memory:
        clean = self._redactor
        content = await clean.text(memory.content)
        session = None if memory.session is None else await clean.text(memory.session)
        if session is not None and session != memory.session:
            session = await _free_session(connection, memory, session)
        return replace(
            memory,
            content=content,
            summary=summarising.summary(content),
            tags=await clean.tags(memory.tags),
            metadata=await clean.json(memory.metadata),
            source=await clean.text(memory.source),
            session=session,
            speaker=None if session is None else dialogue.split_speaker(content)[0],
        )

    def _texts(self, memory: Memory) -> list[Any]:
        return [memory.content, memory.tags, memory.metadata, memory.source, memory.session or ""]

    async def rows(self) -> int:
        """Return how many rows one pass examines."""
        total = 0
        for table in ("memories", *OTHER_TEXTS):
            if await self._engine.columns(table):
                [found] = await self._engine.read(f"SELECT count(*) AS count FROM {table}")
                total += found["count"]
        return total

    async def _counted(self, table: str, texts: object) -> bool:
        self._looks += 1
        if self._looks % AT_ONCE == 0:
            self._looked_at(self._looks)
        kinds = await self._redactor.kinds(texts)
        self._kinds.update(kinds)
        self._rows.update({table: 1} if kinds else {})
        return bool(kinds)

    async def _scrub_table(self, table: str, columns: Sequence[str], *, apply: bool) -> None:
        places = await self._engine.columns(table)
        keys = sorted(filter(places.get, places), key=lambda name: places[name])
        texts = [name for name in places if name in columns]
        if not keys or not texts:
            return
        rows = await self._engine.read(f"SELECT {', '.join(keys)}, {', '.join(texts)} FROM {table}")
        for row in rows:
            values = {name: _read(name, row[name]) for name in texts if row[name] is not None}
            if await self._counted(table, list(values.values())) and apply:
                cleaned = {name: await self._cleaned(value) for name, value in values.items()}
                clean = {name: _written(name, cleaned[name]) for name in cleaned if cleaned[name] != values[name]}
                where = {key: row[key] for key in keys}

                async def work(
                    connection: Connection, clean: dict[str, Any] = clean, where: dict[str, Any] = where
                ) -> None:
                    await self._write(connection, table, clean, where)

                await self._engine.write(work)

    async def _write(
        self, connection: Connection, table: str, clean: Mapping[str, Any], where: Mapping[str, Any]
    ) -> None:
        condition = " AND ".join(f"{name} = ?" for name in where)
        if not await connection.attempt(
            f"UPDATE {table} SET {', '.join(f'{name} = ?' for name in clean)} WHERE {condition}",
            (*clean.values(), *where.values()),
        ):  # another row is the same now, or the row must not be changed any more
            self._merged += 1
            await connection.execute(f"DELETE FROM {table} WHERE {condition}", tuple(where.values()))

    async def _cleaned(self, value: Any) -> Any:
        return await (self._redactor.text(value) if isinstance(value, str) else self._redactor.json(value))


async def _free_session(connection: Connection, memory: Memory, name: str) -> str:
    """Return the name, numbered if turns of another session have that name and this memory's place."""
    free, number = name, 1
    while await connection.fetch_all(
        "SELECT 1 FROM memories WHERE namespace = ? AND session = ? AND place = ?",
        (memory.namespace, free, memory.place),
    ):
        number += 1
        free = f"{name} {number}"
    return free


def _read(column: str, value: str) -> Any:
    return json.loads(value) if column in _JSON else value


def _written(column: str, value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if column in _JSON else value
