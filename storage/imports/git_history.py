"""A repository's history: what each commit says it did, as candidates; merges are left out."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from ...modules.portability.models import CANDIDATE_CONFIDENCE, Entry

NEWEST = 1_000
WITHIN_S = 60.0
_FIELD, _END = "\x1f", "\x1e"


def is_here(path: Path) -> bool:
    return (path / ".git").exists()


def read(path: Path) -> Iterator[Entry]:
    """Raises ValueError when git cannot tell."""
    try:
        answer = subprocess.run(
            (
                "git",
                "-c",
                "core.hooksPath=/dev/null",
                "-C",
                str(path),
                "log",
                "--no-merges",
                "--no-show-signature",  # a repository's own settings name the program for it
                f"--max-count={NEWEST}",
                f"--format=%H{_FIELD}%aI{_FIELD}%an{_FIELD}%s{_FIELD}%b{_END}",
            ),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=WITHIN_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ValueError(f"git log: {error}") from error
    if answer.returncode:
        raise ValueError(answer.stderr.strip()[:200] or "git log failed")
    for record in answer.stdout.split(_END):
        fields = record.strip("\n").split(_FIELD)
        if len(fields) == 5:
            commit, when, author, subject, body = fields
            yield Entry(
                "\n".join(part for part in (subject, body.strip()) if part),
                memory_type="episodic",
                tags=("commit",),
                metadata={"commit": commit, "author": author},
                source=f"import: git {path.absolute().name}",
                occurred_at=when,
                confidence=CANDIDATE_CONFIDENCE,
            )
