"""Reflection over real SQLite: the log, the patterns in it, the summary of days."""

from datetime import timedelta
from typing import Any

import pytest

from agentos.modules.errors import InvalidInput, NotFound
from agentos.modules.reflection.models import PatternType
from tests.tables import every

NS = "ada"


async def log(agentos: Any, action: str, *outcomes: bool, namespace: str = NS) -> None:
    for number, success in enumerate(outcomes):
        await agentos.reflection.log(namespace, action, f"outcome {number}", success)


async def test_what_was_logged_is_counted(agentos: Any, clock: Any) -> None:
    await log(agentos, "deploy", True, False, False)
    await log(agentos, "test", True)
    await log(agentos, "deploy", False, namespace="bob")
    summary = await agentos.reflection.summary(NS)
    assert (summary.total_actions, summary.success_rate, summary.days) == (4, 0.5, 7)
    assert [(t.action, t.failures, t.last_failure) for t in summary.most_common_failures] == [
        ("deploy", 2, "outcome 2")
    ]


async def test_the_rate_equals_a_count_by_hand_within_the_window(agentos: Any, clock: Any) -> None:
    by_hand: list[tuple[Any, bool]] = []
    for hours in range(0, 24 * 12, 5):
        success = hours % 3 == 0
        await log(agentos, f"action {hours % 4}", success)
        by_hand.append((clock.now, success))
        clock.advance(hours=5)
    for days in (1, 3, 7, 30):
        window = [success for at, success in by_hand if at >= clock.now - timedelta(days=days)]
        summary = await agentos.reflection.summary(NS, days)
        assert summary.total_actions == len(window)
        assert summary.success_rate == pytest.approx(sum(window) / len(window), abs=1e-12)


async def test_nothing_logged_is_no_rate_rather_than_nought(agentos: Any) -> None:
    summary = await agentos.reflection.summary(NS)
    assert (summary.total_actions, summary.success_rate, summary.top_recommendations) == (0, None, ())
    analysis = await agentos.reflection.analyze(NS)
    assert (analysis.patterns, analysis.total_actions, analysis.success_rate) == ((), 0, None)


async def test_three_failures_give_one_pattern_and_a_second_run_updates_it_in_place(agentos: Any, clock: Any) -> None:
    await log(agentos, "deploy", False, False)
    assert (await agentos.reflection.analyze(NS)).patterns == ()
    await log(agentos, "deploy", False)
    [found] = (await agentos.reflection.analyze(NS)).patterns
    assert (found.pattern_type, found.frequency, found.action) == (PatternType.REPEATED_FAILURE, 3, "deploy")
    assert "deploy" in found.suggested_action
    assert await agentos.reflection.patterns(NS) == [found]
    clock.advance(hours=1)
    await log(agentos, "deploy", False, False)
    await agentos.reflection.analyze(NS)
    await agentos.reflection.analyze(NS)
    [stored] = await agentos.reflection.patterns(NS)
    assert (stored.frequency, stored.last_seen) == (5, clock.now)


async def test_patterns_are_listed_by_type_and_the_last_seen_first(agentos: Any, clock: Any) -> None:
    await log(agentos, "fails", False, False, False)
    clock.advance(hours=1)
    await log(agentos, "works", True, True, True)
    clock.advance(hours=1)
    await log(agentos, "limps", True, False, False)
    await agentos.reflection.analyze(NS)
    assert [p.action for p in await agentos.reflection.patterns(NS)] == ["limps", "works", "fails"]
    for kind, action in (("repeated_failure", "fails"), ("success_pattern", "works"), ("inefficiency", "limps")):
        assert [p.action for p in await agentos.reflection.patterns(NS, kind)] == [action]
    summary = await agentos.reflection.summary(NS)
    assert [p.action for p in summary.most_successful_patterns] == ["works"]
    assert len(summary.top_recommendations) == 3
    assert "limps" in summary.top_recommendations[0]


async def test_what_no_longer_repeats_is_no_pattern_any_more(agentos: Any, clock: Any) -> None:
    await log(agentos, "deploy", False, False, False)
    await agentos.reflection.analyze(NS)
    clock.advance(days=30)
    await log(agentos, "deploy", True, True, True, True)
    assert [p.pattern_type for p in (await agentos.reflection.analyze(NS)).patterns] == [PatternType.SUCCESS_PATTERN]
    assert [p.pattern_type for p in await agentos.reflection.patterns(NS)] == [PatternType.SUCCESS_PATTERN]


