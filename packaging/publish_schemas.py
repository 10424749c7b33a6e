"""Publishes what the rows of bundles look like: a JSON Schema for each schema of the store, from its migrations.

    python packaging/publish_schemas.py [--unreleased]

Writes the hash of each into conformance/schemas/PUBLISHED, and those that say something other than the one before as
files beside it. What is published never changes; with `--unreleased` the newest one does, as long as its migration has
been in no release.
"""

import argparse
import hashlib
import json
import re
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from agentos.storage.bundles.staged_tables import tables
from agentos.storage.repositories.bundle_rows import OBJECTS, Table
from agentos.storage.sqlite import migrate

ROOT = Path(__file__).resolve().parents[1]
SCHEMAS = ROOT / "conformance/schemas"
PUBLISHED = SCHEMAS / "PUBLISHED"

TABLES = {
    "approval_events": "What became of a request to decide, step by step.",
    "approvals": "Requests to decide. What AgentOS itself would do waits for a person again when it is imported.",
    "attachment_parts": "The bytes of files, in parts of 64 KiB.",
    "attachments": "Files of memories.",
    "audit": "What was changed, when and in whose memory.",
    "change_memories": "Which memories a change concerned.",
    "changes": "Judgements of memories, with all that undoing them needs.",
    "consolidations": "Conversations that were summed up.",
    "entities": "Nodes of the graph: people, things, places.",
    "entity_aliases": "Other names of nodes.",
    "entity_mentions": "Which memories name a node.",
    "entity_relations": "Edges of the graph.",
    "events": "What happened in sessions: turns, calls of tools, signals; and reflections.",
    "goal_notes": "Notes on the progress of goals.",
    "goals": "Goals.",
    "insights": "What jobs found out: insights and tasks.",
    "memories": "Memories, with what is known of their truth.",
    "memory_versions": "Earlier versions of memories.",
    "namespaces": "Whose memories there are: one for each agent.",
    "pages": "Pages of conversations: a question with its answers.",
    "patterns": "What reflections have in common.",
    "projects": "Folders and repositories that sessions worked on.",
    "readings": "What was read for what, at which version: it is not read, nor made, a second time.",
    "relations": "How one memory relates to another.",
    "sealed_memories": "Opaque texts under their owner's vectors.",
    "segments": "Pages about the same, by heat.",
    "sessions": "Sessions of clients.",
    "shown_context": "What a session was shown already.",
    "stretches": "Runs of events in sessions that were, or are to be, observed.",
    "turns": "What makes a memory a turn of a conversation.",
}

NO_NULL = "^[^\\u0000]*$"
JSON_TEXT = {"type": "string", "contentMediaType": "application/json"}
DEFINITIONS: dict[str, Any] = {
    "text": {"type": "string", "pattern": NO_NULL},
    "id": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": NO_NULL},
    "whole": {"type": "integer", "minimum": -62135596800000000, "maximum": 253402300799999999},
    "moment": {
        "description": "Microseconds since 1970-01-01 UTC; of the years 1 to 9999.",
        "type": "integer",
        "minimum": -62135596800000000,
        "maximum": 253402300799999999,
    },
    "number": {"type": "number"},
    "share": {"type": "number", "minimum": 0, "maximum": 1},
    "json": {"description": "JSON, as a text.", **JSON_TEXT},
    "json_object": {"description": "A JSON object, as a text.", **JSON_TEXT, "contentSchema": {"type": "object"}},
    "json_texts": {
        "description": "A JSON list of texts, as a text.",
        **JSON_TEXT,
        "contentSchema": {"type": "array", "items": {"type": "string"}},
    },
    "bytes": {
        "type": "object",
        "required": ["base64"],
        "properties": {"base64": {"type": "string", "contentEncoding": "base64"}},
        "maxProperties": 1,
    },
}
JSON_COLUMNS = {"tags": "json_texts", **dict.fromkeys(OBJECTS, "json_object")}
TYPES = {"TEXT": "text", "INTEGER": "whole", "REAL": "number", "BLOB": "bytes"}
MOMENTS = re.compile(r"at|\w+_at|valid_from|valid_to|deadline|lease_until|last_seen")


