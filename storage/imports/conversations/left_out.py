"""What an export has and an import leaves out: counted by kind, and named at the end."""

from collections import Counter
from collections.abc import Iterator

from ....modules.portability.models import Refused

LONGEST_KIND = 60


class LeftOut:
    """The counts of one export."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, kind: str, count: int = 1) -> None:
        """Count so many of a kind, whose name is a plural."""
        self._counts[kind[:LONGEST_KIND]] += count

    def named(self) -> Iterator[Refused]:
        """Yield each kind with its count."""
        for kind, count in sorted((+self._counts).items()):
            yield Refused("in all", f"{count} {kind} left out")
