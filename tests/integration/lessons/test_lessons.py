"""Lessons that prove themselves, through the hooks of clients: what is told, run and judged, on every engine."""

import itertools
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentos.database import OpenedStore
from agentos.features.lessons.service import lessons_over
from agentos.interfaces.hooks.handler import HookHandler
from agentos.interfaces.hooks.occurrence import Occurrence, bounded
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import Conflict, NotFound, PermissionDenied
from agentos.modules.memory.lifecycle_service import AGENT, HUMAN
from agentos.modules.memory.models import Memory, Status
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.principals.acting import acting
from agentos.modules.principals.models import Door, local_owner
from agentos.modules.proving import LessonStanding, Way
from agentos.modules.store_request import StoreRequest
from agentos.storage.engine.ports import Row

NS = "ada"
NUMBERS = itertools.count()
PUSH = {"tool": "Bash", "contains": "git push"}
RULE = "Use `--force-with-lease`."


class Team:
    """Clients whose every hook is answered at the clock's time; each `session` is one of them."""

    def __init__(self, agentos: AgentOS, handler: HookHandler, clock: Any) -> None:
        self.agentos, self.handler, self.clock = agentos, handler, clock

    async def hook(self, event: str, session: str, **fields: Any) -> str:
        self.clock.advance(seconds=1)
        given = {"client": "claude-code", "agent": NS, "folder": "/w/app", **fields}
        hook = Occurrence(
            event=event,
            session=session,
            at=str(self.clock().timestamp()),
            key=f"{event}-{next(NUMBERS)}",
            **given,
        )
        answer = await self.handler.answer(bounded(hook))
        assert answer.content["accepted"], answer.content
        if answer.delivered is not None:
            await answer.delivered()
        await self.agentos.lessons.settled()
        context: str = answer.content["context"]
        return context

    async def run(self, session: str, command: str = "git push", error: str = "", **fields: Any) -> str:
        given = {"command": command}
        told = await self.hook("pre-tool", session, tool="Bash", given=given, **fields)
        await self.hook("post-tool", session, tool="Bash", given=given, response={"stdout": ""}, error=error, **fields)
        return told

    async def before(self, sessions: int, failing: int, error: str = "rejected") -> None:
        """Sessions of two runs each before there is any lesson."""
        for number in range(sessions):
            for _ in range(2):
                ended = {"response": {"stdout": ""}, "error": error if number < failing else ""}
                await self.hook("post-tool", f"old-{number}", tool="Bash", given={"command": "git push"}, **ended)

    async def after(self, sessions: int, failing: int, name: str = "new", error: str = "rejected") -> None:
        """Sessions in which the lesson is told at the first run, and whose second run shows what it was worth."""
        for number in range(sessions):
            await self.run(f"{name}-{number}")
            await self.run(f"{name}-{number}", error=error if number < failing else "")

    async def learn(self, text: str = RULE, **metadata: Any) -> Memory:
        request = StoreRequest(text, "procedural", 0.5, ["rule"], {"trigger": PUSH, **metadata}, kind="rule")
        memory = (await self.agentos.memory.store(NS, request)).memory
        self.clock.advance(seconds=1)
        return memory


class Watched:
    """A store's engine that keeps what is read; `then` happens once, right after evidence was."""

    def __init__(self, engine: Any) -> None:
        self.engine, self.read_only = engine, None
        self.asked: list[str] = []
        self.then: Callable[[], Awaitable[Any]] | None = None

    async def read(self, sql: str, *given: Any) -> list[Row]:
        self.asked.append(sql)
        rows: list[Row] = await self.engine.read(sql, *given)
        if "FROM json_numbers" in sql and (then := self.then) is not None:
            self.then = None
            await then()
        return rows

    async def write(self, work: Any, **how: Any) -> Any:
        return await self.engine.write(work, **how)


@pytest.fixture
async def team(agentos: AgentOS, home: Path, clock: Any) -> Any:
    async def opener() -> AgentOS:
        return agentos

    handler = HookHandler(home, opener, lambda agent: agent or NS, frozenset())
    yield Team(agentos, handler, clock)
    await handler.close()


