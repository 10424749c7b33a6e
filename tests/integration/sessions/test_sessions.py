"""Sessions over real SQLite and real git: events once, projects by repository, observations by rules."""

import asyncio
import dataclasses
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from agentos.database import OpenedStore
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import InvalidInput, NotFound
from agentos.modules.memory.models import MemoryFilter
from agentos.modules.sessions.models import EventType, NewEvent, Session, SessionState, Signal, ToolCall
from agentos.modules.sessions.service import TAG, signal, turn
from agentos.modules.sessions.tool_calls import as_json
from agentos.storage.git import checkouts
from agentos.storage.git.checkouts import GitCheckouts

NS = "ada"


@pytest.fixture(autouse=True)
def patient_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkouts, "ROOT_COMMIT_WITHIN_S", 60.0)


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "protocol.file.allow=always")
    subprocess.run(("git", *identity, *arguments), cwd=folder, check=True, capture_output=True, timeout=60)


def repository(folder: Path, message: str = "first") -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return folder


def call(key: str, **fields: Any) -> NewEvent:
    return NewEvent(
        EventType.TOOL_CALL, key, structured=as_json(ToolCall(**{"tool": "Bash", "success": True, **fields}))
    )


async def opened(agentos: AgentOS, key: str = "s1", folder: str = "/w/app") -> Session:
    session, _ = await agentos.sessions.open(NS, "claude-code", key, folder)
    return session


async def observations(agentos: AgentOS) -> list[Any]:
    page = await agentos.memory.page(NS, MemoryFilter(tags=(TAG,)))
    return list(page.memories)


async def test_a_session_is_made_once_and_its_events_are_kept_once(agentos: AgentOS, clock: Any) -> None:
    session, is_new = await agentos.sessions.open(NS, "claude-code", "s1", "/w/app")
    assert is_new and await agentos.sessions.open(NS, "claude-code", "s1", "/elsewhere") == (session, False)
    clock.advance(minutes=1)
    events = [turn("user", "Fix the login", "k1"), call("k2", command="pytest")]
    assert await agentos.sessions.record(session, *events) == 2
    assert await agentos.sessions.record(session, *events) == 0
    stored = await agentos.sessions.events(session)
    assert [(e.type, e.text, e.occurred_at) for e in stored] == [
        (EventType.TURN, "Fix the login", clock.now),
        (EventType.TOOL_CALL, "", clock.now),
    ]
    again = await agentos.sessions.get(NS, session.id)
    assert (again.title, again.last_at) == ("Fix the login", clock.now)


async def test_a_resumed_session_is_active_again(agentos: AgentOS) -> None:
    session = await opened(agentos)
    await agentos.sessions.record(session, turn("user", "hello there", "k1"))
    await agentos.sessions.end(session, SessionState.FAILED)
    ended = await agentos.sessions.get(NS, session.id)
    assert (ended.state, ended.ended_at is not None) == (SessionState.FAILED, True)
    await agentos.sessions.record(session, turn("user", "hello there", "k1"))
    assert (await agentos.sessions.get(NS, session.id)).state is SessionState.FAILED, "nothing new happened"
    await agentos.sessions.record(session, turn("user", "go on", "k2"))
    again = await agentos.sessions.get(NS, session.id)
    assert (again.state, again.ended_at) == (SessionState.ACTIVE, None)


async def test_sessions_are_listed_the_last_active_first_and_by_namespace(agentos: AgentOS, clock: Any) -> None:
    first = await opened(agentos, "s1")
    clock.advance(minutes=1)
    second = await opened(agentos, "s2", "/w/other")
    await agentos.sessions.open("bob", "codex", "s3", "/w/app")
    assert [s.id for s in await agentos.sessions.page(NS)] == [second.id, first.id]
    await agentos.sessions.end(first)
    assert [s.id for s in await agentos.sessions.page(NS, state="completed")] == [first.id]
    assert [s.id for s in await agentos.sessions.page(NS, project=second.project.id)] == [second.id]
    with pytest.raises(NotFound):
        await agentos.sessions.get("bob", first.id)
    with pytest.raises(InvalidInput, match="state"):
        await agentos.sessions.page(NS, state="asleep")


async def test_many_processes_at_once_make_one_session_and_one_project(
    open_store: Callable[[], Awaitable[OpenedStore]], wire: Callable[..., AgentOS]
) -> None:
    several = [wire(await open_store()) for _ in range(3)]
    made = await asyncio.gather(*(opened(agentos) for agentos in several for _ in range(4)))
    assert len({session.id for session in made}) == 1
    assert len(await several[0].sessions.projects(NS)) == 1
    counts = await asyncio.gather(*(agentos.sessions.record(made[0], call("same")) for agentos in several))
    assert sorted(counts) == [0, 0, 1]


