"""Pages of conversations, and their segments, as turns change or go: what is derived from a turn goes with it."""

import hashlib

from ...modules.context.tokens import estimate
from ..engine.ports import Connection

TITLE_CHARS = 90


def title_of(text: str) -> str:
    """Return the title that a session takes from the user's first words."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE_CHARS else line[: TITLE_CHARS - 1].rstrip() + "…"


def turn_hash(session: str, key: str, content: str) -> str:
    """Return a turn's hash: of session, key and words, so that the same words twice are two turns."""
    return hashlib.sha256(f"{session}\x00{key}\x00{content}".encode()).hexdigest()


async def key_of(connection: Connection, memory_seq: int) -> str | None:
    """Return the key of a memory that is a turn; None for any other memory."""
    rows = await connection.fetch_all("SELECT key FROM turns WHERE memory_seq = ?", (memory_seq,))
    return next((str(row["key"]) for row in rows), None)


async def text_changed(connection: Connection, memory_seq: int, content: str) -> None:
    """Note that a memory's text has changed: if it is a turn, what was derived from it is derived anew."""
    tokens = estimate(content)
    await connection.execute("UPDATE turns SET tokens = ?, unread = TRUE WHERE memory_seq = ?", (tokens, memory_seq))
    await look_again(connection, "SELECT memory_seq FROM turns WHERE memory_seq = ?", memory_seq)


async def look_again(connection: Connection, turns: str, *values: object) -> None:
    """Forget the gists of the chains, the descriptions of the segments and the salience of the chains' turns."""
    await _undescribe(connection, turns, *values)
    chains = f"SELECT p.chain FROM turns t JOIN pages p ON p.seq = t.page WHERE t.memory_seq IN ({turns})"
    found = [row[0] for row in await connection.fetch_all(chains, values)]
    for chain in dict.fromkeys(found):
        await connection.execute("UPDATE pages SET gist = '' WHERE id = ?", (chain,))
        await connection.execute(
            "UPDATE turns SET salience = NULL WHERE page IN (SELECT seq FROM pages WHERE chain = ?)", (chain,)
        )


async def untitle(connection: Connection, memory_seq: int, content: str) -> None:
    """Clear the titles of a session and its branches that were taken from a memory, which is erased or hidden."""
    await connection.execute(
        "WITH RECURSIVE branches (id) AS (SELECT session FROM turns WHERE memory_seq = ? "
        "UNION SELECT s.id FROM branches b JOIN sessions s ON s.parent = b.id) "
        "UPDATE sessions SET title = '' WHERE id IN (SELECT id FROM branches) AND title = ?",
        (memory_seq, title_of(content)),
    )


async def clear_turn(connection: Connection, memory_seq: int, content: str) -> None:
    """Prepare for a memory's erasure: remove its page if it is the last turn of that, and begin the chain later."""
    await untitle(connection, memory_seq, content)
    rows = await connection.fetch_all(
        "SELECT p.seq, p.id, p.segment, (SELECT count(*) FROM turns o WHERE o.page = p.seq) AS turns "
        "FROM turns t JOIN pages p ON p.seq = t.page WHERE t.memory_seq = ?",
        (memory_seq,),
    )
    for page in rows:
        await look_again(connection, "?", memory_seq)
        if page["turns"] == 1:
            await connection.execute("DELETE FROM pages WHERE seq = ?", (page["seq"],))
            await begin_later(connection, page["id"])
            await _drop_if_empty(connection, page["segment"])


async def begin_later(connection: Connection, chain: str) -> None:
    """Let a chain whose first page is gone begin with the next one."""
    rows = await connection.fetch_all("SELECT id FROM pages WHERE chain = ? ORDER BY session, number LIMIT 1", (chain,))
    for row in rows:
        if row["id"] != chain:
            await connection.execute("UPDATE pages SET chain = ?, gist = '' WHERE chain = ?", (row["id"], chain))


async def tidy(connection: Connection) -> None:
    """Remove pages without turns and segments without pages; chains without their first page begin with the next."""
    await connection.execute("DELETE FROM pages WHERE NOT EXISTS (SELECT 1 FROM turns t WHERE t.page = pages.seq)")
    rows = await connection.fetch_all(
        "SELECT DISTINCT chain FROM pages p WHERE NOT EXISTS (SELECT 1 FROM pages f WHERE f.id = p.chain)"
    )
    for row in rows:
        await begin_later(connection, row["chain"])
    await _drop_empty(connection)


async def _undescribe(connection: Connection, turns: str, *values: object) -> None:
    """Clear the descriptions of the segments of some turns (a query of their numbers), to be described anew."""
    await connection.execute(
        "UPDATE segments SET summary = '', keywords = '[]' WHERE seq IN "
        f"(SELECT p.segment FROM turns t JOIN pages p ON p.seq = t.page WHERE t.memory_seq IN ({turns}))",
        values,
    )


async def _drop_if_empty(connection: Connection, number: int | None) -> None:
    """Delete a segment that has no page left."""
    await connection.execute(
        "DELETE FROM segments WHERE seq = ? AND NOT EXISTS (SELECT 1 FROM pages WHERE segment = segments.seq)",
        (number,),
    )


async def _drop_empty(connection: Connection) -> None:
    """Delete every segment that has no page."""
    await connection.execute("DELETE FROM segments WHERE NOT EXISTS (SELECT 1 FROM pages WHERE segment = segments.seq)")
