"""Recalls: what agents asked and what they were given, for people who watch, and kept to be looked at later."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from .. import identifiers
from ..clock import Clock
from ..errors import StorageUnavailable, Suspended
from ..records import dataclass
from ..redactor import Redactor
from .models import Answered, Asked, AskingKey, QuestionCounts
from .sealing import QuestionSeal

if TYPE_CHECKING:
    from ...storage.repositories.questions import QuestionsRepository

MOST = 100
"""Recalls that are remembered."""
MOST_UNWRITTEN = 2_000
"""Recalls that wait to be written; the oldest beyond them are lost."""
MAX_CHARS, MAX_READ_CHARS = 200, 1_000
"""Characters of a question that are kept, and of those that secrets are looked for in: one may lie across the end."""
KEPT_FOR = timedelta(days=90)


@dataclass(frozen=True)
class RecallRecord:
    """One search of an agent: by which client and tool, the question's words, and the memories it was given.

    `number` grows with each change of any; `used` is how many of the memories were used afterwards.
    """

    id: int
    number: int
    key: str
    at: datetime
    namespace: str
    client: str
    tool: str
    question: str
    shown: tuple[str, ...]
    taken: frozenset[str] = frozenset()

    @property
    def query(self) -> str:
        """The question's words, as people are shown them."""
        return self.question[:MAX_CHARS]

    @property
    def hits(self) -> int:
        """How many memories it was given."""
        return len(self.shown)

    @property
    def used(self) -> int:
        """How many of them were used afterwards."""
        return len(self.taken)

    @property
    def asked(self) -> Asked:
        """What of it is kept."""
        return Asked(self.key, self.namespace, self.at, self.client, self.tool, self.question, self.hits, self.used)