async def test_a_repository_is_one_project_however_it_is_reached(agentos: AgentOS, tmp_path: Path) -> None:
    original = repository(tmp_path / "a" / "app")
    (original / "deep" / "er").mkdir(parents=True)
    git(original, "worktree", "add", "-q", str(tmp_path / "tree"))
    git(tmp_path, "clone", "-q", str(original), "copy")
    project = await agentos.sessions.project(NS, str(original))
    same = [original / "deep" / "er", tmp_path / "tree", tmp_path / "copy"]
    assert {(await agentos.sessions.project(NS, str(folder))).id for folder in same} == {project.id}
    (tmp_path / "a").rename(tmp_path / "b")
    assert (await agentos.sessions.project(NS, str(tmp_path / "b" / "app"))).id == project.id
    git(tmp_path / "b" / "app", "remote", "add", "origin", "git@example.com:o/app.git")
    assert (await agentos.sessions.project(NS, str(tmp_path / "b" / "app"))).id == project.id


async def test_repositories_of_the_same_name_are_apart_and_so_are_namespaces(agentos: AgentOS, tmp_path: Path) -> None:
    one = await agentos.sessions.project(NS, str(repository(tmp_path / "one" / "app", "one")))
    two = await agentos.sessions.project(NS, str(repository(tmp_path / "two" / "app", "two")))
    (tmp_path / "three" / "app").mkdir(parents=True)
    three = await agentos.sessions.project(NS, str(tmp_path / "three" / "app"))
    theirs = await agentos.sessions.project("bob", str(tmp_path / "one" / "app"))
    assert len({one.id, two.id, three.id, theirs.id}) == 4
    assert {one.name, two.name, three.name} == {"app"}
    assert [project.id for project in await agentos.sessions.projects(NS)] == [one.id, two.id, three.id]


