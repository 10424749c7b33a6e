"""Signatures: who signed is told from outside, in two languages; a changed byte is found, and a pin never moved."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentos.conformance import reader
from agentos.interfaces.cli.running import run
from agentos.modules.errors import AgentOSError, Conflict
from agentos.modules.signing import keys, registry_file
from agentos.modules.signing.registry import Registry
from tests.places import ROOT
from tests.tables import every

KIT = ROOT / "conformance"
BUNDLE = KIT / "fixtures/valid/small.jsonl"
NODE = shutil.which("node")
READERS = [(sys.executable, str(KIT / "reader.py"))] + ([(NODE, str(KIT / "reader.mjs"))] if NODE else [])


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, Any]:
    capsys.readouterr()
    code = run([str(one) for one in arguments])
    out = capsys.readouterr().out
    return code, json.loads(out) if out.startswith(("{", "[")) else out


@pytest.fixture
def signer(tmp_path: Path, capsys: pytest.CaptureFixture[str], at_a_terminal: None) -> dict[str, Any]:
    """A home with a key, and a bundle that it signed."""
    home = tmp_path / "ann"
    _, made = run_json(capsys, "trust-keys", "new", "--author", "ann", "--home", home, "--json")
    signed = tmp_path / "signed.jsonl"
    code, _ = run_json(capsys, "sign", BUNDLE, "-o", signed, "--home", home)
    assert code == 0
    return {**made, "home": home, "signed": signed}


def by_readers(file: Path, *key: str) -> list[tuple[int, Any]]:
    """What each published reader says of a file: its exit code, and what it tells."""
    answers = []
    for command in READERS:
        done = subprocess.run([*command, "seal", str(file), *key], capture_output=True, check=False)
        answers.append((done.returncode, json.loads(done.stdout or done.stderr)))
    return answers


def test_a_third_party_verifies_with_the_public_key_and_a_published_reader_in_two_languages(
    signer: dict[str, Any], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    answers = by_readers(signer["signed"], signer["public"])
    assert all(answer == answers[0] for answer in answers)
    assert answers[0][0] == 0
    assert answers[0][1] | {"envelope": None} == {
        "envelope": None,
        "integrity": "whole",
        "signature": "valid",
        "author": "ann",
        "key": signer["public"],
    }
    assert answers[0][1]["envelope"]["uri"].startswith("agentos://bundle/bundle_")
    assert {code for code, _ in by_readers(signer["signed"], "A" * 43 + "=")} == {1}
    code, output = run_json(
        capsys, "verify", signer["signed"], "--key", signer["public"], "--home", tmp_path / "x", "--json"
    )
    assert (code, output["standing"], output["good"]) == (0, "trusted", True)
    assert (signer["home"] / keys.FILE).stat().st_mode & 0o077 == 0
    code, output = run_json(capsys, "verify", BUNDLE, "--home", signer["home"], "--json")
    assert (code, output["standing"], output["integrity"]) == (1, "unsigned", "none")


def test_one_flipped_bit_anywhere_in_a_signed_bundle_is_found_by_each_reader(signer: dict[str, Any]) -> None:
    content = signer["signed"].read_bytes()
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1
        if place == len(content) - 1:
            continue  # the newline that ends the file
        try:
            found = reader.seal_of(iter(bytes(changed).removesuffix(b"\n").split(b"\n")))
        except reader.Complaint:
            continue
        assert found["integrity"] != "whole" or found["signature"] != "valid", changed[max(0, place - 30) : place + 30]
    places = range(0, len(content) - 1, len(content) // 12)
    for place in places:
        changed = bytearray(content)
        changed[place] ^= 1
        file = signer["signed"].with_name(f"{place}.jsonl")
        file.write_bytes(changed)
        assert all(code == 1 for code, _ in by_readers(file)), place


def test_a_signed_bundle_is_brought_in_as_any_other_and_its_normal_form_keeps_the_signature(
    signer: dict[str, Any],
) -> None:
    lines = signer["signed"].read_bytes().splitlines()
    normal = list(reader.normal(lines))
    assert reader.seal_of(line.removesuffix(b"\n") for line in normal)["signature"] == "valid"
    assert reader.verified(lines)["rows"] == reader.verified(BUNDLE.read_bytes().splitlines())["rows"]


def test_an_import_says_what_the_signature_is_worth_and_refuses_a_revoked_or_a_foreign_one(
    signer: dict[str, Any], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def imported(file: Path, home: Path) -> tuple[int, str]:
        capsys.readouterr()
        code = run(["import", str(file), "--dry-run", "--home", str(home)])
        said = capsys.readouterr()
        return code, said.out + said.err

    signed, stranger = signer["signed"], tmp_path / "stranger"
    code, said = imported(signed, signer["home"])
    assert code == 0 and "signed by ann, whose key is trusted here" in said
    code, said = imported(signed, stranger)
    assert code == 0 and signer["id"] in said and "trust-keys pin" in said
    run(["trust-keys", "revoke", signer["id"], "--home", str(signer["home"])])
    code, said = imported(signed, signer["home"])
    assert code == 3 and "revoked" in said
    *body, end = map(json.loads, signed.read_bytes().splitlines())
    other, stripped = tmp_path / "other.jsonl", tmp_path / "stripped.jsonl"
    ending = {**end, "seal": {**end["seal"], "signature": {**end["seal"]["signature"], "author": "bob"}}}
    other.write_bytes(b"\n".join(map(reader.canonical, [*body, ending])) + b"\n")
    code, said = imported(other, stranger)
    assert code == 3 and "does not belong" in said
    end["seal"].pop("signature")
    stripped.write_bytes(b"\n".join(map(reader.canonical, [*body, end])) + b"\n")
    code, said = imported(stripped, stranger)
    assert code == 0 and "not signed" in said
    unsealed, altered = tmp_path / "unsealed.jsonl", tmp_path / "altered.jsonl"
    unsealed.write_bytes(BUNDLE.read_bytes())
    code, said = imported(unsealed, stranger)
    assert code == 0 and "not signed" in said
    altered.write_bytes(signed.read_bytes().replace(b'"content":"', b'"content":"no ', 1))
    code, said = imported(altered, signer["home"])
    assert code == 2 and "was changed or cut after it was written; nothing was imported" in said


def public(number: int) -> str:
    return keys.SigningKey(bytes([number]) * 32).public


A, B, C = public(1), public(2), public(3)
A_ID, B_ID = keys.key_id(A), keys.key_id(B)


def catalog(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"agentos_catalog": 1, "id": "team", "label": "The team", "keys": list(entries)}


@every(
    "name, registry, signature, standing, origin",
    [
        ("unsigned", Registry(), ("unsigned", None, None), "unsigned", None),
        ("invalid", Registry().pinned(A, "ann"), ("invalid", "ann", A), "invalid", None),
        ("unknown", Registry(), ("valid", "ann", A), "unknown", None),
        ("pinned", Registry().pinned(A, "ann"), ("valid", "ann", A), "trusted", "here"),
        ("under_anothers_name", Registry().pinned(A, "ann"), ("valid", "bob", A), "invalid", "here"),
        ("revoked", Registry().pinned(A, "ann").revoked(A_ID), ("valid", "ann", A), "revoked", "here"),
        ("restored", Registry().pinned(A, "ann").revoked(A_ID).restored(A_ID), ("valid", "ann", A), "trusted", "here"),
        (
            "vouched",
            Registry().with_catalog(catalog({"public": A, "author": "ann"}), "s")[0],
            ("valid", "ann", A),
            "trusted",
            "team",
        ),
        (
            "revoked_by_a_catalog",
            Registry().with_catalog(catalog({"public": A, "author": "ann", "revoked": True}), "s")[0],
            ("valid", "ann", A),
            "revoked",
            "team",
        ),
        (
            "catalog_against_a_pin",
            Registry().pinned(A, "ann").with_catalog(catalog({"public": A, "author": "eve", "revoked": True}), "s")[0],
            ("valid", "ann", A),
            "trusted",
            "here",
        ),
        (
            "another_key_for_a_pinned_author",
            Registry().pinned(A, "ann").with_catalog(catalog({"public": B, "author": "ann"}), "s")[0],
            ("valid", "ann", B),
            "unknown",
            "team",
        ),
    ],
)
def test_the_standing_of_a_signature(
    name: str, registry: Registry, signature: tuple[str, str | None, str | None], standing: str, origin: str | None
) -> None:
    judged = Registry.of(json.loads(json.dumps(registry.as_document()))).judged(*signature)
    assert (judged.standing, judged.origin) == (standing, origin)


def test_a_revoked_key_names_the_one_in_its_place_and_a_useless_one_is_refused() -> None:
    both = Registry().pinned(A, "ann").pinned(B, "ann")
    judged = both.revoked(A_ID, B_ID).judged("valid", "ann", A)
    assert (judged.standing, judged.replaced_by) == ("revoked", B_ID)
    for useless in (A_ID, keys.key_id(C)):
        with pytest.raises(AgentOSError, match="cannot replace"):
            both.revoked(A_ID, useless)
    with pytest.raises(AgentOSError, match="revoked"):
        both.revoked(A_ID).pinned(A, "ann")


def test_a_catalog_that_somebody_trusted_signed_comes_in_and_leaves_own_entries_alone(
    signer: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_json(capsys, "trust-keys", "pin", B, "--author", "bob", "--home", signer["home"])
    file, other = tmp_path / "team.json", tmp_path / "other"
    publishing = ("trust-keys", "publish", file, "--id", "team", "--label", "The team", "--home", signer["home"])
    assert run_json(capsys, *publishing)[0] == 0
    other.mkdir()
    run_json(capsys, "trust-keys", "pin", B, "--author", "robert", "--home", other)
    bringing = ("trust-keys", "import", file, "--home", other)
    assert run_json(capsys, *bringing)[0] == 3  # nobody there knows ann
    assert registry_file.read(other).catalogs == {}
    assert run_json(capsys, *bringing, "--key", signer["public"])[0] == 0
    assert registry_file.read(other).keys[B_ID].author == "robert"
    assert run_json(capsys, "verify", signer["signed"], "--home", other)[0] == 0
    file.write_bytes(file.read_bytes().replace(b"The team", b"The tram"))
    assert run_json(capsys, *bringing)[0] == 3


def test_a_catalog_keeps_its_signer_and_what_it_revoked() -> None:
    registry, _ = Registry().with_catalog(catalog({"public": A, "author": "ann", "revoked": True}), "s")
    with pytest.raises(Conflict):
        registry.with_catalog(catalog({"public": A, "author": "ann"}), "another")
    again, _ = registry.with_catalog(catalog({"public": A, "author": "ann"}), "s")
    assert again.judged("valid", "ann", A).standing == "revoked"
    assert Registry.of(again.as_document()) == again
