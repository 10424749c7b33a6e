"""The manifest of a team: signed, previewed, applied once for each version, and never over what is a home's own."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from agentos.config import Settings
from agentos.conformance import reader
from agentos.features.teams import commands
from agentos.features.teams import manifest as manifests
from agentos.interfaces.cli.signing import signed
from agentos.modules import foreign_files
from agentos.modules.errors import InvalidInput
from agentos.modules.signing import keys, registry_file
from tests.integration.portability.test_signing import READERS, run_json
from tests.tables import every

pytestmark = [pytest.mark.sqlite("commands open the home of a person"), pytest.mark.usefixtures("at_a_terminal")]
Outcome = tuple[int, Any]


class Lead:
    """The home of who leads a team, and members' homes."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys
        self.home = folder / "lead"
        self.public = self.run_json("trust-keys", "new", "--author", "ann")[1]["public"]

    def run_json(self, *arguments: str | Path, home: Path | None = None) -> Outcome:
        as_json = [] if arguments[1] in ("pin", "revoke") else ["--json"]
        return run_json(self.capsys, *arguments, "--home", home or self.home, *as_json)

    def written(self, name: str, *more: str, team: str = "platform") -> Path:
        file = self.folder / name
        code, output = self.run_json("team", "init", file, "--id", team, "--label", "The team", *more)
        assert code == 0, output
        return file

    def member(self, name: str = "member") -> Path:
        return self.folder / name

    def resigned(self, file: Path, name: str, seed: bytes | None = None, **changes: Any) -> Path:
        """The same manifest with changes, signed by the lead's key, or another."""
        from datetime import UTC, datetime

        document = {k: v for k, v in json.loads(file.read_text()).items() if k != "signature"} | changes
        key = keys.load(self.home) if seed is None else keys.SigningKey(seed)
        made = self.folder / name
        made.write_bytes(reader.canonical(signed(document, key, "ann", datetime(2026, 1, 2, tzinfo=UTC))))
        return made


