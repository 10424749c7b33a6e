"""MCP server-memory: its knowledge graph as JSON lines. Each observation is a memory, each relation a sentence."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...modules.portability.models import Entry

SOURCE = "import: server-memory"


def is_here(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        first = file.readline()
    try:
        found = json.loads(first)
    except ValueError:
        return False
    return isinstance(found, dict) and found.get("type") in ("entity", "relation")


def read(path: Path) -> Iterator[Entry]:
    with path.open(encoding="utf-8-sig") as file:
        for line in filter(str.strip, file):
            found: dict[str, Any] = json.loads(line)
            if found["type"] == "entity":
                tags = (str(found["entityType"]),) if found.get("entityType") else ()
                for observation in found.get("observations", ()):
                    yield Entry(
                        f"{found['name']}: {observation}",
                        tags=tags,
                        metadata={"entity": found["name"]},
                        source=SOURCE,
                    )
            elif found["type"] == "relation":
                text = f"{found['from']} {str(found['relationType']).replace('_', ' ')} {found['to']}"
                yield Entry(text, tags=("relation",), metadata={"entity": found["from"]}, source=SOURCE)