@pytest.mark.parametrize("content", [b"gitdir: /nowhere", b"\xff\xfe", b"", b"gitdir:"])
async def test_a_broken_git_file_is_a_plain_folder(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").write_bytes(content)
    assert await GitCheckouts().read(str(tmp_path)) == dataclasses.replace(await GitCheckouts().read(str(tmp_path)))
    assert (await GitCheckouts().read(str(tmp_path))).repository is None
    assert (await GitCheckouts().read(str(tmp_path / "gone" / "x"))).repository is None


async def test_work_becomes_one_observation_that_is_found_by_its_file(agentos: AgentOS) -> None:
    session = await opened(agentos)
    await agentos.sessions.record(
        session,
        turn("user", "Fix the crash in the login form", "k1"),
        call("k2", tool="Read", files_read=("src/form.py",)),
        call("k3", command="pytest -q", success=False, error="Exit code 1\nKeyError: 'user'"),
        call("k4", tool="Edit", files_modified=("src/login.py",)),
        call("k5", command="pytest -q", outcome="3 passed"),
    )
    assert await agentos.sessions.observe() == 0, "the turn goes on"
    await agentos.sessions.record(session, signal(Signal.TURN_ENDED, "k6"))
    assert await agentos.sessions.observe() == 1
    assert await agentos.sessions.observe() == 0
    [memory] = await observations(agentos)
    assert memory.session == session.id and memory.source == "claude-code" and memory.speaker is None
    observed = memory.metadata["observation"]
    assert (observed["type"], observed["title"]) == ("bugfix", "Fix the crash in the login form")
    assert (observed["files_read"], observed["files_modified"]) == (["src/form.py"], ["src/login.py"])
    found = await agentos.memory.search(NS, "src/login.py")
    assert found.hits[0].memory.id == memory.id
    stretch = await agentos.sessions.stretch_of(NS, memory.id)
    assert stretch is not None and len(await agentos.sessions.calls_of(stretch)) == 6
    summary = await agentos.reflection.summary(NS)
    assert (summary.total_actions, summary.success_rate) == (1, 1.0), "how the last run of a command ended counts"


async def test_a_session_at_rest_is_observed_although_nothing_says_that_it_ended(agentos: AgentOS, clock: Any) -> None:
    session = await opened(agentos)
    await agentos.sessions.record(session, turn("user", "Add paging", "k1"), call("k2", files_modified=("a.py",)))
    assert await agentos.sessions.observe() == 0
    clock.advance(minutes=11)
    assert await agentos.sessions.observe() == 1
    await agentos.sessions.record(session, call("k3", files_modified=("b.py",)))
    await agentos.sessions.end(session)
    assert await agentos.sessions.observe() == 1
    assert [m.metadata["observation"]["files_modified"] for m in await observations(agentos)] == [["b.py"], ["a.py"]]


async def test_observing_that_was_cut_off_at_any_point_makes_each_observation_once(
    agentos: AgentOS, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await opened(agentos)
    for n in range(3):
        await agentos.sessions.record(
            session,
            turn("user", f"Change number {n}", f"p{n}"),
            call(f"c{n}", tool="Edit", files_modified=(f"{n}.py",)),
            call(f"d{n}", command="make"),
            signal(Signal.TURN_ENDED, f"e{n}"),
        )
    repository = agentos.sessions._repository
    for name in ("claim", "finish"):
        for after in (False, True):
            real = getattr(repository, name)

            async def failing(*arguments: Any, real: Any = real, after: bool = after) -> None:
                if after:
                    await real(*arguments)
                raise asyncio.CancelledError

            with monkeypatch.context() as patched:
                patched.setattr(repository, name, failing)
                with pytest.raises(asyncio.CancelledError):
                    await agentos.sessions.observe()
    await agentos.sessions.observe()
    assert sorted(m.metadata["observation"]["title"] for m in await observations(agentos)) == [
        f"Change number {n}" for n in range(3)
    ]
    assert (await agentos.reflection.summary(NS)).total_actions == 3


async def test_many_open_sessions_keep_no_other_from_being_observed(
    agentos: AgentOS, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentos.modules.sessions.service.SESSIONS_AT_ONCE", 2)
    for number in range(5):
        session, _ = await agentos.sessions.open(NS, "claude-code", f"open {number}", "/w/app")
        asked = turn("user", "Add paging", f"p{number}")
        await agentos.sessions.record(session, asked, call(f"c{number}", files_modified=("a.py",)))
    await agentos.sessions.end(session)
    assert await agentos.sessions.observe() == 1


async def test_several_who_observe_at_once_make_each_observation_once(
    open_store: Callable[[], Awaitable[OpenedStore]], wire: Callable[..., AgentOS]
) -> None:
    several = [wire(await open_store()) for _ in range(3)]
    session = await opened(several[0])
    for n in range(5):
        await several[0].sessions.record(
            session, turn("user", f"Change {n}", f"p{n}"), call(f"c{n}", files_modified=(f"{n}.py",))
        )
    await several[0].sessions.end(session)
    await asyncio.gather(*(agentos.sessions.observe() for agentos in several))
    assert len(await observations(several[0])) == 5


async def test_an_erased_session_leaves_no_events(agentos: AgentOS) -> None:
    session = await opened(agentos)
    await agentos.sessions.record(session, turn("user", "a secret plan", "k1"))
    await agentos.sessions.note_shown(session, ["mem_1"])
    with pytest.raises(NotFound):
        await agentos.sessions.erase("bob", session.id)
    await agentos.sessions.erase(NS, session.id)
    assert await agentos.sessions.page(NS) == [] and await agentos.sessions.events(session) == []
    with pytest.raises(NotFound):
        await agentos.sessions.erase(NS, session.id)


async def test_what_was_shown_is_remembered_until_it_is_lost(agentos: AgentOS) -> None:
    session = await opened(agentos)
    await agentos.sessions.note_shown(session, ["mem_1", "rule:mem_2"])
    await agentos.sessions.note_shown(session, ["mem_1"])
    assert await agentos.sessions.shown(session) == {"mem_1", "rule:mem_2"}
    await agentos.sessions.forget_shown(session, "rule:")
    assert await agentos.sessions.shown(session) == {"mem_1"}
    await agentos.sessions.forget_shown(session)
    assert await agentos.sessions.shown(session) == frozenset()


async def test_conversations_are_listed_however_many_sessions_of_hooks_came_after_them(agentos: AgentOS) -> None:
    from agentos.features.compat.tools.agentmem import list_sessions

    for name in ("first", "second"):
        await agentos.turns.add(NS, name, "user", f"The {name} conversation")
    for number in range(205):
        await agentos.sessions.open(NS, "claude-code", f"s{number}", "/w/app")
    listed = await list_sessions(agentos, NS, limit=20)
    assert {one.session_id for one in listed.sessions} == {"first", "second"}
    assert len((await list_sessions(agentos, NS, limit=1)).sessions) == 1
