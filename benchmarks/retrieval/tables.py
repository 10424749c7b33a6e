"""Tables for people: aligned in a terminal, or as Markdown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A title, a head, and rows with as many cells."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def text(self) -> str:
        """Return the table as aligned columns, the first one left-aligned."""
        rows = [self.head, *self.rows]
        widths = [max(len(row[column]) for row in rows) for column in range(len(self.head))]
        lines = [
            "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in _others(row, widths))]).rstrip()
            for row in rows
        ]
        return "\n".join([self.title, *lines])

    def markdown(self) -> str:
        """Return the table as Markdown, with a heading."""
        rule = ["---", *["---:"] * (len(self.head) - 1)]
        lines = [f"| {' | '.join(row)} |" for row in (self.head, rule, *self.rows)]
        return "\n".join([f"### {self.title}", "", *lines])


def _others(row: Sequence[str], widths: Sequence[int]) -> Iterator[tuple[str, int]]:
    return zip(row[1:], widths[1:], strict=True)
