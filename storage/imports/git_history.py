"""A repository's history: what each commit says it did, as candidates; merges are left out."""

from collections.abc import Iterator
from pathlib import Path

from ...modules.errors import InvalidInput
from ...modules.portability.models import CANDIDATE_CONFIDENCE, MemoryEntry
from ..git.files import UnreadableHistory, bare, find
from ..git.history import rev_list

NEWEST = 1_000
WITHIN_S = 30.0
MAX_BYTES = 32 * 1024 * 1024
_FORMAT = "%x00".join(("", "%H", "%aI", "%an", "%s", "%b", ""))
_FIELDS = 6
"""With what stands between two commits."""


def is_here(path: Path) -> bool:
    return (path / ".git").exists()


def read(path: Path) -> Iterator[MemoryEntry]:
    """Raises InvalidInput when there is no repository, when git cannot tell, or must not."""
    repository = (None if is_here(path) else bare(path)) or find(path)
    if repository is None:
        raise InvalidInput("file", f"{path}: it is not a git repository, or cannot be read as one")
    try:
        output = rev_list(
            repository,
            "--no-merges",
            f"--max-count={NEWEST}",
            f"--format={_FORMAT}",
            within_s=WITHIN_S,
            most_bytes=MAX_BYTES,
        )
    except UnreadableHistory as error:
        raise InvalidInput("file", f"{path}: {error}") from error
    fields = output.decode("utf-8", "replace").split("\0")
    for begin in range(0, len(fields) - _FIELDS + 1, _FIELDS):
        _, commit, when, author, subject, body = fields[begin : begin + _FIELDS]
        yield MemoryEntry(
            "\n".join(part for part in (subject, body.strip()) if part),
            memory_type="episodic",
            tags=("commit",),
            metadata={"commit": commit, "author": author},
            source=f"import: git {path.absolute().name}",
            occurred_at=when,
            confidence=CANDIDATE_CONFIDENCE,
        )
