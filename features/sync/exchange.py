"""The exchange with other devices: local changes become segments of this one, and theirs become changes here."""

import asyncio
import hashlib
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial

from ...modules.records import dataclass
from ...modules.syncing import Exchanged
from . import segments
from .files import MOST_OF_A_SEGMENT, Files, hash_of
from .folder import Folder
from .keys import group_key
from .kinds import ATTACHMENT, KINDS
from .merging import Writer, learn, resolve, same, write
from .models import Body, Change, Dot, Kind, State, joined
from .ports import BEFORE_RESTORE, Member, Name, Place, Record, Rows, SyncedStore
from .segments import Head, Incomplete, Refused, Segment

AT_ONCE = 500
"""The most records of one segment."""
MOST_CHARACTERS = 8_000_000
"""Of the texts of one segment, unless one record alone has more."""
LOOKED_FOR = 20_000
MOST_TRIES = 20
"""How often an exchange begins again because something was changed here meanwhile."""


class _Pending(Exception):
    """What came concerns what was changed here meanwhile, which must be told first."""

    def __init__(self, kind: str, ids: Collection[str]) -> None:
        self.names = [(kind, one) for one in ids]


class Exchange:
    """The exchange of one store through one folder."""

    def __init__(self, store: SyncedStore, folder: Folder) -> None:
        self._store = store
        self._folder = folder
        self._files = Files(store, folder)

    async def run(self) -> Exchanged:
        """Tell what changed here, and take what others told, as far as all that it builds on has come."""
        told = taken = 0
        words: dict[str, str] = {}
        also: list[Name] = []
        for _ in range(MOST_TRIES):
            told += await self.tell(also)
            try:
                came, words = await self.take()
            except _Pending as pending:
                also = pending.names
                continue
            taken += came
            break
        else:
            words = {"": f"what came concerns {also[0][1]}, which changes here all the time; try again"}
        if await self._store.is_altered():
            told += await self.tell()
        else:
            await self._send()
            await self._files.tidy()
        return Exchanged(told, taken, words)

    # Telling.

    async def tell(self, also: Sequence[Name] = ()) -> int:
        """Write all that changed here into segments, and `also` these records; return how many changes that were."""
        told = 0
        await self._send()
        while True:
            found = await self._store.changed(LOOKED_FOR)
            names = list(dict.fromkeys([*also, *found]))
            while names:
                some = names[:AT_ONCE]
                gone = await self._files.send(some)
                count, done = await self._store.write(partial(_tell, some, gone))
                await self._send()
                told += count
                names = names[done:]
            also = ()
            if len(found) < LOOKED_FOR:
                await self._files.tidy()
                return told

    async def _send(self) -> None:
        """Write to the folder what a transaction left to be written, and take the erased out of what is there."""
        place = await self._store.place()
        if not place.outbox and not place.purge:
            return
        for number, text in sorted(place.outbox.items()):
            await asyncio.to_thread(self._folder.write_segment, text, place.device, number)
        done = [number for number in place.purge if await self._purge_any(place, number)]
        if not place.outbox and not done:
            return

        async def sent(rows: Rows) -> None:
            now = await rows.place()
            outbox = {number: text for number, text in now.outbox.items() if number not in place.outbox}
            purge = [number for number in now.purge if number not in done]
            await rows.move(replace(now, outbox=outbox, purge=purge))

        await self._store.write(sent)

    async def _purge_any(self, place: Place, number: int) -> bool:
        if number != BEFORE_RESTORE:
            return await self._purge(place, number)
        is_done = True
        for keys in place.former:
            before = replace(place, keys=keys)
            for one in await asyncio.to_thread(self._folder.numbers, before.device):
                if one <= place.heard.get(before.device, 0):  # of later ones nothing is known here yet
                    is_done &= await self._purge(before, one)
        return is_done

    async def _purge(self, place: Place, number: int) -> bool:
        """Write a segment of a device anew, without the changes of what is gone; return whether it is here."""
        text = await asyncio.to_thread(self._folder.segment, place.device, number, segments.LONGEST)
        if text is None:
            return False
        try:
            head = segments.head_of(text)
            segment = await asyncio.to_thread(_opened, place, text, head, place.keys.signing_public)
        except (Incomplete, Refused):
            return False

        async def gone_of(rows: Rows) -> set[Name]:
            gone: set[Name] = set()
            for kind in KINDS:
                ids = {one.id for one in segment.changes if one.kind == kind and one.entry is not None}
                records = await rows.records(kind, ids)
                gone |= {(kind, record_id) for record_id, one in records.items() if _is_told_gone(one)}
            return gone

        gone = await self._store.write(gone_of)
        left = [one for one in segment.changes if one.entry is None or (one.kind, one.id) not in gone]
        if len(left) < len(segment.changes):
            erased = segment.erased + len(segment.changes) - len(left)
            again = replace(head, revision=head.revision + 1)
            text = _sealed(place, again, replace(segment, changes=left, erased=erased))
            await asyncio.to_thread(self._folder.write_segment, text, place.device, number)
        return True

    # Taking.

    async def take(self) -> tuple[int, dict[str, str]]:
        """Take all segments that can be; return how many, and of each device why the next one is not."""
        taken = 0
        while True:
            place = await self._store.place()
            words: dict[str, str] = {}
            came = 0
            for device, member in place.members.items():
                if device != place.device:
                    came += await self._take_of(device, member, words)
            taken += came
            if not came:
                return taken, words

    def waits(self, place: Place, device: str, member: Member) -> str:
        """Return why the next segment of a device is not taken; nothing where it can be, or there is none. Blocks."""
        number = place.heard.get(device, 0) + 1
        try:
            segment = self._next(place, device, member, number)
        except Incomplete:
            return f"segment {number} is not all here yet"
        except Refused as refusal:
            return f"segment {number} {refusal}"
        owed = "" if segment is None else _owed(place, segment)
        return f"segment {number} waits for {owed}" if owed else ""

    async def _take_of(self, device: str, member: Member, words: dict[str, str]) -> int:
        came = 0
        while True:
            place = await self._store.place()
            number = place.heard.get(device, 0) + 1
            try:
                segment = await asyncio.to_thread(self._next, place, device, member, number)
                if segment is None:
                    return came
                files = await self._files.brought(place, device, segment.changes)
                await self._store.prepare(segment.changes, files)
                why = await self._store.write(partial(self._take, device, number, segment))
            except Incomplete:
                why = "is not all here yet"
            except Refused as refusal:
                why = str(refusal)
            except ValueError:
                why = "tells what this version of AgentOS cannot hold: update this one"
            if why:
                words[device] = f"segment {number} {why}"
                return came
            came += 1

    def _next(self, place: Place, device: str, member: Member, number: int) -> Segment | None:
        """Return a segment that was not read yet; None where there is none. Blocks. Raises Incomplete, Refused."""
        text = self._folder.segment(device, number, segments.LONGEST)
        if text is None:
            later = [one for one in self._folder.numbers(device) if one > number]
            if later:
                raise Refused(f"is missing, while segment {later[0]} is here")
            return None
        _require_before_cut(place, device, number)
        head = segments.head_of(text)
        if head.group != place.group:
            raise Refused("belongs to another group")
        if (head.device, head.number) != (device, number):
            raise Refused("is a copy of another segment")
        return _opened(place, text, head, member.signing)

    async def _take(self, device: str, number: int, segment: Segment, rows: Rows) -> str:
        """Take a segment within a transaction; return why not, or nothing."""
        place = await rows.place()
        if place.heard.get(device, 0) + 1 != number:
            return "was taken by another process; try again"
        _require_before_cut(place, device, number)
        place = replace(place, claims=joined(place.claims, segment.heard))
        await rows.move(place)
        owed = _owed(place, segment)
        if owed:
            return f"waits for {owed}"
        await self._apply(rows, place, device, number, segment)
        return ""

    async def _apply(self, rows: Rows, place: Place, device: str, number: int, segment: Segment) -> None:
        purge = set(place.purge)
        await rows.learn_projects(segment.projects)
        learned = {}
        for kind in KINDS.values():
            changes = [one for one in segment.changes if one.kind == kind.name]
            if changes:
                learned[kind.name] = await _learned(rows, kind, changes)
        for name, one in learned.items():
            purge |= one.purge
            await rows.show(name, one.shown)
        for name, one in learned.items():  # what is erased takes others along
            present = await rows.bodies(name, one.meant)
            altered = [record_id for record_id, body in one.meant.items() if not same(present.get(record_id), body)]
            await rows.keep(name, one.kept, altered)
        if any(one.device == device for one in place.former) or _deletes(place, segment.changes):
            purge.add(BEFORE_RESTORE)
        heard = {**place.heard, device: number}
        count = max(place.count, segment.count)
        await rows.move(replace(place, heard=heard, count=count, purge=sorted(purge)))


