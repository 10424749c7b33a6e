"""What a person decided or confirmed: nobody else takes it away, displaces it, or puts other words in its place."""

import sqlite3
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agentos.database import OpenedStore
from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.decisions import Decisions
from agentos.modules.approvals.models import ApprovalStatus
from agentos.modules.errors import AgentOSError, Conflict, NotFound, PermissionDenied
from agentos.modules.health.models import Severity
from agentos.modules.memory.lifecycle_service import HUMAN
from agentos.modules.memory.models import Memory, MemoryFilter, Status
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.memory.vouching import AGAIN
from agentos.modules.store_request import StoreRequest
from agentos.storage.examination.vouches import look_at_vouches
from agentos.storage.sqlite import erasing
from agentos.tools.editing import memory_forget
from agentos.tools.memory import memory_update

NS = "ada"
Act = Callable[[AgentOS, Memory, Memory], Awaitable[Any]]


async def remember(agentos: AgentOS, text: str, **more: Any) -> Memory:
    return (await agentos.memory.store(NS, StoreRequest(text, **more))).memory


async def port(agentos: AgentOS, number: str, source: str) -> Memory:
    slot = {"subject": "svc", "attribute": "port", "value": number}
    return await remember(agentos, f"svc listens on {number}", source=source, tags=["net"], **slot)


async def rule(agentos: AgentOS, text: str = "Speak plainly", **more: Any) -> Memory:
    return await agentos.lifecycle.vouch(NS, await remember(agentos, text, tags=["rule"], **more))


async def rules(agentos: AgentOS) -> list[str]:
    return [one.content for one in await agentos.memory.vouched(NS, "rule")]


DECIDING: dict[str, Act] = {
    "revert": lambda agentos, old, new: agentos.lifecycle.revert(NS, new.id),
    "revert, both": lambda agentos, old, new: agentos.lifecycle.revert(NS, new.id, keep_both=True),
    "erase": lambda agentos, old, new: agentos.memory.delete(NS, old.id),
    "erase some": lambda agentos, old, new: memory_forget(agentos, NS, memory_ids=[old.id], mode="erase"),
    "erase where": lambda agentos, old, new: agentos.memory.delete_where(NS, MemoryFilter(until=new.occurred_at)),
    "archive": lambda agentos, old, new: agentos.lifecycle.archive(NS, old.id),
    "roll back": lambda agentos, old, new: agentos.lifecycle.roll_back(NS, source="user", by="agent"),
}


@pytest.mark.parametrize("act", DECIDING.values(), ids=DECIDING)
async def test_no_agent_decides_a_contest_that_waits_for_a_human(agentos: AgentOS, clock: Any, act: Act) -> None:
    old = await port(agentos, "8080", "user")
    clock.advance(hours=1)
    new = await port(agentos, "9999", "web:evil.example")
    before = [one.standing for one in (old, new)]
    with pytest.raises((PermissionDenied, Conflict), match="agentos approvals"):
        await act(agentos, old, new)
    assert [(await agentos.memory.get(NS, one.id))[0].standing for one in (old, new)] == before
    assert len((await agentos.approvals.inbox(NS)).approvals) == 1


@pytest.mark.parametrize("keep_both", [True, False])
async def test_a_person_may_undo_a_contest_or_erase_a_side(agentos: AgentOS, keep_both: bool) -> None:
    old, new = await port(agentos, "8080", "user"), await port(agentos, "9999", "web:evil.example")
    await agentos.lifecycle.revert(NS, new.id, HUMAN, keep_both=keep_both)
    assert not (await agentos.approvals.inbox(NS)).approvals
    again = await port(agentos, "7777", "web:evil.example")
    await agentos.memory.delete(NS, old.id, by=HUMAN)
    await agentos.memory.delete(NS, again.id)


UNMAKING: dict[str, Act] = {
    "supersede": lambda agentos, made, _: remember(agentos, "It holds no more", supersedes=[made.id]),
    "say superseded": lambda agentos, made, other: agentos.lifecycle.feedback(NS, made.id, "supersede", other.id),
    "reject": lambda agentos, made, _: agentos.lifecycle.feedback(NS, made.id, "reject"),
    "archive": lambda agentos, made, _: agentos.lifecycle.archive(NS, made.id),
    "forget": lambda agentos, made, _: agentos.lifecycle.forget(NS, made.id),
    "forget some": lambda agentos, made, _: memory_forget(agentos, NS, memory_ids=[made.id]),
    "erase": lambda agentos, made, _: agentos.memory.delete(NS, made.id),
    "erase where": lambda agentos, made, _: agentos.memory.delete_where(NS, MemoryFilter(tags=("rule",))),
    "expire": lambda agentos, made, _: agentos.memory.update(NS, made.id, MemoryChanges(memory_type="working")),
    "roll back": lambda agentos, made, _: agentos.lifecycle.roll_back(NS, source="me", by="agent"),
    "undo": lambda agentos, made, _: agentos.lifecycle.revert(NS, made.id),
}


