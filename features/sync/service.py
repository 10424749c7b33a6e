"""The sync of one home: it joins a group, exchanges with it, says where it stands, shuts a device out, and leaves."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from ...modules.clock import Clock
from ...modules.errors import Conflict, InvalidInput, NotFound, StorageUnavailable
from ...modules.redactor import Redactor
from ...modules.syncing import Exchanged, SyncedDevice, SyncStatus
from ...storage.engine.ports import Engine
from . import keys, membership
from .carriers import opened, usable
from .exchange import Exchange
from .folder import Folder
from .ports import Place, Rows
from .rows import SyncedRows
from .webdav import Login

LOCK = "sync.lock"
_REVOKED = (
    "this device was revoked, or joined while another was: if it is yours, agentos sync leave, then join again "
    "with the phrase that agentos sync status --phrase shows on another device"
)


class SyncService:
    """Implements `modules.syncing.Sync` over one store. What carries is read and written beside the event loop."""

    def __init__(self, rows: SyncedRows, home: Path, login: Login) -> None:
        """Make the sync of a store; `login` is for a group that lies on a server."""
        self._rows = rows
        self._home = home
        self._login = login

    @classmethod
    def over(
        cls, engine: Engine, redactor: Redactor, clock: Clock, home: Path, login: tuple[str, str]
    ) -> "SyncService":
        """Return the sync of the store of an engine."""
        return cls(SyncedRows(engine, redactor, clock), home, Login(*login))

    async def init(self, where: str, name: str) -> str:
        """Make a group in a folder or at an address, with this home as its first device; return its phrase.

        Raises InvalidInput, Conflict, StorageUnavailable.
        """
        where = await self._place_for(where, name)
        secret, group = keys.new_secret(), secrets.token_hex(12)
        place = membership.new_place(where, group, name, {membership.FIRST_EPOCH: secret}, membership.FIRST_EPOCH)
        with self._folder(where) as files:
            if await asyncio.to_thread(files.is_begun):
                raise Conflict(f"{files.place} is there already: agentos sync join {where}")
            await asyncio.to_thread(membership.write_group, files, group)
            await self._rows.begin(place)
            await asyncio.to_thread(membership.write_card, files, place)
        return keys.phrase_of(secret)

    async def join(self, where: str, name: str, phrase: str) -> None:
        """Join the group in a folder or at an address. Raises InvalidInput, Conflict, StorageUnavailable."""
        where = await self._place_for(where, name)
        secret = keys.secret_of(phrase)
        with self._folder(where) as files:
            group = await asyncio.to_thread(membership.found_group, files)
            epoch, said = await asyncio.to_thread(membership.joined_with, files, secret, group)
            place = membership.with_keys(membership.new_place(where, group, name, {epoch: secret}, epoch), said)
            await self._rows.begin(place)
            await asyncio.to_thread(membership.write_card, files, place)

    async def _place_for(self, where: str, name: str) -> str:
        if not 1 <= len(name) <= membership.LONGEST_NAME or not name.isprintable():
            raise InvalidInput("name", f"must have 1 to {membership.LONGEST_NAME} printable characters")
        where = await asyncio.to_thread(usable, where, self._home)
        if await self._rows.is_on():
            raise Conflict("this home is synced already: agentos sync status; agentos sync leave ends that")
        return where

    def _folder(self, where: str) -> "closing[Folder]":
        """Return the files of a group, to be closed when they were used."""
        return closing(Folder(opened(where, self._login)))

    async def names(self, subject: str) -> bool:
        return await self._rows.names(subject)

    async def now(self) -> Exchanged:
        async with self._alone():
            await self._rows.note_erased()
            with self._folder((await self._rows.place()).folder) as files:
                _, words = await self._refreshed(files)
                exchange = Exchange(self._rows, files)
                found = await exchange.run()
                if await self._rows.unite_projects():
                    found = replace(found, told=found.told + await exchange.tell())
            await self._rows.forget_erased()
        return replace(found, words=_by_name(await self._rows.place(), {**words, **found.words}))

    async def _refreshed(self, files: Folder) -> tuple[Place, dict[str, str]]:
        """Learn who has joined, left and been revoked. Raises Conflict where this device was."""
        await asyncio.to_thread(files.require)
        place = await self._rows.place()
        told = await asyncio.to_thread(files.numbers, place.device)
        if told and told[-1] > place.number:
            before = replace(place, name=membership.name_before(place))
            await asyncio.to_thread(partial(membership.write_card, files, before, has_left=True))
            place = await self._moved(membership.renewed(place))
        before = place
        place, words = await asyncio.to_thread(membership.refreshed, files, place)
        if place != before:
            await self._moved(place)
        if place.device in place.cuts:
            raise Conflict(_REVOKED)
        await asyncio.to_thread(self._show_itself, files, place)
        gone = place.number - len(told) - len(place.outbox)
        if place.number and gone > 0 and told != list(range(1, place.number + 1)):
            words[place.device] = (
                f"{gone} of its segments are gone from the folder: put them back from another copy of it"
            )
        return place, words

    async def _moved(self, place: Place) -> Place:
        async def work(rows: Rows) -> None:
            await rows.move(place)

        await self._rows.write(work)
        return place

    @staticmethod
    def _show_itself(files: Folder, place: Place) -> None:
        if files.read("devices", place.device, "card") is None:
            membership.write_card(files, place)

    async def status(self) -> SyncStatus:
        place = await self._rows.place()
        problem = _REVOKED if place.device in place.cuts else ""
        try:
            with self._folder(place.folder) as files:
                await asyncio.to_thread(files.require)
                devices = await asyncio.to_thread(_devices, files, place, Exchange(self._rows, files))
        except StorageUnavailable as error:
            problem = problem or str(error)
            devices = [_device(place, one, 0, "") for one in place.members]
        return SyncStatus(place.group, place.folder, problem, devices, await self._rows.counts())

    async def phrase(self) -> str:
        """Return the phrase by which devices join now."""
        place = await self._rows.place()
        return keys.phrase_of(place.secrets[place.epoch])

    async def revoke(self, named: str) -> tuple[str, str]:
        """Shut a device out, by its name or id; return its name and the new phrase. Raises NotFound, Conflict."""
        async with self._alone():
            with self._folder((await self._rows.place()).folder) as files:
                place, _ = await self._refreshed(files)
                device = _named(place, named)
                if device == place.device:
                    raise InvalidInput("device", "is this one: agentos sync leave")
                if device in place.cuts:
                    raise Conflict(f"{place.members[device].name} was revoked already")
                await asyncio.to_thread(membership.revoke, files, place, device)
                await self._refreshed(files)
        return place.members[device].name, await self.phrase()

    async def leave(self) -> str:
        """Tell what is left to tell, say goodbye, and forget all of sync; return why the others were not told."""
        async with self._alone():
            place, problem = await self._rows.place(), ""
            try:
                with self._folder(place.folder) as files:
                    place, _ = await self._refreshed(files)
                    await Exchange(self._rows, files).tell()
                    await asyncio.to_thread(partial(membership.write_card, files, place, has_left=True))
            except (StorageUnavailable, Conflict) as error:
                problem = str(error)
            await self._rows.end()
        return problem

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Keep other processes of this home from an exchange meanwhile. Raises Conflict."""
        lock = FileLock(self._home / LOCK, timeout=0, mode=0o600, thread_local=False)
        try:
            lock.acquire()
        except Timeout as error:
            raise Conflict("another process of this home exchanges just now: try again in a minute") from error
        try:
            yield
        finally:
            lock.release()


