"""Erasure: the memories of a subject are in no file afterwards, and a certificate says so that others can check."""

import json
from pathlib import Path

import pytest

from agentos.conformance import erasure, reader
from agentos.interfaces.cli.running import run
from tests.tables import every


@every(
    "ids, root",
    [
        ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ([""], "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
    ],
)
def test_the_root_is_that_of_rfc_6962(ids: list[str], root: str) -> None:
    assert erasure.merkle_root(ids) == root


def test_a_root_changes_with_every_id_and_with_their_order() -> None:
    ids = [f"mem_{number}" for number in range(7)]
    others = [ids[:-1], ids[::-1], [*ids[:3], "mem_x", *ids[4:]], [*ids, ids[-1]]]
    assert len({erasure.merkle_root(one) for one in [ids, *others]}) == 5


def test_what_names_a_subject_is_in_no_file_afterwards_and_the_certificate_verifies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, at_a_terminal: None
) -> None:
    monkeypatch.setenv("AGENTOS_DAEMON", "off")
    home, file = tmp_path / "home", tmp_path / "erased.json"
    mirror = tmp_path / "mirror"
    monkeypatch.setenv("AGENTOS_MIRROR", str(mirror))
    mirror.mkdir()
    (mirror / "note.md").write_text("Quorrland is where ZEBULONIA lives", encoding="utf-8")
    at = ["--home", str(home), "--agent", "ann"]
    for text in ("Zebulonia moved to Quorrland", "The deploy runs on Tuesdays"):
        assert run(["remember", text, *at]) == 0
    asked = ["erase", "--subject", "zebulonia", "--certificate", str(file), "--yes", *at]
    assert run(asked) == 1  # no key: nothing is erased that cannot be certified
    assert run(["trust-keys", "new", "--author", "ann", "--home", str(home)]) == 0
    capsys.readouterr()
    assert run([*asked, "--json"]) == 1, "a person's file in the mirror is named, and is theirs to take away"
    told = json.loads(capsys.readouterr().out)
    assert told["remains"] == {"files": [f"{mirror}/note.md"], "tables": []}
    for path in (one for one in home.rglob("*") if one.is_file()):
        text = path.read_bytes().lower()
        assert b"zebulonia" not in text, path
        assert b"quorrland" not in text, path
    assert run(["verify", str(file), "--home", str(home)]) == 0
    document = reader.parse(file.read_bytes())
    assert (len(document["ids"]), document["erased_by"]) == (1, "ann")
    file.write_bytes(reader.canonical(document | {"ids": []}))
    assert run(["verify", str(file), "--home", str(home)]) == 1
    assert run(["recall", "deploy", *at]) == 0
    assert run(["access", str(tmp_path / "kept.jsonl"), *at]) == 0
    rows = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {"memories", "audit", "usage", "namespace_policies", "governance"} <= {row["table"] for row in rows}
    assert all(row["row"].get("namespace", "ann") == "ann" for row in rows if row["table"] != "namespaces")
