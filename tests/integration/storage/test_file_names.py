"""Names of files as other systems give them: decomposed (NFD) though they were written composed, in any case."""

import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentos.features.mirror.folder import MirrorFolder
from agentos.modules.foreign_files import files_below
from agentos.modules.sessions import tool_calls
from agentos.modules.system import files
from agentos.storage.git.checkouts import GitCheckouts

NAME = "Café Überblick.md"
DECOMPOSED = unicodedata.normalize("NFD", NAME)


class Entry:
    """An entry of a folder with the name that such a system gives."""

    def __init__(self, entry: os.DirEntry[str]) -> None:
        self._entry = entry
        self.name = unicodedata.normalize("NFD", entry.name)
        self.path = unicodedata.normalize("NFD", entry.path)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._entry, name)


class Entries:
    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __enter__(self) -> Iterator[Entry]:
        return map(Entry, self._inner.__enter__())

    def __exit__(self, *error: object) -> None:
        self._inner.__exit__(*error)

    def __next__(self) -> Entry:
        return Entry(next(self._inner))

    def close(self) -> None:
        self._inner.close()


@pytest.fixture
def decomposing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that finds a file by either form of its name, and lists it decomposed."""
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path=".": Entries(scandir(unicodedata.normalize("NFC", str(path)))))


def test_a_listed_name_is_the_one_that_was_written(decomposing: None, tmp_path: Path) -> None:
    (tmp_path / "Ordner Ü").mkdir()
    (tmp_path / "Ordner Ü" / NAME).write_text("# Plan\n", encoding="utf-8")
    assert files_below(tmp_path, ".md") == [tmp_path / "Ordner Ü" / NAME]
    mirror = MirrorFolder(tmp_path, 1_000)
    assert list(mirror.listing()) == [f"Ordner Ü/{NAME}"]
    assert mirror.read(f"Ordner Ü/{NAME}")[0] == "# Plan\n"


async def test_a_project_has_one_folder_however_its_path_is_spelt(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    realpath = os.path.realpath
    monkeypatch.setattr(os.path, "realpath", lambda path, **more: unicodedata.normalize("NFD", realpath(path, **more)))
    folder = tmp_path / "Müller"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    spelt = [await GitCheckouts().read(unicodedata.normalize(form, str(folder))) for form in ("NFC", "NFD")]
    assert [one.folder for one in spelt] == [str(folder)] * 2


def test_where_both_forms_are_names_of_their_own_each_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / DECOMPOSED).write_text("decomposed", encoding="utf-8")
    assert files_below(tmp_path, ".md") == [tmp_path / DECOMPOSED]
    assert files.as_kept(tmp_path / DECOMPOSED) == tmp_path / DECOMPOSED


def test_a_file_that_an_agent_changed_is_in_its_project_in_either_form() -> None:
    folder = "/srv/Müller"
    for form in ("NFC", "NFD"):
        path = unicodedata.normalize(form, f"{folder}/{NAME}")
        call = tool_calls.read("Edit", {"file_path": path}, {}, "", folder)
        assert call.files_modified == (NAME,)
