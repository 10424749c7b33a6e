"""Notes that follow the code: what is renamed, moved, changed or gone marks the notes that name it, and no others."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from agentos.database import OpenedStore
from agentos.features.anchors import parsing
from agentos.features.anchors.models import State
from agentos.features.anchors.service import AnchorService
from agentos.features.anchors.telling import LONGEST_MARK
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import InvalidInput, NotFound
from agentos.modules.store_request import StoreRequest
from agentos.modules.views.labels import labels_of

NS = "ana"

PROJECTS = {
    language: dict(zip(names, map(str.lstrip, text.split("====")), strict=True))
    for language, names, text in (
        (
            "python",
            ("app/net.py", "app/main.py", "app/other.py"),
            """
def fetch_page(url, tries):
    for one in range(tries):
        if send(url):
            return one
====
from .net import fetch_page


def run_all(urls):
    found = [fetch_page(url, 3) for url in urls]
    return len(found)
====
def fetch_page(path):
    with open(path) as file:
        return file.read().strip()
""",
        ),
        (
            "typescript",
            ("src/net.ts", "src/main.ts", "src/other.ts"),
            """
export function fetch_page(url: string, tries: number): number {
  for (let i = 0; i < tries; i++) { if (send(url)) return i }
  return -1
}
====
import { fetch_page } from './net'
export const run_all = (urls: string[]) => urls.map((url) => fetch_page(url, 3)).length
====
export class Disk { fetch_page(path: string) { return read(path).trim().split('x') } }
""",
        ),
        (
            "go",
            ("net.go", "main.go", "disk/other.go"),
            """
package a

func fetch_page(url string, tries int) int {
	for i := 0; i < tries; i++ {
		if send(url) {
			return i
		}
	}
	return -1
}
====
package a

func run_all(urls []string) int {
	n := 0
	for _, url := range urls {
		n += fetch_page(url, 3)
	}
	return n
}
====
package disk

type Disk struct{ root string }

func (d *Disk) fetch_page(path string) string {
	return d.root + path + path
}
""",
        ),
        (
            "rust",
            ("src/net.rs", "src/main.rs", "src/other.rs"),
            """
pub fn fetch_page(url: &str, tries: u8) -> u8 {
    for i in 0..tries { if send(url) { return i } }
    255
}
====
use net::fetch_page;

