"""Retention of session events: those may go that no memory was made of, and that nothing will be learned from."""

from datetime import datetime

from ..engine.ports import Connection, Engine
from ..engine.times import to_us
from .memory_rows import as_json
from .turns import BRANCHED

SESSIONS_AT_ONCE = 20
HABIT, MINER = "procedure", "procedures"
"""The tag of habits, and the source of those that are found in events."""
READ_FOR_HABITS = 10_000
"""The newest events that habits are looked for in."""

# A namespace with habits keeps the events that the miner reads again and again, and the rest of their sessions: a
# stretch that lost its first or last event would be observed once more.
_READ_FOR_HABITS = f"""
SELECT n.id AS namespace, CASE WHEN EXISTS (
    SELECT 1 FROM memory_tags k JOIN memories m ON m.seq = k.memory_seq
    WHERE k.namespace = n.id AND k.tag = '{HABIT}' AND m.source = '{MINER}'
) THEN coalesce((
    SELECT e.seq FROM events e WHERE e.namespace = n.id AND e.session IS NOT NULL AND e.type IN ('turn', 'tool_call')
    ORDER BY e.seq DESC LIMIT 1 OFFSET {READ_FOR_HABITS - 1}
), 0) ELSE {2**63 - 1} END AS from_seq FROM namespaces n
"""
_AT_REST = """
s.last_at < :rested_before AND NOT s.unobserved
AND NOT EXISTS (SELECT 1 FROM stretches t WHERE t.session = s.id AND NOT t.done)
"""
_IS_EVIDENCE = """
EXISTS (
    SELECT 1 FROM stretches t JOIN memories m ON m.id = t.memory_id
    JOIN events first ON first.id = t.first_event JOIN events last ON last.id = t.last_event
    WHERE t.session = e.session AND e.seq BETWEEN first.seq AND last.seq
)
"""
_MAY_GO = f"""
SELECT e.seq, e.session FROM sessions s JOIN read ON read.namespace = s.namespace JOIN events e ON e.session = s.id
WHERE {_AT_REST} AND NOT EXISTS (SELECT 1 FROM events l WHERE l.session = s.id AND l.seq >= read.from_seq)
AND e.type IN ('turn', 'tool_call', 'signal')
AND e.idempotency_key <> s.id || '/{BRANCHED}' AND NOT {_IS_EVIDENCE}
"""
_SESSIONS = f"WITH read AS ({_READ_FOR_HABITS}) SELECT DISTINCT session FROM ({_MAY_GO}) LIMIT {SESSIONS_AT_ONCE}"
_DELETE = f"""
DELETE FROM events WHERE seq IN (
    WITH read AS ({_READ_FOR_HABITS})
    SELECT seq FROM ({_MAY_GO} AND s.id IN (SELECT value FROM json_texts(:sessions)))
)
"""


async def purge(engine: Engine, rested_before: datetime) -> int:
    """Delete the events that may go, of sessions at rest since before a moment; return how many.

    Those of one session go together: what is left of it was observed, or counts as never recorded.
    """
    parameters: dict[str, object] = {"rested_before": to_us(rested_before)}
    deleted = 0
    while found := await engine.read(_SESSIONS, parameters):
        parameters["sessions"] = as_json([row["session"] for row in found])

        async def work(connection: Connection) -> int:
            return await connection.execute(_DELETE, parameters)

        deleted += await engine.write(work)
    return deleted
