"""Sync through the commands: homes that share a folder keep one memory, and a lost device is shut out."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.commands import ran

PLAIN = {"AGENTOS_DAEMON": "off", "AGENTOS_EMBEDDING_MODEL": "none"}


class House:
    """Devices of one person, and the folder between them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shared = folder / "carried"
        self.shared.mkdir()
        self.where = str(self.shared)
        self.settings: dict[str, str] = {}

    def home(self, name: str) -> Path:
        return self.folder / name

    def run(self, name: str, *words: str, code: int = 0) -> Any:
        """What a command on a device answers."""
        done = ran([*words, "--json"], {**PLAIN, **self.settings, "AGENTOS_HOME": str(self.home(name))})
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(done.stdout or done.stderr)

    def begin(self, *names: str) -> str:
        """Make a group of devices; return its phrase."""
        first, *others = names
        phrase: str = self.run(first, "sync", "init", self.where, "--name", first)["phrase"]
        for name in others:
            self.run(name, "sync", "join", self.where, "--name", name, "--phrase", phrase)
        return phrase

    def texts(self, name: str) -> set[str]:
        return {one["content"] for one in self.run(name, "list", "--project", "*")["results"]}

    def settle(self, *names: str) -> None:
        for name in [*names, *names]:
            self.run(name, "sync", "now")

    def files(self, suffix: str = ".segment") -> list[Path]:
        return sorted(path for path in self.shared.rglob("*") if path.name.endswith(suffix))

    def device(self, name: str, seen_by: str) -> dict[str, Any]:
        status = self.run(seen_by, "sync", "status")
        return next(one for one in status["devices"] if one["name"] == name)


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_two_devices_keep_one_memory_and_the_folder_shows_nothing(house: House) -> None:
    tea = house.run("laptop", "remember", "Maria likes green tea")["id"]
    house.run("desk", "remember", "The boiler is serviced in May")
    house.begin("laptop", "desk")
    house.settle("laptop", "desk")
    assert house.texts("laptop") == house.texts("desk") == {"Maria likes green tea", "The boiler is serviced in May"}

    house.run("laptop", "edit", tea, "--content", "Maria likes black tea")
    house.run("desk", "edit", tea, "--content", "Maria likes white tea")
    house.settle("laptop", "desk")
    assert house.texts("laptop") == house.texts("desk") >= {"Maria likes black tea", "Maria likes white tea"}
    contested = [one for one in house.run("desk", "list", "--project", "*")["results"] if one["status"] == "contested"]
    assert len(contested) == 2, "none of two texts that were written at once is lost"

    before = [path.read_bytes() for path in house.files()]
    house.run("desk", "forget", tea, "--erase", "--yes")
    house.settle("desk", "laptop")
    assert tea not in {one["id"] for one in house.run("laptop", "list", "--project", "*")["results"]}
    after = [path.read_bytes() for path in house.files()]
    assert before != after[: len(before)], "what was erased is taken out of the segments that told it"

    assert not any(b"tea" in path.read_bytes() for path in house.shared.rglob("*") if path.is_file())
    for path in (house.shared / "agentos-sync").rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_what_a_lost_device_writes_after_it_was_shut_out_is_refused(house: House) -> None:
    phrase = house.begin("laptop", "desk", "phone")
    house.settle("laptop", "desk", "phone")
    kept = house.folder / "kept"
    house.shared.rename(kept)
    shutil.copytree(kept, house.shared)  # what the thief sees, who is cut off from the others
    house.run("phone", "remember", "The code of the door is written down")
    house.run("phone", "sync", "now")
    [stolen] = set(house.files()) - {house.shared / path.relative_to(kept) for path in kept.rglob("*")}
    told = stolen.read_bytes()
    shutil.rmtree(house.shared)
    kept.rename(house.shared)

    new_phrase = house.run("laptop", "sync", "revoke", "phone", "--yes")["phrase"]
    stolen.write_bytes(told)
    for name in ("laptop", "desk"):
        words = house.run(name, "sync", "now", code=1)["words"]
        assert "revoked" in words["phone"]
        assert house.texts(name) == set() and house.device("phone", name)["state"] == "revoked"
    assert "revoked" in str(house.run("phone", "sync", "now", code=3))
    assert "phrase" in str(house.run("tablet", "sync", "join", str(house.shared), "--phrase", phrase, code=2))
    house.run("laptop", "remember", "Only for those who are in")
    house.run("laptop", "sync", "now", code=1)
    house.run("tablet", "sync", "join", str(house.shared), "--name", "tablet", "--phrase", new_phrase)
    assert house.texts("tablet") == {"Only for those who are in"}


