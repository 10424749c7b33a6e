"""Files that are not ours are read within bounds; files of ours are made where nobody has put anything first."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from agentos.interfaces.stdio.front import place
from agentos.modules import foreign_files, private_files
from tests.tables import every


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a note, links in and out of it, a pipe, a device's link and a long file; a secret beside it."""
    made = tmp_path / "vault"
    (made / "sub").mkdir(parents=True)
    (made / ".hidden").mkdir()
    (tmp_path / "secret.md").write_text("secret")
    (made / "note.md").write_text("note")
    (made / "sub" / "deep.md").write_text("deep")
    (made / ".hidden" / "h.md").write_text("hidden")
    (made / "same.md").symlink_to(made / "note.md")
    (made / "out.md").symlink_to(tmp_path / "secret.md")
    (made / "zero.md").symlink_to("/dev/zero")
    (made / "up").symlink_to(tmp_path)
    (made / "round.md").symlink_to("round.md")
    os.mkfifo(made / "pipe.md")
    return made


def test_a_folder_holds_its_regular_files_and_links_among_them(folder: Path) -> None:
    found = [path.relative_to(folder).as_posix() for path in foreign_files.files_below(folder, ".md")]
    assert found == ["note.md", "same.md", "sub/deep.md"]
    assert [foreign_files.text(folder / name, 100, folder) for name in found] == ["note", "note", "deep"]


@every("name", ["out.md", "zero.md", "pipe.md", "up/secret.md", "sub/../../secret.md", "round.md", "sub", "none.md"])
def test_what_lies_elsewhere_or_is_no_file_is_not_read(folder: Path, name: str) -> None:
    with pytest.raises(OSError):
        foreign_files.read(folder / name, 100, folder)


@every("name", ["zero.md", "pipe.md", "sub"])
def test_a_named_file_is_a_regular_one(folder: Path, name: str) -> None:
    with pytest.raises(OSError, match="not a regular file"):
        foreign_files.read(folder / name, 100)


def test_no_more_is_read_than_was_said(folder: Path) -> None:
    (folder / "note.md").write_bytes(b"a" * 101)
    with pytest.raises(OSError, match="larger than 100 bytes"):
        foreign_files.read(folder / "note.md", 100)
    with foreign_files.opened(folder / "note.md") as file, pytest.raises(OSError, match="line 1 is longer"):
        list(foreign_files.lines(file, 50))


def test_a_new_file_is_private_and_takes_nobodys_place(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    for name in ("new.partial", ".new.", "taken", "dangling"):
        (tmp_path / name).symlink_to(victim if name != "dangling" else tmp_path / "nowhere")
    with private_files.appearing(tmp_path / "new") as file:
        file.write(b"ours")
        assert not (tmp_path / "new").exists()
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600
    for name in ("new", "taken", "dangling", "victim"):
        with pytest.raises(FileExistsError), private_files.appearing(tmp_path / name):
            raise AssertionError(name)
        with pytest.raises(FileExistsError):
            private_files.create(tmp_path / name)
    with pytest.raises(ZeroDivisionError), private_files.appearing(tmp_path / "half"):
        raise ZeroDivisionError
    assert victim.read_text() == "precious" and not (tmp_path / "nowhere").exists()
    left = [path.name for path in tmp_path.iterdir() if not path.is_symlink()]
    assert sorted(left) == ["new", "victim"]


def test_a_name_that_came_meanwhile_is_kept(tmp_path: Path) -> None:
    with pytest.raises(FileExistsError), private_files.appearing(tmp_path / "new") as file:
        file.write(b"ours")
        (tmp_path / "new").write_text("theirs")
    assert (tmp_path / "new").read_text() == "theirs"


def test_a_file_of_ours_is_no_link_and_has_no_other_name(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "link").symlink_to(victim)
    os.link(victim, tmp_path / "second")
    for name in ("link", "second"):
        with pytest.raises(OSError):
            private_files.open_own(tmp_path / name, os.O_WRONLY | os.O_CREAT)


def _written_by_others(home: Path) -> None:
    home.mkdir()
    home.chmod(0o777)


def _a_link(home: Path) -> None:
    (home.parent / "other").mkdir(mode=0o700)
    home.symlink_to(home.parent / "other")


MADE: list[tuple[Callable[[Path], None], bool]] = [
    (_written_by_others, False),
    (_a_link, False),
    (lambda home: home.mkdir(mode=0o700), True),
    (lambda home: None, True),
]


@every("made, is_private", MADE)
def test_a_home_is_private_or_left_alone(
    tmp_path_factory: pytest.TempPathFactory, made: Callable[[Path], None], is_private: bool
) -> None:
    home = tmp_path_factory.mktemp("home") / "agentos"
    made(home)
    assert place.private(home) is is_private
