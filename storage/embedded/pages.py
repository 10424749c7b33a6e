"""Pages of conversations as their turns come and go: what is derived from a turn goes when that changes."""

import hashlib

import aiosqlite

from ...modules.context.tokens import estimate
from . import segments

TITLE_CHARS = 90


def title_of(text: str) -> str:
    """The title that a session takes from what the user says first."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1].rstrip() + "…"


def turn_hash(session: str, key: str, content: str) -> str:
    """What tells a turn from others: its session, key and words, so that the same words twice are two turns."""
    return hashlib.sha256(f"{session}\x00{key}\x00{content}".encode()).hexdigest()


async def key_of(connection: aiosqlite.Connection, memory_seq: int) -> str | None:
    """The key of the turn that a memory is; None for any other memory."""
    rows = await connection.execute_fetchall("SELECT key FROM turns WHERE memory_seq = ?", (memory_seq,))
    return next((str(row["key"]) for row in rows), None)


async def text_changed(connection: aiosqlite.Connection, memory_seq: int, content: str) -> None:
    """A memory says something else now: where it is a turn, what was worked out of it is worked out again."""
    tokens = estimate(content)
    await connection.execute("UPDATE turns SET tokens = ?, unread = 1 WHERE memory_seq = ?", (tokens, memory_seq))
    await look_again(connection, "SELECT memory_seq FROM turns WHERE memory_seq = ?", memory_seq)


async def look_again(connection: aiosqlite.Connection, turns: str, *values: object) -> None:
    """Forget what the chains and segments of some turns are about, and how salient the turns of the chains are."""
    await segments.undescribe(connection, turns, *values)
    chains = f"SELECT p.chain FROM turns t JOIN pages p ON p.seq = t.page WHERE t.memory_seq IN ({turns})"
    found = [row[0] for row in await connection.execute_fetchall(chains, values)]
    for chain in dict.fromkeys(found):
        await connection.execute("UPDATE pages SET gist = '' WHERE id = ?", (chain,))
        await connection.execute(
            "UPDATE turns SET salience = NULL WHERE page IN (SELECT seq FROM pages WHERE chain = ?)", (chain,)
        )


async def untitle(connection: aiosqlite.Connection, memory_seq: int, content: str) -> None:
    """What a memory says goes, or is hidden: its session and the branches of that are not named by it any more."""
    await connection.execute(
        "WITH RECURSIVE branches (id) AS (SELECT session FROM turns WHERE memory_seq = ? "
        "UNION SELECT s.id FROM branches b JOIN sessions s ON s.parent = b.id) "
        "UPDATE sessions SET title = '' WHERE id IN (SELECT id FROM branches) AND title = ?",
        (memory_seq, title_of(content)),
    )


async def clear_turn(connection: aiosqlite.Connection, memory_seq: int, content: str) -> None:
    """A memory is about to be erased: where it is the last turn of a page, that goes, and its chain begins later."""
    await untitle(connection, memory_seq, content)
    rows = await connection.execute_fetchall(
        "SELECT p.seq, p.id, p.segment, (SELECT count(*) FROM turns o WHERE o.page = p.seq) AS turns "
        "FROM turns t JOIN pages p ON p.seq = t.page WHERE t.memory_seq = ?",
        (memory_seq,),
    )
    for page in rows:
        await look_again(connection, "?", memory_seq)
        if page["turns"] == 1:
            await connection.execute("DELETE FROM pages WHERE seq = ?", (page["seq"],))
            await begin_later(connection, page["id"])
            await segments.drop_if_empty(connection, page["segment"])


async def begin_later(connection: aiosqlite.Connection, chain: str) -> None:
    """The first page of a chain is gone: the chain begins with the next one."""
    rows = await connection.execute_fetchall(
        "SELECT id FROM pages WHERE chain = ? ORDER BY session, number LIMIT 1", (chain,)
    )
    for row in rows:
        if row["id"] != chain:
            await connection.execute("UPDATE pages SET chain = ?, gist = '' WHERE chain = ?", (row["id"], chain))


async def tidy(connection: aiosqlite.Connection) -> None:
    """Pages that came without any turn go, and segments without any page; chains whose first page did not come begin
    with the next one.
    """
    await connection.execute("DELETE FROM pages WHERE NOT EXISTS (SELECT 1 FROM turns t WHERE t.page = pages.seq)")
    rows = await connection.execute_fetchall(
        "SELECT DISTINCT chain FROM pages p WHERE NOT EXISTS (SELECT 1 FROM pages f WHERE f.id = p.chain)"
    )
    for row in rows:
        await begin_later(connection, row["chain"])
    await segments.drop_empty(connection)
