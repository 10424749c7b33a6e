"""The Markdown mirror: both directions, what waits for a person, and nothing lost whatever both sides do."""

import asyncio
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentos.features.mirror.folder import MirrorFolder
from agentos.features.mirror.ledger import MirrorLedger
from agentos.features.mirror.models import Synced
from agentos.features.mirror.service import MirrorService
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import StorageRefused
from agentos.modules.memory.models import Memory, MemoryFilter, Status
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.store_request import StoreRequest

EVERYTHING = MemoryFilter(include_superseded=True, statuses=tuple(Status))
SHOWN = MemoryFilter(include_superseded=True)


SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def id_line(path: Path) -> str:
    """The first property of a file, its id where it has one."""
    return [*path.read_text(encoding="utf-8").split("\n"), ""][1]


class Killed(BaseException):
    """The daemon dies here."""


class Mortal:
    """A service whose calls that change something count down to the daemon's death, before or after one of them."""

    def __init__(self, inner: Any, side: "Side") -> None:
        self._inner = inner
        self._side = side

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._inner, name)
        if name not in ("store", "update", "archive", "restore", "write", "remove", "save"):
            return call
        if inspect.iscoroutinefunction(call):

            async def later(*args: Any, **kwargs: Any) -> Any:
                self._side.count()
                result = await call(*args, **kwargs)
                self._side.count()
                return result

            return later

        def now(*args: Any, **kwargs: Any) -> Any:
            self._side.count()
            result = call(*args, **kwargs)
            self._side.count()
            return result

        return now


