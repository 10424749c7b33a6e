"""A file that a device tells of is looked at before its bytes are: what is none of a memory is not read."""

import hashlib
import random
from typing import Any, cast

import pytest

from agentos.features.sync import files
from agentos.features.sync.folder import Folder
from agentos.features.sync.models import Body, Change, Entry
from agentos.modules.attaching import MOST_BYTES
from tests.tables import every

from .schedules import Device

DATA = b"a plan of the harbour"
HASH = hashlib.sha256(DATA).hexdigest()
WHOLE = {"memory_id": "mem_1", "content_hash": HASH, "name": "plan.txt", "media_type": "text/plain", "size": len(DATA)}


def told(record_id: str = f"mem_1 {HASH}", **fields: Any) -> Change:
    dot = ("d", 1)
    return Change("attachment", record_id, {}, dot, Entry(dot, Body({**WHOLE, **fields}), dot, (1, "d"), {}, {}, {}))


@every(
    "changes",
    [
        [told(size=0)],
        [told(size="21")],
        [told(size=MOST_BYTES + 1)],
        [told(size=len(DATA) + 1)],
        [told(size="21"), told()],
        [told(size=1), told()],
        [told(name="")],
        [told(name="n" * 1_001)],
        [told(name=7)],
        [told(media_type=None)],
        [told(memory_id="mem_2")],
        [told(content_hash="../" * 21 + "x")],
        [told("mem_1 aa", content_hash="aa")],
    ],
)
async def test_what_is_no_file_of_a_memory_is_refused(changes: list[Change]) -> None:
    sender, reader = (Device(name, random.Random(1)) for name in ("a", "b"))
    sender.store.bytes_[HASH] = DATA
    carried = files.Files(sender.store, cast("Folder", sender.files))
    await carried.send([("attachment", f"mem_1 {HASH}")])
    read = files.Files(reader.store, cast("Folder", sender.files))
    place = await reader.store.place()
    assert await read.brought(place, sender.keys.device, [told()]) == {HASH: DATA}
    with pytest.raises(ValueError, match="tells of"):
        await read.brought(place, sender.keys.device, changes)
