"""MCP server-memory: its knowledge graph as JSON lines. Each observation is a memory, each relation a sentence."""

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...modules.foreign_files import MiB, lines, opened
from ...modules.portability.models import Entry

SOURCE = "import: server-memory"
_NAME = re.compile(r"[a-z]{1,20}(?:_[a-z]{1,20}){1,6}")
MAX_LINE_BYTES = 16 * MiB


def is_here(path: Path) -> bool:
    if not path.is_file():
        return False
    with opened(path) as file:
        first = file.readline(MAX_LINE_BYTES).removeprefix(codecs.BOM_UTF8).decode(errors="replace")
    try:
        found = json.loads(first)
    except ValueError:
        return False
    return isinstance(found, dict) and found.get("type") in ("entity", "relation")


def read(path: Path) -> Iterator[Entry]:
    with opened(path) as file:
        for line in filter(bytes.strip, lines(file, MAX_LINE_BYTES)):
            found: dict[str, Any] = json.loads(line.removeprefix(codecs.BOM_UTF8))
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
                text = f"{found['from']} {_in_words(str(found['relationType']))} {found['to']}"
                yield Entry(text, tags=("relation",), metadata={"entity": found["from"]}, source=SOURCE)


def _in_words(relation: str) -> str:
    """A relation as a sentence has it: `works_at` in words, any other as it is."""
    return relation.replace("_", " ") if _NAME.fullmatch(relation) else relation