async def test_what_does_not_help_is_told_less_then_retired_and_can_be_brought_back(team: Team) -> None:
    lessons = team.agentos.lessons
    await team.before(12, failing=9)
    team.clock.advance(days=2)
    memory = await team.learn()
    assert await lessons.prove() == 0
    found = await lessons.get(NS, memory.id)
    assert (found.before.runs, found.before.failed, found.after.runs, found.told) == (24, 18, 0, 0)
    await team.after(12, failing=9, name="a")
    assert await lessons.prove() == 0
    found = await lessons.get(NS, memory.id)
    assert found.standing == LessonStanding.QUIET and (found.after.runs, found.after.failed) == (12, 9)
    assert (found.followed, found.ignored, found.told) == (0, 12, 12)
    told: list[bool] = []
    while sum(told) < 10 and len(told) < 60:
        name = f"b-{len(told)}"
        told.append(bool(await team.run(name)))
        if told[-1]:
            await team.run(name, error="rejected")
    assert sum(told) == 10 and not all(told), "it is told in about half of the sessions"
    assert await lessons.prove() == 1
    found = await lessons.get(NS, memory.id)
    assert found.standing == LessonStanding.RETIRED and "followed in 0" in found.note
    assert (await team.agentos.memory.get(NS, memory.id))[0].status is Status.ARCHIVED
    assert await team.run("c") == ""
    with pytest.raises(Conflict):
        await lessons.retire(NS, memory.id, HUMAN)
    assert (await lessons.restore(NS, memory.id, HUMAN)).standing == LessonStanding.KEPT
    assert RULE[5:20] in await team.run("d")
    await team.after(11, failing=11, name="e")
    assert await lessons.prove() == 0
    assert (await lessons.get(NS, memory.id)).standing == LessonStanding.KEPT, "a person's word goes before figures"
    assert [one.id for one in await lessons.page(NS)] == [memory.id]
    assert await lessons.page("other") == [] and await lessons.prove() == 0
    with pytest.raises(NotFound):
        await lessons.get("other", memory.id)
    await team.agentos.memory.update(NS, memory.id, MemoryChanges(content="Use `--dry-run`."))
    await lessons.prove()
    found = await lessons.get(NS, memory.id)
    assert found.standing == LessonStanding.UNPROVEN and (found.before.runs, found.after.runs) == (24, 0)
    await team.agentos.memory.delete(NS, memory.id, by=HUMAN)
    assert await lessons.page(NS) == []


async def test_a_look_changes_nothing_that_a_person_or_another_daemon_changed_meanwhile(
    team: Team, store: OpenedStore, clock: Any
) -> None:
    lessons = team.agentos.lessons
    watched: Any = Watched(store.engine)
    slow = lessons_over(watched, team.agentos.lifecycle, store.memory.archive, clock, lambda: False)
    await team.before(12, failing=9)
    clock.advance(days=2)
    own, others = await team.learn(), await team.learn("Use `--dry-run`.")
    await team.after(12, failing=9, name="a")
    assert await slow.prove() == 0
    assert sum("JOIN lesson_states" in sql for sql in watched.asked) == 1, "the lessons are read once"
    assert {(await lessons.get(NS, one.id)).standing for one in (own, others)} == {LessonStanding.QUIET}
    told: list[str] = []
    while min(sum(text[5:15] in each for each in told) for text in (RULE, others.content)) < 10 and len(told) < 80:
        told.append(await team.run(name := f"b-{len(told)}"))
        await team.run(name, error="rejected")

    async def meanwhile() -> None:
        await lessons.retire(NS, own.id, HUMAN)
        await lessons.restore(NS, own.id, HUMAN)
        assert await lessons.prove() == 1

    watched.then = meanwhile
    assert await slow.prove() == 0, "both were judged before"
    assert (await lessons.get(NS, own.id)).standing == LessonStanding.KEPT
    assert (await team.agentos.memory.get(NS, own.id))[0].status is Status.ACTIVE, "it stays as a person left it"
    assert len(await team.agentos.lifecycle.changes(NS, others.id)) == 1, "it is retired once"
    await team.after(11, failing=9, name="c")
    watched.then = lambda: lessons.retire(NS, own.id, HUMAN)
    await slow.prove()
    assert (await lessons.get(NS, own.id)).note == f"retired by {HUMAN}"


async def test_what_prevents_repeats_rises(team: Team) -> None:
    await team.before(12, failing=10)
    team.clock.advance(days=2)
    useless = await team.learn("Push in the morning.", severity="critical")
    helpful = await team.learn("The lease is checked.", severity="info", prevents="rejected")
    await team.after(11, failing=0)
    await team.agentos.lessons.prove()
    assert (await team.agentos.lessons.get(NS, helpful.id)).standing == LessonStanding.UNPROVEN, (
        "one look is not enough"
    )
    await team.after(12, failing=1, name="more", error="Host unreachable")
    await team.agentos.lessons.prove()
    found = await team.agentos.lessons.get(NS, helpful.id)
    assert found.standing == LessonStanding.HELPS
    assert (found.after.runs, found.after.failed) == (22, 0), "a failure of another kind says nothing of it"
    assert await team.agentos.lessons.standings(NS) == {
        helpful.id: LessonStanding.HELPS,
        useless.id: LessonStanding.HELPS,
    }
    await team.agentos.lessons.retire(NS, useless.id, HUMAN)
    told = await team.run("last")
    assert "lease is checked" in told and "morning" not in told