fn run_all(urls: &[&str]) -> usize {
    urls.iter().map(|url| fetch_page(url, 3)).count()
}
====
struct Disk;
impl Disk { fn fetch_page(&self, path: &str) -> String { read(path).trim().to_string() } }
""",
        ),
    )
}


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def replaced(folder: Path, old: str, new: str, *names: str) -> None:
    for name in names:
        path = folder / name
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def git(folder: Path, *words: str) -> None:
    own = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def service(store: OpenedStore, agentos: AgentOS) -> AnchorService:
    return AnchorService.over(store.engine, agentos)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "code"
    write(place, {"pyproject.toml": "", **PROJECTS["python"]})
    return place


async def noted(agentos: AgentOS, folder: Path, *texts: str) -> list[str]:
    project = await agentos.sessions.project(NS, str(folder))
    return [
        (await agentos.memory.store(NS, StoreRequest(text, metadata=dict(project.fields)))).memory.id for text in texts
    ]


async def label(agentos: AgentOS, memory_id: str) -> str:
    memory, _ = await agentos.memory.get(NS, memory_id)
    return (await labels_of(agentos.lifecycle, NS, [memory])).of(memory)


@pytest.mark.parametrize("language", PROJECTS)
async def test_a_rename_across_files_marks_exactly_the_notes_that_name_it(
    agentos: AgentOS, service: AnchorService, tmp_path: Path, language: str
) -> None:
    files = PROJECTS[language]
    net, main, other = files
    write(tmp_path / "code", {"pyproject.toml": "", **files})
    own, caller, namesake, plain = await noted(
        agentos,
        tmp_path / "code",
        f"`fetch_page` in {net} gives up after three tries.",
        f"run_all() in {main} is called every hour.",
        f"`fetch_page` in {other} trims what it reads.",
        "The fetch page of the wiki is green.",
    )
    assert (await service.follow(NS, str(tmp_path / "code"))).found == 3
    assert (await service.check()).marked == 0, "nothing changed"
    replaced(tmp_path / "code", "fetch_page", "load_page", net, main)
    assert (await service.check()).marked == 1
    assert await label(agentos, own) == "code renamed: fetch_page is now load_page"
    assert [await label(agentos, one) for one in (caller, namesake, plain)] == ["", "", ""]
    replaced(tmp_path / "code", "load_page", "fetch_page", net, main)
    assert (await service.check()).cleared == 1 and await label(agentos, own) == ""


async def test_what_changed_moved_or_went_says_so_and_shows_the_command(
    agentos: AgentOS, service: AnchorService, folder: Path
) -> None:
    write(folder, {"app/config.py": "PORT = 80\n\n\ndef load(path):\n    return [read(line) for line in open(path)]\n"})
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "a")):
        git(folder, *words)
    changed, moved, gone, whole, constant = await noted(
        agentos,
        folder,
        "fetch_page() in app/net.py sends at most three times.",
        "`load` in app/config.py reads the settings.",
        "`run_all` in app/main.py starts it.",
        "How pages are read from disk: app/other.py.",
        "app/config.py:PORT is the port.",
    )
    await service.follow(NS, str(folder))
    replaced(folder, "return one", "return one + 1", "app/net.py")
    write(folder, {"app/settings.py": (folder / "app/config.py").read_text(encoding="utf-8").partition("\n\n\n")[2]})
    (folder / "app/config.py").write_text("PORT = 80\n", encoding="utf-8")
    (folder / "app/main.py").write_text("", encoding="utf-8")
    (folder / "lib").mkdir()
    git(folder, "mv", "app/other.py", "lib/disk.py")
    assert (await service.check()).marked == 4
    assert (await label(agentos, changed)).startswith("code changed: app/net.py:fetch_page; git diff ")
    assert (await label(agentos, changed)).endswith(" -- app/net.py")
    assert (await label(agentos, moved)).startswith("code moved: load is now in app/settings.py; git diff ")
    assert (await label(agentos, gone)).startswith("code gone: run_all from app/main.py; git diff ")
    assert (await label(agentos, whole)).startswith("code moved: app/other.py is now lib/disk.py; git diff ")
    assert (await label(agentos, whole)).endswith(" -- app/other.py lib/disk.py")
    assert await label(agentos, constant) == ""
    await agentos.lifecycle.feedback(NS, changed, "confirm", by="human")
    assert await label(agentos, changed) == "", "who confirms a note knows what became of the code"
    await service.check()
    replaced(folder, "one + 1", "one + 2", "app/net.py")
    assert (await service.check()).marked == 1


async def test_a_file_that_moved_without_git_keeps_its_symbols_and_a_broken_one_marks_nothing(
    agentos: AgentOS, service: AnchorService, folder: Path
) -> None:
    symbol, caller = await noted(agentos, folder, "`fetch_page` in app/net.py tries.", "run_all() in app/main.py runs.")
    await service.follow(NS, str(folder))
    source = (folder / "app/main.py").read_text(encoding="utf-8")
    (folder / "app/main.py").write_text("def run_all(urls:\n  ][", encoding="utf-8")
    (folder / "deep").mkdir()
    shutil.move(folder / "app/net.py", folder / "deep/net.py")
    assert (await service.check()).marked == 1
    assert await label(agentos, symbol) == "code moved: fetch_page is now in deep/net.py"
    assert await label(agentos, caller) == ""
    (folder / "app/main.py").write_text(f"# a comment\n{source}\n\n\ndef more():\n    pass\n", encoding="utf-8")
    replaced(folder, "fetch_page", "load_page", "deep/net.py", "app/main.py")
    await service.check()
    assert await label(agentos, symbol) == "code renamed: fetch_page is now load_page in deep/net.py"
    assert await label(agentos, caller) == ""
    (folder / "do so now").mkdir()
    shutil.move(folder / "deep/net.py", folder / "do so now/net.py")
    await service.check()
    assert await label(agentos, symbol) == 'code renamed: fetch_page is now load_page in "do so now/net.py"'


async def test_odd_files_are_never_opened_and_two_projects_are_two(
    agentos: AgentOS, service: AnchorService, folder: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("def hidden_key():\n    return 'abc'\n", encoding="utf-8")
    (folder / "link.py").symlink_to(secret)
    os.mkfifo(folder / "pipe.py")
    (folder / "huge.py").write_bytes(b"x = 1\n" * 300_000)
    (folder / "binary.py").write_bytes(b"\0\1def hidden_key(): pass" * 9)
    another = tmp_path / "another"
    shutil.copytree(folder / "app", another / "app")
    (another / "go.mod").write_text("", encoding="utf-8")
    own, odd = await noted(
        agentos,
        folder,
        "`fetch_page` in app/net.py tries.",
        "`hidden_key` in link.py, pipe.py, huge.py, ../secret.py or binary.py.",
    )
    [theirs] = await noted(agentos, another, "fetch_page() in app/net.py is theirs.")
    await service.follow(NS, str(folder))
    await service.follow(NS, str(another))
    kept = {(one.memory_id, str(one.place)) for one in await service.listed(NS)}
    assert kept == {(own, "app/net.py:fetch_page"), (odd, "binary.py"), (theirs, "app/net.py:fetch_page")}
    for name in ("link.py", "pipe.py", "huge.py", "../secret.py", str(secret), "app", "app/none.py", "app/net.py:none"):
        with pytest.raises(InvalidInput):
            await service.add(NS, own, name, str(folder))
    (another / "app/net.py").unlink()
    (another / "app/net.py").symlink_to(secret)
    await service.check()
    assert await label(agentos, theirs) == "", "what cannot be read is not judged"
    (another / "app/net.py").unlink()
    assert (await service.check()).marked == 1
    assert (await label(agentos, theirs), await label(agentos, own)) == ("code gone: fetch_page from app/net.py", "")
    shutil.rmtree(another)
    assert "not there" in (await service.check()).words[str(another)]


async def test_a_note_is_anchored_anew_when_edited_and_anchors_go_with_their_note(
    agentos: AgentOS, service: AnchorService, folder: Path
) -> None:
    from agentos.modules.memory.service import MemoryChanges

    [note] = await noted(agentos, folder, "`fetch_page` in app/net.py tries.")
    await service.follow(NS, str(folder))
    given = await service.add(NS, note, "app/other.py", str(folder), commit="abcdef1")
    assert (given.commit, given.is_given) == ("abcdef1", True)
    await agentos.memory.update(NS, note, MemoryChanges(content="run_all() in app/main.py tries."))
    await service.check()
    assert {str(one.place) for one in await service.listed(NS, note)} == {"app/main.py:run_all", "app/other.py"}
    assert await service.remove(NS, note, "app/other.py") == 1
    with pytest.raises(NotFound):
        await service.remove(NS, note, "app/other.py")
    await agentos.memory.delete(NS, note)
    assert await service.listed(NS) == []
    with pytest.raises(NotFound):
        await service.add(NS, note, "app/net.py", str(folder))
    assert await service.leave(NS, str(folder)) == 0 and await service.status() == []


async def test_names_of_any_length_are_told_within_bounds(
    agentos: AgentOS, service: AnchorService, folder: Path
) -> None:
    odd = ["/".join("".join(chr(first + each) for each in range(70)) for first in range(at, at + 280, 70)) for at in (
        0x4E00, 0x6000,
    )]  # fmt: skip
    write(folder, {f"{odd[0]}.py": "".join(f"value_{number} = {number}\n" for number in range(40))})
    symbol, whole = await noted(agentos, folder, "`fetch_page` in app/net.py tries.", "A file of values.")
    await service.follow(NS, str(folder))
    await service.add(NS, whole, f"{odd[0]}.py", str(folder))
    replaced(folder, "fetch_page", "x" * 100_000, "app/net.py")
    (folder / odd[1]).parent.mkdir(parents=True)
    shutil.move(folder / f"{odd[0]}.py", folder / f"{odd[1]}.py")
    assert (await service.check()).marked == 2
    assert await label(agentos, symbol) == "code gone: fetch_page from app/net.py"
    assert await label(agentos, whole) == f"code moved: {odd[0]}.py is now {odd[1]}.py"[:LONGEST_MARK]


def test_a_file_that_takes_too_long_is_not_judged_and_leaves_the_next_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    parsers = parsing.Parsers()
    with monkeypatch.context() as patched:
        patched.setattr(parsing, "PARSED_WITHIN_S", -1.0)
        assert parsers.symbols("long.py", b"value = 1\n" * 5_000) == ({}, True)
    symbols, is_broken = parsers.symbols("next.py", b"def own():\n    return 1\n")
    assert list(symbols) == ["own"] and not is_broken


async def test_without_the_extra_files_alone_are_followed(
    store: OpenedStore, agentos: AgentOS, service: AnchorService, folder: Path
) -> None:
    bare = AnchorService(service._rows, agentos, parses=False)
    [note] = await noted(agentos, folder, "`fetch_page` in app/net.py tries.")
    await bare.follow(NS, str(folder))
    [anchor] = await bare.listed(NS)
    assert (str(anchor.place), anchor.state) == ("app/net.py", State.SAME)
    with pytest.raises(InvalidInput, match="extra code"):
        await bare.add(NS, note, "app/net.py:fetch_page", str(folder))
    (folder / "app/net.py").write_text("\n".join(f"line {number}" for number in range(40)), encoding="utf-8")
    await bare.check()
    assert await label(agentos, note) == "code changed: app/net.py"
