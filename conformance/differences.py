"""The differences of two bundles, whatever the order of their lines."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from . import reader


@dataclass(frozen=True)
class Row:
    """A row that differs: its table, its id, or its canonical text if it has none, and which side it `is_in`.

    `columns` are those that differ, where both sides have a row of that id.
    """

    table: str
    id: str
    is_in: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Differences:
    """All differences of two bundles. `reordered` are the tables whose rows are the same in another order."""

    rows: tuple[Row, ...]
    reordered: tuple[str, ...]
    schemas: tuple[int, int]

    @property
    def none(self) -> bool:
        """Whether both hold the same."""
        return not self.rows


@dataclass
class Side:
    """The rows of a bundle: canonical texts by table and key."""

    schema: int = 0
    rows: dict[str, dict[str, bytes]] = field(default_factory=dict)

    @classmethod
    def of(cls, lines: Iterable[bytes]) -> "Side":
        """Read a bundle. Raises Complaint."""
        side = cls()
        for line in reader.read(lines):
            if line.kind == "head":
                side.schema = line.value["schema"]
            elif line.kind == "row":
                text = reader.canonical(line.value["row"])
                rows = side.rows.setdefault(line.value["table"], {})
                rows[_key(rows, line.value["row"], text)] = text
        return side


def differences(one: Side, other: Side) -> Differences:
    """Return the differences of two bundles."""
    found: list[Row] = []
    reordered: list[str] = []
    for table in sorted(one.rows.keys() | other.rows.keys()):
        ours, theirs = one.rows.get(table, {}), other.rows.get(table, {})
        found += [Row(table, key, "first") for key in ours if key not in theirs]
        found += [Row(table, key, "second") for key in theirs if key not in ours]
        changed = [key for key in ours if key in theirs and ours[key] != theirs[key]]
        found += [Row(table, key, "both", _columns(ours[key], theirs[key])) for key in changed]
        if ours.keys() == theirs.keys() and not changed and list(ours) != list(theirs):
            reordered.append(table)
    return Differences(tuple(found), tuple(reordered), (one.schema, other.schema))


def _key(rows: dict[str, bytes], row: reader.Row, text: bytes) -> str:
    """Return a key that tells a row from others; repeated rows are numbered."""
    key = str(row["id"]) if "id" in row else text.decode()
    number, chosen = 1, key
    while chosen in rows:
        number += 1
        chosen = f"{key} ({number})"
    return chosen


def _columns(one: bytes, other: bytes) -> tuple[str, ...]:
    ours, theirs = reader.parse(one), reader.parse(other)
    missing = object()
    return tuple(sorted(name for name in ours | theirs if ours.get(name, missing) != theirs.get(name, missing)))
