"""Random schedules of three devices with real stores, whose folders are carried late, in part, twice or cut off."""

import random
import shutil
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from agentos import config
from agentos.database import OpenedStore
from agentos.features.attachments.service import AttachmentService
from agentos.features.sync.exchange import Exchange
from agentos.features.sync.folder import DEVICES, FILES, NAME, Folder, segment_name
from agentos.features.sync.keys import DeviceKeys, new_secret
from agentos.features.sync.kinds import KINDS
from agentos.features.sync.local import LocalFolder
from agentos.features.sync.ports import Member, Place, Rows
from agentos.features.sync.rows import SyncedRows
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import AgentOSError
from agentos.modules.goals.service import GoalChanges
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.store_request import StoreRequest
from agentos.modules.syncing import Exchanged
from agentos.storage.embedding.lazy import NoEmbedder
from tests.integration.conftest import Clock

NAMES = ("a", "b", "c")


@dataclass
class Device:
    """One device: its store, its services, and what it sees of the folder."""

    keys: DeviceKeys
    store: OpenedStore
    agentos: AgentOS
    rows: SyncedRows
    folder: Path
    clock: Clock
    attachments: AttachmentService

    async def exchange(self) -> Exchanged:
        return await Exchange(self.rows, Folder(LocalFolder(self.folder))).run()

    def segments(self, owner: str) -> list[int]:
        return Folder(LocalFolder(self.folder)).numbers(owner)

    def file(self, owner: str, number: int) -> Path:
        return self.folder / NAME / DEVICES / owner / segment_name(number)

    def beside(self, owner: str) -> dict[str, bytes]:
        """The files of memories that a device carries, as this one sees them."""
        folder = self.folder / NAME / DEVICES / owner / FILES
        return {one.name: one.read_bytes() for one in folder.iterdir()} if folder.exists() else {}

    def bring(self, owner: str, files: dict[str, bytes]) -> None:
        """Let these files of a device be seen here."""
        folder = self.folder / NAME / DEVICES / owner / FILES
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_bytes(text)

    async def bytes_(self) -> dict[str, bytes]:
        """The bytes of all files that are held."""
        hashes = await self.store.engine.read("SELECT DISTINCT content_hash FROM attachment_parts")
        return {row["content_hash"]: await self.rows.file(row["content_hash"]) for row in hashes}

    async def export(self) -> dict[str, dict[str, Any]]:
        """Everything that is synced, in one order."""
        ids = {
            "memory": "SELECT id FROM memories",
            "goal": "SELECT id FROM goals",
            "relation": "SELECT from_id || ' ' || type || ' ' || to_id AS id FROM relations",
            "reflection": "SELECT id FROM events",
            "attachment": "SELECT memory_id || ' ' || content_hash AS id FROM attachments",
        }
        found: dict[str, dict[str, Any]] = {}
        for kind in KINDS:
            names = [row["id"] for row in await self.store.engine.read(ids[kind])]

            async def read(rows: Rows, kind: str = kind, names: list[str] = names) -> Any:
                return await rows.bodies(kind, names)

            bodies = await self.rows.write(read)
            found[kind] = {name: (dict(one.fields), list(one.history)) for name, one in sorted(bodies.items())}
        return found


