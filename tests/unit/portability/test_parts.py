"""Parts of bundles that somebody else made: rows that are not complete are named, and the page tells the seal."""

from typing import Any

import pytest

from agentos.conformance import reader
from agentos.conformance.parts import Part
from agentos.interfaces.cli.passports import page
from agentos.modules.errors import InvalidInput
from agentos.storage.repositories.bundle_rows import acceptable_value
from tests.places import ROOT
from tests.tables import every

FIXTURES = ROOT / "conformance/fixtures"
MEMORY = {"id": "mem_1", "namespace": "ann", "content": "Tea is at four", "created_at": 1, "metadata": "{}"}


def bundle(table: str, row: dict[str, Any], **end: Any) -> list[bytes]:
    """A bundle of one row, with the hash that it must have."""
    found = reader.CanonicalHash()
    found.add(table, row)
    lines = [{"agentos_bundle": 1, "schema": 19}, {"table": table, "row": row}]
    return [reader.canonical(line) for line in (*lines, {"end": 1, "canonical_hash": found.digest, **end})]


@every(
    "table, row, column",
    [
        ("memories", {"content": "no more than a text"}, "id"),
        ("memories", MEMORY | {"id": ["mem_1"]}, "id"),
        ("memories", MEMORY | {"created_at": True}, "created_at"),
        ("memories", MEMORY | {"valid_to": "soon"}, "valid_to"),
        ("memories", MEMORY | {"status": {}}, "status"),
        ("memories", MEMORY | {"tags": "{}"}, "tags"),
        ("memories", MEMORY | {"metadata": "[" * 100_000}, "metadata"),
        ("memory_versions", {"memory_seq": "mem_1", "content": "old"}, "replaced_at"),
        ("relations", {"from_id": 1}, "from_id"),
        ("namespaces", {"created_at": 1}, "id"),
    ],
)
def test_a_row_without_what_is_read_of_it_is_named(table: str, row: dict[str, Any], column: str) -> None:
    with pytest.raises(reader.Complaint, match=rf"^line 2: {table}\.{column} is missing or wrong$"):
        Part.of(bundle(table, row))


def test_the_page_of_a_bundle_tells_how_it_stands_to_its_seal() -> None:
    def title(lines: list[bytes]) -> str:
        return page(Part.of(lines), reader.seal_of(lines), as_html=False).split("\n")[0]

    assert title(bundle("memories", MEMORY)) == "a bundle of schema 19: not sealed"
    odd = {"sha256": [1], "signature": {"key": 5}}
    assert (
        title(bundle("memories", MEMORY, seal=odd))
        == "a bundle of schema 19: CHANGED since it was sealed, signature invalid"
    )
    said = {name: title((FIXTURES / f"sealed/{name}.jsonl").read_bytes().splitlines()) for name in ("signed", "sealed")}
    assert said["signed"].endswith(": unchanged since it was sealed, signature valid") and said["sealed"].endswith(
        ": unchanged since it was sealed"
    )


@every("file", sorted((FIXTURES / "normal").glob("*.jsonl")))
def test_a_bundle_of_every_schema_has_a_page(file: Any) -> None:
    lines = file.read_bytes().splitlines()
    assert page(Part.of(lines), reader.seal_of(lines), as_html=False)


@every(
    "column, value",
    [
        ("memory_type", "diary"),
        ("tags", "{}"),
        ("metadata", "[]"),
        ("created_at", 2**62),
        ("content", "a\x00b"),
        ("id", ""),
    ],
)
def test_a_value_that_no_service_writes_is_refused(column: str, value: Any) -> None:
    with pytest.raises((ValueError, InvalidInput)):
        acceptable_value(column, value)
