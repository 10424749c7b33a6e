"""Checks of the vector index by its files and notes; only the daemon opens ChromaDB itself."""

import asyncio
import shutil
import subprocess
import sys
import tempfile
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from ....modules.health.models import Check, Finding, Severity, info, ok
from ....modules.text.counting import counted
from ..chroma_process import ChromaFailed
from ..chroma_server import URL_SETTING, ChromaAddress, heartbeat
from ..driver import sqlite3
from .reading import DatabaseReader
from .subject import Subject

NAME = "chroma"
MANY_CHANGES = 10_000
OPEN_WITHIN_S = 60.0
REMOVED_WITHIN = timedelta(hours=1)
MESSAGE_MAX = 200
_OPEN = """
import sys, chromadb
client = chromadb.PersistentClient(sys.argv[1], chromadb.config.Settings(anonymized_telemetry=False))
for collection in client.list_collections():
    found = collection.peek(1)["embeddings"]
    if len(found):
        collection.query(query_embeddings=[found[0]], n_results=1)
"""
"""Exercises all that a search needs: the list of collections, the vectors on disk, and the graph."""


def checks(subject: Subject) -> list[Check]:
    """Return the checks of the index, in order; of one on a server its address, and in depth whether it answers."""
    if (server := subject.chroma_server) is not None:
        found = [Check("index.server", lambda: look_at_address(server))]
        return found + ([Check("index.answers", lambda: ask(server), ("index.server",))] if subject.deep else [])
    return [
        Check("index.position", lambda: look_at_position(subject), ("database.schema", "database.identity")),
        Check("index.folder", lambda: look_at_folder(subject), ("database.schema", "database.identity")),
        Check("index.leftovers", lambda: look_for_leftovers(subject), ("home.folder", "index.folder")),
        Check("index.sound", lambda: look_at_files(subject), ("index.folder",)),
        Check("index.count", lambda: look_at_count(subject), ("index.sound", "index.position")),
    ]


def look_at_address(server: ChromaAddress) -> Finding:
    """Check that the settings allow asking the Chroma server."""
    problem = server.why_not()
    if problem is None:
        return ok(f"the index is on the Chroma server at {server.url}", server=server.url)
    message, _, remedy = problem.partition(": ")
    return Finding(Severity.WARNING, f"{message}; all vectors are compared instead", remedy, blocks=True)


def ask(server: ChromaAddress) -> Finding:
    """Check that the Chroma server answers, and lets us in."""
    try:
        version = asyncio.run(heartbeat(server))
    except ChromaFailed as error:
        remedy = f"start the server that {URL_SETTING} names, or correct it"
        return Finding(Severity.WARNING, f"{error}; all vectors are compared instead", remedy)
    return ok(f"it answers with API version {version}", version=version)


def look_at_position(subject: Subject) -> Finding:
    """Check that the last applied change exists, and that the changes after it are kept."""
    newest, oldest = subject.reader.rows(
        "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'index_outbox'), 0), "
        "(SELECT min(seq) FROM index_outbox)"
    )[0]
    noted = subject.reader.rows("SELECT generation, applied FROM index_state WHERE name = ?", NAME)
    if not noted:
        return ok("the index has not been built yet", newest=newest)
    generation, applied = noted[0]
    details = {"applied": applied, "newest": newest, "generation": generation}
    if applied > newest:
        message = f"the index says that it holds change {applied}, but there are only {newest}"
        return _to_be_built_anew(subject, message, details)
    if oldest is not None and oldest > applied + 1:
        message = f"the index has got to change {applied}, but the next one that is kept is {oldest}"
        return _to_be_built_anew(subject, message, details)
    if newest - applied > MANY_CHANGES:
        message = f"the index is {newest - applied} changes behind"
        return Finding(Severity.WARNING, message, "agentos-daemon --once index", details)
    if newest > applied:
        return info(f"the index is {newest - applied} changes behind; the next daemon will apply them", **details)
    return ok(f"the index holds all {newest} changes", **details)


def look_at_folder(subject: Subject) -> Finding:
    """Check that the folder in use is there when there should be one."""
    noted = subject.reader.rows("SELECT 1 FROM index_state WHERE name = ?", NAME)
    current = current_folder(subject.chroma)
    if current is None and not noted:
        return Finding(Severity.OK, "there is no index yet", blocks=not any(subject.chroma.glob("index-*")))
    if current is not None and (current / "chroma.sqlite3").exists():
        return ok(f"the index is in {current.name}", path=str(current))
    message = (
        f"the vector index in {subject.chroma} is gone"
        if current is None
        else f"the vector index names the folder {current.name}, which is not there"
    )
    return _to_be_built_anew(subject, message, {"path": str(current or subject.chroma)}, blocks=True)


