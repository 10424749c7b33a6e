"""The domain types of portability."""

from collections.abc import Mapping
from dataclasses import dataclass

FORMAT = 1
"""Of the bundle's lines; the schema of the rows in them is a number of its own."""


@dataclass(frozen=True)
class Exported:
    """A bundle that was written: its file, rows by table, and the canonical hash of what it holds (SHA-256)."""

    path: str
    rows: Mapping[str, int]
    canonical_hash: str


@dataclass(frozen=True)
class Imported:
    """What an import brought in, or would: rows by table that are new, were there already, or had to be left out.

    What is left out refers to something that is not there, as the history of a memory whose text another one has.
    """

    new: Mapping[str, int]
    known: Mapping[str, int]
    left_out: Mapping[str, int]
