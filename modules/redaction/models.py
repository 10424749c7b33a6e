"""What a scrub of stored texts found, and did."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Scrub:
    """`rows` that hold secrets by table, `kinds` of secrets by how many; when `applied`, they are markers now.

    `merged` rows said the same as another one without their secrets, and are gone.
    """

    rows: Mapping[str, int]
    kinds: Mapping[str, int]
    merged: int
    applied: bool
