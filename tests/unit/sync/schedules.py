"""Random schedules of three devices, whose folder delivers late, twice, in any order, cut off and altered.

python -m tests.unit.sync.schedules 10000      # plays so many, from the root of a checkout
"""

import argparse
import asyncio
import hashlib
import json
import random
import sys
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

from agentos.features.sync import segments
from agentos.features.sync.exchange import Exchange
from agentos.features.sync.folder import Folder
from agentos.features.sync.keys import DeviceKeys, group_key, new_secret
from agentos.features.sync.kinds import KINDS
from agentos.features.sync.models import Body, Change, Fields, State
from agentos.features.sync.ports import Member, Place, Record, Rows

T = TypeVar("T")
DAY_US = 86_400_000_000
NAMES = ("a", "b", "c")
KEYS = {name: DeviceKeys.new() for name in NAMES}
SECRET = new_secret()
ALTERED = Body({})
"""Stands for what sync did not leave so."""


@dataclass
class Files:
    """What one device sees of the folder."""

    all: dict[tuple[str, int], bytes] = field(default_factory=dict)
    beside: dict[tuple[str, str], bytes] = field(default_factory=dict)
    """The files of memories, by device and name."""

    def numbers(self, device: str) -> list[int]:
        return sorted(number for owner, number in self.all if owner == device)

    def segment(self, device: str, number: int, most: int) -> bytes | None:
        text = self.all.get((device, number))
        return None if text is None else text[:most]

    def write_segment(self, text: bytes, device: str, number: int) -> None:
        self.all[device, number] = text

    def files(self, device: str) -> list[str]:
        return sorted(name for owner, name in self.beside if owner == device)

    def file(self, device: str, name: str, most: int) -> bytes | None:
        text = self.beside.get((device, name))
        return None if text is None else text[:most]

    def write_file(self, text: bytes, device: str, name: str) -> None:
        assert (device, name) not in self.beside, "a device carries a file once"
        self.beside[device, name] = text

    def remove_file(self, device: str, name: str) -> None:
        del self.beside[device, name]


@dataclass
class MemoryStore:
    """A store in memory, with what sync keeps of it."""

    at: Place
    bodies_: dict[str, dict[str, Body]] = field(default_factory=lambda: {kind: {} for kind in KINDS})
    records_: dict[str, dict[str, Record]] = field(default_factory=lambda: {kind: {} for kind in KINDS})
    left: dict[tuple[str, str], Body | None] = field(default_factory=dict)
    bytes_: dict[str, bytes] = field(default_factory=dict)
    came: Mapping[str, bytes] = field(default_factory=dict)

    async def write(self, work: Callable[[Rows], Awaitable[T]], /) -> T:
        saved = self.at, {k: dict(v) for k, v in self.bodies_.items()}, {k: dict(v) for k, v in self.records_.items()}
        left, bytes_ = dict(self.left), dict(self.bytes_)
        try:
            return await work(self)
        except BaseException:
            self.at, self.bodies_, self.records_ = saved
            self.left, self.bytes_ = left, bytes_
            raise

    async def prepare(self, changes: Sequence[Change], files: Mapping[str, bytes], /) -> None:
        self.came = files

    async def file(self, content_hash: str, /) -> bytes:
        return self.bytes_.get(content_hash, b"")

    async def missing(self, hashes: Sequence[str], /) -> Collection[str]:
        return {*hashes} - self.bytes_.keys()

    async def files(self) -> tuple[Collection[str], Collection[str]]:
        here, known = self.bodies_["attachment"], self.records_["attachment"]
        told = {name for name in here if name in known and known[name].written}
        return {name.rpartition(" ")[2] for name in told}, {name.rpartition(" ")[2] for name in here}

    async def known_files(self) -> Collection[str]:
        return ()

    def forget(self, memory: str) -> None:
        """Erase a memory with its files, as a store does."""
        self.bodies_["memory"].pop(memory, None)
        for name in [one for one in self.bodies_["attachment"] if one.startswith(f"{memory} ")]:
            del self.bodies_["attachment"][name]
            if (known := self.records_["attachment"].get(name)) is not None:
                state = replace(known.state, entries=())
                self.records_["attachment"][name] = replace(known, state=state, is_ended=True)
        kept = {name.rpartition(" ")[2] for name in self.bodies_["attachment"]}
        self.bytes_ = {digest: data for digest, data in self.bytes_.items() if digest in kept}

    async def place(self) -> Place:
        return self.at

    async def move(self, place: Place, /) -> None:
        self.at = place

    async def changed(self, most: int, /) -> list[tuple[str, str]]:
        here = {(kind, name): body for kind, bodies in self.bodies_.items() for name, body in bodies.items()}
        names = sorted({*here, *(name for name, body in self.left.items() if body is not None)})
        return [name for name in names if here.get(name) != self.left.get(name)][:most]

    async def is_altered(self) -> bool:
        return bool(await self.changed(1))

    async def bodies(self, kind: str, ids: Collection[str], /) -> Mapping[str, Body]:
        return {name: self.bodies_[kind][name] for name in ids if name in self.bodies_[kind]}

    async def records(self, kind: str, ids: Collection[str], /) -> Mapping[str, Record]:
        return {name: self.records_[kind][name] for name in ids if name in self.records_[kind]}

    async def children(self, kind: str, record_id: str, /) -> list[str]:
        return sorted(name for name, one in self.records_[kind].items() if one.parent == record_id)

    async def keep(self, kind: str, records: Mapping[str, Record | None], altered: Collection[str] = (), /) -> None:
        for name, record in records.items():
            if record is None:
                self.records_[kind].pop(name, None)
            else:
                self.records_[kind][name] = record
            self.left[kind, name] = ALTERED if name in altered else self.bodies_[kind].get(name)

    async def projects(self, bodies: Collection[Body], /) -> list[Fields]:
        return []

    async def learn_projects(self, projects: Sequence[Fields], /) -> None:
        """Know none."""

    async def show(self, kind: str, bodies: Mapping[str, Body | None], /) -> None:
        for name, body in bodies.items():
            if kind == "attachment":
                if body is not None and body.fields["memory_id"] in self.bodies_["memory"]:
                    digest = body.fields["content_hash"]
                    if digest not in self.bytes_ and digest not in self.came:
                        raise segments.Incomplete
                    self.bytes_.setdefault(digest, self.came.get(digest, b""))
                    self.bodies_[kind][name] = body
            elif body is None and kind == "memory":
                self.forget(name)
            elif body is None:
                self.bodies_[kind].pop(name, None)
            else:
                self.bodies_[kind][name] = body

    def export(self) -> str:
        """Everything, in one order."""
        return "\n".join(
            json.dumps([kind, name, body.fields, list(body.history)], sort_keys=True)
            for kind, bodies in self.bodies_.items()
            for name, body in sorted(bodies.items())
        )


