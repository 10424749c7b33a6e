"""Pairs written one by one to judge supersession with: parallel ones, and updates with a note beside each.

A line of `parallel/*.jsonl` has two statements that both stay true (`older`, `newer`), a `query` that names one of them
(`right`), their subject (`kind`), and whether they are one sentence with another key or worded otherwise (`wording`). A
line of `updated/*.jsonl` has a statement, what replaces it, a `note` about the same that leaves it true, and a `query`.
There is a file per language. Each line belongs to one `split`: weights are fitted to `train`, thresholds chosen on
`validation`, and `test` is only judged; so is `kept`, in five languages. No kind of `test` or
`validation` is in `train`.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Split = Literal["train", "validation", "test", "kept"]

PARALLEL = Path(__file__).with_name("parallel")
UPDATED = Path(__file__).with_name("updated")


@dataclass(frozen=True)
class ParallelPair:
    """Two statements that both hold; the query asks for the one that is `right`."""

    older: str
    newer: str
    query: str
    right: Literal["older", "newer"]
    kind: str
    wording: Literal["same", "other"]
    language: str
    split: Split


@dataclass(frozen=True)
class Updated:
    """A statement, what replaces it, and a note about the same that does not."""

    older: str
    newer: str
    note: str
    query: str
    kind: str
    wording: Literal["same", "other"]
    language: str
    split: Split


def parallel_pairs(split: Split) -> list[ParallelPair]:
    """Return all pairs of a split, ordered by language."""
    return [ParallelPair(**line) for line in _lines(PARALLEL) if line["split"] == split]


def updated(split: Split) -> list[Updated]:
    """Return all updates of a split, ordered by language."""
    return [Updated(**line) for line in _lines(UPDATED) if line["split"] == split]


def _lines(folder: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()
    ]