class Side:
    """A person's folder beside an agent's namespace, and the daemon between them."""

    def __init__(self, agentos: AgentOS, folder: Path, home: Path, namespace: str, settled_after: int = 0) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.agentos, self.folder, self.home, self.namespace = agentos, folder, home, namespace
        self.settled_after = settled_after
        self.left: int | None = None
        self.moment = 1_000_000_000
        self.start()

    def start(self) -> None:
        self.ledger = MirrorLedger(self.home, str(self.folder))
        memory, lifecycle = Mortal(self.agentos.memory, self), Mortal(self.agentos.lifecycle, self)
        folder, ledger = Mortal(MirrorFolder(self.folder, 65_536), self), Mortal(self.ledger, self)
        self.service = MirrorService(
            self.namespace, memory, lifecycle, self.agentos.events, folder, ledger, self.settled_after
        )

    def count(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise Killed

    async def sync(self) -> Synced:
        """Passes until nothing happens any more; a person lets it go on where it asks."""
        for _ in range(30):
            done = await self.service.sync()
            if done.paused is not None:
                self.ledger.resume(self.ledger.control().waiting)
            elif not (done.pending or done.from_folder or done.to_folder):
                return done
        raise AssertionError(f"both sides do not come to rest: {done}")

    async def killed(self, after: int) -> None:
        """A pass in which the daemon is killed, and its next start."""
        self.left = after
        try:
            await self.service.sync()
        except Killed:
            pass
        finally:
            self.left = None
        self.start()

    async def keep(self, text: str, **more: Any) -> Memory:
        return (await self.agentos.memory.store(self.namespace, StoreRequest(text, **more))).memory

    async def memories(self, where: MemoryFilter = SHOWN) -> list[Memory]:
        return list((await self.agentos.memory.page(self.namespace, where, 200)).memories)

    async def texts(self) -> set[str]:
        """All texts that the store knows in any state."""
        found: set[str] = set()
        for memory in await self.memories(EVERYTHING):
            found.add(memory.content)
            found |= {version.content for version in await self.agentos.archive.history(self.namespace, memory.id)}
        return found

    @property
    def files(self) -> list[Path]:
        return sorted(self.folder.rglob("*.md")) if self.folder.exists() else []

    def put(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.moment += 1_000_000
        os.utime(path, ns=(self.moment, self.moment))

    def edit(self, path: Path, text: str) -> None:
        head, _, _ = path.read_text(encoding="utf-8").rpartition("---\n")
        self.put(path, f"{head}---\n{text}\n" if head else f"{text}\n")


@pytest.fixture
def side(agentos: AgentOS, tmp_path: Path) -> Side:
    return Side(agentos, tmp_path / "notes", tmp_path / "state", "ada")


async def test_a_memory_is_a_file_and_an_edit_of_it_is_a_version(side: Side) -> None:
    memory = await side.keep("Dana prefers tea.", tags=["drinks", "mornings"])
    await side.sync()
    [file] = side.files
    assert file.name.startswith("dana-prefers-tea-") and file.stat().st_mode & 0o777 == 0o600
    text = file.read_text()
    assert f"id: {memory.id}\ntype: semantic\n" in text and 'tags: ["drinks", "mornings"]' in text
    assert text.endswith("---\nDana prefers tea.\n")
    changed = text.replace('tags: ["drinks", "mornings"]', "tags:\n  - drinks\naliases: [Dana]").replace("tea", "mate")
    side.put(file, changed)
    await side.sync()
    now, versions = await side.agentos.memory.get("ada", memory.id)
    assert (now.content, now.tags, [one.content for one in versions]) == (
        "Dana prefers mate.",
        ("drinks",),
        ["Dana prefers tea."],
    )
    assert file.read_text() == changed, "what already says all of it is not written again"
    await side.agentos.memory.update("ada", memory.id, MemoryChanges(content="Dana prefers water."))
    await side.sync()
    assert "aliases: [Dana]" in file.read_text() and file.read_text().endswith("Dana prefers water.\n")


async def test_a_note_names_the_files_of_its_memory_which_keeps_them_whatever_happens_to_the_note(side: Side) -> None:
    files = side.agentos.attachments()
    kept = (await files.attach("ada", "harbour.bin", bytes(2_048), caption="Plan of the harbour")).attachment
    await side.sync()
    [file] = side.files
    text = file.read_text()
    assert text.endswith("---\nPlan of the harbour\n[file: harbour.bin, application/octet-stream, 2.0 KiB]\n")
    side.put(file, text.replace("Plan of the", "Plan of the old"))
    await side.sync()
    assert [one.name for one in side.folder.iterdir() if not one.name.startswith(".")] == [file.name]
    assert await files.all("ada", 10) == [kept] and (await side.memories())[0].content.startswith("Plan of the old")
    written = file.read_text()
    file.unlink()
    await side.sync()
    assert await files.all("ada", 10) == [] and not await side.memories(), "deleted in the folder, archived here"
    side.put(file, written)
    await side.sync()
    assert await files.all("ada", 10) == [kept] and (await files.get("ada", kept.memory_id))[1] == bytes(2_048)


async def test_an_edit_that_keeps_size_and_time_is_seen(side: Side) -> None:
    await side.keep("Dana prefers tea.")
    await side.sync()
    [file] = side.files
    before = file.stat()
    file.write_text(file.read_text().replace("tea", "rum"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    await side.sync()
    assert [memory.content for memory in await side.memories()] == ["Dana prefers rum."]


async def test_a_folder_in_the_place_of_a_file_is_named_and_its_memory_stays(side: Side) -> None:
    memory = await side.keep("The harbour opens at six.")
    await side.sync()
    [file] = side.files
    file.unlink()
    (file / "inside").mkdir(parents=True)
    side.put(file / "inside" / "Note.md", "The bakery opens at seven.")
    done = await side.sync()
    assert done.problems == {file.name: "it is a folder, not a file"}
    assert {one.id for one in await side.memories()} > {memory.id}, "and what lies in it is read"
    (file / "inside" / "Note.md").rename(side.folder / "Note.md")
    (file / "inside").rmdir()
    file.rmdir()
    side.put(file, "The harbour opens at nine.")
    assert (await side.sync()).problems == {}
    now, _ = await side.agentos.memory.get("ada", memory.id)
    assert now.content == "The harbour opens at nine."


async def test_a_new_file_becomes_a_memory_without_its_secrets(side: Side) -> None:
    await side.sync()
    note = side.folder / "sub" / "My note.md"
    side.put(note, f"---\ntype: procedural\ntags: [ops]\nmood: fine\n---\nThe key is {SECRET}, keep it.\n")
    side.put(side.folder / "Untitled.md", "")
    await side.sync()
    [memory] = await side.memories()
    assert memory.memory_type == "procedural" and memory.tags == ("ops",) and SECRET not in memory.content
    text = note.read_text()
    assert f"id: {memory.id}" in text and "mood: fine" in text and SECRET not in text
    note.rename(side.folder / "Elsewhere.md")
    await side.sync()
    assert [one.id for one in await side.memories()] == [memory.id], "a file that moves is the same memory"


async def test_a_deleted_file_archives_and_a_file_put_back_restores(side: Side) -> None:
    memory = await side.keep("The harbour opens at six.")
    await side.keep("The bakery opens at seven.")
    await side.sync()
    gone = next(file for file in side.files if "harbour" in file.name)
    text = gone.read_text()
    gone.unlink()
    await side.sync()
    assert (await side.agentos.memory.get("ada", memory.id))[0].status is Status.ARCHIVED
    side.put(gone, text)
    await side.sync()
    assert (await side.agentos.memory.get("ada", memory.id))[0].status is Status.ACTIVE
    await side.agentos.lifecycle.archive("ada", memory.id)
    await side.sync()
    assert not gone.exists(), "what the store archives has no file"


async def test_what_both_sides_changed_is_contested_and_a_person_is_asked(side: Side) -> None:
    memory = await side.keep("The team meets in room one.")
    await side.sync()
    [file] = side.files
    side.edit(file, "The team meets in room two.")
    await side.agentos.memory.update("ada", memory.id, MemoryChanges(content="The team meets in room three."))
    await side.sync()
    by_text = {one.content: one for one in await side.memories()}
    assert set(by_text) == {"The team meets in room two.", "The team meets in room three."}
    assert by_text["The team meets in room two."].status is Status.CONTESTED
    assert (await side.agentos.approvals.inbox("ada")).approvals
    links = [path.read_text() for path in side.files]
    assert len(links) == 2 and all("related: [" in text and "[[the-team-meets-" in text for text in links)


async def test_a_superseded_memory_links_to_its_successor(side: Side) -> None:
    old = await side.keep("The office is in Porto.")
    new = await side.keep("The office is in Lisbon now.", supersedes=[old.id])
    await side.sync()
    names = {id_line(path): path for path in side.files}
    assert f'superseded_by: "[[{names[f"id: {new.id}"].stem}]]"' in names[f"id: {old.id}"].read_text()


async def test_many_changes_at_once_wait_for_a_person(side: Side) -> None:
    files = [await side.keep(f"Fact number {number} about harbours.") for number in range(8)]
    await side.sync()
    for file in side.files[:6]:
        file.unlink()
    done = await side.service.sync()
    assert done.paused == "6 files changed at once (6 deleted)"
    assert (await side.service.sync()).paused and len(await side.memories()) == len(files)
    side.ledger.resume(side.ledger.control().waiting)
    await side.sync()
    assert len(await side.memories()) == 2


async def test_a_folder_that_is_gone_or_anothers_changes_nothing(side: Side, tmp_path: Path) -> None:
    await side.keep("The harbour opens at six.")
    await side.sync()
    with pytest.raises(StorageRefused, match="another home"):
        await Side(side.agentos, side.folder, tmp_path / "other", "ada").service.sync()
    side.folder.rename(tmp_path / "moved")
    with pytest.raises(StorageRefused, match="is missing"):
        await side.service.sync()
    assert len(await side.memories()) == 1


@pytest.mark.parametrize("becomes", ["nothing", "a link out of the mirror"])
async def test_a_file_whose_folder_has_gone_is_written_in_the_mirror(side: Side, tmp_path: Path, becomes: str) -> None:
    await side.sync()
    side.put(side.folder / "sub" / "note.md", "The harbour opens at six.")
    await side.sync()
    [memory] = await side.memories()
    outside = tmp_path / "outside"
    outside.mkdir()
    (side.folder / "sub").rename(tmp_path / "away")
    if becomes != "nothing":
        (side.folder / "sub").symlink_to(outside)
    await side.agentos.memory.update("ada", memory.id, MemoryChanges(content="The harbour opens at nine."))
    await side.sync()
    [file] = side.files
    assert file.parent == side.folder and file.read_text().endswith("The harbour opens at nine.\n")
    assert not [*outside.iterdir()]


async def test_damaged_copied_and_foreign_files_are_named_and_left_alone(side: Side, tmp_path: Path) -> None:
    memory = await side.keep("The harbour opens at six.")
    await side.sync()
    [file] = side.files
    good = file.read_text()
    side.put(file, good.replace("type: semantic", "type: {a: b}").replace("six", "nine"))
    side.put(side.folder / "copy.md", good.replace("six", "ten"))
    (side.folder / "binary.md").write_bytes(b"\xff\xfe\x00text")
    outside = tmp_path / "outside.md"
    outside.write_text("A text of somebody else.")
    (side.folder / "link.md").symlink_to(outside)
    side.put(side.folder / "strange.md", "---\ntype: book\n---\nA note about a book.\n")
    before = {path: path.read_bytes() for path in side.files}
    await side.agentos.memory.update("ada", memory.id, MemoryChanges(tags=["new"]))
    problems = (await side.sync()).problems
    assert sorted(problems) == sorted([file.name, "copy.md", "binary.md", "strange.md"])
    assert {path: path.read_bytes() for path in side.files} == before
    assert [one.content for one in await side.memories()] == ["The harbour opens at six."]
    side.put(file, good.replace("six", "nine"))
    (side.folder / "copy.md").unlink()
    await side.sync()
    assert (await side.agentos.memory.get("ada", memory.id))[0].content == "The harbour opens at nine."


async def test_a_file_that_is_being_written_waits(agentos: AgentOS, tmp_path: Path) -> None:
    side = Side(agentos, tmp_path / "notes", tmp_path / "state", "ada", settled_after=1)
    memory = await side.keep("The harbour opens at six.")
    await side.sync()
    [file] = side.files
    for text in ("The har", "The harbour opens", "The harbour opens at eight."):
        side.edit(file, text)
        assert (await side.service.sync()).pending
    await side.sync()
    now, versions = await side.agentos.memory.get("ada", memory.id)
    assert (now.content, len(versions)) == ("The harbour opens at eight.", 1)


WORDS = st.integers(0, 11).map(lambda number: f"Sentence {number} about the old harbour.")
PICK = st.integers(0, 7)
STEPS = st.one_of(
    st.tuples(st.sampled_from(["store", "new file"]), WORDS),
    st.tuples(st.sampled_from(["update", "edit"]), PICK, WORDS),
    st.tuples(st.sampled_from(["archive", "restore", "erase", "delete", "rename", "put back", "bare", "copy"]), PICK),
    st.tuples(st.just("kill"), st.integers(0, 12)),
    st.tuples(st.just("sync")),
)


async def live(side: Side, steps: list[tuple[Any, ...]]) -> None:
    """Carry out what both sides do; then both must come to rest alike, and every text must be somewhere."""
    written: set[str] = set()
    deleted: list[tuple[Path, str]] = []

    async def replaced(path: Path) -> None:
        """A person's own change of a file that nobody has read yet is theirs to lose."""
        body = path.read_text(encoding="utf-8").rpartition("---\n")[2].strip()
        if body not in await side.texts():
            written.discard(body)

    for verb, *given_ in steps:
        files = side.files
        memories = await side.memories(EVERYTHING)
        if verb == "sync":
            await side.service.sync()
        elif verb == "kill":
            await side.killed(given_[0])
        elif verb == "store":
            await side.keep(given_[0])
            written.add(given_[0])
        elif verb == "new file":
            path = side.folder / f"new {len(files)}.md"
            if not path.exists():
                side.put(path, given_[0])
                written.add(given_[0])
        elif verb in ("update", "archive", "restore", "erase") and memories:
            memory = memories[given_[0] % len(memories)]
            try:
                if verb == "update":
                    await side.agentos.memory.update(side.namespace, memory.id, MemoryChanges(content=given_[1]))
                    written.add(given_[1])
                elif verb == "erase":
                    history = await side.agentos.archive.history(side.namespace, memory.id)
                    await side.agentos.memory.delete(side.namespace, memory.id)
                    written -= {memory.content, *(one.content for one in history)}
                else:
                    await getattr(side.agentos.lifecycle, verb)(side.namespace, memory.id)
            except Exception as error:  # noqa: BLE001 - what the service refuses did not happen
                assert type(error).__module__.startswith("agentos"), error
        elif verb == "put back" and deleted:
            path, text = deleted.pop(given_[0] % len(deleted))
            if not path.exists():
                side.put(path, text)
                written.add(text.rpartition("---\n")[2].strip())
        elif verb in ("edit", "delete", "rename", "bare", "copy") and files:
            path = files[given_[0] % len(files)]
            text = path.read_text(encoding="utf-8")
            if verb == "edit":
                await replaced(path)
                side.edit(path, given_[1])
                written.add(given_[1])
            elif verb == "delete":
                await replaced(path)
                deleted.append((path, text))
                path.unlink()
            elif verb == "bare":
                side.put(path, text.rpartition("---\n")[2])
            elif verb == "copy":
                if not (side.folder / "copy.md").exists():
                    side.put(side.folder / "copy.md", text)
            else:
                target = side.folder / "moved" / path.name
                target.parent.mkdir(exist_ok=True)
                if not target.exists():
                    path.rename(target)
    done = await side.sync()
    bodies = {path: path.read_text(encoding="utf-8").rpartition("---\n")[2].strip() for path in side.files}
    reported = {side.folder / name for name in done.problems}
    mirrored = {(id_line(path), body) for path, body in bodies.items() if path not in reported}
    shown = {(f"id: {memory.id}", memory.content) for memory in await side.memories()}
    alone = {side.folder / one for one in done.problems}
    assert mirrored <= shown, "a file says what its memory does not"
    assert len(mirrored) == len(bodies) - len(alone & set(bodies)), "two files are the same memory"
    left_alone = {id_line(path) for path in alone if path.exists()}
    assert {one for one in shown - mirrored if one[0] not in left_alone} == set(), "a memory has no file"
    lost = written - await side.texts() - set(bodies.values())
    assert not lost, f"lost: {lost}"


@settings(
    max_examples=int(os.environ.get("MIRROR_EXAMPLES", "40")),
    stateful_step_count=20,
    deadline=None,
    derandomize="MIRROR_EXAMPLES" not in os.environ,
    suppress_health_check=list(HealthCheck),
)
@given(st.lists(STEPS, min_size=4, max_size=20), st.integers(0, 1))
def of_any(run: Callable[[list[tuple[Any, ...]], int], None], steps: list[tuple[Any, ...]], settled: int) -> None:
    run(steps, settled)


async def test_nothing_is_lost_and_both_sides_converge(agentos: AgentOS, tmp_path: Path) -> None:
    loop = asyncio.get_running_loop()
    lives = iter(range(10_000))

    def run(steps: list[tuple[Any, ...]], settled: int) -> None:
        number = next(lives)
        side = Side(agentos, tmp_path / f"notes{number}", tmp_path / f"state{number}", f"life{number}", settled)
        asyncio.run_coroutine_threadsafe(live(side, steps), loop).result()

    await asyncio.to_thread(of_any, run)