async def test_the_second_failure_of_a_day_warns_and_the_third_is_critical_once(agentos: Any, clock: Any) -> None:
    await log(agentos, "deploy", False)
    assert await agentos.insights.insights(NS, 9) == []
    await log(agentos, "deploy", False)
    assert [i.severity for i in await agentos.insights.insights(NS, 9)] == ["warning"]
    assert await agentos.insights.tasks(NS, 9) == []
    await log(agentos, "deploy", False, False, False)
    [insight] = await agentos.insights.insights(NS, 9)
    assert insight.severity == "critical"
    assert "5 times" in insight.text
    [task] = await agentos.insights.tasks(NS, 9)
    assert task.priority == 0.9


async def test_an_action_that_works_again_is_worried_about_no_more(agentos: Any) -> None:
    await log(agentos, "deploy", False, False, False, True)
    assert len(await agentos.insights.tasks(NS, 9)) == 1
    await log(agentos, "deploy", True)
    assert (await agentos.insights.insights(NS, 9), await agentos.insights.tasks(NS, 9)) == ([], [])
    await log(agentos, "deploy", False)
    assert await agentos.insights.insights(NS, 9) == [], "one more failure begins a new row"
    tally = await agentos.reflection.tally(NS, "deploy")
    assert (tally.total, tally.failures, tally.failing, tally.recovered) == (6, 4, 1, 0)


async def test_failures_of_another_day_or_action_do_not_add_up(agentos: Any, clock: Any) -> None:
    for number in range(4):
        await log(agentos, "deploy", False)
        await log(agentos, f"other {number}", False)
        clock.advance(days=1, seconds=1)
    assert await agentos.insights.insights(NS, 9) == []


async def test_an_action_can_belong_to_a_goal_that_exists(agentos: Any) -> None:
    goal = await agentos.goals.add(NS, "goal", "")
    logged = await agentos.reflection.log(NS, " deploy ", "ok", True, "ctx", goal.id, ["a"])
    assert (logged.action, logged.goal_id, logged.context, logged.tags) == ("deploy", goal.id, "ctx", ("a",))
    for namespace, goal_id in ((NS, "goal_unknown"), ("bob", goal.id)):
        with pytest.raises(NotFound, match="goal_id"):
            await agentos.reflection.log(namespace, "deploy", "ok", True, goal_id=goal_id)
    assert (await agentos.reflection.summary(NS)).total_actions == 1
    assert await agentos.jobs.namespaces() == [NS]


@every(
    ("field", "call"),
    [
        ("action", ("log", {"action": "", "outcome": "o", "success": True})),
        ("action", ("log", {"action": "x" * 1001, "outcome": "o", "success": True})),
        ("outcome", ("log", {"action": "a", "outcome": " ", "success": True})),
        ("context", ("log", {"action": "a", "outcome": "o", "success": True, "context": "\x00"})),
        ("tags", ("log", {"action": "a", "outcome": "o", "success": True, "tags": [""]})),
        ("goal_id", ("log", {"action": "a", "outcome": "o", "success": True, "goal_id": ""})),
        ("lookback_days", ("analyze", {"lookback_days": 0})),
        ("days", ("summary", {"days": 3651})),
        ("pattern_type", ("patterns", {"pattern_type": "luck"})),
    ],
)
async def test_a_refusal_names_its_field(agentos: Any, field: str, call: tuple[str, dict[str, Any]]) -> None:
    with pytest.raises(InvalidInput) as refused:
        await getattr(agentos.reflection, call[0])(NS, **call[1])
    assert refused.value.field == field


async def test_the_least_frequency_and_the_window_are_settings(store: Any, wire: Any, clock: Any) -> None:
    strict = wire(store, pattern_min_frequency=5, reflection_lookback_days=1)
    await log(strict, "deploy", False, False, False, False)
    assert (await strict.reflection.analyze(NS)).patterns == ()
    await log(strict, "deploy", False)
    assert len((await strict.reflection.analyze(NS)).patterns) == 1
    clock.advance(days=1, seconds=1)
    assert (await strict.reflection.analyze(NS)).total_actions == 0
