"""Goals over real SQLite: order, progress, states, notes, deadlines."""

import asyncio
import dataclasses
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agentos.modules.errors import Conflict, InvalidInput, NotFound, StorageUnavailable
from agentos.modules.goals.models import GoalStatus
from agentos.modules.goals.service import GoalChanges, GoalService
from tests.tables import every

NS = "ada"


async def tasks(agentos: Any) -> list[Any]:
    return list(await agentos.insights.tasks(NS, 50))


async def test_a_goal_comes_back_as_it_was_added(agentos: Any, clock: Any, open_store: Any, wire: Any) -> None:
    parent = await agentos.goals.add(NS, "Ship", "")
    goal = await agentos.goals.add(
        NS, "Write 'docs' 日本", "all\nof them", 0.7, 0.2, "2026-11-30T17:00:00+01:00", parent.id, ["docs", "docs"]
    )
    other = wire(await open_store())
    [read] = [g for g in (await other.goals.page(NS)).goals if g.id == goal.id]
    assert read == goal
    assert read.deadline == datetime(2026, 11, 30, 16, tzinfo=UTC)
    assert (read.parent_goal_id, read.tags, read.progress, read.status) == (parent.id, ("docs",), 0.0, "active")
    assert {entry.goal.id for entry in await other.goals.ranked(NS)} == {parent.id, goal.id}


async def test_active_goals_come_by_composite_score(agentos: Any, clock: Any) -> None:
    def due(**left: float) -> str:
        return str((clock.now + timedelta(**left)).isoformat())

    table = [  # title, priority, urgency, deadline, score
        ("overdue", 0.5, 0.5, due(days=-1), 0.6),
        ("due in 5 hours", 0.5, 0.5, due(hours=5), 0.4 + 0.2 * (1 - 5 / 168)),
        ("half a week", 0.5, 0.5, due(days=3.5), 0.5),
        ("next month", 0.5, 0.5, due(days=30), 0.4),
        ("top", 1.0, 1.0, None, 0.8),
        ("urgent", 0.1, 1.0, None, 0.35),
        ("idle", 0.0, 0.0, None, 0.0),
    ]
    for title, priority, urgency, deadline, _ in table:
        await agentos.goals.add(NS, title, "", priority, urgency, deadline)
    ranked = await agentos.goals.ranked(NS)
    expected = sorted(table, key=lambda row: -row[4])
    assert [entry.goal.title for entry in ranked] == [row[0] for row in expected]
    assert [entry.score for entry in ranked] == pytest.approx([row[4] for row in expected], abs=1e-9)
    assert [entry.goal.title for entry in await agentos.goals.ranked(NS, 2)] == ["top", "overdue"]


async def test_of_equal_goals_the_older_comes_first(agentos: Any, clock: Any) -> None:
    for title in ("first", "second", "third"):
        await agentos.goals.add(NS, title, "")
        clock.advance(minutes=1)
    assert [entry.goal.title for entry in await agentos.goals.ranked(NS)] == ["first", "second", "third"]


async def test_a_cycle_cannot_be_made(agentos: Any) -> None:
    with pytest.raises(NotFound, match="parent_goal_id"):
        await agentos.goals.add(NS, "child", "", parent_goal_id="goal_00000000000000000000")
    his = await agentos.goals.add("bob", "his", "")
    with pytest.raises(NotFound, match="parent_goal_id"):
        await agentos.goals.add(NS, "child", "", parent_goal_id=his.id)
    assert (await agentos.goals.page(NS, "all")).total == 0
    goals: list[Any] = [await agentos.goals.add(NS, "root", "")]
    for depth in range(20):
        goals.append(await agentos.goals.add(NS, f"step {depth}", "", parent_goal_id=goals[-1].id))
    parents = {goal.id: goal.parent_goal_id for goal in (await agentos.goals.page(NS, limit=200)).goals}
    for goal in goals:
        seen, at = set(), goal.id
        while at is not None:
            assert at not in seen
            seen.add(at)
            at = parents[at]


