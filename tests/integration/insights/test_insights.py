"""Insights and tasks: shown without changing, found once, opened again when it matters."""

import asyncio
from typing import Any

import pytest

from agentos.modules.errors import InvalidInput, NotFound
from agentos.modules.insights.models import InsightDraft, InsightKey, InsightKind, InsightSeverity

NS = "ada"


def draft(subject: str = "s", severity: str = "warning", text: str = "text", kind: str = "insight", **more: Any) -> Any:
    key = InsightKey(more.pop("job", "job"), subject, more.pop("rule", "rule"))
    return InsightDraft(InsightKind(kind), key, InsightSeverity(severity), text, **more)


async def shown(agentos: Any) -> list[tuple[str, str]]:
    return [(i.text, i.status) for i in await agentos.insights.insights(NS, 50)]


async def test_the_critical_come_first_and_among_equals_the_newest(agentos: Any, clock: Any) -> None:
    for subject, severity in (("a", "info"), ("b", "critical"), ("c", "warning"), ("d", "critical"), ("e", "info")):
        await agentos.insights.record(NS, [draft(subject, severity, subject)])
        clock.advance(minutes=1)
    assert [text for text, _ in await shown(agentos)] == ["d", "b", "c", "e", "a"]


async def test_tasks_come_by_priority(agentos: Any) -> None:
    drafts = [draft(str(p), kind="task", text=str(p), priority=p) for p in (0.2, 0.9, 0.5)]
    await agentos.insights.record(NS, drafts)
    assert [t.text for t in await agentos.insights.tasks(NS, 2)] == ["0.9", "0.5"]
    assert await agentos.insights.insights(NS, 9) == []


async def test_reading_changes_nothing(agentos: Any, clock: Any) -> None:
    await agentos.insights.record(NS, [draft(), draft(kind="task")])
    first = (await agentos.insights.insights(NS, 9), await agentos.insights.tasks(NS, 9))
    await agentos.context.snapshot(NS)
    clock.advance(days=30)
    assert (await agentos.insights.insights(NS, 9), await agentos.insights.tasks(NS, 9)) == first


@pytest.mark.parametrize("kind", ["insight", "task"])
@pytest.mark.parametrize(("status", "stays"), [("acknowledged", True), ("done", False), ("dismissed", False)])
async def test_only_an_answer_changes_its_state(agentos: Any, kind: str, status: str, stays: bool) -> None:
    [recorded] = await agentos.insights.record(NS, [draft(kind=kind)])
    answered = await agentos.insights.update(NS, recorded.id, status)
    assert (answered.status, answered.text) == (status, "text")
    listed = await (agentos.insights.insights if kind == "insight" else agentos.insights.tasks)(NS, 9)
    assert [i.id for i in listed] == ([recorded.id] if stays else [])
    assert (await agentos.insights.update(NS, recorded.id, "open")).status == "open"


async def test_an_answer_that_cannot_be_is_refused(agentos: Any) -> None:
    [recorded] = await agentos.insights.record(NS, [draft()])
    with pytest.raises(InvalidInput, match="status"):
        await agentos.insights.update(NS, recorded.id, "seen")
    for namespace, insight_id in (("bob", recorded.id), (NS, "ins_unknown")):
        with pytest.raises(NotFound, match="insight_id"):
            await agentos.insights.update(namespace, insight_id, "done")


async def test_the_same_finding_is_one_row_whatever_its_text(agentos: Any, clock: Any) -> None:
    for count in range(5):
        await agentos.insights.record(NS, [draft(text=f"{count} failures")])
        clock.advance(minutes=30)
    assert await shown(agentos) == [("4 failures", "open")]
    others = [draft("other"), draft(rule="other"), draft(job="other"), draft(kind="task")]
    await agentos.insights.record(NS, others)
    assert len(await shown(agentos)) == 4


async def test_findings_of_two_processes_at_once_are_one(open_store: Any, wire: Any) -> None:
    first, second = wire(await open_store()), wire(await open_store())
    results = await asyncio.gather(*(s.insights.record(NS, [draft()]) for s in [first, second] * 5))
    assert len({insight.id for [insight] in results}) == 1
    assert len(await shown(first)) == 1


async def test_an_acknowledged_finding_stays_acknowledged_unless_it_gets_worse(agentos: Any) -> None:
    [recorded] = await agentos.insights.record(NS, [draft()])
    await agentos.insights.update(NS, recorded.id, "acknowledged")
    await agentos.insights.record(NS, [draft(text="more of it")])
    assert await shown(agentos) == [("more of it", "acknowledged")]
    await agentos.insights.record(NS, [draft(severity="info", text="better")])
    assert await shown(agentos) == [("better", "acknowledged")]
    await agentos.insights.record(NS, [draft(severity="critical", text="bad")])
    assert await shown(agentos) == [("bad", "open")]


@pytest.mark.parametrize("status", ["done", "dismissed"])
async def test_a_closed_finding_is_silent_for_a_week(agentos: Any, clock: Any, status: str) -> None:
    [recorded] = await agentos.insights.record(NS, [draft()])
    await agentos.insights.update(NS, recorded.id, status)
    for _ in range(7):
        clock.advance(days=1)
        await agentos.insights.record(NS, [draft(text="again")])
        assert await shown(agentos) == []
    clock.advance(seconds=1)
    [again] = await agentos.insights.record(NS, [draft(text="again")])
    assert again.id == recorded.id
    assert await shown(agentos) == [("again", "open")]


async def test_a_closed_finding_opens_at_once_when_it_gets_worse(agentos: Any) -> None:
    [recorded] = await agentos.insights.record(NS, [draft()])
    await agentos.insights.update(NS, recorded.id, "dismissed")
    await agentos.insights.record(NS, [draft(severity="critical", text="bad")])
    assert await shown(agentos) == [("bad", "open")]


async def test_what_is_over_is_closed_by_subject_or_by_rule(agentos: Any) -> None:
    await agentos.insights.record(NS, [draft("a"), draft("b"), draft("c"), draft("a", kind="task", rule="x")])
    assert await agentos.insights.resolve_subject(NS, "a") == 2
    assert await agentos.insights.resolve_others(NS, "job", "rule", ["b"]) == 1
    assert [i.key.subject for i in await agentos.insights.insights(NS, 9)] == ["b"]
    assert await agentos.insights.resolve_others(NS, "job", "rule", []) == 1
    assert await agentos.insights.resolve_subject(NS, "b") == 0
