"""Standing instructions for agents: CLAUDE.md, AGENTS.md, GEMINI.md, Cursor's rules. Each item is a candidate."""

from collections.abc import Iterator
from pathlib import Path

from ...modules.foreign_files import MiB, files_below, lies_in, text
from ...modules.portability.models import CANDIDATE_CONFIDENCE, Entry
from .markdown import items, split_front_matter

NAMES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", ".cursorrules")
PLACES = (*NAMES, ".claude/CLAUDE.md", ".github/copilot-instructions.md", ".windsurfrules")
MAX_FILE_BYTES = 16 * MiB
SHORTEST = 12
"""Shorter items are headlines of lists."""


def is_here(path: Path) -> bool:
    return bool(_files(path))


def read(path: Path) -> Iterator[Entry]:
    for file in _files(path):
        _, body = split_front_matter(text(file, MAX_FILE_BYTES, None if file == path else path))
        for item in items(body):
            if len(item.text) < SHORTEST or item.text.startswith("<!--"):
                continue
            under = " › ".join(item.headings[-2:])
            yield Entry(
                f"{under}: {item.text}" if under else item.text,
                memory_type="procedural",
                tags=("instruction",),
                metadata={"file": file.name},
                source=f"import: {file.name}",
                confidence=CANDIDATE_CONFIDENCE,
            )


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path] if path.name in NAMES or path.suffix == ".mdc" else []
    found = [path / place for place in PLACES if lies_in(path / place, path)]
    return [*found, *files_below(path / ".cursor" / "rules", ".mdc")]