async def test_notes_are_kept_in_order_and_never_wiped(agentos: Any, clock: Any) -> None:
    goal = await agentos.goals.add(NS, "goal", "")
    for number, change in enumerate(["one", None, " ", "two"]):
        clock.advance(hours=1)
        await agentos.goals.update_progress(NS, goal.id, number / 10, change)
    clock.advance(hours=1)
    await agentos.goals.update_status(NS, goal.id, "paused", "three")
    clock.advance(hours=1)
    done = await agentos.goals.update_progress(NS, goal.id, 1.0, "four")
    assert [note.text for note in done.notes] == ["one", "two", "three", "four"]
    assert [note.at for note in done.notes] == sorted(note.at for note in done.notes)
    assert (await agentos.goals.page(NS, "completed")).goals == (done,)


async def test_progress_of_one_completes_and_says_when(agentos: Any, clock: Any) -> None:
    goal = await agentos.goals.add(NS, "goal", "")
    clock.advance(hours=1)
    almost = await agentos.goals.update_progress(NS, goal.id, 0.9999)
    assert (almost.status, almost.completed_at) == (GoalStatus.ACTIVE, None)
    clock.advance(hours=1)
    done = await agentos.goals.update_progress(NS, goal.id, 1.0)
    assert (done.status, done.progress, done.completed_at) == (GoalStatus.COMPLETED, 1.0, clock.now)
    assert await agentos.goals.ranked(NS) == []
    with pytest.raises(Conflict, match="goal_update_status"):
        await agentos.goals.update_progress(NS, goal.id, 0.5)


async def test_a_goal_that_is_open_again_is_as_far_as_it_was(agentos: Any) -> None:
    for complete in ("by status", "by progress"):
        goal = await agentos.goals.add(NS, f"goal {complete}", "")
        await agentos.goals.update_progress(NS, goal.id, 0.6)
        if complete == "by status":
            done = await agentos.goals.update_status(NS, goal.id, "completed")
        else:
            done = await agentos.goals.update_progress(NS, goal.id, 1.0)
        assert done.progress == 1.0 == (await agentos.goals.edit(NS, goal.id, GoalChanges(urgency=0.3))).progress
        assert (await agentos.goals.update_status(NS, goal.id, "active")).progress == 0.6
        assert (await agentos.goals.update_progress(NS, goal.id, 0.7)).progress == 0.7


async def test_a_paused_goal_stays_paused_after_a_progress_update(agentos: Any) -> None:
    goal = await agentos.goals.add(NS, "goal", "")
    await agentos.goals.update_status(NS, goal.id, "paused")
    moved = await agentos.goals.update_progress(NS, goal.id, 0.5, "went on")
    assert (moved.status, moved.progress) == (GoalStatus.PAUSED, 0.5)
    assert await agentos.goals.ranked(NS) == []
    assert (await agentos.goals.update_status(NS, goal.id, "active")).progress == 0.5


async def test_a_completed_goal_opened_again_is_not_finished(agentos: Any) -> None:
    goal = await agentos.goals.add(NS, "goal", "")
    await agentos.goals.update_progress(NS, goal.id, 1.0)
    opened = await agentos.goals.update_status(NS, goal.id, "active", "not yet")
    assert (opened.status, opened.progress, opened.completed_at) == (GoalStatus.ACTIVE, 0.0, None)
    assert (await agentos.goals.update_progress(NS, goal.id, 0.3)).progress == 0.3


@pytest.mark.parametrize("word", ["cancelled", "canceled", "abandoned"])
async def test_cancelled_means_abandoned(agentos: Any, word: str) -> None:
    goal = await agentos.goals.add(NS, "goal", "")
    assert (await agentos.goals.update_status(NS, goal.id, word)).status is GoalStatus.ABANDONED
    assert [g.id for g in (await agentos.goals.page(NS, word)).goals] == [goal.id]
    assert await tasks(agentos) == []


