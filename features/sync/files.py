"""The files of memories on their way: a device carries each once, beside its segments, sealed and signed as these.

A file's name in the folder follows from its content and the group's key: who has no key learns nothing from it.
"""

import asyncio
import hashlib
import hmac
import json
from collections.abc import Collection, Iterator, Sequence

from ...modules.attaching import MOST_BYTES
from . import keys
from .folder import Folder
from .kinds import ATTACHMENT
from .models import Change
from .ports import Name, Place, SyncedStore
from .segments import Incomplete, Refused

FORMAT = 1
LONGEST_HEAD = 2_000
MOST_OF_A_SEGMENT = 2 * MOST_BYTES
"""The bytes of all files that one segment may bring."""


class Files:
    """The files of one store, on their way through one folder."""

    def __init__(self, store: SyncedStore, folder: Folder) -> None:
        self._store = store
        self._folder = folder

    async def send(self, names: Sequence[Name]) -> set[str]:
        """Put the files that records name into the folder; return the hashes of those whose bytes are not here."""
        hashes = sorted({hash_of(record_id) for kind, record_id in names if kind == ATTACHMENT.name})
        return await self._put(await self._store.place(), hashes) if hashes else set()

    async def _put(self, place: Place, hashes: Collection[str]) -> set[str]:
        """Put files into the folder that this device does not carry yet; return those whose bytes are not all here."""
        here = set(await asyncio.to_thread(self._folder.files, place.device))
        gone = set()
        for content_hash in hashes:
            if here.isdisjoint(_names(place, content_hash)):
                data = await self._store.file(content_hash)
                if await asyncio.to_thread(_digest, data) != content_hash:
                    gone.add(content_hash)
                    continue
                name, text = await asyncio.to_thread(_sealed, place, content_hash, data)
                await asyncio.to_thread(self._folder.write_file, text, place.device, name)
        return gone

    async def brought(self, place: Place, device: str, changes: Sequence[Change]) -> dict[str, bytes]:
        """Return the files that a device's changes name, by their hashes: those that are not here, or may not stay.

        Raises Incomplete, Refused.
        """
        told = [one.entry.body.fields for one in changes if one.kind == ATTACHMENT.name and one.entry is not None]
        sizes = {str(one["content_hash"]): int(one["size"]) for one in told}
        missing = {*await self._store.missing(sorted(sizes))}
        is_erasing = any(one.entry is None for one in changes)  # the bytes here may go with what these changes erase
        wanted = sorted(sizes if is_erasing else missing)
        if sum(sizes[one] for one in wanted) > MOST_OF_A_SEGMENT:
            raise Refused("has files that are too large")
        return {
            one: await asyncio.to_thread(self._found, place, device, one)
            if one in missing
            else await self._store.file(one)
            for one in wanted
        }

    def _found(self, place: Place, device: str, content_hash: str) -> bytes:
        """Return a file that a device told of, whoever carries it. Blocks. Raises Incomplete, Refused."""
        problem: Incomplete | Refused = Incomplete()
        for owner in (device, *(one for one in place.members if one != device)):
            for epoch in sorted(place.secrets, reverse=True):
                text = self._folder.file(owner, _name(place, epoch, content_hash), MOST_BYTES + 2 * LONGEST_HEAD)
                if text is None:
                    continue
                try:
                    return _opened(place, owner, epoch, text, content_hash)
                except (Incomplete, Refused) as error:
                    problem = error
        raise problem

    async def tidy(self) -> None:
        """Carry what this device told and nothing else: what is gone from the folder comes back, the erased goes."""
        place = await self._store.place()
        told, held = await self._store.files()
        await self._put(place, told)
        kept = {name for one in held for name in _names(place, one)}
        for name in set(await asyncio.to_thread(self._folder.files, place.device)) - kept:
            await asyncio.to_thread(self._folder.remove_file, place.device, name)
        for before in place.former:
            erased = {name for one in await self._store.erased_files() for name in _names(place, one)}
            for name in erased.intersection(await asyncio.to_thread(self._folder.files, before.device)):
                await asyncio.to_thread(self._folder.remove_file, before.device, name)


def hash_of(record_id: str) -> str:
    """Return the hash of the file that a record is of."""
    return record_id.rpartition(" ")[2]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _name(place: Place, epoch: str, content_hash: str) -> str:
    key = keys.group_key(place.secrets[epoch], place.group)
    return hmac.new(key, f"file {content_hash}".encode(), hashlib.sha256).hexdigest()[:40]


def _names(place: Place, content_hash: str) -> Iterator[str]:
    """Yield the names that a file may have: one for each key that the group has had."""
    return (_name(place, epoch, content_hash) for epoch in place.secrets)


def _sealed(place: Place, content_hash: str, data: bytes) -> tuple[str, bytes]:
    """Return the name of a file in the folder, and its bytes there."""
    name = _name(place, place.epoch, content_hash)
    head = {"agentos_file": FORMAT, "group": place.group, "device": place.device, "epoch": place.epoch, "name": name}
    line = json.dumps({**head, "size": len(data)}, separators=(",", ":")).encode() + b"\n"
    text = line + keys.seal(keys.group_key(place.secrets[place.epoch], place.group), data, line)
    return name, text + place.keys.sign(text)


def _opened(place: Place, owner: str, epoch: str, text: bytes, content_hash: str) -> bytes:
    """Return a file from the folder. Raises Incomplete where its end is missing, Refused where it was altered."""
    line, newline, rest = text[:LONGEST_HEAD].partition(b"\n")
    if not newline:
        raise Incomplete
    try:
        size = int(json.loads(line)["size"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Refused("has a file that was altered") from error
    line, rest = line + newline, text[len(line) + 1 :]
    whole = keys.NONCE_BYTES + size + keys.TAG_BYTES + keys.SIGNATURE_BYTES
    if len(rest) < whole <= MOST_BYTES + LONGEST_HEAD:
        raise Incomplete
    sealed, signature = rest[: -keys.SIGNATURE_BYTES], rest[-keys.SIGNATURE_BYTES :]
    if not keys.is_signed(place.members[owner].signing, signature, line + sealed):
        raise Refused("has a file that was altered")
    try:
        data = keys.unseal(keys.group_key(place.secrets[epoch], place.group), sealed, line)
    except keys.Unreadable as error:
        raise Refused("has a file that was altered") from error
    if _digest(data) != content_hash:
        raise Refused("has a file that is another")
    return data
