"""Stores of a million memories, in minutes: rows in the storage layer's own shapes, by bulk inserts.

A text is a clause that the real model has embedded, and words of a vocabulary by Zipf's law; its vector lies around its
clause's. One namespace has 250 memories, one 100,000, and `OTHERS` share the rest by Zipf's law. Rows of the namespaces
lie mixed, as agents write them. Everything of a memory follows from its number alone, so a store can be grown later.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from agentos.modules.memory.storing import content_hash
from agentos.modules.text import scripts
from agentos.storage.embedding.passages import generation_name
from agentos.storage.engine.stemming import Stemmer, weights
from agentos.storage.sqlite import text_functions

from .corpus import CLAUSES, Seeds, clauses

if TYPE_CHECKING:
    import psycopg

SMALL, LARGE = "small", "large"
OF_SMALL, OF_LARGE, OTHERS = 250, 100_000, 998
FIRST = OF_SMALL + OF_LARGE
VOCABULARY, WORDS = 50_000, 8
TAGS = 20
NOISE = 0.03
TOKENS = 20
LONG_TABLES = ("memory_words", "memory_tags", "compounds", "token_signs", "readings")
INDEX_MEMORY = "3GB"
"""What making the index of vectors may take: beyond it, the index is made ten times as slowly."""
A_BATCH = 10_000
BEFORE = 1_000
"""The sequence numbers left to what a store holds before."""
AFTER = 100_000_000
"""From where on memories are numbered that are stored between growths."""
BEGAN_US, STEP_US = 1_700_000_000_000_000, 40_000_000
_SYLLABLES = "ba do fe gi ka lo mu ne pi ro sa tu".split()
_KINDS = ("episodic", "semantic", "procedural")
_COLUMNS = (
    "seq, id, namespace, memory_type, content, summary, tags, importance, metadata, source, content_hash, "
    "occurred_at, created_at, updated_at, accessed_at"
)


@dataclass(frozen=True)
class Made:
    """A memory: the columns of its row, the pieces of its text, and its vector and signs."""

    row: tuple[Any, ...]
    clause: int
    words: list[str]
    tag: str
    vector: bytes
    signs: bytes

    @property
    def seq(self) -> int:
        return int(self.row[0])

    @property
    def namespace(self) -> str:
        return str(self.row[2])


def vocabulary() -> list[str]:
    """Return the words, the most frequent first; none is so long that it may be a compound."""
    return [*map(word, range(VOCABULARY))]


def word(rank: int) -> str:
    """Return the word of a rank, 0 for the most frequent."""
    count = len(_SYLLABLES)
    return "".join(_SYLLABLES[rank // count**place % count] for place in range(5 if rank >= count**4 else 4))


def namespace_of(number: int, chance: float) -> str:
    """Return the namespace of a memory; the first FIRST are those of the two that are measured."""
    if number < FIRST:
        return SMALL if number % (FIRST // OF_SMALL) == 0 and number // (FIRST // OF_SMALL) < OF_SMALL else LARGE
    return f"team-{int(OTHERS**chance) - 1:03}"


def made(seeds: Seeds, numbers: range) -> Iterator[list[Made]]:
    """Yield memories in batches; those of the two measured namespaces are mixed among the first."""
    words, texts, centres = vocabulary(), clauses(), seeds.clause_vectors()
    for begin in range(numbers.start, numbers.stop, A_BATCH):
        size = min(A_BATCH, numbers.stop - begin)
        chance = np.random.default_rng(begin)
        ranks = (VOCABULARY ** chance.random((size, WORDS))).astype(int) - 1
        topics = chance.integers(0, CLAUSES, size)
        vectors = centres[topics] + chance.normal(0, NOISE, (size, centres.shape[1])).astype("f4")
        vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype("<f4")
        signs = chance.bytes(size * TOKENS * centres.shape[1] // 8)
        shares = chance.random(size)
        batch = []
        for place in range(size):
            number, topic = begin + place, int(topics[place])
            own = [words[rank] for rank in ranks[place]]
            content = f"{texts[topic]}: {' '.join(own)}."
            tag = f"kind-{number % TAGS}"
            at = BEGAN_US + number * STEP_US
            digest = hashlib.sha256(f"memory {number}".encode()).hexdigest()
            row = (
                *(
                    BEFORE + number,
                    f"mem_{digest[:20]}",
                    namespace_of(number, shares[place]),
                    _KINDS[number % len(_KINDS)],
                ),
                *(content, content, json.dumps([tag]), number % 10 / 10, "{}", "", content_hash(content)),
                *(at, at, at, at),
            )
            a_share = len(signs) // size
            batch.append(
                Made(row, topic, own, tag, vectors[place].tobytes(), signs[place * a_share : (place + 1) * a_share])
            )
        yield batch


def parts_of(text: str) -> str:
    """Return the parts of a text's code names, as an index has them."""
    return " ".join(itertools.chain.from_iterable(scripts.parts(text).values()))