async def _tell(names: Sequence[Name], gone: Set[str], rows: Rows) -> tuple[int, int]:
    """Write the changes of records into the next segment; return how many there are, and of how many of the names.

    Of files whose bytes are `gone` nothing is told but that they were erased.
    """
    place = await rows.place()
    writer = Writer(place.device, place.number + 1, place.count + 1)
    changes: dict[Name, Change] = {}
    purge = set(place.purge)
    bodies = {kind: await rows.bodies(kind, [one for name, one in names if name == kind]) for kind in KINDS}
    names = names[: _fitting(names, bodies)]
    damaged = {one for one in bodies[ATTACHMENT.name] if hash_of(one) in gone}
    for kind in KINDS.values():
        ids = [record_id for name, record_id in names if name == kind.name and record_id not in damaged]
        purge |= await _told(rows, kind, ids, bodies[kind.name], writer, changes)
    if _deletes(place, changes.values()):
        purge.add(BEFORE_RESTORE)
    if changes:
        heard = {**place.heard, place.device: place.number}
        head = Head(place.group, place.device, writer.number, place.epoch, 0, 0)
        projects = await rows.projects([one.entry.body for one in changes.values() if one.entry is not None])
        told = Segment(writer.count, heard, list(changes.values()), projects=projects)
        text = _sealed(place, head, told)
        place = replace(
            place,
            number=writer.number,
            count=writer.count,
            outbox={**place.outbox, writer.number: text},
            purge=sorted(purge - {writer.number}),
        )
        await rows.move(place)
    return len(changes), len(names)


