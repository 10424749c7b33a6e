"""Encrypted homes: nothing in any file, everything there with the key, whatever interrupts a change of keys."""

import asyncio
import json
import random
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agentos.benchmarks.corpus import Seeds
from agentos.benchmarks.faults import interleavings
from agentos.benchmarks.run import Run
from agentos.interfaces.cli.outcome import ExitCode
from agentos.interfaces.cli.running import run
from agentos.interfaces.hooks.spool import Spool
from agentos.modules.errors import StorageRefused
from agentos.storage.engine.no_index import NoIndex
from agentos.storage.sqlite import driver, encryption
from agentos.storage.sqlite.store import SqliteStore
from tests.vault import TOKEN, serving

pytest.importorskip("sqlcipher3")

WORDS = ("xylophone", "marmalade", "theodolite")
KILLS = 8


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTOS_DAEMON", "off")
    monkeypatch.setenv("AGENTOS_EMBEDDING_MODEL", "stub")


def ran(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, Any]:
    capsys.readouterr()
    code = run([str(one) for one in arguments])
    out = capsys.readouterr()
    return code, json.loads(out.out) if out.out.startswith(("{", "[")) else out.out + out.err


@pytest.fixture
def home(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A plain home with memories, a corrected one, a goal, a backup and what a restore has replaced."""
    home = tmp_path / "home"
    for word in WORDS:
        assert ran(capsys, "remember", f"The {word} is kept in the attic", "--home", home)[0] == 0
    assert ran(capsys, "backup", "--home", home)[0] == 0
    assert ran(capsys, "restore", "--home", home, "--yes")[0] == 0
    return home


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return tmp_path / "elsewhere" / "key.json"


def telling(home: Path, *needles: bytes) -> set[str]:
    """The files of a home that hold one of the words, in any case, or one of the needles."""
    found = set()
    for path in home.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            if any(word.encode() in data.lower() for word in WORDS) or any(one in data for one in needles):
                found.add(path.name)
    return found


def found(capsys: pytest.CaptureFixture[str], home: Path) -> set[str]:
    code, listed = ran(capsys, "list", "--home", home, "--json")
    assert code == 0, listed
    return {one["content"].split()[1] for one in listed["results"]}


def vectors(home: Path) -> list[bytes]:
    with closing(driver.connect(home / "agentos.db")) as connection:
        return [bytes(one)[:64] for (one,) in connection.execute("SELECT vector FROM embeddings")]


def test_an_encrypted_home_says_nothing_and_does_all_that_a_plain_one_does(
    home: Path, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert {"agentos.db"} < telling(home) and len(telling(home)) >= 3
    needles = vectors(home)
    assert needles and "agentos.db" in telling(home, *needles)
    code, _ = ran(capsys, "encrypt", "--home", home, "--key-file", key)
    assert code == 0 and key.stat().st_mode & 0o077 == 0
    assert telling(home, *needles) == set()
    assert found(capsys, home) == set(WORDS) and vectors(home) == needles
    _, hits = ran(capsys, "recall", "where is the theodolite", "--home", home, "--json")
    assert "theodolite" in hits["results"][0]["content"]
    assert ran(capsys, "remember", "The xylophone was sold", "--home", home)[0] == 0
    assert ran(capsys, "backup", "--home", home)[0] == 0
    out = tmp_path / "backups"
    assert ran(capsys, "backup", "--home", home, "--to", out)[0] == 0
    assert ran(capsys, "export", tmp_path / "all.jsonl", "--home", home)[0] == 0
    assert ran(capsys, "restore", "--home", home, "--yes")[0] == 0
    assert telling(home, *needles) == telling(out) == set()
    code, report = ran(capsys, "doctor", "--deep", "--home", home, "--json")
    assert not [one for one in report["checks"] if one["status"] == "error"], report
    header = next(one for one in report["checks"] if one["id"] == "database.header")
    assert "encrypted" in header["message"]
    assert not Spool(home).put({"prompt": "xylophone"}) and telling(home) == set()


def test_no_index_with_plain_vectors_remains_beside_an_encrypted_home(
    home: Path, key: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def has_index() -> bool:
        store = await SqliteStore.open(home, home / "agentos.db", lambda: datetime.now(UTC))
        index = store.vector_index(home / "chroma")
        await store.close()
        return not isinstance(index, NoIndex)

    assert asyncio.run(has_index())
    assert ran(capsys, "encrypt", "--home", home, "--key-file", key)[0] == 0
    assert not asyncio.run(has_index())


def test_a_certificate_of_erasure_names_the_backup_that_nobody_can_read(
    home: Path, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], at_a_terminal: None
) -> None:
    pytest.importorskip("cryptography")
    ran(capsys, "encrypt", "--home", home, "--key-file", key)
    assert ran(capsys, "trust-keys", "new", "--author", "ann", "--home", home)[0] == 0
    asked = ("--subject", "marmalade", "--certificate", tmp_path / "gone.json", "--yes", "--json", "--home", home)
    code, output = ran(capsys, "erase", *asked)
    assert code == ExitCode.NOT_FOUND
    assert any(one.startswith("backups/") for one in output["remains"]["files"])
    assert "agentos.db" not in output["remains"]["files"]
    assert found(capsys, home) == set(WORDS) - {"marmalade"}


def test_a_key_file_that_others_can_read_is_refused_with_the_remedy_and_named_by_doctor(
    home: Path, key: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran(capsys, "encrypt", "--home", home, "--key-file", key)
    key.chmod(0o640)
    code, _ = ran(capsys, "list", "--home", home)
    assert code != 0
    _, report = ran(capsys, "doctor", "--home", home, "--json")
    assert any("chmod 600" in str(one) and str(key) in str(one) for one in report["checks"]), report
    key.chmod(0o600)
    assert ran(capsys, "list", "--home", home)[0] == 0


def test_a_wrong_key_is_distinguished_from_a_damaged_file(
    home: Path, key: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran(capsys, "encrypt", "--home", home, "--key-file", key)
    right = key.read_bytes()
    for wrong in (b"[]", json.dumps([encryption.fresh().hex()]).encode()):
        key.write_bytes(wrong)
        code, output = ran(capsys, "list", "--home", home)
        assert code == ExitCode.UNAVAILABLE and "not damaged" in output
        _, report = ran(capsys, "doctor", "--home", home, "--json")
        header = next(one for one in report["checks"] if one["id"] == "database.header")
        assert header["status"] == "error" and "the key of this home" in header["message"]
    key.write_bytes(right)
    database = home / "agentos.db"
    intact = database.read_bytes()
    database.write_bytes(intact[:100] + bytes([intact[100] ^ 1]) + intact[101:])
    _, report = ran(capsys, "doctor", "--home", home, "--json")
    header = next(one for one in report["checks"] if one["id"] == "database.header")
    assert header["status"] == "error" and "damaged" in header["message"]
    database.write_bytes(intact)
    assert found(capsys, home) == set(WORDS)


def test_a_changed_byte_of_any_page_is_named_whether_or_not_the_page_is_in_use(
    home: Path, key: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran(capsys, "encrypt", "--home", home, "--key-file", key)
    database = home / "agentos.db"
    with closing(driver.connect(database, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE gone (text)")
        connection.executemany("INSERT INTO gone VALUES (?)", [("x" * 4_000,) for _ in range(9)])
        connection.execute("DROP TABLE gone")  # its pages are free ones now
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size, free = (int(connection.execute(f"PRAGMA {one}").fetchone()[0]) for one in ("page_size", "freelist_count"))
    assert free >= 9
    intact = database.read_bytes()
    pages = len(intact) // size
    for page in {2, pages, random.Random(8).randrange(2, pages)}:
        place = (page - 1) * size + 700
        database.write_bytes(intact[:place] + bytes([intact[place] ^ 1]) + intact[place + 1 :])
        _, report = ran(capsys, "doctor", "--deep", "--home", home, "--json")
        found = next(one for one in report["checks"] if one["id"] == "database.integrity")
        assert found["status"] == "error" and f"page {page}" in found["message"], (page, found)
    database.write_bytes(intact)


def test_a_new_key_opens_everything_and_the_old_one_nothing(
    home: Path, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran(capsys, "encrypt", "--home", home, "--key-file", key)
    [old] = encryption.keys_of(home)
    out = tmp_path / "out"
    assert ran(capsys, "backup", "--home", home, "--to", out)[0] == 0
    [copy] = out.glob("*.db")
    assert ran(capsys, "rotate-key", "--home", home)[0] == 0
    new, previous = encryption.keys_of(home)
    assert new != old == previous, "for copies made before"
    with closing(driver.keyed(driver.sqlite3.connect(home / "agentos.db"), old)) as connection:
        with pytest.raises(driver.sqlite3.DatabaseError):
            connection.execute("SELECT count(*) FROM memories").fetchone()
    assert found(capsys, home) == set(WORDS) and telling(home) == set()
    assert ran(capsys, "backup", "--home", home, "--to", out)[0] == 0, "beside one under the old key"
    assert ran(capsys, "restore", "--home", home, "--yes")[0] == 0, "backups are under the new key too"
    assert ran(capsys, "remember", "The xylophone was sold", "--home", home)[0] == 0
    assert ran(capsys, "restore", copy, "--home", home, "--yes")[0] == 0, "by the old key"
    assert ran(capsys, "decrypt", "--home", home)[0] == 0
    assert encryption.read(home) is None and driver.is_plain(home / "agentos.db")
    assert found(capsys, home) == set(WORDS)
    assert ran(capsys, "doctor", "--deep", "--home", home)[0] in (0, 1)


def test_a_lost_key_is_made_of_its_passphrase_again(
    home: Path, key: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    word, other = tmp_path / "word", tmp_path / "other"
    word.write_text("correct horse battery\n")
    other.write_text("incorrect horse battery\n")
    asked = ("--key-file", key, "--passphrase-file", word)
    assert ran(capsys, "encrypt", "--home", home, *asked)[0] == 0
    key.unlink()
    assert ran(capsys, "list", "--home", home)[0] == ExitCode.UNAVAILABLE
    assert ran(capsys, "encrypt", "--recover", "--home", home, "--passphrase-file", other)[0] == ExitCode.UNAVAILABLE
    assert ran(capsys, "encrypt", "--recover", "--home", home, "--passphrase-file", word)[0] == 0
    assert found(capsys, home) == set(WORDS)


def test_what_would_leave_the_key_or_a_text_beside_is_refused(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, key: Path
) -> None:
    assert ran(capsys, "encrypt", "--home", home, "--key-file", home / "key.json")[0] == ExitCode.WRONG_USE
    assert Spool(home).put({"prompt": "xylophone"})
    assert ran(capsys, "encrypt", "--home", home, "--key-file", key)[0] == ExitCode.REFUSED
    assert encryption.read(home) is None
    for path in (home / "spool").glob("*.json"):
        path.unlink()
    ran(capsys, "encrypt", "--home", home, "--key-file", key)
    assert ran(capsys, "encrypt", "--home", home, "--key-file", key)[0] == ExitCode.REFUSED
    monkeypatch.setattr(driver, "IS_CIPHER", False)
    with pytest.raises(StorageRefused, match="encryption"):
        driver.connect(home / "agentos.db")


def test_a_change_that_is_killed_at_any_moment_loses_nothing_and_is_resumed(
    home: Path, key: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dice = random.Random(20)
    commands = {"encrypt": ["encrypt", "--key-file", str(key)], "rotate-key": ["rotate-key"], "decrypt": ["decrypt"]}
    is_encrypted = False
    for _ in range(KILLS):
        name = dice.choice(["rotate-key", "decrypt"]) if is_encrypted else "encrypt"
        program = [sys.executable, "-m", "agentos.interfaces.cli", *commands[name], "--home", str(home)]
        with subprocess.Popen(program, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as killed:
            assert killed.stderr is not None
            for _ in range(dice.randint(1, 2)):
                killed.stderr.readline()  # the name of the file that it is at
            time.sleep(dice.random() * 0.05)  # the moment is what is tried here
            killed.kill()
        assert not [path for path in home.rglob("*.reencrypted*") if path.stat().st_mode & 0o077], "one is plain"
        assert found(capsys, home) == set(WORDS), f"after {name}"
        state = encryption.read(home)
        if state is not None and state.target is not None:
            _, report = ran(capsys, "doctor", "--home", home, "--json")
            header = next(one for one in report["checks"] if one["id"] == "database.header")
            assert header["status"] == "warning" and "--resume" in header["remedy"]
            assert ran(capsys, "encrypt", "--resume", "--home", home)[0] == 0
        is_encrypted = encryption.read(home) is not None
        assert found(capsys, home) == set(WORDS), f"after {name} was resumed"
        assert bool(telling(home)) is not is_encrypted
        assert not list(home.rglob("*.reencrypted*"))


def test_a_home_under_a_key_of_vault_opens_while_vault_unwraps_it(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    token = tmp_path / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    with serving() as vault:
        code, output = ran(capsys, "encrypt", "--vault", vault.url, "--token-file", token, "--home", home)
        assert code == 0, output
        assert telling(home) == set() and found(capsys, home) == set(WORDS)
        [key] = encryption.keys_of(home)
        assert not any(one in path.read_bytes() for path in home.rglob("*") if path.is_file() for one in (
            key, key.hex().encode(), TOKEN.encode()
        ))  # fmt: skip
        vault.asked.clear()
        assert found(capsys, home) == set(WORDS)
        assert 0 < len(vault.asked) <= 12, "each file that is opened asks once"
        code, output = ran(capsys, "rotate-key", "--home", home)
        assert code == 0, output
        new, old = encryption.keys_of(home)
        assert old == key != new and found(capsys, home) == set(WORDS)
        vault.version = 2
        assert ran(capsys, "rotate-key", "--rewrap", "--home", home)[0] == 0
        vault.oldest = 2
        assert found(capsys, home) == set(WORDS)
        before = {path: path.read_bytes() for path in home.rglob("*.db")}
        vault.status = 503
        code, output = ran(capsys, "list", "--home", home)
        assert (code, "sealed or on standby" in output) == (ExitCode.UNAVAILABLE, True)
        assert "sealed or on standby" in ran(capsys, "doctor", "--home", home)[1]
        assert ran(capsys, "rotate-key", "--home", home)[0] == ExitCode.UNAVAILABLE
        assert {path: path.read_bytes() for path in home.rglob("*.db")} == before
        vault.status = 200
        assert ran(capsys, "decrypt", "--home", home)[0] == 0
    assert encryption.read(home) is None and found(capsys, home) == set(WORDS)


def test_whatever_order_keys_kills_restores_and_imports_come_in_nothing_is_lost_and_nothing_comes_back(
    tmp_path: Path,
) -> None:
    outcome = interleavings.play(Run(tmp_path, Seeds(tmp_path / "seeds"), random_seed=7), 2)
    assert outcome.done.total() >= 9
    assert not outcome.wrong