def test_a_damaged_segment_is_named_and_a_foreign_file_ignored(house: House) -> None:
    house.begin("laptop", "desk")
    house.run("laptop", "remember", "The spare fuse lies in the red box")
    house.run("laptop", "sync", "now")
    [segment] = [path for path in house.files() if path.parent.name == house.device("laptop", "laptop")["id"]]
    whole = segment.read_bytes()
    (segment.parent / "notes (conflict).txt").write_text("of somebody else")
    for damaged, says in ((whole[:-70], "not all here"), (whole[:-1] + b"x", "altered"), (b"{}", "no segment")):
        segment.write_bytes(damaged)
        assert says in house.run("desk", "sync", "now", code=1)["words"]["laptop"]
        assert house.texts("desk") == set()
    segment.write_bytes(whole)
    house.run("desk", "sync", "now")
    assert house.texts("desk") == {"The spare fuse lies in the red box"}
    assert "conflict" in house.device("laptop", "desk")["waits"]


def test_a_home_that_was_restored_goes_on_as_another_device(house: House) -> None:
    house.begin("laptop", "desk")
    house.run("laptop", "remember", "Told before the backup")
    house.settle("laptop", "desk")
    shutil.copytree(house.home("laptop"), house.home("copy"))
    house.run("laptop", "remember", "Told after the backup")
    house.settle("laptop", "desk")
    shutil.rmtree(house.home("laptop"))
    house.home("copy").rename(house.home("laptop"))
    house.run("laptop", "remember", "Told after the restore")
    house.settle("laptop", "desk")
    everything = {"Told before the backup", "Told after the backup", "Told after the restore"}
    assert house.texts("laptop") == house.texts("desk") == everything
    assert house.device("laptop, before its restore", "desk")["told"] == 2


def test_a_device_that_left_keeps_its_memory_and_may_join_again(house: House) -> None:
    phrase = house.begin("laptop", "desk")
    house.run("desk", "remember", "Written on the desk")
    assert house.run("desk", "sync", "leave", "--yes") == {"left": True, "problem": ""}
    house.run("laptop", "sync", "now")
    assert house.texts("laptop") == house.texts("desk") == {"Written on the desk"}
    assert house.device("desk", "laptop")["state"] == "left"
    house.run("desk", "sync", "join", str(house.shared), "--name", "desk again", "--phrase", phrase)
    house.settle("laptop", "desk")
    assert house.texts("laptop") == house.texts("desk") == {"Written on the desk"}


def test_what_makes_no_sense_is_refused_and_changes_nothing(house: House) -> None:
    shared = str(house.shared)
    assert "agentos sync init" in str(house.run("laptop", "sync", "now", code=3))
    assert "no folder" in str(house.run("laptop", "sync", "init", shared + "/nowhere", code=2))
    assert "home" in str(house.run("laptop", "sync", "init", str(house.home("laptop")), code=2))
    assert "name" in str(house.run("laptop", "sync", "init", shared, "--name", "x" * 101, code=2))
    mistyped = house.run("laptop", "sync", "join", shared, "--phrase", "ABCD-EFGH", code=2)
    assert "mistyped" in str(mistyped)
    assert not [*house.shared.iterdir()]
    phrase = house.begin("laptop")
    assert "join" in str(house.run("desk", "sync", "init", shared, code=3))
    assert "leave" in str(house.run("laptop", "sync", "join", shared, "--phrase", phrase, code=3))
    assert "none called" in str(house.run("laptop", "sync", "revoke", "nobody", "--yes", code=1))
    assert "leave" in str(house.run("laptop", "sync", "revoke", "laptop", "--yes", code=2))
    house.shared.rename(house.folder / "unmounted")
    assert "is not there" in str(house.run("laptop", "sync", "now", code=4))
    assert house.run("laptop", "sync", "status")["problem"]
