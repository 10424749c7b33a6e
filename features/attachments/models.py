"""The text of a file, as far as it is kept."""

from ...modules.records import dataclass

MOST_CHARS = 20_000
"""How much text of a file is kept: `agentos ingest` takes all of a long document."""


MOST_READ = 16 * 1024 * 1024
"""How many characters of a file are looked at for secrets."""


@dataclass(frozen=True)
class Read:
    """The text of a file, and the problem that kept all or the rest of it from being read, if one did."""

    text: str = ""
    problem: str = ""
