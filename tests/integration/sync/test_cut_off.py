"""Exchanges that are cut off at any point, what comes in with a secret, ends by another clock, and the job."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from agentos.features.sync.folder import Folder
from agentos.features.sync.job import exchange
from agentos.features.sync.membership import renewed
from agentos.features.sync.ports import Rows
from agentos.modules.agentos import AgentOS
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.redaction.redactor import SecretRedactor
from agentos.modules.store_request import StoreRequest
from agentos.modules.syncing import Exchanged

from .real import Device, World

Make = Callable[[], Awaitable[World]]


class Cut(BaseException):
    """What a kill is to the process."""


async def cut_off_at(device: Device, step: int, *, is_done: bool) -> bool:
    """Exchange, and die at a step, a write to the store or to the folder, before it or once it is done."""
    left = step
    write, write_segment = device.rows.write, Folder.write_segment

    def dies_here() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    async def dying(work: Any) -> Any:
        dies = dies_here()
        if dies and not is_done:
            raise Cut
        result = await write(work)
        if dies:
            raise Cut
        return result

    def dying_file(folder: Folder, *given: Any) -> None:
        dies = dies_here()
        if dies and not is_done:
            raise Cut
        write_segment(folder, *given)
        if dies:
            raise Cut

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(device.rows, "write", dying)
        patched.setattr(Folder, "write_segment", dying_file)
        try:
            await device.exchange()
        except Cut:
            return True
    return False


async def test_an_exchange_that_is_cut_off_at_any_point_is_finished_by_the_next(make: Make) -> None:
    made = await make()
    one, other, _ = made.devices
    died, step = True, 0
    while died:
        died = False
        for is_done in (False, True):
            for device in (one, other):
                await device.agentos.memory.store("n", StoreRequest(f"{device.keys.device} at {step} {is_done}"))
                made.carry_all()
                died |= await cut_off_at(device, step, is_done=is_done)
        step += 1
    assert step > 5
    await made.settle()
    first, *others = [await device.export() for device in made.devices]
    assert all(each == first for each in others)
    assert len(first["memory"]) == 4 * step


async def test_secrets_are_taken_out_of_what_comes_in_and_then_everywhere(make: Make) -> None:
    made = await make()
    one, other, third = made.devices
    one.rows._redactor = SecretRedactor(enabled=False)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"

    async def write_unredacted(connection: Any) -> None:
        await connection.execute("UPDATE memories SET content = ?, version = version + 1", (f"the token is {secret}",))

    await one.agentos.memory.store("n", StoreRequest("the token is kept elsewhere"))
    await one.store.engine.write(write_unredacted)
    await made.settle()
    for device in made.devices:
        assert secret not in repr(await device.export())
    [(fields, _)] = (await third.export())["memory"].values()
    assert "the token is" in fields["content"]


async def test_an_end_date_is_kept_by_the_clock_of_each_device(make: Make) -> None:
    made = await make()
    one, other, _ = made.devices
    stored = await one.agentos.memory.store("n", StoreRequest("for today", memory_type="working"))
    await made.settle()
    assert stored.memory.expires_at is not None
    other.clock.now = stored.memory.expires_at + timedelta(hours=1)

    async def expire(connection: Any) -> None:
        await connection.execute("DELETE FROM memories WHERE id = ?", (stored.memory.id,))

    await other.store.engine.write(expire)
    one.clock.now = stored.memory.expires_at - timedelta(hours=23)
    await made.settle()
    rows = await one.store.engine.read("SELECT id FROM memories")
    assert [row["id"] for row in rows] == [stored.memory.id], "a clock that is ahead ends nothing elsewhere"
    assert not await other.store.engine.read("SELECT id FROM memories")
    other.clock.now += timedelta(days=3)
    await made.settle()
    assert not await one.store.engine.read("SELECT id FROM memories"), "two days later it is gone for all"


async def test_what_another_device_made_permanent_comes_back_where_it_had_ended(make: Make) -> None:
    made = await make()
    one, other, _ = made.devices
    stored = await one.agentos.memory.store("n", StoreRequest("for today", memory_type="working"))
    await made.settle()

    async def change(connection: Any) -> None:
        await connection.execute("UPDATE memories SET expires_at = NULL, version = version + 1")

    async def expire(connection: Any) -> None:
        await connection.execute("DELETE FROM memories WHERE id = ?", (stored.memory.id,))

    await other.store.engine.write(change)
    await other.exchange()
    one.clock.now += timedelta(days=9)
    await one.store.engine.write(expire)
    assert (await one.exchange()).told == 1, "it tells its end before it hears of the change"
    await made.settle()
    for device in made.devices:
        assert (await device.export())["memory"][stored.memory.id][0]["expires_at"] is None


async def test_nothing_keeps_the_words_of_what_was_deleted_and_is_not_told_yet(make: Make) -> None:
    one, *_ = (await make()).devices
    agentos = one.agentos
    ids = [
        (await agentos.memory.store("n", StoreRequest(text, memory_type="working"))).memory.id
        for text in ("Zoé lives in Porto", "Zoé likes tea")
    ]
    goal = await agentos.goals.add("n", "Call Zoé", "by phone")
    await agentos.reflection.log("n", "called", "Zoé was out", True)
    await agentos.lifecycle.feedback("n", ids[0], "supersede", ids[1])

    async def explain(connection: Any) -> int:
        return int(await connection.execute("UPDATE relations SET evidence = 'Zoé said so'"))

    assert await one.store.engine.write(explain)
    await one.exchange()

    async def delete(connection: Any) -> None:
        await connection.execute("DELETE FROM relations")
        await connection.execute("DELETE FROM goals WHERE id = ?", (goal.id,))
        await connection.execute("DELETE FROM events")

    for name in ids:
        await agentos.memory.delete("n", name)
    await one.store.engine.write(delete)
    assert not await one.rows.names("Zoé")
    await one.rows.note_erased()
    rows = await one.store.engine.read("SELECT state FROM sync_records WHERE kind <> 'relation'")
    assert {row["state"] for row in rows} == {""}, "all this was erased, though it had an end date"


async def test_the_erased_leaves_a_segment_that_was_away_once_it_is_back(make: Make) -> None:
    one, *_ = (await make()).devices
    stored = await one.agentos.memory.store("n", StoreRequest("to be erased"))
    await one.exchange()
    file = one.file(one.keys.device, 1)
    before = file.read_bytes()
    file.unlink()
    await one.agentos.memory.delete("n", stored.memory.id)
    await one.exchange()
    assert (await one.rows.place()).purge == [1]
    file.write_bytes(before)
    await one.exchange()
    assert (await one.rows.place()).purge == []
    assert len(file.read_bytes()) < len(before)


async def test_the_erased_leaves_the_segments_from_before_a_restore(make: Make) -> None:
    one, *_ = (await make()).devices
    stored = await one.agentos.memory.store("n", StoreRequest("to be erased"))
    await one.exchange()
    file = one.file(one.keys.device, 1)
    before = file.read_bytes()

    async def renew(rows: Rows) -> None:
        await rows.move(renewed(await rows.place()))

    await one.rows.write(renew)
    await one.exchange()
    assert file.read_bytes() == before
    await one.agentos.memory.delete("n", stored.memory.id)
    await one.exchange()
    assert len(file.read_bytes()) < len(before)
    assert (await one.rows.place()).purge == []


async def test_sync_says_what_it_keeps_and_nothing_of_what_was_erased(make: Make) -> None:
    one, *_ = (await make()).devices
    stored = await one.agentos.memory.store("n", StoreRequest("Zoé Łukasz lives in Porto"))
    await one.agentos.goals.add("n", "Call ŁUKASZ", "by phone")
    await one.exchange()
    assert [await one.rows.names(name) for name in ("ZOÉ", "łukasz", "Braga")] == [True, True, False]
    await one.agentos.memory.delete("n", stored.memory.id)
    assert [await one.rows.names(name) for name in ("ZOÉ", "łukasz")] == [False, True]


async def test_what_changes_while_it_is_erased_elsewhere_is_erased(make: Make) -> None:
    made = await make()
    one, other, _ = made.devices
    stored = await one.agentos.memory.store("n", StoreRequest("the first text"))
    await made.settle()
    await one.agentos.memory.delete("n", stored.memory.id)
    await other.agentos.memory.update("n", stored.memory.id, MemoryChanges(content="the second text"))
    await made.settle()
    for device in made.devices:
        assert not (await device.export())["memory"]
        rows = await device.store.engine.read("SELECT state FROM sync_records")
        assert "text" not in repr([row["state"].replace('"text"', "") for row in rows]), "nothing keeps what was erased"


async def test_the_job_does_nothing_without_a_group_and_says_what_is_not_taken(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Grouped:
        async def sync(self) -> Any:
            return self

        async def now(self) -> Exchanged:
            return Exchanged(1, 0, {"phone": "segment 3 is missing"})

    class Alone:
        sync = staticmethod(AgentOS.sync)

    await exchange(Alone())  # type: ignore[arg-type]
    assert not caplog.records
    await exchange(Grouped())  # type: ignore[arg-type]
    assert "phone: segment 3 is missing" in caplog.text