def _devices(files: Folder, place: Place, exchange: Exchange) -> list[SyncedDevice]:
    """Return all devices of a group. Blocks."""
    found = []
    for device, member in place.members.items():
        numbers = files.numbers(device)
        waits = "" if device == place.device else exchange.waits(place, device, member)
        others = files.others(device)
        waits = "; ".join(
            filter(None, (waits, f"{len(others)} other files ignored, such as {others[0]}" if others else ""))
        )
        found.append(_device(place, device, numbers[-1] if numbers else 0, waits))
    return found


def _device(place: Place, device: str, told: int, waits: str) -> SyncedDevice:
    member, is_this = place.members[device], device == place.device
    state = "revoked" if device in place.cuts else "left" if member.has_left else ""
    taken = place.number if is_this else place.heard.get(device, 0)
    return SyncedDevice(device, member.name, is_this, told, taken, state, waits)


def _named(place: Place, named: str) -> str:
    """Return the device with a name, or an id that begins so. Raises NotFound, InvalidInput."""
    found = [one for one, member in place.members.items() if member.name == named] or [
        one for one in place.members if named and one.startswith(named)
    ]
    if not found:
        raise NotFound(f"device: there is none called {named[:60]!r}; agentos sync status lists them")
    if len(found) > 1:
        raise InvalidInput("device", f"names {len(found)} devices: give an id, as agentos sync status lists them")
    return found[0]


def _by_name(place: Place, words: dict[str, str]) -> dict[str, str]:
    return {place.members[one].name if one in place.members else one: why for one, why in words.items()}
