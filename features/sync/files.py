"""The files of memories on their way: a device carries each once, beside its segments, sealed and signed as these.

A file's name in the folder follows from its content and the group's key: who has no key learns nothing from it.
"""

import asyncio
import hashlib
import hmac
import json
from collections.abc import Collection, Iterable, Mapping, Sequence

from ...modules.attaching import MOST_BYTES
from . import keys
from .folder import Folder
from .kinds import ATTACHMENT
from .models import Change, Fields
from .ports import Name, Place, SyncedStore
from .segments import Incomplete, Refused

FORMAT = 1
LONGEST_HEAD, LONGEST_NAME, HASH_LETTERS = 2_000, 1_000, 64
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
        gone = set()
        for content_hash in await asyncio.to_thread(self._absent, place, hashes):
            data = await self._store.file(content_hash)
            if await asyncio.to_thread(_digest, data) != content_hash:
                gone.add(content_hash)
                continue
            name, text = await asyncio.to_thread(_sealed, place, content_hash, data)
            await asyncio.to_thread(self._folder.write_file, text, place.device, name)
        return gone

    def _absent(self, place: Place, hashes: Collection[str]) -> list[str]:
        """Return those of the files that this device does not carry. Blocks."""
        here, group_keys = set(self._folder.files(place.device)), _group_keys(place)
        return [one for one in hashes if here.isdisjoint(_names(group_keys, [one]))]

    async def brought(self, place: Place, device: str, changes: Sequence[Change]) -> dict[str, bytes]:
        """Return the files that a device's changes name, by their hashes: those that are not here, or may not stay.

        Raises Incomplete, Refused, ValueError.
        """
        told = {_told(one.id, one.entry.body.fields) for one in changes if one.kind == ATTACHMENT.name and one.entry}
        sizes = dict(told)
        missing = {*await self._store.missing(sorted(sizes))}
        is_erasing = any(one.entry is None for one in changes)  # the bytes here may go with what these changes erase
        wanted = sorted(sizes if is_erasing else missing)
        if sum(sizes[one] for one in wanted) > MOST_OF_A_SEGMENT:
            raise Refused("has files that are too large")
        found = {
            one: await asyncio.to_thread(self._found, place, device, one)
            if one in missing
            else await self._store.file(one)
            for one in wanted
        }
        if any(one in found and len(found[one]) != size for one, size in told):
            raise ValueError("tells of a file of another size")
        return found

    def _found(self, place: Place, device: str, content_hash: str) -> bytes:
        """Return a file that a device told of, whoever carries it. Blocks. Raises Incomplete, Refused."""
        problem: Incomplete | Refused = Incomplete()
        group_keys = _group_keys(place)
        for owner in (device, *(one for one in place.members if one != device)):
            for epoch in sorted(place.secrets, reverse=True):
                text = self._folder.file(owner, _name(group_keys[epoch], content_hash), MOST_BYTES + 2 * LONGEST_HEAD)
                if text is None:
                    continue
                try:
                    return _opened(place, owner, group_keys[epoch], text, content_hash)
                except (Incomplete, Refused) as error:
                    problem = error
        raise problem

    async def tidy(self) -> None:
        """Carry what this device told and nothing else: what is gone from the folder comes back, the erased goes."""
        place = await self._store.place()
        told, held = await self._store.files()
        await self._put(place, told)
        await asyncio.to_thread(self._remove, place, place.device, held, kept=True)
        if place.former:
            erased = {*await self._store.known_files()}.difference(held)
            for before in place.former:
                await asyncio.to_thread(self._remove, place, before.device, erased, kept=False)

    def _remove(self, place: Place, device: str, hashes: Collection[str], *, kept: bool) -> None:
        """Remove what a device carries: with `kept` all but these files, else these alone. Blocks."""
        names = _names(_group_keys(place), hashes)
        for name in self._folder.files(device):
            if (name in names) is not kept:
                self._folder.remove_file(device, name)


def hash_of(record_id: str) -> str:
    """Return the hash of the file that a record is of."""
    return record_id.rpartition(" ")[2]


def _told(record_id: str, fields: Fields) -> tuple[str, int]:
    """Return the hash and the size of a file that a device tells of. Raises ValueError for what is none of a memory."""
    texts = [fields.get(name) for name in ("memory_id", "content_hash", "name", "media_type")]
    memory_id, content_hash, name, _ = map(str, texts)
    is_named = all(isinstance(one, str) for one in texts) and 0 < len(name) <= LONGEST_NAME
    is_of_record = len(content_hash) == HASH_LETTERS and record_id == f"{memory_id} {content_hash}"
    size = fields.get("size")
    if not is_named or not is_of_record or not isinstance(size, int) or not 0 < size <= MOST_BYTES:
        raise ValueError("tells of what is no file of a memory")
    return content_hash, size


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _group_keys(place: Place) -> dict[str, bytes]:
    """Return the keys that the group has had, by their epochs."""
    return {epoch: keys.group_key(secret, place.group) for epoch, secret in place.secrets.items()}


def _name(group_key: bytes, content_hash: str) -> str:
    return hmac.new(group_key, f"file {content_hash}".encode(), hashlib.sha256).hexdigest()[:40]


def _names(group_keys: Mapping[str, bytes], hashes: Iterable[str]) -> set[str]:
    """Return the names that files may have: one for each key that the group has had."""
    return {_name(key, one) for one in hashes for key in group_keys.values()}


def _sealed(place: Place, content_hash: str, data: bytes) -> tuple[str, bytes]:
    """Return the name of a file in the folder, and its bytes there."""
    group_key = keys.group_key(place.secrets[place.epoch], place.group)
    name = _name(group_key, content_hash)
    head = {"agentos_file": FORMAT, "group": place.group, "device": place.device, "epoch": place.epoch, "name": name}
    line = json.dumps({**head, "size": len(data)}, separators=(",", ":")).encode() + b"\n"
    text = line + keys.seal(group_key, data, line)
    return name, text + place.keys.sign(text)


def _opened(place: Place, owner: str, group_key: bytes, text: bytes, content_hash: str) -> bytes:
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
        data = keys.unseal(group_key, sealed, line)
    except keys.Unreadable as error:
        raise Refused("has a file that was altered") from error
    if _digest(data) != content_hash:
        raise Refused("has a file that is another")
    return data