@pytest.mark.parametrize("act", UNMAKING.values(), ids=UNMAKING)
async def test_no_agent_unmakes_a_rule(agentos: AgentOS, act: Act) -> None:
    made, other = await rule(agentos, source="me"), await remember(agentos, "Speak in riddles", source="user")
    with pytest.raises(PermissionDenied):
        await act(agentos, made, other)
    assert await rules(agentos) == [made.content]
    await agentos.lifecycle.forget(NS, made.id, HUMAN)
    assert await rules(agentos) == []


async def test_a_rule_about_a_value_is_not_ended_by_another_value(agentos: AgentOS, clock: Any) -> None:
    slot = {"subject": "svc", "attribute": "port"}
    made = await rule(agentos, "svc listens on 8080", value="8080", **slot)
    clock.advance(hours=1)
    other = await remember(agentos, "svc listens on 9090", value="9090", **slot)
    assert await rules(agentos) == [made.content] and other.status is Status.ACTIVE


CHANGES: list[tuple[MemoryChanges, bool]] = [
    (MemoryChanges(importance=0.1), True),
    (MemoryChanges(metadata={"severity": "info"}), True),
    (MemoryChanges(memory_type="semantic"), True),
    (MemoryChanges(content="Speak in riddles"), False),
    (MemoryChanges(tags=["rule", "more"]), False),
    (MemoryChanges(metadata={"trigger": {"tool": "Bash"}}), False),
    (MemoryChanges(metadata={"project": "elsewhere"}), False),
]


@pytest.mark.parametrize(("changes", "stands"), CHANGES)
async def test_what_a_rule_says_and_when_is_what_was_confirmed(
    agentos: AgentOS, changes: MemoryChanges, stands: bool
) -> None:
    made = await rule(agentos)
    changed = await agentos.memory.update(NS, made.id, changes)
    assert bool(await rules(agentos)) is stands
    again = await agentos.memory.update(
        NS, made.id, MemoryChanges(content=made.content, tags=made.tags, metadata=dict(made.metadata))
    )
    assert again.version > changed.version - 1 and await rules(agentos) == [made.content]


class Rows:
    """What doctor reads, over a store."""

    def __init__(self, found: list[Any]) -> None:
        self._found = found

    def rows(self, sql: str, *given: Any) -> list[Any]:
        return self._found


async def doubts(agentos: AgentOS) -> list[tuple[str, str]]:
    waiting = (await agentos.approvals.inbox(NS)).approvals
    return [(one.action, one.subject) for one in waiting]


async def test_a_rewritten_rule_is_lost_loudly_until_a_person_looks(
    agentos: AgentOS, store: OpenedStore, clock: Any
) -> None:
    made = await rule(agentos)
    assert (await memory_update(agentos, NS, memory_id=made.id, importance=0.3)).note == ""
    updated = await memory_update(agentos, NS, memory_id=made.id, content="Speak in riddles")
    assert "confirmed no more" in updated.note and updated.note in updated.as_text()
    asked = [(AGAIN, f"memory:{made.id}")]
    assert await doubts(agentos) == asked and await rules(agentos) == []
    finding = look_at_vouches(Rows([(NS, f"memory:{made.id}")]))  # type: ignore[arg-type]
    assert (finding.severity, made.id in finding.message) == (Severity.WARNING, True)
    [approval] = (await agentos.approvals.inbox(NS)).approvals
    shown = await agentos.approvals.description(approval)
    assert any("Speak in riddles" in line for line in shown) and any("Speak plainly" in line for line in shown)
    assert "riddles" not in approval.reason + str(approval.payload), "an erased text must be gone from the inbox too"

    assert (await memory_update(agentos, NS, memory_id=made.id, content=made.content)).note == ""
    assert await doubts(agentos) == [] and await rules(agentos) == [made.content]
    await memory_update(agentos, NS, memory_id=made.id, content="Speak softly")
    await memory_update(agentos, NS, memory_id=made.id, content="Speak in riddles")  # it is asked about as it reads now
    [approval] = (await agentos.approvals.inbox(NS)).approvals
    await Decisions(store.work.approvals, clock).decide(approval, ApprovalStatus.APPROVED, "ada at tty1")
    await agentos.approvals.executor.run_due()
    assert await rules(agentos) == ["Speak in riddles"] and await doubts(agentos) == []
    await memory_update(agentos, NS, memory_id=made.id, content="Speak in verse")
    await agentos.lifecycle.vouch(NS, (await agentos.memory.get(NS, made.id))[0])
    assert await doubts(agentos) == [], "a person decided about it elsewhere"
    await memory_update(agentos, NS, memory_id=made.id, content="Sing")
    await agentos.memory.delete(NS, made.id)
    assert await doubts(agentos) == []


