"""The package's data files are read at the start, and never again: an update may take them away meanwhile."""

from pathlib import Path

from agentos.interfaces.http.dashboard import html
from agentos.modules import package_files
from agentos.storage.sqlite import chroma_process
from tests.places import ROOT

READ = (".html", ".css", ".js", ".svg", ".toml")


def test_what_was_read_outlives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "cues.toml"
    path.write_text("a = 1", encoding="utf-8")
    assert package_files.text(path) == "a = 1"
    path.unlink()
    assert package_files.text(path) == "a = 1"


def test_the_dashboard_and_the_vector_index_need_no_file_of_the_package_later(tmp_path: Path) -> None:
    package_files.text.cache_clear()
    html.read_all()
    process = chroma_process.ChromaProcess(tmp_path)
    read = {path for path in html.FOLDER.rglob("*.*") if path.suffix in READ}
    before = package_files.text.cache_info().misses
    for path in [*read, Path(chroma_process.__file__).with_name("chroma_child.py")]:
        package_files.text(path)
    assert read and process.pid is None
    assert package_files.text.cache_info().misses == before, "each was read at the start"


def test_modules_read_their_data_files_through_it_alone() -> None:
    readers = [
        str(path)
        for path in (ROOT / "modules").rglob("*.py")
        if "__file__" in (text := path.read_text(encoding="utf-8")) and "read_text(" in text
    ]
    assert readers == [str(ROOT / "modules" / "package_files.py")]
