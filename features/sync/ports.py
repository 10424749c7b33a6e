"""What sync needs of a store: what changed since it looked last, the records, and where this device stands."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import field
from typing import Protocol, TypeVar

from ...modules.records import dataclass
from .keys import DeviceKeys
from .models import Body, Change, Fields, State

T = TypeVar("T")
BEFORE_RESTORE = 0
Name = tuple[str, str]
"""The kind of a record, and its id."""


@dataclass(frozen=True)
class Record:
    """What a device knows of a record; `parent` is the one that it contests, while nobody has changed it itself.

    `written` are the segments of this device that tell of it. `is_erased` where it was erased here and that is not told
    yet: then nothing else is known of it. `is_ended` where it went in a way that is not final, such as by its end date,
    and that is not told yet: then only what was seen of it is known.
    """

    state: State = field(default_factory=State)
    parent: str = ""
    written: Sequence[int] = ()
    is_erased: bool = False
    is_ended: bool = False

    @property
    def is_shown_for_another(self) -> bool:
        return bool(self.parent) and not self.state.entries and not self.state.is_gone


@dataclass(frozen=True)
class Member:
    """Another device, by the public halves of its keys."""

    name: str
    signing: bytes
    opening: bytes
    has_left: bool = False


@dataclass(frozen=True)
class Place:
    """Where a device stands in its group.

    `heard` is up to which segment of each device it has read, `claims` up to which any device says it has; `cuts` are
    the revoked devices; `purge` are own segments that still hold what is erased, `BEFORE_RESTORE` among them for those
    of `former`, the devices that this home was before a restore.
    """

    group: str
    name: str
    folder: str
    keys: DeviceKeys
    secrets: Mapping[str, bytes]
    epoch: str
    number: int = 0
    count: int = 0
    heard: Mapping[str, int] = field(default_factory=dict)
    claims: Mapping[str, int] = field(default_factory=dict)
    members: Mapping[str, Member] = field(default_factory=dict)
    cuts: Mapping[str, int] = field(default_factory=dict)
    purge: Sequence[int] = ()
    former: Sequence[DeviceKeys] = ()
    outbox: Mapping[int, bytes] = field(default_factory=dict)

    @property
    def device(self) -> str:
        return self.keys.device


class Rows(Protocol):
    """One transaction over the records of a store."""

    async def place(self) -> Place: ...
    async def move(self, place: Place, /) -> None: ...
    async def bodies(self, kind: str, ids: Collection[str], /) -> Mapping[str, Body]: ...
    async def records(self, kind: str, ids: Collection[str], /) -> Mapping[str, Record]: ...

    async def children(self, kind: str, record_id: str, /) -> list[str]:
        """Return the records with this parent."""

    async def keep(self, kind: str, records: Mapping[str, Record | None], altered: Collection[str] = (), /) -> None:
        """Keep what is known of records, or with None nothing; the store holds of them what sync left.

        What was `altered` it does not: it counts as changed here, and is told next.
        """

    async def projects(self, bodies: Collection[Body], /) -> list[Fields]:
        """Return the projects that records name."""

    async def learn_projects(self, projects: Sequence[Fields], /) -> None:
        """Keep projects of other devices that are not known here."""

    async def show(self, kind: str, bodies: Mapping[str, Body | None], /) -> None:
        """Write records to the store as far as it can hold them so, or with None delete them."""


class SyncedStore(Protocol):
    """A store that is synced."""

    async def place(self) -> Place: ...

    async def changed(self, most: int, /) -> list[Name]:
        """Return records that may not be as sync left them: written, changed or deleted since."""

    async def is_altered(self) -> bool:
        """Return whether something is known to be other than sync left it, without looking at what was written."""

    async def prepare(self, changes: Sequence[Change], files: Mapping[str, bytes], /) -> None:
        """Look at what is to be shown next, and its files. Raises ValueError for what no store can hold."""

    async def file(self, content_hash: str, /) -> bytes:
        """Return the bytes of a file, as far as they are here."""

    async def missing(self, hashes: Sequence[str], /) -> Collection[str]:
        """Return those of the hashes whose files are not here."""

    async def files(self) -> tuple[Collection[str], Collection[str]]:
        """Return the hashes of the files that this device told of, and of all that are to stay where they are carried.

        These are what synced memories have, and what went by an end date while that is not told.
        """

    async def known_files(self) -> Collection[str]:
        """Return the hashes of the files that synced memories have, or had."""

    async def write(self, work: Callable[[Rows], Awaitable[T]], /) -> T:
        """Return the result of work in one transaction, which may be tried again."""