class Device:
    """One of the devices, with a clock that is up to a day off."""

    def __init__(self, name: str, chance: random.Random) -> None:
        self.keys = KEYS[name]
        members = {KEYS[one].device: Member(one, KEYS[one].signing_public, KEYS[one].opening_public) for one in NAMES}
        self.store = MemoryStore(Place("group", name, "", self.keys, {"e": SECRET}, "e", members=members))
        self.files = Files()
        self.exchange = Exchange(self.store, cast("Folder", self.files))
        self._chance = chance
        self._skew = chance.choice((-DAY_US, 0, DAY_US))
        self._ticks = 0

    def clock(self) -> int:
        self._ticks += 1
        return 1_700_000_000_000_000 + self._skew + self._ticks

    def put(self, kind: str, name: str, **fields: Any) -> None:
        """Change some columns of a record."""
        body = self.store.bodies_[kind][name]
        self.store.bodies_[kind][name] = replace(body, fields={**body.fields, **fields})


@dataclass
class World:
    """Three devices, all that was ever written, and what was deleted on purpose."""

    chance: random.Random
    devices: list[Device] = field(default_factory=list)
    written: dict[str, set[str]] = field(default_factory=dict)
    """The ids under which each text was written."""
    dropped: set[str] = field(default_factory=set)
    """The texts that were in records when these were deleted, and the ids of these."""
    attached: set[tuple[str, str]] = field(default_factory=set)
    """The memories that got a file, each with its hash."""

    def __post_init__(self) -> None:
        self.devices = [Device(name, self.chance) for name in NAMES]

    def text(self, name: str) -> str:
        text = f"text {len(self.written)}"
        self.written[text] = {name}
        return text

    def act(self, device: Device) -> None:
        """Do one thing that an agent or person does on a device."""
        memories, goals = sorted(device.store.bodies_["memory"]), sorted(device.store.bodies_["goal"])
        name = self.chance.choice(memories) if memories else ""
        what = self.chance.choice(
            "new new revise revise tag confirm judge delete relate goal retitle note attach".split()
        )
        now = device.clock()
        if what == "new" or not name:
            self._new_memory(device, now)
        elif what == "revise":
            self._revise(device, name, now)
        elif what == "tag":
            device.put("memory", name, tags=json.dumps([f"t{self.chance.randrange(9)}"]), updated_at=now)
        elif what == "confirm":
            device.put("memory", name, confirmations=device.store.bodies_["memory"][name].fields["confirmations"] + 1)
        elif what == "judge":
            device.put("memory", name, status=self.chance.choice(("active", "archived", "forgotten", "stale")))
        elif what == "delete" and self.chance.random() < 0.4:
            body = device.store.bodies_["memory"][name]
            device.store.forget(name)
            known = device.store.records_["memory"].get(name)
            if known is not None and self.chance.random() < 0.5:  # as a store does that keeps nothing of what is erased
                device.store.records_["memory"][name] = replace(known, state=State(), is_erased=True)
            self.dropped |= {name, body.fields["content"], *(one["content"] for one in body.history)}
        elif what == "relate":
            self._relate(device, name, self.chance.choice(memories), now)
        elif what == "attach":
            self._attach(device, name, now)
        elif what == "goal" or not goals:
            self._new_goal(device, now)
        elif what == "retitle":
            goal = self.chance.choice(goals)
            text = self.text(goal)
            old = device.store.bodies_["goal"][goal].fields["title"]
            self.written[old].add("replaced")
            device.put("goal", goal, title=text, updated_at=now)
        elif what == "note":
            goal = self.chance.choice(goals)
            body = device.store.bodies_["goal"][goal]
            notes = [*body.history, {"at": now, "text": self.text(goal)}]
            notes.sort(key=lambda one: (one["at"], one["text"]))
            device.store.bodies_["goal"][goal] = replace(body, history=notes)

    def _new_memory(self, device: Device, now: int) -> None:
        name = f"mem_{self.chance.getrandbits(64):x}"
        columns = {column: None for kind in KINDS["memory"].groups.values() for column in kind}
        fields = dict.fromkeys(KINDS["memory"].text) | columns | {
            "namespace": "n", "content": self.text(name), "tags": "[]", "status": "active", "importance": 0.5,
            "confirmations": 0, "rejections": 0, "version": 1, "updated_at": now, "created_at": now,
        }  # fmt: skip
        device.store.bodies_["memory"][name] = Body(fields, [])

    def _revise(self, device: Device, name: str, now: int) -> None:
        body = device.store.bodies_["memory"][name]
        old = {"version": body.fields["version"], "content": body.fields["content"], "replaced_at": now}
        fields = {**body.fields, "content": self.text(name), "version": body.fields["version"] + 1, "updated_at": now}
        device.store.bodies_["memory"][name] = Body(fields, [*body.history, old])

    def _relate(self, device: Device, one: str, other: str, now: int) -> None:
        relations, key = device.store.bodies_["relation"], f"{one}|{other}|supports"
        if key in relations:
            del relations[key]
        else:
            fields = {
                "from_id": one,
                "to_id": other,
                "type": "supports",
                "weight": 1.0,
                "evidence": "",
                "created_at": now,
            }
            relations[key] = Body(fields)

    def _attach(self, device: Device, name: str, now: int) -> None:
        data = f"bytes {self.chance.randrange(6)}".encode()
        digest = hashlib.sha256(data).hexdigest()
        said = {"name": f"{now}.txt", "media_type": "text/plain", "size": len(data), "created_at": now}
        if f"{name} {digest}" not in device.store.bodies_["attachment"]:
            fields = {"memory_id": name, "content_hash": digest, **said}
            device.store.bodies_["attachment"][f"{name} {digest}"] = Body(fields)
            device.store.bytes_[digest] = data
            self.attached.add((name, digest))

    def _new_goal(self, device: Device, now: int) -> None:
        name = f"goal_{self.chance.getrandbits(64):x}"
        goal = KINDS["goal"]
        columns = {column: None for columns in goal.groups.values() for column in columns}
        fields = dict.fromkeys(goal.text) | columns | {
            "namespace": "n", "title": self.text(name), "description": "", "tags": "[]", "version": 1,
            "updated_at": now, "created_at": now,
        }  # fmt: skip
        device.store.bodies_["goal"][name] = Body(fields, [])

    def carry(self, source: Device, target: Device) -> None:
        """Carry one segment or file of a device to another: whole, cut off, altered, or as another's."""
        beside = source.files.files(source.keys.device)
        if beside and self.chance.randrange(3) == 0:
            name = self.chance.choice(beside)
            text = source.files.beside[source.keys.device, name]
            at = self.chance.randrange(len(text))
            flipped = text[:at] + bytes([text[at] ^ 1 << self.chance.randrange(8)]) + text[at + 1 :]
            name = self.chance.choice((name, name, name, self.chance.choice(beside)))
            target.files.beside[source.keys.device, name] = self.chance.choice((text, text, text[:at], flipped))
            return
        numbers = source.files.numbers(source.keys.device)
        if not numbers:
            return
        number = self.chance.choice(numbers)
        text = source.files.all[source.keys.device, number]
        as_number = number
        match self.chance.randrange(8):
            case 0:
                text = text[: self.chance.randrange(len(text))]
            case 1:
                at = self.chance.randrange(len(text))
                text = text[:at] + bytes([text[at] ^ 1 << self.chance.randrange(8)]) + text[at + 1 :]
            case 2:
                as_number = self.chance.choice(numbers) + self.chance.randrange(2)
            case 3:
                text += b"x"
        target.files.all[source.keys.device, as_number] = text

    def carry_all(self) -> None:
        """Carry everything as its owner wrote it."""
        for source in self.devices:
            for target in self.devices:
                if target is not source:
                    own = {at: text for at, text in source.files.beside.items() if at[0] == source.keys.device}
                    others = {at: text for at, text in target.files.beside.items() if at[0] != source.keys.device}
                    target.files.beside = {**others, **own}
                    target.files.all = {
                        place: text for place, text in target.files.all.items() if place[0] != source.keys.device
                    }
                    target.files.all |= {
                        place: text for place, text in source.files.all.items() if place[0] == source.keys.device
                    }

    def lost(self) -> set[str]:
        """The texts that are nowhere, though nobody deleted the record that they were written in."""
        here: set[str] = set()
        for kind in ("memory", "goal"):
            for body in self.devices[0].store.bodies_[kind].values():
                here |= {str(body.fields.get("content")), str(body.fields.get("title"))}
                here |= {str(one.get("content", one.get("text"))) for one in body.history}
        said = "\n".join(here) + "\n"
        return {
            text
            for text, names in self.written.items()
            if f"{text}\n" not in said and f"{text} —" not in said
            and text not in self.dropped and not names & self.dropped and "replaced" not in names
        }  # fmt: skip

    def lost_files(self) -> set[tuple[str, str]]:
        """The files that some device has not with their memory, or has without it."""
        found: set[tuple[str, str]] = set()
        for device in self.devices:
            store = device.store
            here = {(name, digest) for name, _, digest in (one.partition(" ") for one in store.bodies_["attachment"])}
            meant = {one for one in self.attached if one[0] in store.bodies_["memory"]}
            found |= here ^ meant
            found |= {one for one in here if hashlib.sha256(store.bytes_.get(one[1], b"")).hexdigest() != one[1]}
            found |= {("", digest) for digest in store.bytes_.keys() - {digest for _, digest in here}}
        return found

    def carried_for_nothing(self) -> bool:
        """Return whether a device carries more files than its memories have."""
        for device in self.devices:
            digests = {name.rpartition(" ")[2] for name in device.store.bodies_["attachment"]}
            if len(device.files.files(device.keys.device)) > len(digests):
                return True
        return False

    def still_told(self) -> set[str]:
        """The deleted records whose texts the folder still holds."""
        found: set[str] = set()
        for device in self.devices:
            gone = {name for name, one in device.store.records_["memory"].items() if one.state.is_gone}
            for (owner, _), text in device.files.all.items():
                if owner == device.keys.device:
                    head = segments.head_of(text)
                    said = segments.opened(text, head, group_key(SECRET, "group"), device.keys.signing_public)
                    found |= {one.id for one in said.changes if one.entry is not None and one.id in gone}
        return found