async def test_a_text_that_was_changed_while_it_was_confirmed_is_no_rule(agentos: AgentOS, clock: Any) -> None:
    shown = await remember(agentos, "Run the tests first", tags=["rule"])
    begun = clock()
    clock.advance(seconds=5)
    await agentos.lifecycle.vouch(NS, shown)
    clock.now = begun  # the clock of an update that began before, and ends after
    changed = await agentos.memory.update(NS, shown.id, MemoryChanges(content="Skip the tests"))
    assert await rules(agentos) == []
    with pytest.raises(PermissionDenied, match="changed since it was shown"):
        await agentos.lifecycle.vouch(NS, shown)
    await agentos.lifecycle.vouch(NS, changed)
    assert await rules(agentos) == ["Skip the tests"]


ENDING: dict[str, Callable[[AgentOS, Memory], Awaitable[Any]]] = {
    "archived": lambda agentos, one: agentos.lifecycle.archive(NS, one.id),
    "forgotten": lambda agentos, one: agentos.lifecycle.forget(NS, one.id),
    "superseded": lambda agentos, one: remember(agentos, "Use spaces", supersedes=[one.id]),
    "expiring": lambda agentos, one: agentos.memory.update(NS, one.id, MemoryChanges(memory_type="working")),
    "erased": lambda agentos, one: agentos.memory.delete(NS, one.id),
}


@pytest.mark.parametrize("end", ENDING.values(), ids=ENDING)
async def test_what_does_not_hold_at_every_moment_is_never_confirmed(agentos: AgentOS, end: Any) -> None:
    shown = await remember(agentos, "Use tabs", tags=["rule"])
    await end(agentos, shown)
    with pytest.raises(AgentOSError):
        await agentos.lifecycle.vouch(NS, shown)
    assert await rules(agentos) == []


@pytest.mark.sqlite("it merges the segments of its text index")
async def test_many_memories_are_erased_at_once(agentos: AgentOS, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [(await remember(agentos, f"note {n} about boats")).id for n in range(20)]
    calls = []
    merge_segments = erasing.merge_segments

    async def counted(write: Any) -> None:
        calls.append(write)
        await merge_segments(write)

    monkeypatch.setattr(erasing, "merge_segments", counted)
    gone = await memory_forget(agentos, NS, memory_ids=ids, mode="erase")
    assert (gone.deleted, len(calls)) == (20, 1), "the segments are merged once for all of them"


async def test_what_was_erased_is_said_to_be_erased(agentos: AgentOS, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = await remember(agentos, "a note about boats")

    async def begin_log_anew(self: Any) -> bool:
        raise await self._failure(sqlite3.OperationalError("disk I/O error"))

    monkeypatch.setattr("agentos.storage.sqlite.database.Sqlite.begin_log_anew", begin_log_anew)
    await agentos.memory.delete(NS, memory.id)
    assert (await agentos.memory.page(NS, MemoryFilter())).total == 0


async def test_undoing_what_the_command_line_made_undoes_no_other_decision(agentos: AgentOS) -> None:
    await port(agentos, "8080", "user")
    stored = await agentos.memory.store(
        NS, StoreRequest("svc listens on 9", subject="svc", attribute="port", value="9", source="web:evil.example")
    )
    assert stored.change is not None
    made = await rule(agentos)
    [confirmed] = await agentos.lifecycle.changes(NS, made.id)
    for change in (stored.change.id, confirmed.id, stored.memory.id):
        with pytest.raises(NotFound, match="agentos rollback made no change"):
            await agentos.lifecycle.undo(NS, change, "rollback")
