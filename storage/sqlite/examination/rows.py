"""Checks of the rows: derived rows agree with the memories, and every reference leads to a row."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from ....modules.health.models import Check, Finding, Severity, info, ok
from ....modules.memory import dialogue
from ....modules.records import dataclass
from ....modules.text.counting import counted, memories_counted
from ...engine.times import from_us
from ...repositories.predicates import ASIDE
from .. import text_index
from ..driver import sqlite3
from .subject import Subject, is_of_text_index

_BELONGING = ((text_index.MAIN, f"NOT {ASIDE}"), (text_index.ASIDE, ASIDE))
"""Each text index, and the condition of its memories."""
_COMPOUNDS = "(SELECT json_group_array(word) FROM (SELECT word FROM compounds WHERE memory_seq = {seq} ORDER BY word))"
TEXT_FAULTS = " UNION ".join(
    [
        *(
            f"SELECT m.seq FROM memory_words m LEFT JOIN {index}_content t ON t.id = m.seq WHERE {belongs} AND (t.id "
            "IS NULL OR (t.c0, t.c1, t.c2, t.c3) IS NOT (m.summary, m.content, m.tags, m.parts)) "
            f"UNION SELECT t.id FROM {index}_content t "
            f"WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.seq = t.id AND {belongs})"
            for index, belongs in _BELONGING
        ),
        f"SELECT m.seq FROM memories m WHERE {_COMPOUNDS.format(seq='m.seq')} IS NOT compounds_of(m.content)",
    ]
)
"""Memories whose words their text index lacks or has differently; and those that an index should not have."""
_POSTINGS = "SELECT shelf, word, memory_seq, weight, tokens FROM"
POSTING_FAULTS = f"""
SELECT count(*) FROM (SELECT * FROM ({_POSTINGS} memory_postings EXCEPT {_POSTINGS} postings)
UNION ALL SELECT * FROM ({_POSTINGS} postings EXCEPT {_POSTINGS} memory_postings))
"""
"""How many words of memories are missing from the postings, or there without a memory that has them."""
TOTALS = (
    "SELECT namespace, aside, count(*) AS memories, sum(tokens) AS tokens FROM text_sizes GROUP BY namespace, aside"
)
TOTAL_FAULTS = f"""
SELECT count(*) FROM (SELECT * FROM ({TOTALS} EXCEPT SELECT namespace, aside, memories, tokens FROM text_statistics)
UNION ALL SELECT * FROM (SELECT namespace, aside, memories, tokens FROM text_statistics WHERE memories EXCEPT {TOTALS}))
"""
"""How many numbers of words and memories, by namespace and text index, are not those of the index itself."""
TAG_FAULTS = """
SELECT m.seq FROM memories m JOIN json_each(m.tags) j WHERE NOT EXISTS
  (SELECT 1 FROM memory_tags t WHERE t.memory_seq = m.seq AND t.namespace = m.namespace AND t.tag = tag_of(j.value))