async def test_a_persons_rule_is_never_taken_away_by_figures(team: Team) -> None:
    await team.before(12, failing=0)
    team.clock.advance(days=2)
    memory = await team.learn()
    await team.agentos.lifecycle.vouch(NS, memory)
    await team.after(11, failing=9)
    assert await team.agentos.lessons.prove() == 0
    found = await team.agentos.lessons.get(NS, memory.id)
    assert found.standing == LessonStanding.QUIET and "9 of 11 after it was told" in found.note
    assert all([await team.run(f"x-{number}") for number in range(4)]), "it is told all the same"


async def test_what_an_agent_brings_back_is_judged_on_and_what_a_person_retired_it_does_not_bring_back(
    team: Team, at_hand: Any
) -> None:
    lessons, lifecycle = team.agentos.lessons, team.agentos.lifecycle
    stands = []
    for by in (AGENT, HUMAN):
        memory = await team.learn(f"{by}: look at the branch.")
        await lessons.retire(NS, memory.id, by)
        await lifecycle.revert(NS, memory.id, by)
        await lessons.prove()
        stands.append((await lessons.get(NS, memory.id)).standing)
    assert stands == [LessonStanding.UNPROVEN, LessonStanding.KEPT]
    await lessons.retire(NS, memory.id, HUMAN)
    with pytest.raises(PermissionDenied):
        await lessons.restore(NS, memory.id, AGENT)
    assert (await lessons.restore(NS, memory.id, HUMAN)).standing == LessonStanding.KEPT
    await lessons.retire(NS, memory.id, AGENT)
    assert (await lessons.restore(NS, memory.id, AGENT)).standing == LessonStanding.UNPROVEN
    team.clock.advance(seconds=1)
    with at_hand() as database:  # as a job leaves it that is ended between its two steps
        at = int(team.clock().timestamp() * 1_000_000)
        database.execute(f"UPDATE lesson_states SET state = 'retired', state_at = {at} WHERE state = 'unproven'")
    assert await lessons.prove() > 0
    assert (await team.agentos.memory.get(NS, memory.id))[0].status is Status.ARCHIVED


async def test_what_is_not_known_counts_for_nothing(team: Team) -> None:
    """Another project, another client, an agent that wrote it itself, an answer to somebody, and people who look."""
    lessons = team.agentos.lessons
    await team.run("author", error="rejected")
    memory = await team.learn(project="app", prevents="rejected")
    await team.run("author")
    for number in range(3):
        await team.run(f"elsewhere-{number}", folder="/w/other", error="rejected")
        await team.run(f"fetch-{number}", "git fetch", error="rejected")
        await team.run(f"codex-{number}", client="codex")  # which never tells whether it failed
    lessons.told([NS], [memory.id], Way.ANSWER)
    with acting(replace(local_owner(NS, None, Door.HTTP, "req_1"), is_person=True)):
        lessons.told([NS], [memory.id], Way.ANSWER)
    await lessons.settled()
    for number in range(3):
        await team.run(f"codex-{number}", client="codex")
    await lessons.prove()
    found = await lessons.get(NS, memory.id)
    assert (found.before.runs, found.after.runs, found.followed + found.ignored) == (0, 0, 0)
    assert found.unknown == 1 + 2 * 3 and found.told > 3


async def test_told_in_one_session_and_followed_in_another_by_two_clients_at_once(team: Team) -> None:
    memory = await team.learn()
    for command in ("git push", "git push --force-with-lease"):
        for session, client in (("one", "claude-code"), ("two", "gemini")):
            await team.run(session, command, client=client)
    await team.run("three", "git push --force-with-lease")
    for _ in range(2):
        await team.agentos.lessons.prove()
    found = await team.agentos.lessons.get(NS, memory.id)
    assert (found.followed, found.ignored, found.before.runs, found.after.runs) == (2, 0, 3, 2)


async def test_where_there_are_no_lessons_nothing_is_written_and_one_thing_read(
    team: Team, at_hand: Any, store: OpenedStore, clock: Any
) -> None:
    await team.before(2, failing=2)
    memory = (await team.agentos.memory.store(NS, StoreRequest("Pushing takes a minute."))).memory
    watched: Any = Watched(store.engine)
    lessons = lessons_over(watched, team.agentos.lifecycle, store.memory.archive, clock, lambda: False)
    assert await lessons.prove() == 0 and len(watched.asked) == 1, "whether there are any"
    lessons.told([NS], [memory.id], Way.ANSWER)
    await lessons.settled()
    with at_hand() as database:
        for table in ("lesson_states", "lesson_tellings", "lesson_runs", "lesson_reading"):
            assert database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0