def _deletes(place: Place, changes: Collection[Change]) -> bool:
    """Return whether something is deleted that the segments from before a restore may tell."""
    return bool(place.former) and any(one.entry is None for one in changes)


def _is_told_gone(record: Record) -> bool:
    return not (record.state.entries or record.is_erased or record.is_ended)


def _fitting(names: Sequence[Name], bodies: Mapping[str, Mapping[str, Body]]) -> int:
    """Return how many of the records fit into one segment, at least one."""
    characters = of_files = 0
    for place, (kind, record_id) in enumerate(names):
        body = bodies[kind].get(record_id)
        texts = (
            [] if body is None else [*body.fields.values(), *(one for note in body.history for one in note.values())]
        )
        characters += sum(len(one) for one in texts if isinstance(one, str))
        of_files += int(body.fields["size"]) if body is not None and kind == ATTACHMENT.name else 0
        if (characters > MOST_CHARACTERS or of_files > MOST_OF_A_SEGMENT) and place:
            return place
    return len(names)


def child_id(kind: str, record_id: str, dot: Dot) -> str:
    """Return the id of the record that shows a text which contests another: the same on every device."""
    digest = hashlib.sha256("\0".join((kind, record_id, dot[0], str(dot[1]))).encode()).hexdigest()
    return f"{record_id.partition('_')[0]}_{digest[:32]}"


async def _told(
    rows: Rows,
    kind: Kind,
    ids: Sequence[str],
    bodies: Mapping[str, Body],
    writer: Writer,
    changes: dict[Name, Change],
) -> set[int]:
    """Add the changes of records of one kind; return the own segments to be purged."""
    records = await rows.records(kind.name, ids)
    purge: set[int] = set()
    kept: dict[str, Record | None] = {}

    async def tell(record_id: str, record: Record, body: Body | None) -> None:
        if (kind.name, record_id) in changes:
            return
        change = write(kind, record_id, record.state, body, writer)
        if change is None and body is None and (record.is_shown_for_another or record.is_erased):
            change = Change(kind.name, record_id, {}, writer.dot, None)
        if change is None and body is None and record.is_ended:
            change = Change(kind.name, record_id, record.state.seen, writer.dot, None, has_expired=True)
        if change is None:
            kept[record_id] = record
            return
        changes[kind.name, record_id] = change
        state = learn(record.state, change)
        if not state.entries:
            purge.update(record.written)
        written = [] if state.is_gone else [*record.written, *([writer.number] if state.entries else [])]
        kept[record_id] = Record(state, "", written)

    for record_id in ids:
        record = records.get(record_id, Record())
        if record.is_erased:
            contesting = await rows.children(kind.name, record_id)
        else:
            contesting = [child_id(kind.name, record_id, dot) for dot in resolve(kind, record.state).contesting]
        await tell(record_id, record, bodies.get(record_id))
        if contesting and (kind.name, record_id) in changes:
            theirs, texts = await rows.records(kind.name, contesting), await rows.bodies(kind.name, contesting)
            for name in contesting:
                child = theirs.get(name, Record())
                if name not in kept and child.is_shown_for_another:
                    await tell(name, child, texts.get(name))
    await rows.keep(kind.name, kept)
    return purge


