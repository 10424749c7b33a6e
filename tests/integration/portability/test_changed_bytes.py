"""One changed byte, anywhere, in each kind of file that is carried away: found, and told by what a person would run."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentos.conformance import reader
from agentos.conformance.validation import Validation
from agentos.interfaces.cli.running import run
from agentos.modules.errors import AgentOSError
from agentos.modules.signing.locked import unlocked
from tests.places import ROOT
from tests.tables import every
from tests.terminal import sit_down

PASSPHRASE = "correct horse battery"
TRIED = 24
"""The places of a file that are tried, drawn by chance besides its first and last bytes."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One file of each kind, made by the commands."""
    folder = tmp_path_factory.mktemp("made")
    home = ["--home", str(folder / "home")]
    with pytest.MonkeyPatch.context() as patch:
        sit_down(patch)
        patch.setenv("AGENTOS_DAEMON", "off")
        patch.setenv("AGENTOS_EMBEDDING_MODEL", "none")
        word = folder / "word"
        word.write_text(PASSPHRASE, encoding="utf-8")
        files = {name: folder / name for name in ("bundle", "passport", "signed", "catalog", "certificate", "locked")}
        at = {name: str(path) for name, path in files.items()}
        for words in (
            ["import", str(ROOT / "conformance/fixtures/valid/small.jsonl"), "--yes", *home],
            ["trust-keys", "new", "--author", "ann", *home],
            ["export", at["bundle"], *home],
            ["passport", at["passport"], "--scope", "all", "--agent", "ann", *home],
            ["sign", at["bundle"], "-o", at["signed"], *home],
            ["trust-keys", "publish", at["catalog"], "--id", "team", "--label", "The team", *home],
            ["lock", at["bundle"], "-o", at["locked"], "--passphrase-file", str(word)],
            ["erase", "--subject", "dana", "--agent", "ann", "--certificate", at["certificate"], "--yes", *home],
            ["backup", *home],
        ):
            assert run(words) == (words[0] == "erase"), words  # which names the sealed memory that nobody can read
        [files["backup"]] = (folder / "home/backups").glob("*.db")
    return files


def complaint_of_a_bundle(path: Path) -> str:
    with path.open("rb") as file:
        return next((one.code for one in Validation().complaints(reader.in_lines(file))), "")


def seal_of_a_bundle(path: Path) -> str:
    try:
        with path.open("rb") as file:
            found = reader.seal_of(reader.in_lines(file))
    except reader.Complaint as complaint:
        return complaint.code
    return "" if (found["integrity"], found["signature"]) == ("whole", "valid") else "seal"


def signature_of_a_document(path: Path) -> str:
    try:
        document = reader.parse(path.read_bytes())
        return "" if isinstance(document, dict) and reader.signature_of(document) == "valid" else "signature"
    except (ValueError, RecursionError):
        return "json"


def damage_of_a_locked_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return "" if b"".join(unlocked(file, PASSPHRASE)) else "empty"
    except AgentOSError as error:
        return error.code


@every(
    "kind, complaint",
    [
        ("bundle", complaint_of_a_bundle),
        ("passport", complaint_of_a_bundle),
        ("signed", seal_of_a_bundle),
        ("catalog", signature_of_a_document),
        ("certificate", signature_of_a_document),
        ("locked", damage_of_a_locked_file),
    ],
)
def test_a_changed_byte_is_found(
    kind: str, complaint: Callable[[Path], str], made: dict[str, Path], tmp_path: Path
) -> None:
    content = made[kind].read_bytes()
    file = tmp_path / "changed"
    file.write_bytes(content)
    assert complaint(file) == ""
    last = len(content) - 1 - content.endswith(b"\n")  # without the newline at the end, nothing is missing
    dice = random.Random(kind)
    count = 2 if kind == "locked" else TRIED  # each asks Argon2id
    for place in sorted({0, last, *dice.choices(range(last), k=count)}):
        file.write_bytes(content[:place] + bytes([content[place] ^ 1 << dice.randrange(8)]) + content[place + 1 :])
        assert complaint(file), (place, content[max(0, place - 40) : place + 40])


def test_no_changed_bundle_is_brought_in(made: dict[str, Path], tmp_path: Path, capsys: Any) -> None:
    content = made["bundle"].read_bytes()
    for place in (content.index(b'"made_by":"') + 11, content.index(b"Initech"), content.index(b'"sha256":"') + 10):
        file = tmp_path / f"{place}.jsonl"
        file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        capsys.readouterr()
        assert run(["import", str(file), "--yes", "--json", "--home", str(tmp_path / "home")]) != 0
        output = capsys.readouterr()
        told = output.out + output.err
        assert "not as it was sealed" in told or "was changed or cut after it was written" in told


def test_a_changed_byte_of_a_backup_is_named_and_it_is_not_restored(
    made: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    backup = made["backup"]
    home = ["--home", str(backup.parents[1])]
    content = backup.read_bytes()
    dice = random.Random(4)
    for place in (0, dice.randrange(len(content))):
        backup.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        capsys.readouterr()
        run(["doctor", "--deep", "--json", *home])
        checks = {one["id"]: one for one in json.loads(capsys.readouterr().out)["checks"]}
        assert checks["backups.sound"]["status"] == "warning", place
        assert backup.name in checks["backups.sound"]["message"]
        assert run(["restore", backup.name, "--yes", *home]) != 0
        assert "nothing was changed" in capsys.readouterr().err
    backup.write_bytes(content)
    assert run(["restore", backup.name, "--yes", *home]) == 0
