"""Makes the fixtures of what is sealed and signed, with a key that everybody knows: fixtures/sealed.

    python packaging/make_sealed_fixtures.py

Each file has one thing wrong, or nothing; `expected.json` says how it stands. The same run makes the same bytes.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agentos.conformance import erasure, reader
from agentos.interfaces.cli.signing import sealed_lines, signed
from agentos.modules.signing.keys import SigningKey
from agentos.modules.signing.registry import AuthorKey, Registry

FIXTURES = Path(__file__).resolve().parents[1] / "conformance/fixtures"
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
KEY, OTHER = SigningKey(bytes(range(32))), SigningKey(bytes(range(1, 33)))
TEAM: dict[str, Any] = {
    "agentos_team": 1,
    "id": "platform",
    "label": "The platform team",
    "version": 1,
    "namespaces": [{"name": "platform", "reads": ["handbook"], "retention_days": 365}],
    "governance": [{"namespace": "platform", "review": "watched", "watch": ["tag:policy"], "notify": ["slot:billing"]}],
    "rules": [{"namespace": "platform", "text": "Ask before you deploy on a Friday.", "tools": ["Bash"]}],
    "settings": {"search_profile": "weighted"},
}
CHANGES: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "row-changed": lambda lines: [lines[0], lines[1].replace(b'"row":{', b'"row":{"a":1,'), *lines[2:]],
    "envelope-changed": lambda lines: [lines[0].replace(b'"kind":"bundle"', b'"kind":"passport"'), *lines[1:]],
    "author-changed": lambda lines: [*lines[:-1], lines[-1].replace(b'"author":"ann"', b'"author":"eve"')],
    "key-changed": lambda lines: [*lines[:-1], lines[-1].replace(KEY.public.encode(), OTHER.public.encode())],
}


def bundles() -> dict[str, list[bytes]]:
    """Return sealed bundles by name; a row that was changed has the hash of its end mended, as a forger would."""
    small = list((FIXTURES / "normal/small.jsonl").open("rb"))
    signed_lines = sealed_lines(small, KEY, "ann", AT)
    made = {"signed": signed_lines, "sealed": sealed_lines(small, None, None, AT), "unsealed": small}
    return made | {name: _mended(change(signed_lines)) for name, change in CHANGES.items()}


def _mended(lines: list[bytes]) -> list[bytes]:
    found = reader.CanonicalHash()
    for line in lines[1:-1]:
        row = reader.parse(line.rstrip(b"\n"))
        found.add(row["table"], row["row"])
    end = reader.parse(lines[-1].rstrip(b"\n")) | {"canonical_hash": found.digest}
    return [*lines[:-1], reader.canonical(end) + b"\n"]


def documents() -> dict[str, dict[str, Any]]:
    """Return signed documents by name: a catalog, a certificate, a manifest, and each with one thing changed."""
    catalog = Registry({"x": AuthorKey(OTHER.public, "bob")}, {}).as_catalog("team", "The team")
    certificate = erasure.certificate("ann", "Marlowe", ["mem_a", "mem_b", "mem_c"], 1_767_323_045_000_000, "owner", {})
    made = {"catalog": signed(catalog, KEY, "ann", AT), "erasure": signed(certificate, KEY, "ann", AT)}
    made["team"] = signed(TEAM | {"keys": catalog["keys"]}, KEY, "ann", AT)
    made["team-changed"] = made["team"] | {"version": 2}
    made["catalog-changed"] = made["catalog"] | {"label": "Another team"}
    made["erasure-id-left-out"] = made["erasure"] | {"ids": ["mem_a", "mem_b"]}
    made["erasure-unsigned"] = certificate
    return made


def main() -> None:
    """Write the fixtures and what is expected of each."""
    expected: dict[str, Any] = {"public": KEY.public}
    folder = FIXTURES / "sealed"
    folder.mkdir(exist_ok=True)
    for name, lines in bundles().items():
        (folder / f"{name}.jsonl").write_bytes(b"".join(lines))
        found = reader.seal_of([line.removesuffix(b"\n") for line in lines])
        expected[f"{name}.jsonl"] = {one: found[one] for one in ("integrity", "signature", "author")}
    for name, document in documents().items():
        (folder / f"{name}.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        expected[f"{name}.json"] = {"signature": reader.signature_of(document)}
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