@dataclass(frozen=True)
class _Learned:
    """What follows from changes: the records as they are `meant` to be, of these what is to be `shown` as it is not
    so yet, what is known of them, and the own segments to be purged."""

    meant: Mapping[str, Body | None]
    shown: Mapping[str, Body | None]
    kept: Mapping[str, Record | None]
    purge: Set[int]


async def _learned(rows: Rows, kind: Kind, changes: list[Change]) -> _Learned:
    """Learn changes of records of one kind. Raises _Pending."""
    records = dict(await rows.records(kind.name, [one.id for one in changes]))
    changes = [one for one in changes if not records.get(one.id, Record()).state.is_gone]
    ids = [one.id for one in changes]
    before = {record_id: records.get(record_id, Record()) for record_id in ids}
    if erased := [record_id for record_id, record in before.items() if record.is_erased or record.is_ended]:
        raise _Pending(kind.name, erased)
    for one in changes:
        record = records.get(one.id, Record())
        records[one.id] = replace(record, state=learn(record.state, one))
    purge = {number for one in ids if not records[one].state.entries for number in before[one].written}
    shown: dict[str, Body | None] = {}
    kept: dict[str, Record | None] = {}
    expected: dict[str, Body | None] = {}
    for record_id in ids:
        resolved, earlier = resolve(kind, records[record_id].state), resolve(kind, before[record_id].state)
        if not before[record_id].is_shown_for_another:
            expected[record_id] = earlier.body
        elif before[record_id].parent not in before:
            expected[record_id] = await _for_another(rows, kind, record_id, before[record_id].parent)
        shown[record_id] = resolved.body
        is_gone = records[record_id].state.is_gone
        kept[record_id] = replace(records[record_id], parent="", written=[] if is_gone else records[record_id].written)
    for record_id in ids:
        resolved, earlier = resolve(kind, records[record_id].state), resolve(kind, before[record_id].state)
        now = {child_id(kind.name, record_id, dot): body for dot, body in resolved.contesting.items()}
        was = {child_id(kind.name, record_id, dot): body for dot, body in earlier.contesting.items()}
        theirs = await rows.records(kind.name, [*now, *was])
        for name in sorted({*now, *was}):
            own = kept.get(name) or theirs.get(name, Record())
            if name in was and theirs.get(name, Record()).is_shown_for_another:
                expected[name] = was[name]
            if own.state.entries or own.state.is_gone:
                continue
            shown[name] = now.get(name)
            kept[name] = Record(State(), record_id) if name in now else None
    present = await rows.bodies(kind.name, [*shown])
    if others := [name for name, body in expected.items() if not same(present.get(name), body)]:
        raise _Pending(kind.name, others)
    differing = {name: body for name, body in shown.items() if not same(present.get(name), body)}
    return _Learned(shown, differing, kept, purge)


async def _for_another(rows: Rows, kind: Kind, record_id: str, parent: str) -> Body | None:
    """Return what a record that nobody has changed shows of the one that it contests."""
    state = (await rows.records(kind.name, [parent])).get(parent, Record()).state
    contesting = resolve(kind, state).contesting
    return next((body for dot, body in contesting.items() if child_id(kind.name, parent, dot) == record_id), None)


def _require_before_cut(place: Place, device: str, number: int) -> None:
    if device in place.cuts and number > max(place.cuts[device], place.claims.get(device, 0)):
        raise Refused("is refused: the device was revoked")


def _owed(place: Place, segment: Segment) -> str:
    """Return which segment must be read before this one; empty where none is."""
    for device, number in segment.heard.items():
        if number > (place.number if device == place.device else place.heard.get(device, 0)):
            return f"segment {number} of {place.members[device].name if device in place.members else device}"
    return ""


def _sealed(place: Place, head: Head, segment: Segment) -> bytes:
    key = group_key(place.secrets[head.epoch], place.group)
    return segments.sealed(segment, head, key, place.keys.sign)


def _opened(place: Place, text: bytes, head: Head, signing: bytes) -> Segment:
    secret = place.secrets.get(head.epoch)
    if secret is None:
        raise Refused("is sealed with a key that this device does not have")
    return segments.opened(text, head, group_key(secret, place.group), signing)