UNION SELECT t.memory_seq FROM memory_tags t JOIN memories m ON m.seq = t.memory_seq
WHERE t.namespace <> m.namespace OR NOT EXISTS (SELECT 1 FROM json_each(m.tags) j WHERE tag_of(j.value) = t.tag)
"""
TURNS = f"SELECT seq, substr(content, 1, {dialogue.MAX_LEAD_CHARS}), speaker FROM memories WHERE session IS NOT NULL"
EXPIRED_WITHIN = timedelta(hours=13)
"""Twice the interval of the job that erases expired memories, and a little."""
VECTORS_AT_ONCE = 5_000
TOLERANCE = 1e-2
EMBEDDED_WITHIN = timedelta(hours=1)


Mend = Callable[[sqlite3.Connection], str]
"""A repair: changes rows within a transaction and returns what it did, in words."""


@dataclass(frozen=True)
class Reference:
    """A column that names a row of another table, and the statement that repairs one that names none."""

    table: str
    column: str
    target: str
    key: str
    mend: str

    @property
    def dangling(self) -> str:
        """The condition of a row that refers to nothing."""
        return (
            f"{self.column} IS NOT NULL AND NOT EXISTS "
            f"(SELECT 1 FROM {self.target} x WHERE x.{self.key} = {self.table}.{self.column})"
        )


DERIVED = tuple(
    Reference(table, column, target, key, f"DELETE FROM {table} WHERE ")
    for table, column, target, key in (
        ("memory_tags", "memory_seq", "memories", "seq"),
        ("memory_versions", "memory_seq", "memories", "seq"),
        ("embeddings", "memory_seq", "memories", "seq"),
        ("token_signs", "embedding", "embeddings", "id"),
        ("goal_notes", "goal_seq", "goals", "seq"),
        ("relations", "from_id", "memories", "id"),
        ("relations", "to_id", "memories", "id"),
        ("change_memories", "memory_id", "memories", "id"),
        ("change_memories", "change", "changes", "seq"),
        ("approval_events", "approval", "approvals", "seq"),
        ("stretches", "session", "sessions", "id"),
        ("stretches", "first_event", "events", "id"),
        ("stretches", "last_event", "events", "id"),
        ("shown_context", "session", "sessions", "id"),
        ("lesson_states", "memory_seq", "memories", "seq"),
        ("lesson_tellings", "memory_seq", "memories", "seq"),
        ("lesson_tellings", "session", "sessions", "id"),
        ("lesson_runs", "memory_seq", "memories", "seq"),
        ("lesson_runs", "session", "sessions", "id"),
    )
)
"""References from parts to their whole: without it nobody can reach them, and they should be deleted with it."""

NAMED = (
    *(
        Reference(
            table,
            "namespace",
            "namespaces",
            "id",
            f"INSERT OR IGNORE INTO namespaces (id, created_at) SELECT namespace, {{now}} FROM {table} WHERE ",
        )
        for table in (
            *("memories", "sealed_memories", "goals", "events", "patterns", "insights", "changes", "approvals"),
            *("projects", "sessions"),
        )
    ),
    Reference("goals", "parent_goal_id", "goals", "id", "UPDATE goals SET parent_goal_id = NULL WHERE "),
    Reference("events", "goal_id", "goals", "id", "UPDATE events SET goal_id = NULL WHERE "),
    Reference("sessions", "parent", "sessions", "id", "UPDATE sessions SET parent = NULL WHERE "),
)


def checks(subject: Subject) -> list[Check]:
    """Return the checks of the rows, in order."""
    needs = ("database.schema", "database.identity")
    return [
        Check("rows.orphans", lambda: look_for_orphans(subject), needs),
        Check("rows.references", lambda: look_at_references(subject), needs),
        Check("rows.text_index", lambda: look_at_text_index(subject), needs),
        Check("rows.tags", lambda: look_at_tags(subject), needs),
        Check("rows.speakers", lambda: look_at_speakers(subject), needs),
        Check("rows.vectors", lambda: look_at_vectors(subject), needs),
        Check("rows.generations", lambda: look_at_generations(subject), needs),
        Check("rows.expired", lambda: look_for_expired(subject), needs),
    ]


def look_for_orphans(subject: Subject) -> Finding:
    """Check that every part belongs to something."""
    counts = _counts(subject, DERIVED)
    if not counts:
        return ok("there are no orphaned tags, versions, vectors, relations or notes")

    def mend(connection: sqlite3.Connection) -> str:
        connection.execute(
            "INSERT INTO index_outbox (namespace, memory_seq, operation) SELECT '', memory_seq, 'delete' "
            "FROM embeddings WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.seq = memory_seq)"
        )
        return _mended(connection, subject, DERIVED, "rows removed")

    message = f"rows that belong to nothing: {_listed(counts)}"
    return _rows_finding(subject, message, {"rows": counts}, mend)


def look_at_references(subject: Subject) -> Finding:
    """Check that every reference to a namespace, goal or session leads to one."""
    counts = _counts(subject, NAMED)
    if not counts:
        return ok("all references are valid")

    def mend(connection: sqlite3.Connection) -> str:
        return _mended(connection, subject, NAMED, "references mended")

    message = f"rows that refer to nothing: {_listed(counts)}"
    return _rows_finding(subject, message, {"rows": counts}, mend)


def look_at_text_index(subject: Subject) -> Finding:
    """Check that the text index has the current words of every memory; with `deep`, its own structure too."""
    memories = subject.reader.one("SELECT count(*) FROM memories")
    wrong = [row[0] for row in subject.reader.rows(TEXT_FAULTS)]
    damaged = not wrong and _text_index_is_damaged(subject)
    miscounted = not wrong and not damaged and (subject.reader.one(TOTAL_FAULTS) or subject.reader.one(POSTING_FAULTS))
    if not wrong and not damaged and not miscounted:
        return ok(f"the text index holds all {memories} memories", memories=memories)

    def mend(connection: sqlite3.Connection) -> str:
        seqs = connection.execute(TEXT_FAULTS).fetchall()
        for index, belongs in _BELONGING:
            connection.executemany(f"DELETE FROM {index} WHERE rowid = ?", seqs)
            connection.executemany(
                f"INSERT INTO {index} (rowid, summary, content, tags, parts) SELECT m.seq, m.summary, m.content, "
                f"m.tags, m.parts FROM memory_words m WHERE m.seq = ? AND {belongs}",
                seqs,
            )
            connection.execute(f"INSERT INTO {index} ({index}) VALUES ('rebuild')")
        connection.execute("UPDATE text_statistics SET memories = 0, tokens = 0")
        connection.execute(
            f"INSERT INTO text_statistics (namespace, aside, memories, tokens) SELECT * FROM ({TOTALS}) WHERE TRUE "
            "ON CONFLICT DO UPDATE SET memories = excluded.memories, tokens = excluded.tokens"
        )
        connection.executemany("DELETE FROM compounds WHERE memory_seq = ?", seqs)
        connection.executemany(
            "INSERT INTO compounds (shelf, word, memory_seq) "
            "SELECT shelf, word, memory_seq FROM memory_compounds WHERE memory_seq = ?",
            seqs,
        )
        connection.execute("DELETE FROM postings")
        connection.execute(
            "INSERT INTO postings (shelf, word, memory_seq, weight, tokens) "
            f"{_POSTINGS} memory_postings ORDER BY shelf, word, memory_seq"
        )
        return f"the text index was built anew from the memories: {counted(len(seqs), 'entry', 'entries')} wrong"

    message = f"the text index is wrong about {memories_counted(len(wrong))}"
    if damaged or miscounted:
        message = "the text index is damaged" if damaged else "the words of the text index are counted wrongly"
    return _rows_finding(subject, message, {"memories": memories, "wrong": len(wrong)}, mend)


def _text_index_is_damaged(subject: Subject) -> bool:
    if any(map(is_of_text_index, subject.integrity())):
        return True
    if not subject.deep:
        return False
    copy = subject.reader.copied_to_memory()  # SQLite counts this check as writing
    try:
        for index in text_index.indexes(with_aside=True):
            copy.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
    except sqlite3.DatabaseError:
        return True
    finally:
        copy.close()
    return False


def look_at_tags(subject: Subject) -> Finding:
    """Check that the tag index matches the memories."""
    wrong = subject.reader.rows(TAG_FAULTS)
    if not wrong:
        return ok("the tag index matches the memories")

    def mend(connection: sqlite3.Connection) -> str:
        seqs = connection.execute(TAG_FAULTS).fetchall()
        connection.executemany("DELETE FROM memory_tags WHERE memory_seq = ?", seqs)
        connection.executemany(
            "INSERT OR IGNORE INTO memory_tags (namespace, tag, memory_seq) "
            "SELECT m.namespace, tag_of(j.value), m.seq FROM memories m JOIN json_each(m.tags) j WHERE m.seq = ?",
            seqs,
        )
        return f"the tags of {memories_counted(len(seqs))} were indexed anew"

    message = f"the index of the tags is wrong about {memories_counted(len(wrong))}: a filter by tag misses them"
    return _rows_finding(subject, message, {"wrong": len(wrong)}, mend)


def look_at_speakers(subject: Subject) -> Finding:
    """Check that the speaker of each turn of a conversation is the one that its content names."""
    wrong = _wrong_speakers(subject.reader.rows(TURNS))
    if not wrong:
        return ok("the speakers match the turns")

    def mend(connection: sqlite3.Connection) -> str:
        named = _wrong_speakers(connection.execute(TURNS).fetchall())
        connection.executemany("UPDATE memories SET speaker = ? WHERE seq = ?", named)
        return f"the speakers of {memories_counted(len(named))} were named anew"

    message = f"the speakers of {memories_counted(len(wrong))} are wrong: a search for a person misses some"
    return _rows_finding(subject, message, {"wrong": len(wrong)}, mend)


def _wrong_speakers(turns: list[Any]) -> list[tuple[str | None, int]]:
    """Return the right speaker and the number of each turn whose speaker is wrong."""
    named = ((dialogue.split_speaker(beginning)[0], seq, speaker) for seq, beginning, speaker in turns)
    return [(speaks, seq) for speaks, seq, speaker in named if speaks != speaker]


BAD_VECTORS = """
SELECT e.memory_seq, e.generation FROM embeddings e JOIN memories m ON m.seq = e.memory_seq
LEFT JOIN embedding_generations g ON g.id = e.generation LEFT JOIN token_signs s ON s.embedding = e.id
WHERE g.id IS NULL OR length(e.vector) != 4 * g.dimension OR length(s.signs) % (g.dimension / 8) != 0
UNION SELECT memory_seq, generation FROM embeddings e JOIN memories m ON m.seq = e.memory_seq
GROUP BY generation, memory_seq HAVING count(*) != max(part) + 1
"""
"""Memories with a vector or token signs of a wrong length, or with a gap in their passages."""


def look_at_vectors(subject: Subject) -> Finding:
    """Check that every vector fits its model, and that memories without one do not wait for long."""
    bad = {(seq, generation) for seq, generation in subject.reader.rows(BAD_VECTORS)}
    if subject.deep:
        bad |= _without_length_one(subject, bad)
    if bad:

        def mend(connection: sqlite3.Connection) -> str:
            connection.executemany(
                "INSERT INTO index_outbox (namespace, memory_seq, operation, passages) "
                "SELECT namespace, seq, 'delete', (SELECT coalesce(max(part) + 1, 0) FROM embeddings e "
                "WHERE e.memory_seq = m.seq) FROM memories m WHERE seq = ?",
                [(seq,) for seq, _ in bad],
            )
            connection.executemany("DELETE FROM embeddings WHERE memory_seq = ? AND generation = ?", bad)
            return f"the vectors of {memories_counted(len(bad))} removed; they are computed anew"

        message = f"{len(bad)} memories have vectors that are none of their model: search cannot use them"
        return _rows_finding(subject, message, {"wrong": len(bad)}, mend)
    newest = subject.reader.one("SELECT max(id) FROM embedding_generations")
    if newest is None:
        return ok("there are no vectors yet")
    waiting, oldest = subject.reader.rows(
        "SELECT count(*), min(max(m.created_at, coalesce((SELECT created_at FROM embedding_generations WHERE id = ?1), "
        "0))) FROM memories m WHERE NOT EXISTS "
        "(SELECT 1 FROM embeddings e WHERE e.generation = ?1 AND e.memory_seq = m.seq)",
        newest,
    )[0]
    if not waiting:
        return ok("every memory has its vector", generation=newest)
    message = f"{waiting} memories wait for their vector: search finds them by words only"
    details = {"waiting": waiting, "oldest": from_us(oldest).isoformat(), "generation": newest}
    if subject.was_neglected(oldest, EMBEDDED_WITHIN):
        message += ", although a daemon was there"
        return Finding(Severity.WARNING, message, "agentos-daemon --once index", details)
    return info(message + "; the next session or daemon computes it", **details)


def _without_length_one(subject: Subject, known: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the memories with vectors of the right size whose length is not 1, or not a number."""
    import numpy as np

    bad: set[tuple[int, int]] = set()
    after = 0
    while batch := subject.reader.rows(
        "SELECT id, generation, memory_seq, vector FROM embeddings WHERE id > ? ORDER BY id LIMIT ?",
        after,
        VECTORS_AT_ONCE,
    ):
        for _, generation, seq, data in batch:
            if (seq, generation) not in known:
                length = float(np.linalg.norm(np.frombuffer(data, dtype="<f4").astype(np.float64)))
                if not abs(length - 1) < TOLERANCE:  # also true of NaN
                    bad.add((seq, generation))
        after = batch[-1][0]
    return bad