@dataclass
class World:
    """The devices, every text that was written with the record it is in, and the records that were erased."""

    chance: random.Random
    devices: list[Device] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)

    def text(self) -> str:
        return f"text {len(self.written)} of the {self.chance.choice(('server', 'garden', 'invoice'))}"

    async def act(self, device: Device) -> None:
        """Do one thing that an agent or person does on a device; what the rules refuse changes nothing."""
        device.clock.advance(seconds=1)
        with suppress(AgentOSError):
            await self._act(device)

    async def _act(self, device: Device) -> None:
        agentos, chance = device.agentos, self.chance
        rows = await device.store.engine.read("SELECT id FROM memories ORDER BY id")
        goals = [row["id"] for row in await device.store.engine.read("SELECT id FROM goals ORDER BY id")]
        name = chance.choice(rows)["id"] if rows else ""
        what = chance.choice(
            "new new fact same revise revise tag judge erase reuse goal note parent log attach".split()
        )
        if what in ("new", "same", "fact") or not name:
            text = "the same words everywhere" if what == "same" else self.text()
            slot = (
                {"subject": "server", "attribute": "port", "value": str(chance.randrange(3))} if what == "fact" else {}
            )
            stored = await agentos.memory.store("n", StoreRequest(text, tags=["t"], **slot))
            self.written[text] = stored.memory.id
        elif what == "revise":
            text = self.text()
            await agentos.memory.update("n", name, MemoryChanges(content=text))
            self.written[text] = name
        elif what == "tag":
            await agentos.memory.update("n", name, MemoryChanges(tags=[f"t{chance.randrange(9)}"]))
        elif what == "judge":
            await agentos.lifecycle.feedback("n", name, chance.choice(("confirm", "reject", "outdated")))
        elif what == "erase" and chance.random() < 0.5:
            await agentos.memory.delete("n", name)
            self.erased.add(name)
        elif what == "attach":
            text, data = self.text(), bytes([0, chance.randrange(3)])
            done = await device.attachments.attach("n", "plan.bin", data, caption=text)
            self.written[text] = done.attachment.memory_id
        elif what == "reuse":
            await agentos.lifecycle.forget("n", name)
        elif what == "goal" or not goals:
            goals.append((await agentos.goals.add("n", self.text(), "")).id)
        elif what == "note":
            await agentos.goals.update_progress("n", chance.choice(goals), chance.random(), notes=self.text())
        elif what == "parent":
            await agentos.goals.edit("n", chance.choice(goals), GoalChanges(parent_goal_id=chance.choice(goals)))
        elif what == "log":
            await agentos.reflection.log("n", "deploy", self.text(), chance.random() < 0.5)

    def carry(self, source: Device, target: Device) -> None:
        """Carry one file of a device to another: whole, cut off, or under another number."""
        owner = source.keys.device
        numbers = source.segments(owner)
        if not numbers:
            return
        number = self.chance.choice(numbers)
        text = source.file(owner, number).read_bytes()
        fate = self.chance.randrange(6)
        if fate == 0:
            text = text[: self.chance.randrange(len(text))]
        if fate > 1:
            target.bring(owner, source.beside(owner))
        place = target.file(owner, number + (fate == 1))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text)

    def carry_all(self) -> None:
        """Carry everything as its owner wrote it."""
        for source in self.devices:
            for target in self.devices:
                if target is not source:
                    owner = source.keys.device
                    shutil.rmtree(target.folder / NAME / DEVICES / owner, ignore_errors=True)
                    target.bring(owner, source.beside(owner))
                    for number in source.segments(owner):
                        place = target.file(owner, number)
                        place.parent.mkdir(parents=True, exist_ok=True)
                        place.write_bytes(source.file(owner, number).read_bytes())

    async def settle(self) -> None:
        """Let everything arrive, as often as what is told of what came needs."""
        for _ in range(5):
            for device in self.devices:
                await device.exchange()
            self.carry_all()
        for device in self.devices:
            await device.exchange()

    async def lost(self) -> set[str]:
        """The texts that are nowhere, though nobody erased the record that they are in."""
        found = repr(await self.devices[0].export())
        return {text for text, name in self.written.items() if text not in found and name not in self.erased}


async def world(
    engine: Callable[..., Awaitable[OpenedStore]], new_home: Path, folder: Path, chance: random.Random
) -> World:
    """Open three devices of one group on copies of a new home; clocks are up to a day apart."""
    secret = new_secret()
    keys = {name: DeviceKeys.new() for name in NAMES}
    members = {one.device: Member(name, one.signing_public, one.opening_public) for name, one in keys.items()}
    made = World(chance)
    for name in NAMES:
        home = folder / name
        shutil.copytree(new_home, home)
        clock = Clock()
        clock.now += timedelta(days=chance.choice((-1, 0, 1)))
        store = await engine(home, home / "agentos.db", clock)
        agentos = AgentOS.over(store, NoEmbedder(), config.load(home=home), clock)
        rows = SyncedRows(store.engine, agentos.redactor, clock)
        await rows.begin(Place("group", name, "", keys[name], {"e": secret}, "e", members=members))
        (folder / f"folder-{name}").mkdir()
        files = AttachmentService.over(store.engine, agentos.memory, agentos.redactor, 100_000, clock)
        made.devices.append(Device(keys[name], store, agentos, rows, folder / f"folder-{name}", clock, files))
    return made


async def close(made: World) -> None:
    for device in made.devices:
        await device.agentos.close()
        await device.store.close()


async def played(made: World, steps: int) -> None:
    """Play a schedule, then let everything arrive."""
    for _ in range(steps):
        device = made.chance.choice(made.devices)
        match made.chance.randrange(5):
            case 0 | 1 | 2:
                await made.act(device)
            case 3:
                await device.exchange()
            case _:
                for _ in range(3):
                    made.carry(device, made.chance.choice([one for one in made.devices if one is not device]))
    await made.settle()
