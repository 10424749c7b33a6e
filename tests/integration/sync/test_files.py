"""Files of memories travel with them, are carried once, and go everywhere with the last memory that has them."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

from agentos.storage.engine.times import to_us

from .real import Device, World

Make = Callable[[], Awaitable[World]]
DATA = b"\x00plan of the warehouse" * 9_000


async def attached(device: Device, caption: str, data: bytes = DATA) -> str:
    done = await device.attachments.attach("n", "plan.bin", data, caption=caption)
    return done.attachment.memory_id


async def changed(device: Device, sql: str, *values: int) -> None:
    await device.store.engine.write(lambda connection: connection.execute(sql, values))


def carried(device: Device) -> dict[str, bytes]:
    return device.beside(device.keys.device)


async def test_a_file_is_carried_once_sealed_and_goes_everywhere_with_its_last_memory(make: Make) -> None:
    made = await make()
    one, other, third = made.devices
    first, second = await attached(one, "the plan"), await attached(one, "the plan, again")
    await made.settle()
    for device in made.devices:
        for memory in (first, second):
            found, data = await device.attachments.get("n", memory)
            assert (found.name, found.media_type, data) == ("plan.bin", "application/octet-stream", DATA)
    [(name, text)] = carried(one).items()
    assert found.content_hash not in name and b"warehouse" not in text
    assert not carried(other) and not carried(third), "who told of it carries it"

    await other.agentos.memory.delete("n", first)
    await made.settle()
    assert carried(one).keys() == {name} and (await third.attachments.get("n", second))[1] == DATA
    await other.agentos.memory.delete("n", second)
    await made.settle()
    for device in made.devices:
        assert not carried(device) and not await device.bytes_() and not (await device.export())["attachment"]
        known = await device.store.engine.read("SELECT state FROM sync_records WHERE kind = 'attachment'")
        assert "plan.bin" not in repr([row["state"] for row in known])


async def test_a_file_that_is_late_cut_off_altered_or_lost_is_waited_for(make: Make) -> None:
    made = await make()
    one, other, _ = made.devices
    memory = await attached(one, "the plan")
    await one.exchange()
    made.carry_all()
    owner, whole = one.keys.device, carried(one)
    [(name, text)] = whole.items()
    cases: list[tuple[dict[str, bytes], str]] = [
        ({}, "not all here"),
        ({name: text[:-1]}, "not all here"),
        ({name: b"{}"}, "not all here"),
        ({name: b"{}\n" + text}, "altered"),
        ({name: text[:-1] + bytes([text[-1] ^ 1])}, "altered"),
        ({name: text + b"x"}, "altered"),
    ]
    for seen, says in cases:
        other.bring(owner, seen)
        done = await other.exchange()
        assert says in done.words[owner] and not (await other.export())["memory"], says
    one.bring(owner, {})
    await made.settle()
    assert carried(one).keys() == {name}, "what is gone from the folder is put back"
    assert (await other.attachments.get("n", memory))[1] == DATA


async def test_files_beyond_what_a_segment_may_bring_come_in_several(make: Make) -> None:
    made = await make()
    one, other, _ = made.devices
    for number in range(3):
        await attached(one, f"picture {number}", bytes([0, number]) * (6 << 20))
    await one.exchange()
    assert len(one.segments(one.keys.device)) == 2
    made.carry_all()
    await other.exchange()
    assert len(await other.bytes_()) == 3


async def test_a_memory_whose_end_another_device_put_off_keeps_its_file(make: Make) -> None:
    made = await make()
    one, other, _ = made.devices
    memory = await attached(one, "the plan")
    one.clock.now += timedelta(days=3)
    ends = to_us(one.clock.now)
    await changed(one, "UPDATE memories SET expires_at = ?, version = version + 1", ends)
    await made.settle()
    await changed(other, "UPDATE memories SET expires_at = NULL, version = version + 1")
    one.clock.advance(seconds=60)
    await changed(one, "DELETE FROM memories WHERE expires_at <= ?", ends)
    assert not (await one.export())["memory"] and not await one.bytes_()
    await one.exchange()
    for _ in range(2):
        await made.settle()
    for device in made.devices:
        assert (await device.attachments.get("n", memory))[1] == DATA


async def test_a_file_that_ends_by_its_date_keeps_nobody_from_what_was_told_after_it(make: Make) -> None:
    made = await make()
    one, other, _ = made.devices
    await attached(one, "the plan")
    ends = to_us(one.clock.now + timedelta(hours=1))
    await changed(one, "UPDATE memories SET expires_at = ?, version = version + 1", ends)
    await one.exchange()
    for device in made.devices:
        device.clock.advance(seconds=3_700)
    await changed(one, "DELETE FROM memories WHERE expires_at <= ?", ends)
    later = await attached(one, "the plan of the garden", b"\x00garden")
    await one.exchange()
    made.carry_all()
    done = await other.exchange()
    assert not done.words and (await other.attachments.get("n", later))[1] == b"\x00garden"
    await changed(other, "DELETE FROM memories WHERE expires_at <= ?", ends)
    for device in made.devices:
        device.clock.now += timedelta(days=3)
    for _ in range(2):
        await made.settle()
    for device in made.devices:
        assert [name.partition(" ")[0] for name in (await device.export())["attachment"]] == [later]
        assert len(carried(device)) == (device is one), "what ended is carried until that is told"