class AtOnce(ThreadPoolExecutor):
    """Runs what blocks at once, where it was called: nothing here waits for a disk."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        done: Future[T] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - the caller gets it
            done.set_exception(error)
        return done


def problem(seed: int) -> str:
    """Return what is wrong at the end of a schedule; nothing where all is well."""

    async def work() -> World:
        asyncio.get_running_loop().set_default_executor(AtOnce())
        return await played(seed)

    world = asyncio.run(work())
    first, *others = [device.store.export() for device in world.devices]
    if any(other != first for other in others):
        return f"schedule {seed} diverged"
    if lost := world.lost():
        return f"schedule {seed} lost {lost}"
    if lost_files := world.lost_files():
        return f"schedule {seed} lost files or kept them in vain: {lost_files}"
    is_kept = world.still_told() or world.carried_for_nothing()
    return f"schedule {seed}: what was erased is still in the folder" if is_kept else ""


async def played(seed: int, steps: int = 40) -> World:
    """Play a schedule, then let everything arrive."""
    chance = random.Random(seed)
    world = World(chance)
    for _ in range(steps):
        device = chance.choice(world.devices)
        match chance.randrange(4):
            case 0 | 1:
                world.act(device)
            case 2:
                await device.exchange.run()
            case _:
                for _ in range(chance.randrange(1, 6)):
                    world.carry(device, chance.choice([one for one in world.devices if one is not device]))
    for _ in range(4):
        for device in world.devices:
            await device.exchange.run()
        world.carry_all()
    for device in world.devices:
        await device.exchange.run()
    return world


def main() -> None:
    """Play so many schedules as asked for, and exit with 1 where one ends wrongly."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    given = parser.parse_args()
    wrong = [said for seed in range(given.first, given.first + given.count) if (said := problem(seed))]
    found = f"{given.count:,} schedules from {given.first:,}: {len(wrong)} ended wrongly\n"
    sys.stdout.write("\n".join((*wrong, found)))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