def main(arguments: list[str] | None = None) -> int:
    """Write the missing schemas; return 1 if a published one would have to change."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--unreleased", action="store_true", help="the newest migration has been in no release")
    options = parser.parse_args(arguments)
    newest = len(migrate.known())
    published = hashes()
    before: dict[str, Any] = {}
    for version in range(1, newest + 1):
        name = f"format-1/rows-{version:03}.schema.json"
        document = schema(version)
        text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
        digest = hashlib.sha256(text.encode()).hexdigest()
        free = options.unreleased and version == newest
        if not free and published.get(name, digest) != digest:
            sys.stderr.write(f"{name} is published and would change; a migration that was released has changed\n")
            return 1
        published[name] = digest
        if content(document) != before:
            (SCHEMAS / name).write_text(text, encoding="utf-8")
        else:
            (SCHEMAS / name).unlink(missing_ok=True)
        before = content(document)
    lines = sorted((name, digest) for name, digest in published.items())
    PUBLISHED.write_text("".join(f"{digest}  {name}\n" for name, digest in lines), encoding="utf-8")
    return 0


def hashes() -> dict[str, str]:
    """Return the SHA-256 of each schema by its name: of what is published, and of the sealed formats as they are."""
    lines = PUBLISHED.read_text(encoding="utf-8").splitlines() if PUBLISHED.exists() else []
    published = {name: digest for digest, name in (line.split("  ") for line in lines)}
    written = {
        path.relative_to(SCHEMAS).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in SCHEMAS.rglob("*.schema.json")
    }
    return published | {name: digest for name, digest in written.items() if "/rows-" not in name}


def content(document: dict[str, Any]) -> dict[str, Any]:
    """Return what a schema says, but for its own name."""
    return {name: value for name, value in document.items() if name not in ("$id", "title")}


def schema(version: int) -> dict[str, Any]:
    """Return the schema rows-NNN."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "empty.db"
        migrate.apply(database, migrate.known()[:version])
        with closing(sqlite3.connect(database)) as connection:
            found = sorted(tables(connection), key=lambda table: table.name)
            rows = {table.name: _row(connection, table) for table in found}
    cases = [
        {"if": {"properties": {"table": {"const": name}}}, "then": {"properties": {"row": {"$ref": f"#/$defs/{name}"}}}}
        for name in rows
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:agentos:bundle:format-1:rows-{version:03}",
        "title": f"A row line of a bundle whose first line says schema {version}",
        "description": "In $defs, a schema for the rows of each table. x-order: arrival, what comes later in the file "
        "came later; columns, the order says nothing. x-refers-to: the id of a row of that table in the same bundle.",
        "type": "object",
        "required": ["table", "row"],
        "properties": {"table": {"enum": list(rows)}},
        "allOf": cases,
        "$defs": {**rows, **{f"value_{name}": value for name, value in DEFINITIONS.items()}},
    }


def _row(connection: sqlite3.Connection, table: Table) -> dict[str, Any]:
    [sql] = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table.name,)).fetchone()
    described = {row[1]: row for row in connection.execute(f"PRAGMA table_info({table.name})")}
    links = {link.column: link.table for link in table.links}
    properties = {}
    for column in table.columns:
        _, _, kind, required, _, key = described[column]
        value = _value(sql, column, kind, links.get(column))
        properties[column] = value if required or key else {"anyOf": [value, {"type": "null"}]}
    return {
        "description": TABLES[table.name],
        "x-order": "arrival" if table.numbered else "columns",
        "type": "object",
        "required": list(table.columns),
        "properties": properties,
    }


def _value(sql: str, column: str, kind: str, refers_to: str | None) -> dict[str, Any]:
    if refers_to is not None:
        return {"$ref": "#/$defs/value_id", "x-refers-to": refers_to}
    choice = re.search(rf"\b{column} IN \(([^)]*)\)", sql)
    if choice is not None:
        return {"enum": json.loads(f"[{choice[1].strip()}]".replace("'", '"'))}
    if column == "id":
        return {"$ref": "#/$defs/value_id"}
    if kind == "TEXT" and f"json_valid({column})" in sql:
        return {"$ref": f"#/$defs/value_{JSON_COLUMNS.get(column, 'json')}"}
    if kind == "REAL" and re.search(rf"\b{column} BETWEEN 0 AND 1\b", sql):
        return {"$ref": "#/$defs/value_share"}
    if kind == "INTEGER" and MOMENTS.fullmatch(column):
        return {"$ref": "#/$defs/value_moment"}
    return {"$ref": f"#/$defs/value_{TYPES[kind]}"}


if __name__ == "__main__":
    sys.exit(main())
