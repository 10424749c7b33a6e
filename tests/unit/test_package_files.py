"""The package's data files are read at the start, and never again: an update may take them away meanwhile."""

from pathlib import Path

from agentos.modules import package_files
from agentos.storage.sqlite import chroma_process
from tests.places import ROOT


def test_what_was_read_outlives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "cues.toml"
    path.write_text("a = 1", encoding="utf-8")
    assert package_files.text(path) == "a = 1"
    path.unlink()
    assert package_files.text(path) == "a = 1"


def test_the_vector_index_needs_no_file_of_the_package_later(tmp_path: Path) -> None:
    package_files.text.cache_clear()
    process = chroma_process.ChromaProcess(tmp_path)
    before = package_files.text.cache_info().misses
    package_files.text(Path(chroma_process.__file__).with_name("chroma_child.py"))
    assert process.pid is None
    assert package_files.text.cache_info().misses == before, "it was read at the start"


def test_modules_read_their_data_files_through_it_alone() -> None:
    readers = [
        str(path)
        for path in (ROOT / "modules").rglob("*.py")
        if "__file__" in (text := path.read_text(encoding="utf-8")) and "read_text(" in text
    ]
    assert readers == [str(ROOT / "modules" / "package_files.py")]