class Recalls:
    """Remembers the latest recalls, wakes those who wait for the next one, and writes all from time to time."""

    def __init__(self, repository: "QuestionsRepository", seal: QuestionSeal, redactor: Redactor, clock: Clock) -> None:
        self._repository = repository
        self._seal = seal
        self._redactor = redactor
        self._clock = clock
        self._latest: deque[RecallRecord] = deque(maxlen=MOST)
        self._unwritten: OrderedDict[str, Asked] = OrderedDict()
        self._used_since: dict[str, Asked] = {}
        self._writing = asyncio.Lock()
        self._given = asyncio.Event()
        self.number = 0

    def note(self, at: datetime, namespace: str, client: str, tool: str, query: str, shown: Sequence[str]) -> None:
        """Remember a recall."""
        self.number += 1
        key, question = identifiers.new_id("ask"), query[:MAX_READ_CHARS]
        self._keep(RecallRecord(self.number, self.number, key, at, namespace, client, tool, question, tuple(shown)))

    def used(self, namespace: str, client: str, memory_id: str) -> None:
        """Note that a memory which the last recall of a client was given was used."""
        for place in range(len(self._latest) - 1, -1, -1):
            one = self._latest[place]
            if (one.namespace, one.client) == (namespace, client) and memory_id in one.shown:
                self.number += 1
                self._keep(replace(one, number=self.number, taken=one.taken | {memory_id}), place)
                return

    def _keep(self, one: RecallRecord, place: int | None = None) -> None:
        if place is None:
            self._latest.append(one)
        else:
            self._latest[place] = one
        if place is None or one.key in self._unwritten:
            self._unwritten[one.key] = one.asked
        else:  # what was erased since it was written does not come back
            self._used_since[one.key] = one.asked
        while len(self._unwritten) > MOST_UNWRITTEN:
            self._unwritten.popitem(last=False)
        given, self._given = self._given, asyncio.Event()
        given.set()

    async def after(self, number: int, namespaces: Collection[str]) -> Sequence[RecallRecord]:
        """Wait for recalls in some namespaces behind the one of this number, and return them in order."""
        while True:
            found = [one for one in self._latest if one.number > number and one.namespace in namespaces]
            if found:
                return sorted(found, key=lambda one: one.number)
            await self._given.wait()

    async def flush(self) -> None:
        """Write what was asked, sealed and without secrets.

        Raises StorageUnavailable or StorageRefused, and then keeps it for the next time.
        """
        async with self._writing:
            await self._flush()

    async def _flush(self) -> None:
        used, self._used_since = self._used_since, {}
        if used:
            try:
                await self._repository.used(list(used.values()))
            except BaseException:
                self._used_since = {**used, **self._used_since}
                raise
        if not self._unwritten:
            return
        unwritten, self._unwritten = self._unwritten, OrderedDict()
        try:
            texts = [await self._redactor.text(one.question) for one in unwritten.values()]
            sealed = await self._seal.sealed([text[:MAX_CHARS] for text in texts])
            rows = zip(unwritten.values(), sealed, strict=True)
            await self._repository.put([replace(one, question=text) for one, text in rows])
        except BaseException:
            self._unwritten = OrderedDict({**unwritten, **self._unwritten})
            raise

    async def without_hits(self, namespaces: Collection[str], most: int) -> Sequence[Asked]:
        """Return the questions in some namespaces that were given nothing when they were asked last, the last first."""
        await self._written()
        return await self._opened(await self._repository.unanswered(sorted(namespaces), most))

    async def asked(
        self, namespaces: Collection[str], since: datetime, until: datetime, answered: Answered | None, most: int
    ) -> tuple[Sequence[Asked], int]:
        """Return the last questions of a time, all or those that were answered in a way, and how many there are."""
        await self._written()
        found, total = await self._repository.asked(sorted(namespaces), since, until, answered, most)
        return await self._opened(found), total

    async def daily(
        self, namespaces: Collection[str], since: datetime, until: datetime, zone: tzinfo
    ) -> Mapping[AskingKey, QuestionCounts]:
        """Return the questions of a time, counted by the days of a zone and by tool."""
        await self._written()
        return await self._repository.daily(sorted(namespaces), since, until, zone)

    async def forget(self, namespace: str, subject: str) -> None:
        """Drop the questions in a namespace that name a subject, and those that cannot be opened: they might."""
        await self._written()
        wanted = subject.casefold()
        async with self._writing:
            others = [
                one for one in self._latest if one.namespace != namespace or wanted not in one.question.casefold()
            ]
            self._latest = deque(others, maxlen=MOST)
            for key, one in list(self._unwritten.items()):
                if one.namespace == namespace and wanted in one.question.casefold():
                    del self._unwritten[key]
            try:
                texts = await self._texts(namespace)
            except StorageUnavailable:
                texts = dict.fromkeys(await self._repository.texts(namespace))
            named = [key for key, text in texts.items() if text is None or wanted in text.casefold()]
            await self._repository.drop(namespace, named)

    async def naming(self, namespace: str, subject: str) -> Sequence[str]:
        """Return the ids of the questions in a namespace that name a subject."""
        await self._written()
        wanted, texts = subject.casefold(), await self._texts(namespace)
        return [key for key, text in texts.items() if text is not None and wanted in text.casefold()]

    async def tidy_up(self) -> None:
        """Write what was asked, and drop what is older than KEPT_FOR."""
        await self.flush()
        await self._repository.drop_before_everywhere(self._clock() - KEPT_FOR)

    async def _texts(self, namespace: str) -> dict[str, str | None]:
        """Return the questions of a namespace by id; None for what cannot be opened. Raises StorageUnavailable."""
        kept = await self._repository.texts(namespace)
        return dict(zip(kept, await self._seal.opened(list(kept.values())), strict=True))

    async def _opened(self, asked: Sequence[Asked]) -> list[Asked]:
        """Return questions as they were asked, without those of another home."""
        opened = await self._seal.opened([one.question for one in asked])
        return [replace(one, question=text) for one, text in zip(asked, opened, strict=True) if text is not None]

    async def _written(self) -> None:
        """Write what was asked, if that can be: what is kept is shown without it otherwise."""
        with suppress(StorageUnavailable, Suspended):
            await self.flush()