def look_for_leftovers(subject: Subject) -> Finding:
    """Check that there are no folders of builds that were cut off."""
    current = current_folder(subject.chroma)
    left = [path for path in subject.chroma.glob("index-*") if path != current]
    if not left:
        return ok("no leftover index folders")

    def remove() -> str:
        with subject.without_daemon():
            for path in left:
                shutil.rmtree(path)
        return f"{len(left)} old folders of the index removed"

    names = ", ".join(sorted(path.name for path in left))
    message = f"the index has {counted(len(left), 'folder')} that nothing uses: {names}"
    details = {"folders": [str(path) for path in left]}
    newest_us = max(int(path.stat().st_mtime * 1e6) for path in left)
    if not subject.was_neglected(newest_us, REMOVED_WITHIN):
        return info(f"{message}; a daemon will build or remove them", **details)
    return Finding(
        Severity.WARNING, f"{message}, although a daemon was there", "agentos doctor --repair", details, remove
    )


def look_at_files(subject: Subject) -> Finding:
    """Check that Chroma's own database is sound; with `deep`, that Chroma itself opens and searches it."""
    current = current_folder(subject.chroma)
    if current is None:
        return Finding(Severity.OK, "there is no index yet", blocks=True)
    if subject.daemon_is_there():
        return Finding(Severity.OK, "a daemon has the index open and rebuilds it if it fails", blocks=True)
    try:
        with closing(DatabaseReader(current / "chroma.sqlite3")) as reader:
            result = reader.one("PRAGMA quick_check(1)")
        problem = None if result == "ok" else str(result)
    except sqlite3.Error as error:
        problem = str(error)
    if problem is None and subject.deep:
        problem = _opened_by_chroma(current)
    if problem is None:
        return ok("the index files are intact")
    return _to_be_built_anew(subject, f"the vector index is damaged: {problem}", {"path": str(current)}, blocks=True)


def look_at_count(subject: Subject) -> Finding:
    """Check that an index that holds every change holds as many vectors as the database."""
    current = current_folder(subject.chroma)
    noted = subject.reader.rows("SELECT generation, applied FROM index_state WHERE name = ?", NAME)
    newest = subject.reader.one("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'index_outbox'")
    if current is None or not noted or noted[0][1] != newest:
        return ok("the index is not complete yet, so there is nothing to compare")
    generation = noted[0][0]
    expected = subject.reader.one(
        "SELECT count(*) FROM embeddings e JOIN memories m ON m.seq = e.memory_seq WHERE e.generation = ?", generation
    )
    try:
        with closing(DatabaseReader(current / "chroma.sqlite3")) as reader:
            count = reader.one(
                "SELECT count(*) FROM embeddings e JOIN segments s ON s.id = e.segment_id "
                "JOIN collections c ON c.id = s.collection WHERE c.name LIKE ?",
                f"%-g{generation}",
            )
    except sqlite3.Error as error:
        return info(f"this ChromaDB version has a different file layout; not counted ({error})")
    details = {"index": count, "database": expected, "generation": generation}
    if count == expected:
        return ok(f"the index and the database hold {counted(count, 'vector')}", **details)
    message = f"the index holds {counted(count, 'vector')}, the database {expected}"
    return _to_be_built_anew(subject, message, details)


def current_folder(chroma: Path) -> Path | None:
    """Return the folder that CURRENT names; None without one."""
    try:
        name = (chroma / "CURRENT").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return chroma / name if name.startswith("index-") and "/" not in name else None


def _opened_by_chroma(folder: Path) -> str | None:
    """Open a copy as the daemon would, in a separate process; return what goes wrong, or None."""
    with tempfile.TemporaryDirectory(prefix="agentos-doctor-") as temporary:
        copy = shutil.copytree(folder, Path(temporary) / folder.name)
        try:
            done = subprocess.run(
                [sys.executable, "-P", "-c", _OPEN, str(copy)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=OPEN_WITHIN_S,
            )
        except subprocess.TimeoutExpired:
            return f"ChromaDB did not open it within {OPEN_WITHIN_S:.0f} s"
    if done.returncode == 0:
        return None
    if done.returncode < 0:
        return f"ChromaDB crashed on it (signal {-done.returncode})"
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:MESSAGE_MAX] if lines else f"ChromaDB ended with code {done.returncode}"


def _to_be_built_anew(subject: Subject, message: str, details: dict[str, object], *, blocks: bool = False) -> Finding:
    """Return a finding whose repair removes the index and its position; the next daemon rebuilds it."""

    def forget() -> str:
        with subject.without_daemon():
            with subject.writer() as connection:
                connection.execute("DELETE FROM index_state WHERE name = ?", (NAME,))
            (subject.chroma / "CURRENT").unlink(missing_ok=True)
            for path in subject.chroma.glob("index-*"):
                shutil.rmtree(path)
        return "the index was removed; the next daemon builds it from the database (agentos-daemon --once index)"

    return Finding(Severity.WARNING, message, "agentos doctor --repair", details, forget, blocks)
