"""Standing instructions for agents: CLAUDE.md, AGENTS.md, GEMINI.md, Cursor's rules. Each item is a candidate."""

import os
from collections.abc import Iterator
from pathlib import Path

from ...modules.foreign_files import MiB, files_below, lies_in, text, unfit
from ...modules.portability.agent_files import parse_section_line
from ...modules.portability.models import CANDIDATE_CONFIDENCE, MemoryEntry, Record, Refused
from .front_matter import split
from .markdown import items

NAMES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", ".cursorrules")
PLACES = (*NAMES, ".claude/CLAUDE.md", ".github/copilot-instructions.md", ".windsurfrules")
MAX_FILE_BYTES = 16 * MiB


def is_here(path: Path) -> bool:
    return bool(_files(path))


def read(path: Path) -> Iterator[Record]:
    for place in PLACES:
        if os.path.lexists(path / place) and (why := unfit(path / place, path)):
            yield Refused(place, why)
    for file in _files(path):
        try:
            _, body, before = split(text(file, MAX_FILE_BYTES, None if file == path else path))
        except OSError as error:
            yield Refused(file.name, error.strerror or str(error))
            continue
        for item in items(body, before):
            again = parse_section_line(item.headings, item.text)
            if again == "" or _is_trivial(item.text):
                continue
            under = " › ".join(item.headings[-2:])
            statement = f"{item.box}: {item.text}" if item.box else item.text
            yield MemoryEntry(
                again or (f"{under}: {statement}" if under else statement),
                memory_type="procedural",
                tags=("instruction",),
                metadata={"file": file.name},
                source=f"import: {file.name}",
                confidence=CANDIDATE_CONFIDENCE,
                where=f"{file.name}, line {item.line}",
            )


def _is_trivial(item: str) -> bool:
    """Return whether an item is a single word, the headline of a list, or a comment."""
    return len(item.split()) < 2 or item.startswith("<!--") or (item.endswith(":") and "\n" not in item)


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path] if path.name in NAMES or path.suffix == ".mdc" else []
    found = [path / place for place in PLACES if lies_in(path / place, path)]
    return [*found, *files_below(path / ".cursor" / "rules", ".mdc")]