def question(number: int) -> str:
    """Return a question: the words of a clause, as common as they are, and a word of the vocabulary, rare or not."""
    chance = np.random.default_rng(number)
    rank = int(VOCABULARY ** chance.random()) - 1
    return f"what do we know of this: {clauses()[int(chance.integers(0, CLAUSES))]}, {word(rank)}?"


def grow_sqlite(database: Path, seeds: Seeds, numbers: range) -> None:
    """Add memories to a store that nobody has open and whose model has embedded once."""
    indexed = {text: " ".join(scripts.indexed_words(text)) for text in (*clauses(), *vocabulary())}
    texts = clauses()
    parts = [parts_of(text) for text in texts]
    stems = _Stems()
    connection = sqlite3.connect(database, isolation_level=None)
    text_functions.add_to(connection)
    for pragma in ("synchronous=OFF", "foreign_keys=OFF", "cache_size=-500000"):
        connection.execute(f"PRAGMA {pragma}")
    triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    [generation] = connection.execute("SELECT max(id) FROM embedding_generations").fetchone()
    for batch in made(seeds, numbers):
        connection.execute("BEGIN")
        for name, _ in triggers:
            connection.execute(f'DROP TRIGGER "{name}"')
        spoken = [
            (one.seq, text := " ".join((indexed[texts[one.clause]], *map(indexed.__getitem__, one.words))), text, one)
            for one in batch
        ]
        connection.executemany(
            "INSERT OR IGNORE INTO namespaces (id, created_at) VALUES (?, ?)",
            [(namespace, BEGAN_US) for namespace in {one.namespace for one in batch}],
        )
        places = ", ".join("?" * 15)
        connection.executemany(f"INSERT INTO memories ({_COLUMNS}) VALUES ({places})", [one.row for one in batch])
        connection.executemany(
            "INSERT INTO memory_text (rowid, summary, content, tags, parts) VALUES (?, ?, ?, ?, ?)",
            [
                (seq, summary, content, one.tag.replace("-", " "), parts[one.clause])
                for seq, summary, content, one in spoken
            ],
        )
        connection.executemany(
            "INSERT INTO memory_tags VALUES (?, ?, ?)", [(one.namespace, one.tag, one.seq) for one in batch]
        )
        connection.executemany(
            "INSERT INTO embeddings (id, memory_seq, part, generation, begins, ends, vector) "
            "VALUES (?1, ?1, 0, ?2, 0, ?3, ?4)",
            [(one.seq, generation, len(one.row[4]), one.vector) for one in batch],
        )
        connection.executemany(
            "INSERT INTO readings (memory_seq, reader, version, namespace) VALUES (?, 'graph', 1, ?)",
            [(one.seq, one.namespace) for one in batch],
        )
        connection.executemany("INSERT INTO token_signs VALUES (?, ?)", [(one.seq, one.signs) for one in batch])
        weighed = [(one, *stems.of(one)) for one in batch]
        connection.executemany(
            "INSERT INTO text_statistics (namespace, aside, memories, tokens) VALUES (?, 0, 1, ?) ON CONFLICT "
            "DO UPDATE SET memories = memories + 1, tokens = tokens + excluded.tokens",
            [(one.namespace, tokens) for one, _, tokens in weighed],
        )
        shelves = dict(connection.execute("SELECT namespace, shelf FROM text_statistics WHERE aside = 0"))
        connection.executemany(
            "INSERT INTO postings (shelf, word, memory_seq, weight, tokens) VALUES (?, ?, ?, ?, ?)",
            sorted(
                (shelves[one.namespace], stem, one.seq, weight, tokens)
                for one, of_words, tokens in weighed
                for stem, weight in of_words.items()
            ),
        )
        connection.executemany(
            "INSERT INTO compounds (shelf, word, memory_seq) VALUES (?, ?, ?)",
            sorted((shelves[one.namespace], word, one.seq) for one in batch for word in stems.long[one.clause]),
        )
        for _, statement in triggers:
            connection.execute(statement)
        connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def grow_postgres(url: str, schema: str, seeds: Seeds, numbers: range) -> None:
    """Add memories to the store of the only tenant, as the owner of the server; indexes are made anew afterwards."""
    import psycopg

    from agentos.storage.postgres.directions import make_index

    with psycopg.connect(url, autocommit=True) as connection:
        # Neither policies nor triggers: rows are written with all that is derived from them.
        connection.execute(f"SET search_path TO {schema}, public".encode())
        connection.execute("SET session_replication_role TO replica")
        connection.execute("SET synchronous_commit TO off")
        connection.execute("SET maintenance_work_mem TO '1GB'")
        connection.execute("SELECT set_config('agentos.tenant', max(id)::text, false) FROM tenants")
        connection.execute(f"DROP INDEX IF EXISTS embeddings_near_{seeds.encoder.dimension}".encode())
        with _unindexed(connection), _given_directions(connection):
            stems = _Stems()
            for batch in made(seeds, numbers):
                with connection.transaction():
                    _put(connection, seeds, stems, batch)
        connection.execute("UPDATE numbers SET memories = greatest(memories, %s)", (AFTER,))
        connection.execute(
            "SELECT setval(s, greatest(nextval(s), %s)) FROM unnest(ARRAY['memories_seq', 'embeddings_id_seq']) s",
            (AFTER,),
        )
        connection.execute("VACUUM ANALYZE")  # as the server does by itself, later
    roomy = psycopg.conninfo.make_conninfo(url, options=f"-c maintenance_work_mem={INDEX_MEMORY}")
    make_index(roomy, schema, seeds.encoder.dimension)


