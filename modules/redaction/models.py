"""The result of a scrub of stored texts."""

from collections.abc import Mapping

from ..records import dataclass


@dataclass(frozen=True)
class Scrub:
    """Counts of `rows` with secrets by table, and of secrets by kind; if `applied`, they were replaced by markers.

    `merged` counts rows that were removed, because without their secrets they said the same as another one.
    """

    rows: Mapping[str, int]
    kinds: Mapping[str, int]
    merged: int
    applied: bool
