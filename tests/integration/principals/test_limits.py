"""Limits of namespaces: what is beyond a quota is refused by every door, and what is kept too long is archived."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agentos.daemon_pkg.jobs import retention
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import InvalidInput, PermissionDenied, QuotaExceeded
from agentos.modules.memory.models import Status
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.principals.models import Caller, Door, Limits, Right, Role, local_owner
from agentos.modules.store_request import StoreRequest
from tests.integration.conftest import Clock
from tests.tables import every

OWNER = local_owner("ada", None, Door.COMMAND_LINE)
BOSS = Caller("boss", Role.OWNER, {"ada": Right.ADMIN}, "ada", Door.HTTP)


async def limit(agentos: AgentOS, caller: Caller = OWNER, **limits: int) -> Limits:
    return (await agentos.principals.set_policy(caller, "ada", limits=limits)).limits


async def note(agentos: AgentOS, text: str = "another", namespace: str = "ada") -> str:
    return (await agentos.memory.store(namespace, StoreRequest(text))).memory.id


async def turn(agentos: AgentOS) -> None:
    await agentos.turns.add("ada", "s1", "user", "What is the weather like?", answer=None)


async def sealed(agentos: AgentOS) -> None:
    await agentos.sealed.store("ada", "x" * 20, [1.0, 0.0])


Write = Callable[[AgentOS], Awaitable[Any]]


@every(("limits", "refused"), [({"max_memories": 1}, (note, turn, sealed)), ({"max_bytes": 8}, (note, turn, sealed))])
async def test_what_is_beyond_a_quota_is_refused_and_changes_nothing(
    agentos: AgentOS, limits: dict[str, int], refused: tuple[Write, ...]
) -> None:
    first = await note(agentos, "first")
    await limit(agentos, **limits)
    for write in refused:
        with pytest.raises(QuotaExceeded, match="agentos namespaces set"):
            await write(agentos)
    assert await note(agentos, "first") == first  # what is there is no more by being told again
    assert (await agentos.archive.statistics("ada", agentos.clock())).total == 1
    await note(agentos, "elsewhere", "eve")
    await agentos.memory.delete("ada", first)
    second = await note(agentos, "second")
    await limit(agentos, **dict.fromkeys(limits, 0))
    await agentos.memory.delete("ada", second, await note(agentos, "third and of any length"))


async def test_a_longer_text_in_its_place_is_no_way_around_a_quota(agentos: AgentOS) -> None:
    stored = await note(agentos, "first")
    await limit(agentos, max_bytes=8)
    with pytest.raises(QuotaExceeded):
        await agentos.memory.update("ada", stored, MemoryChanges(content="first and much more"))
    assert (await agentos.memory.get("ada", stored))[0].content == "first"
    await agentos.memory.update("ada", stored, MemoryChanges(content="1st"))


async def test_what_was_archived_comes_back_only_where_there_is_room(agentos: AgentOS) -> None:
    first = await note(agentos, "first")
    await limit(agentos, max_memories=1)
    await agentos.lifecycle.archive("ada", first)
    second = await note(agentos, "second")
    for back in (agentos.lifecycle.restore, agentos.lifecycle.revert):
        with pytest.raises(QuotaExceeded, match="1 memories"):
            await back("ada", first)
    await agentos.lifecycle.archive("ada", second)
    await agentos.lifecycle.restore("ada", first)
    assert (await agentos.memory.get("ada", first))[0].status is Status.ACTIVE


async def test_what_a_namespace_may_hold_is_up_to_the_owner_of_the_store(agentos: AgentOS) -> None:
    await limit(agentos, max_memories=5)
    with pytest.raises(PermissionDenied, match="max_memories"):
        await limit(agentos, BOSS, max_memories=500)
    with pytest.raises(InvalidInput, match="retention_days"):
        await limit(agentos, BOSS, retention_days=-1)
    assert await limit(agentos, BOSS, retention_days=30) == Limits(5, None, 30)
    [seen] = [one for one in await agentos.principals.namespaces(OWNER) if one.id == "ada"]
    assert seen.policy.limits == Limits(5, None, 30)


async def test_what_nobody_wrote_for_long_is_archived_and_can_be_brought_back(agentos: AgentOS, clock: Clock) -> None:
    old = await note(agentos, "The lamp in the hall is green")
    elsewhere = await note(agentos, "The lamp in the hall is green", "eve")
    await limit(agentos, retention_days=30)
    clock.advance(days=20)
    new = await note(agentos, "Maria deploys on Tuesdays")
    clock.advance(days=11)
    await retention.JOB.run_everywhere(agentos)
    remaining = (("ada", old), ("ada", new), ("eve", elsewhere))
    standing = [(await agentos.memory.get(namespace, one))[0].status for namespace, one in remaining]
    assert standing == [Status.ARCHIVED, Status.ACTIVE, Status.ACTIVE]
    [entry, *_] = await agentos.audit.show(OWNER, "ada")
    assert (entry.principal, entry.subject) == ("daemon", old)
    await agentos.lifecycle.revert("ada", old)
    assert (await agentos.memory.get("ada", old))[0].status is Status.ACTIVE