async def test_all_is_the_union_of_the_states(agentos: Any, clock: Any) -> None:
    for status in ("active", "paused", "completed", "abandoned", "completed"):
        goal = await agentos.goals.add(NS, status, "")
        await agentos.goals.update_status(NS, goal.id, status)
    union = [g.id for s in GoalStatus for g in (await agentos.goals.page(NS, s)).goals]
    everything = await agentos.goals.page(NS, "all")
    assert sorted(g.id for g in everything.goals) == sorted(union)
    assert everything.total == 5
    counts = await agentos.goals.statistics(NS)
    assert (counts.total, counts.active, counts.completed) == (5, 1, 2)
    paged = [g.id for o in range(5) for g in (await agentos.goals.page(NS, "all", 1, o)).goals]
    assert paged == [g.id for g in everything.goals]


async def test_completing_leaves_exactly_one_lesson_task(agentos: Any) -> None:
    goal = await agentos.goals.add(NS, "Learn Rust", "", priority=0.9)
    assert [i.key.rule for i in await agentos.insights.insights(NS, 9)] == ["no_deadline"]
    await agentos.goals.update_progress(NS, goal.id, 0.5)
    await agentos.goals.update_progress(NS, goal.id, 1.0)
    await agentos.goals.update_status(NS, goal.id, "completed", "once more")
    [task] = await tasks(agentos)
    assert "Learn Rust" in task.text
    assert task.priority == 0.4
    assert await agentos.insights.insights(NS, 9) == [], "what was found about a closed goal is over"


async def test_completing_again_still_leaves_one_lesson_task(agentos: Any, clock: Any) -> None:
    goal = await agentos.goals.add(NS, "goal", "")
    await agentos.goals.update_progress(NS, goal.id, 1.0)
    clock.advance(hours=1)
    await agentos.goals.update_status(NS, goal.id, "active")
    clock.advance(hours=1)
    await agentos.goals.update_progress(NS, goal.id, 1.0)
    assert len(await tasks(agentos)) == 1


async def test_completing_an_abandoned_goal_leaves_a_lesson_task_too(agentos: Any) -> None:
    goal = await agentos.goals.add(NS, "goal", "")
    await agentos.goals.update_status(NS, goal.id, "abandoned")
    await agentos.goals.update_status(NS, goal.id, "completed")
    assert len(await tasks(agentos)) == 1


async def test_updates_that_race_succeed_or_raise_a_conflict(open_store: Any, wire: Any, clock: Any) -> None:
    first, second = wire(await open_store()), wire(await open_store())
    goal = await first.goals.add(NS, "goal", "")
    results = await asyncio.gather(
        *(s.goals.update_progress(NS, goal.id, 0.1 * n, f"note {n}") for n, s in enumerate([first, second] * 3, 1)),
        return_exceptions=True,
    )
    succeeded = [result for result in results if not isinstance(result, BaseException)]
    assert all(isinstance(result, Conflict) for result in results if isinstance(result, BaseException))
    now = (await first.goals.page(NS)).goals[0]
    assert len(now.notes) == len(succeeded)
    assert sorted(len(result.notes) for result in succeeded) == list(range(1, len(succeeded) + 1))


async def test_of_two_changes_of_the_same_state_one_is_kept(agentos: Any, store: Any) -> None:
    """Even when the clock stands still between them, as coarse clocks do."""
    goal = await agentos.goals.add(NS, "goal", "")
    await store.work.goals.save(dataclasses.replace(goal, progress=0.1), None)
    with pytest.raises(Conflict, match="goal_id"):
        await store.work.goals.save(dataclasses.replace(goal, progress=0.2), None)
    assert (await agentos.goals.page(NS)).goals[0].progress == 0.1


