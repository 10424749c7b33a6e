"""The text of a file, as far as it is kept."""

from dataclasses import dataclass

MOST_CHARS = 20_000
"""How much text of a file is kept: `agentos ingest` takes all of a long document."""


@dataclass(frozen=True)
class Read:
    """The text of a file, or the problem that keeps it from being read; neither where such files have none."""

    text: str = ""
    problem: str = ""
