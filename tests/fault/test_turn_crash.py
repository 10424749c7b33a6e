"""Killing processes that add turns or do tasks: what was acknowledged is there whole, and a task comes back."""

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from tests.fault.forked import running
from tests.fault.test_crash import PRELUDE, lines, rest

ADDING = (
    PRELUDE
    + """
async def main():
    store, agentos = await opened()
    number = 0
    while True:
        question = f"question {sys.argv[2]} {number}"
        added = await agentos.turns.add("ada", "talk", "user", question, answer="the same answer")
        print(*(turn.memory_id for turn in added.turns), flush=True)
        number += 1

asyncio.run(main())
"""
)
MATURING = (
    PRELUDE
    + """
async def main():
    store, agentos = await opened()
    assert await agentos.embedding.caught_up(60)
    print("maturing", flush=True)
    while await agentos.turns.mature():
        pass
    print("done", flush=True)

asyncio.run(main())
"""
)
WORKING = (
    PRELUDE
    + """
async def main():
    store = await SqliteStore.open(Path(sys.argv[1]), Path(sys.argv[1]) / "agentos.db", system_clock)
    clock = lambda: system_clock() + timedelta(minutes=float(sys.argv[2]))
    agentos = AgentOS.over(store, Embedder(), config.load(home=Path(sys.argv[1])), clock)
    async def handle(task):
        print(task.key, flush=True)
        if sys.argv[3] == "hang" and task.key == "50":
            await asyncio.Event().wait()
    if sys.argv[3] == "put":
        for number in range(100):
            await agentos.queue.put("ada", "count", str(number), {})
        print("put", flush=True)
    else:
        await agentos.queue.work("count", handle, limit=1_000)
        print("nothing left", flush=True)

asyncio.run(main())
"""
)


@pytest.mark.parametrize("after", [1, 25])
def test_killed_writers_of_one_session_lose_no_turn_and_leave_no_half_page(tmp_path: Path, after: int) -> None:
    home = tmp_path / "home"
    acknowledged: list[str] = []
    for number in range(2):
        with running(ADDING, home, f"a{number}") as first, running(ADDING, home, f"b{number}") as second:
            for process in (first, second):
                acknowledged += lines(process, after)
            first.kill()
            second.kill()
            acknowledged += rest(first) + rest(second)
    with closing(sqlite3.connect(home / "agentos.db")) as database:
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        turns = database.execute(
            "SELECT m.id, m.place, p.number, t.role FROM turns t JOIN memories m ON m.seq = t.memory_seq "
            "JOIN pages p ON p.seq = t.page ORDER BY m.place"
        ).fetchall()
        assert database.execute("SELECT count(*) FROM memories").fetchone()[0] == len(turns)
        assert database.execute("SELECT count(*) FROM sessions").fetchone()[0] == 1
    assert {one for line in acknowledged for one in line.split()} <= {row[0] for row in turns}
    assert [row[1] for row in turns] == list(range(len(turns))), "no gap"
    assert [row[2] for row in turns] == [number // 2 for number in range(len(turns))], "each page is whole"
    assert [row[3] for row in turns] == ["user", "assistant"] * (len(turns) // 2)


def test_weighing_that_is_killed_is_done_again(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with running(ADDING, home, "x") as adding:
        lines(adding, 60)
        adding.kill()
    for _ in range(3):
        with running(MATURING, home) as maturing:
            lines(maturing, 1)
            maturing.kill()
    with running(MATURING, home) as maturing:
        assert lines(maturing, 2)[1] == "done"
    with closing(sqlite3.connect(home / "agentos.db")) as database:
        assert database.execute("SELECT count(*) FROM turns WHERE salience IS NULL").fetchone() == (0,)
        assert database.execute("SELECT count(*) FROM pages WHERE chain = id AND gist = ''").fetchone() == (0,)


def test_two_processes_do_each_task_once_and_that_of_a_killed_one_comes_back(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with running(WORKING, home, "0", "put") as putting:
        assert lines(putting, 1) == ["put"]
    with running(WORKING, home, "0", "hang") as first, running(WORKING, home, "0", "hang") as second:
        done: list[str] = []
        hung = None
        for process in (first, second):
            output = lines(process, 1)
            while output[-1] not in ("50", "nothing left"):
                output += lines(process, 1)
            hung = process if output[-1] == "50" else hung
            done += output
        assert hung is not None
        hung.kill()
        done += rest(hung)
    counted = Counter(one for one in done if one != "nothing left")
    assert set(counted.values()) == {1} and len(counted) == 100, "each was begun once"
    with running(WORKING, home, "1", "work") as early:
        assert lines(early, 1) == ["nothing left"], "its lease still holds"
    with running(WORKING, home, "6", "work") as late:
        assert lines(late, 2) == ["50", "nothing left"]
    with closing(sqlite3.connect(home / "agentos.db")) as database:
        states = database.execute("SELECT state, attempts, count(*) FROM queue GROUP BY 1, 2 ORDER BY 2").fetchall()
    assert states == [("done", 1, 99), ("done", 2, 1)]