@every(
    ("field", "arguments"),
    [
        ("title", {"title": " "}),
        ("title", {"title": "x" * 501}),
        ("description", {"description": "x" * 20_000}),
        ("priority", {"priority": 1.1}),
        ("urgency", {"urgency": float("nan")}),
        ("deadline", {"deadline": "soon"}),
        ("tags", {"tags": ["x"] * 51}),
        ("parent_goal_id", {"parent_goal_id": ""}),
        ("parent_goal_id", {"parent_goal_id": "\x00"}),
    ],
)
async def test_a_refused_goal_leaves_nothing_behind(agentos: Any, field: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        await agentos.goals.add(**{"namespace": NS, "title": "goal", "description": "", **arguments})
    assert refused.value.field == field
    assert (await agentos.goals.page(NS, "all")).total == 0


async def test_a_refused_change_leaves_the_goal_as_it_is(agentos: Any) -> None:
    goal = await agentos.goals.add(NS, "goal", "")
    for field, call in (
        ("progress", agentos.goals.update_progress(NS, goal.id, 1.5)),
        ("progress", agentos.goals.update_progress(NS, goal.id, float("nan"))),
        ("notes", agentos.goals.update_progress(NS, goal.id, 1.0, "a\x00")),
        ("status", agentos.goals.update_status(NS, goal.id, "ACTIVE ")),
        ("status", agentos.goals.page(NS, "everything")),
    ):
        with pytest.raises(InvalidInput) as refused:
            await call
        assert refused.value.field == field
    for call in (agentos.goals.update_progress("bob", goal.id, 0.5), agentos.goals.update_status(NS, "x", "paused")):
        with pytest.raises(NotFound, match="goal_id"):
            await call
    assert (await agentos.goals.page(NS)).goals == (goal,)


async def test_what_listens_cannot_make_a_kept_goal_look_refused(agentos: Any, store: Any, wire: Any) -> None:
    """A caller that is told of an error tries again: then the goal would be there twice."""

    class Deaf:
        async def goal_added(self, goal: Any) -> None:
            raise StorageUnavailable("the database is busy")

        goal_progressed = goal_closed = goal_added

    goals = GoalService(store.work.goals, Deaf(), agentos.redactor, agentos.clock)
    goal = await goals.add(NS, "goal", "")
    await goals.update_progress(NS, goal.id, 0.5)
    assert (await goals.update_progress(NS, goal.id, 1.0)).status is GoalStatus.COMPLETED


async def test_a_goal_is_edited_and_what_is_not_given_stays(agentos: Any, clock: Any) -> None:
    goal = await agentos.goals.add(NS, "Ship", "soon", 0.7, 0.2, "2026-12-01", tags=["a"])
    clock.advance(minutes=1)
    changes = GoalChanges(title="Ship it", priority=0.1, deadline="none", tags=["b"])
    edited = await agentos.goals.edit(NS, goal.id, changes, "renamed")
    expected = dataclasses.replace(
        goal, title="Ship it", priority=0.1, deadline=None, tags=("b",), updated_at=clock.now, version=2
    )
    assert dataclasses.replace(edited, notes=()) == expected and [note.text for note in edited.notes] == ["renamed"]
    with pytest.raises(InvalidInput, match="nothing to change"):
        await agentos.goals.edit(NS, goal.id, GoalChanges())
    with pytest.raises(InvalidInput, match="priority"):
        await agentos.goals.edit(NS, goal.id, GoalChanges(priority=2.0))


async def test_goals_move_in_their_tree_and_never_below_themselves(agentos: Any) -> None:
    titles = ("house", "roof", "tiles", "garden")
    house, roof, tiles, garden = [await agentos.goals.add(NS, title, "") for title in titles]

    async def move(goal: Any, parent: str) -> None:
        await agentos.goals.edit(NS, goal.id, GoalChanges(parent_goal_id=parent))

    async def tree() -> list[tuple[str, int]]:
        return [(goal.title, depth) for goal, depth in await agentos.goals.tree(NS)]

    await move(roof, house.id)
    await move(tiles, roof.id)
    drawn = [("garden", 0), ("house", 0), ("roof", 1), ("tiles", 2)]
    assert await tree() == drawn
    for goal, parent in ((house, tiles), (house, roof), (house, house)):
        with pytest.raises(Conflict, match="one of its sub-goals"):
            await move(goal, parent.id)
    with pytest.raises(NotFound, match="parent_goal_id"):
        await move(garden, "goal_nothing")
    other = await agentos.goals.add("another", "elsewhere", "")
    with pytest.raises(NotFound, match="parent_goal_id"):
        await move(garden, other.id)
    assert await tree() == drawn
    await move(roof, "none")
    assert await tree() == [("garden", 0), ("roof", 0), ("tiles", 1), ("house", 0)]