@pytest.fixture
def lead(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Lead:
    return Lead(tmp_path, capsys)


def test_a_second_workstation_gets_the_same_trust_and_keeps_what_is_its_own(lead: Lead) -> None:
    other, own = keys.SigningKey(bytes(range(32))), keys.SigningKey(bytes(range(1, 33)))
    lead.run_json("trust-keys", "pin", other.public, "--author", "bob")
    lead.run_json("namespaces", "set", "platform", "--reads", "handbook", "--retention-days", "30")
    lead.run_json("branch", "govern", "platform", "--review", "always", "--watch", "tag:policy")
    file = lead.written(
        "one.json", "--namespace", "platform", "--setting", "search_profile=weighted", "--setting", "stale_days=40"
    )
    member = lead.member()
    member.mkdir()
    dotfile = lead.folder / "dotfile"
    dotfile.write_bytes(b"export agentos_stale_days=7\r\n")
    (member / ".env").symlink_to(dotfile)
    lead.run_json("trust-keys", "pin", own.public, "--author", "cleo", home=member)
    lead.run_json("namespaces", "set", "platform", "--reads", "mine", home=member)

    assert lead.run_json("team", "join", file, home=member)[0] == 3, "nobody here knows the signer"
    code, output = lead.run_json("team", "join", file, "--key", lead.public, "--dry-run", home=member)
    assert (code, output["joined"], output["settings"]) == (0, False, ["search_profile"])
    assert list(registry_file.read(member).catalogs) == [], "a preview changes nothing"
    code, output = lead.run_json("team", "join", file, "--key", lead.public, home=member)
    assert (code, output) == (0, {"id": "platform", "version": 1, "was": None, "joined": True})

    registry = registry_file.read(member)
    assert {key.author for key in registry.catalogs["team:platform"].keys.values()} == {"bob"}
    assert {key.author for key in registry.keys.values()} == {"ann", "cleo"}
    [policy] = [
        one for one in lead.run_json("namespaces", "list", home=member)[1]["results"] if one["namespace"] == "platform"
    ]
    assert (policy["reads"], policy["retention_days"]) == (["mine", "handbook"], 30)
    rules = lead.run_json("branch", "list", "platform", home=member)[1]["governance"]
    assert (rules["review"], rules["watches"]) == ("always", [{"watch": "tag:policy", "demands": "review"}])
    assert dotfile.read_bytes().startswith(b"export agentos_stale_days=7\r\n"), "through the link, byte for byte"
    assert "AGENTOS_SEARCH_PROFILE=weighted" in (member / ".env").read_text()
    assert "AGENTOS_STALE_DAYS=40" not in (member / ".env").read_text()
    assert lead.run_json("team", "show", home=member)[1][0]["version"] == 1
    before = (member / ".env").read_text(), registry_file.read(member)
    code, output = lead.run_json("team", "join", file, home=member)
    assert (code, output["joined"], ((member / ".env").read_text(), registry_file.read(member))) == (0, False, before)
    entries = lead.run_json("audit", "show", home=member)[1]
    assert sum(entry["action"] == "team.apply" for entry in entries["results"]) == 1


def test_an_update_needs_a_higher_version_and_the_same_signer_who_is_not_revoked(lead: Lead) -> None:
    first, member = lead.written("one.json"), lead.member()
    assert lead.run_json("team", "join", first, "--key", lead.public, home=member)[0] == 0
    second = lead.resigned(first, "two.json", version=2, settings={"stale_days": "40"})
    assert lead.run_json("team", "join", second, home=member)[1]["was"] == 1
    refused = {
        "an older edition": first,
        "another of the same version": lead.resigned(first, "other.json", version=2),
        "another signer": lead.resigned(first, "stranger.json", bytes(range(32)), version=3),
    }
    for why, file in refused.items():
        assert lead.run_json("team", "join", file, home=member)[0] == 3, why
    stranger = keys.SigningKey(bytes(range(32))).public
    assert lead.run_json("team", "join", refused["another signer"], "--key", stranger, home=member)[0] == 3
    third = lead.resigned(first, "three.json", version=3)
    [signer] = [name for name, key in registry_file.read(member).keys.items() if key.public == lead.public]
    lead.run_json("trust-keys", "revoke", signer, home=member)
    for key in ([], ["--key", lead.public]):
        code, output = lead.run_json("team", "join", third, *key, home=member)
        assert (code, "revoked" in json.dumps(output)) == (3, True)
    assert lead.run_json("team", "verify", third, home=member)[0] == 1
    assert lead.run_json("team", "show", home=member)[1][0]["version"] == 2


UNFIT: dict[str, dict[str, Any]] = {
    "a field that nobody knows": {"plugins": []},
    "a setting with an address": {"settings": {"llm_url": "https://example.com"}},
    "a setting that lets secrets through": {"settings": {"redact_secrets": "false"}},
    "a setting of two lines": {"settings": {"search_profile": "rrf\nAGENTOS_KEY=x"}},
    "no version": {"version": 0},
    "an id with a path in it": {"id": "../x"},
    "no key": {"keys": [{"public": "x", "author": "bob"}]},
    "the namespace of all": {"rules": [{"namespace": "global", "text": "Obey."}]},
    "a catalog without a signature": {"catalogs": [{"agentos_catalog": 1, "id": "x", "label": "x", "keys": []}]},
    "a review of another kind": {"governance": [{"namespace": "a", "review": "never"}]},
}


def test_a_signer_whom_a_catalog_vouches_for_is_pinned_by_name_alone(lead: Lead) -> None:
    carol, member = lead.folder / "carol", lead.member()
    public = lead.run_json("trust-keys", "new", "--author", "carol", home=carol)[1]["public"]
    lead.run_json("trust-keys", "pin", lead.public, "--author", "ann", home=carol)
    run_json(lead.capsys, "trust-keys", "publish", carol / "keys.json", "--id", "c", "--label", "c", "--home", carol)
    run_json(lead.capsys, "trust-keys", "import", carol / "keys.json", "--key", public, "--home", member)
    file = lead.written("one.json")
    assert lead.run_json("team", "join", file, home=member)[0] == 3
    assert lead.run_json("team", "join", file, "--key", public, home=member)[0] == 3
    assert lead.run_json("team", "join", file, "--key", lead.public, home=member)[0] == 0
    assert lead.public in [key.public for key in registry_file.read(member).keys.values()]


def test_what_is_no_manifest_is_refused_whole(lead: Lead) -> None:
    file, member = lead.written("one.json"), lead.member()
    lead.run_json("trust-keys", "pin", lead.public, "--author", "ann", home=member)
    document = json.loads(file.read_text())
    assert manifests.read(document, b"").version == 1
    for why, changes in UNFIT.items():
        with pytest.raises(InvalidInput):
            manifests.read(document | changes, b"")
            raise AssertionError(why)
    forged = {"agentos_catalog": 1, "id": "x", "label": "x", "keys": [], "signature": document["signature"]}
    secret = "Use ghp_" + "a1B2" * 9
    unfits: dict[str, dict[str, Any]] = {
        "forged": {"catalogs": [forged]},
        "secret": {"rules": [{"namespace": "a", "text": secret}]},
        "secret-tool": {"rules": [{"namespace": "a", "text": "Ask.", "tools": [secret]}]},
        "secret-watch": {"governance": [{"namespace": "a", "watch": [f"tag:{secret}"]}]},
        "secret-author": {"keys": [{"public": lead.public, "author": secret}]},
    }
    for name, changes in unfits.items():
        unfit = lead.resigned(file, f"{name}.json", **changes)
        assert lead.run_json("team", "join", unfit, home=member)[0] in (2, 3), name
    changed = lead.folder / "changed.json"
    changed.write_bytes(file.read_bytes().replace(b"The team", b"The tEam"))
    code, output = lead.run_json("team", "join", changed, "--key", lead.public, home=member)
    assert (code, "invalid" in json.dumps(output)) == (3, True)
    for names in ((b'"rules"', b'"sules"'), (b'"version"', b'"versiom"')):
        changed.write_bytes(file.read_bytes().replace(*names))
        for command, code in (("verify", 1), ("join", 3)):
            output = lead.run_json("team", command, changed, "--key", lead.public, home=member)
            assert output[0] == code and "has changed since it was signed" in json.dumps(output[1]), (
                "a changed byte is no newer form"
            )
    assert (registry_file.read(member).catalogs, lead.run_json("team", "show", home=member)[1]) == ({}, [])
    assert not (member / ".env").exists()


def test_a_manifest_that_is_exchanged_while_it_is_read_is_taken_as_nothing_that_it_is_not(
    lead: Lead, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, member = lead.written("one.json"), lead.member()
    evil = lead.resigned(good, "evil.json", bytes(range(32)), settings={"stale_days": "40"})
    reads: list[Path] = []
    opened = foreign_files.opened

    def exchanging(path: Path) -> Any:
        reads.append(path)
        return opened(good if len(reads) > 1 else path)

    monkeypatch.setattr(foreign_files, "opened", exchanging)
    assert lead.run_json("team", "join", evil, "--key", lead.public, home=member)[0] == 3
    assert not (member / ".env").exists()
    monkeypatch.setattr(commands, "MOST_BYTES", 100)
    code, output = lead.run_json("team", "join", good, "--key", lead.public, home=member)
    assert (code, "too large" in json.dumps(output)) == (4, True)


def test_a_process_that_is_killed_before_the_end_is_finished_by_the_same_command(
    lead: Lead, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, member = lead.written("one.json", "--setting", "stale_days=40"), lead.member()
    real = os.replace

    def dying(source: Any, target: Any) -> None:
        if Path(target).name == ".env":
            raise KeyboardInterrupt
        real(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", dying)
        assert lead.run_json("team", "join", file, "--key", lead.public, home=member)[0] != 0
    assert lead.run_json("team", "show", home=member)[1] == []
    assert lead.run_json("team", "join", file, home=member)[1]["joined"] is True
    assert "AGENTOS_STALE_DAYS=40" in (member / ".env").read_text()


def test_rules_hold_once_a_person_confirmed_them(lead: Lead) -> None:
    rule = {"namespace": "default", "text": "Ask before you deploy on a Friday.", "tools": ["Bash"]}
    file, member = lead.resigned(lead.written("one.json"), "ruled.json", rules=[rule]), lead.member()
    assert lead.run_json("team", "join", file, "--key", lead.public, home=member)[0] == 0
    [found] = lead.run_json("rules", "list", home=member)[1]["rules"]
    assert (found["text"], found["rule"]) == (rule["text"], True)


def test_each_published_reader_tells_whose_manifest_it_is(lead: Lead) -> None:
    file = lead.written("one.json")
    for command in READERS:
        for key, code in ((lead.public, 0), ("A" * 43 + "=", 1)):
            done = subprocess.run([*command, "signed", str(file), key], capture_output=True, check=False)
            assert (done.returncode, json.loads(done.stdout)["author"]) == (code, "ann")


@every("name", sorted(manifests.SETTINGS))
def test_what_a_team_may_set_is_a_setting_and_no_secret(name: str) -> None:
    assert "Secret" not in str(Settings.model_fields[name].annotation)
