"""The generator of large stores: what it writes is what the product itself would have written."""

import sqlite3
from contextlib import closing
from pathlib import Path

from agentos import config
from agentos.benchmarks import million
from agentos.benchmarks.corpus import Seeds
from agentos.storage.sqlite import text_functions
from tests.places import needs_weights

pytestmark = needs_weights


async def test_a_generated_store_has_the_words_the_triggers_would_write(tmp_path: Path) -> None:
    seeds = Seeds(tmp_path / "seeds")
    await seeds.load(tmp_path / "home", [1])
    database = config.load(home=tmp_path / "home").database
    million.grow_sqlite(database, seeds, range(300))
    with closing(sqlite3.connect(database)) as connection:
        text_functions.add_to(connection)
        written = "SELECT rowid, summary, content, tags, parts FROM memory_text ORDER BY rowid"
        expected = "SELECT seq, summary, content, tags, parts FROM memory_words ORDER BY seq"
        assert connection.execute(written).fetchall() == connection.execute(expected).fetchall()
        counted = "SELECT namespace, aside, memories, tokens FROM text_statistics ORDER BY 1"
        of_all = "SELECT namespace, aside, count(*), sum(tokens) FROM text_sizes GROUP BY 1, 2 ORDER BY 1"
        assert connection.execute(counted).fetchall() == connection.execute(of_all).fetchall()
        for table in ("postings", "compounds"):
            ordered = "ORDER BY shelf, word, memory_seq"
            rows = connection.execute(f"SELECT * FROM {table} {ordered}").fetchall()
            assert rows == connection.execute(f"SELECT * FROM memory_{table} {ordered}").fetchall(), table