def look_at_generations(subject: Subject) -> Finding:
    """Report of how many models there are vectors."""
    found = subject.reader.rows(
        "SELECT g.id, g.fingerprint, g.dimension, (SELECT count(*) FROM embeddings e WHERE e.generation = g.id) "
        "FROM embedding_generations g ORDER BY g.id"
    )
    details = {
        "generations": [
            {"id": row[0], "model": row[1], "dimension": row[2], "vectors": row[3]} for row in found
        ]
    }  # fmt: skip
    used = [row for row in found if row[3]]
    if len(used) < 2:
        return ok(f"vectors from one model: {used[0][1]}" if used else "no vectors", **details)
    listed = ", ".join(f"{row[3]} of {row[1]}" for row in used)
    return info(f"vectors from {len(used)} models, each searched separately: {listed}", **details)


def look_for_expired(subject: Subject) -> Finding:
    """Check that expired memories are erased: they are never shown, but may still be on disk."""
    count, oldest = subject.reader.rows(
        "SELECT count(*), min(expires_at) FROM memories WHERE expires_at <= ?", subject.now_us
    )[0]
    if not count:
        return ok("nothing has expired")
    message = f"{count} memories have expired and are still on disk"
    details = {"expired": count, "oldest": from_us(oldest).isoformat()}
    remedy = "agentos-daemon --once self_maintenance"
    if subject.was_neglected(oldest, EXPIRED_WITHIN):
        return Finding(Severity.WARNING, f"{message}, although a daemon was there", remedy, details)
    return Finding(Severity.INFO, f"{message}; the daemon erases them", remedy, details)


def _counts(subject: Subject, references: tuple[Reference, ...]) -> dict[str, int]:
    """Return how many rows of each reference lead nowhere, where there are any."""
    counts = {
        f"{each.table}.{each.column}": subject.reader.one(f"SELECT count(*) FROM {each.table} WHERE {each.dangling}")
        for each in references
    }
    return {name: count for name, count in counts.items() if count}


def _mended(connection: sqlite3.Connection, subject: Subject, references: tuple[Reference, ...], what: str) -> str:
    changed = sum(
        connection.execute(each.mend.format(now=subject.now_us) + each.dangling).rowcount for each in references
    )
    return f"{changed} {what}"


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} of {name}" for name, count in counts.items())


def _rows_finding(subject: Subject, message: str, details: dict[str, Any], mend: Mend) -> Finding:
    def repair() -> str:
        done = subject.change_rows(mend)
        return f"{done}; before that everything was copied to {subject.copies[-1].name}"

    return Finding(Severity.WARNING, message, "agentos doctor --repair", details, repair)