@contextmanager
def _unindexed(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Take the indexes of LONG_TABLES away, and make them again at the end."""
    found = connection.execute(
        "SELECT t.relname, i.relname, pg_get_indexdef(x.indexrelid), pg_get_constraintdef(c.oid) FROM pg_index x "
        "JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid "
        "LEFT JOIN pg_constraint c ON c.conindid = x.indexrelid "
        "WHERE t.relnamespace = current_schema()::regnamespace AND t.relname = ANY (%s)",
        (list(LONG_TABLES),),
    ).fetchall()
    for table, name, _, constraint in found:
        gone = f"ALTER TABLE {table} DROP CONSTRAINT {name}" if constraint else f"DROP INDEX {name}"
        connection.execute(gone.encode())
    yield
    for table, name, index, constraint in found:
        again = f"ALTER TABLE {table} ADD CONSTRAINT {name} {constraint}" if constraint else index
        connection.execute(again.encode())


@contextmanager
def _given_directions(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Let the directions be copied in: the database takes longer to make them than for all else of a row."""
    set_to = (
        "UPDATE pg_attribute SET attgenerated = %s WHERE attrelid = 'embeddings'::regclass AND attname = 'direction'"
    )
    connection.execute(set_to.encode(), ("",))
    try:
        yield
    finally:
        connection.execute(set_to.encode(), ("s",))


class _Stems:
    """The words of every piece of a generated text, as the index has them."""

    def __init__(self) -> None:
        self.long = [sorted(scripts.compounds(text)) for text in clauses()]
        self.parts = [parts_of(text) for text in clauses()]
        tags = {f"kind-{number}" for number in range(TAGS)}
        pieces = [*dict.fromkeys((*clauses(), *self.parts, *vocabulary(), *tags))]
        stemmer = Stemmer()
        self._of = dict(
            zip(pieces, stemmer.stems([" ".join(scripts.indexed_words(piece)) for piece in pieces]), strict=True)
        )
        stemmer.close()
        self._texts = clauses()

    def of(self, one: Made) -> tuple[dict[str, float], int]:
        """Return the words of a memory with the weight of each, and how many it has."""
        of_text = [*self._of[self._texts[one.clause]], *itertools.chain.from_iterable(map(self._of.get, one.words))]
        of_tag, of_parts = self._of[one.tag], self._of[self.parts[one.clause]]
        return weights((of_text, of_text, of_tag, of_parts)), 2 * len(of_text) + len(of_tag) + len(of_parts)


def _put(connection: psycopg.Connection[Any], seeds: Seeds, stems: _Stems, batch: Sequence[Made]) -> None:
    name = generation_name(seeds.encoder.fingerprint, late_interaction=True)
    found = connection.execute("SELECT id FROM embedding_generations WHERE fingerprint = %s", (name,)).fetchone()
    assert found is not None, "the model has embedded nothing in this store"
    connection.cursor().executemany(
        "INSERT INTO namespaces (id, created_at) VALUES (%s, %s) ON CONFLICT DO NOTHING",
        [(namespace, BEGAN_US) for namespace in {one.namespace for one in batch}],
    )
    shelves = dict(connection.execute("SELECT id, 2 * number FROM namespaces").fetchall())
    words, counts = [], []
    for one in batch:
        weights, tokens = stems.of(one)
        shelf = shelves[one.namespace]
        counts.append((one.seq, shelf, tokens))
        words += [(shelf, stem, one.seq, weight, tokens) for stem, weight in weights.items()]
    long = [(shelves[one.namespace], word, one.seq) for one in batch for word in stems.long[one.clause]]
    _copy(connection, f"memories ({_COLUMNS})", [one.row for one in batch])
    _copy(connection, "memory_text (memory_seq, shelf, tokens)", counts)
    _copy(connection, "memory_words (shelf, word, memory_seq, weight, tokens)", sorted(words))
    _copy(connection, "compounds (shelf, word, memory_seq)", sorted(long))
    _copy(connection, "memory_tags (namespace, tag, memory_seq)", [(one.namespace, one.tag, one.seq) for one in batch])
    _copy_vectors(connection, found[0], batch)
    read = [(one.seq, "graph", 1, one.namespace) for one in batch]
    _copy(connection, "readings (memory_seq, reader, version, namespace)", read)
    connection.execute(
        "INSERT INTO text_statistics AS s (shelf, memories, tokens) SELECT shelf, count(*), sum(tokens) "
        "FROM memory_text WHERE memory_seq BETWEEN %s AND %s GROUP BY shelf ON CONFLICT (tenant, shelf) DO UPDATE "
        "SET memories = s.memories + excluded.memories, tokens = s.tokens + excluded.tokens",
        (batch[0].seq, batch[-1].seq),
    )


def _copy(connection: psycopg.Connection[Any], into: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Copy rows whose texts have no tabs, backslashes or line breaks."""
    with connection.cursor() as cursor, cursor.copy(f"COPY {into} FROM STDIN".encode()) as copy:
        copy.write("".join("\t".join(map(str, row)) + "\n" for row in rows))


def _copy_vectors(connection: psycopg.Connection[Any], generation: int, batch: Sequence[Made]) -> None:
    """Copy vectors and signs in the form that the server keeps: in text, they would take longest of all."""
    vectors = np.frombuffer(b"".join(one.vector for one in batch), dtype="<f4").reshape(len(batch), -1)
    seqs, ends = [one.seq for one in batch], [len(one.row[4]) for one in batch]
    numbers = [(">i8", given) for given in (seqs, seqs, 0, generation, 0, ends)]
    size = vectors.shape[1]
    header = np.tile(np.array([size, 0], dtype=">i2").view("u1"), (len(batch), 1))
    direction = np.concatenate([header, vectors.astype(">f4").view("u1")], axis=1)
    columns = "id, memory_seq, part, generation, begins, ends, vector, direction"
    _copy_binary(connection, f"embeddings ({columns})", [*numbers, ("u1", vectors.view("u1")), ("u1", direction)])
    signs = np.frombuffer(b"".join(one.signs for one in batch), dtype="u1").reshape(len(batch), -1)
    _copy_binary(connection, "token_signs (embedding, signs)", [(">i8", seqs), ("u1", signs)])


def _copy_binary(connection: psycopg.Connection[Any], into: str, columns: Sequence[tuple[str, Any]]) -> None:
    """Copy columns of fixed width: integers, or rows of bytes."""
    given = [(kind, np.asarray(values)) for kind, values in columns]
    fields: list[Any] = [("columns", ">i2")]
    for place, (kind, values) in enumerate(given):
        fields += [(f"size{place}", ">i4"), (f"value{place}", kind, values.shape[1:] if kind == "u1" else ())]
    rows = np.zeros(max(len(values) for _, values in given if values.ndim), dtype=fields)
    rows["columns"] = len(given)
    for place, (_, values) in enumerate(given):
        rows[f"size{place}"] = rows.dtype[f"value{place}"].itemsize
        rows[f"value{place}"] = values
    with connection.cursor() as cursor, cursor.copy(f"COPY {into} FROM STDIN (FORMAT binary)".encode()) as copy:
        copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8) + rows.tobytes() + b"\xff\xff")
