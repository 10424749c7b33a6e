"""The files of the dashboard are read at the start, and never again."""

from agentos.features.dashboard import html
from agentos.modules import package_files

READ = (".html", ".css", ".js", ".svg", ".toml")


def test_it_needs_no_file_of_the_package_later() -> None:
    package_files.text.cache_clear()
    html.read_all()
    read = {path for path in html.FOLDER.rglob("*.*") if path.suffix in READ}
    before = package_files.text.cache_info().misses
    for path in read:
        package_files.text(path)
    assert read
    assert package_files.text.cache_info().misses == before, "each was read at the start"
