"""The usage service: counts in memory, and writes from time to time."""

from collections import OrderedDict
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta, tzinfo
from typing import TYPE_CHECKING

from ..clock import Clock
from ..records import dataclass
from .models import QUARTER_MINUTES, CounterKey, Spending, SpendingKey, Usage, UsageKey

if TYPE_CHECKING:
    from ...storage.repositories.usage import UsagesRepository

REMEMBERED_HITS = 2_000
RETENTION_DAYS = 400


@dataclass
class _Answer:
    """What an answer came from, and whether anything of it was used."""

    tool: str
    is_used: bool = False


class UsageService:
    """Counts calls; reading the counters changes nothing. Counts that a killed process had not written are lost."""

    def __init__(self, repository: "UsagesRepository", clock: Clock) -> None:
        self._repository = repository
        self._clock = clock
        self._pending: dict[CounterKey, Usage] = {}
        self._spent: dict[CounterKey, Spending] = {}
        self._shown: OrderedDict[tuple[str, str, str], _Answer] = OrderedDict()

    def note(
        self,
        namespace: str,
        client: str,
        tool: str,
        *,
        text: str = "",
        shown: Sequence[str] = (),
        named: str | None = None,
        failed: bool = False,
        asked: bool = False,
    ) -> None:
        """Count a call: the `text` that its client gives a model, ids of memories `shown` in it, and the one `named`.

        A memory that was shown and is named by a later call of the same client has been used, once. A call that
        `asked` for memories was answered if it was shown some.
        """
        unanswered = int(asked and not shown and not failed)
        self._add(namespace, client, tool, Usage(1, int(failed), len(text), len(shown), unanswered=unanswered))
        answer = _Answer(tool)
        for memory_id in shown:
            self._shown[namespace, client, memory_id] = answer
        while len(self._shown) > REMEMBERED_HITS:
            self._shown.popitem(last=False)
        if named is not None:
            self.used(namespace, client, named)

    def used(self, namespace: str, client: str, memory_id: str) -> None:
        """Count that a memory which was shown to a client was used, once for each showing."""
        if (answer := self._shown.pop((namespace, client, memory_id), None)) is not None:
            self._add(namespace, client, answer.tool, Usage(used=1, helpful=int(not answer.is_used)))
            answer.is_used = True

    def spend(self, namespace: str, client: str, model: str, spent: Spending) -> None:
        """Count calls of a model, and what they cost."""
        key = self._now(namespace, client, model)
        self._spent[key] = self._spent.get(key, Spending()) + spent

    async def flush(self) -> None:
        """Write what was counted. Raises StorageUnavailable, and then keeps the counts for the next time."""
        await self._flush_spent()
        if not self._pending:
            return
        pending, self._pending = self._pending, {}
        try:
            await self._repository.add(pending)
        except BaseException:
            for key, usage in pending.items():
                self._pending[key] = self._pending.get(key, Usage()) + usage
            raise

    async def _flush_spent(self) -> None:
        if not self._spent:
            return
        spent, self._spent = self._spent, {}
        try:
            await self._repository.add_spending(spent)
        except BaseException:
            for key, one in spent.items():
                self._spent[key] = self._spent.get(key, Spending()) + one
            raise

    async def spending(self, days: int, zone: tzinfo = UTC) -> dict[SpendingKey, Spending]:
        """Return what was spent in the last `days` days of a zone, today included, by this process and by others."""
        since, until = self._last(days, zone)
        found = await self._repository.spending_between_everywhere(since, until, zone)
        for of, one in self._spent.items():
            if of.at >= since:
                key = SpendingKey(of.at.astimezone(zone).date(), of.namespace, of.client, of.name)
                found[key] = found.get(key, Spending()) + one
        return found

    async def since(self, days: int, zone: tzinfo = UTC) -> dict[UsageKey, Usage]:
        """Return the counts of the last `days` days of a zone, today included, by this process and by others."""
        since, until = self._last(days, zone)
        found = await self._repository.between_everywhere(since, until, zone)
        for of, usage in self._pending.items():
            if of.at >= since:
                key = UsageKey(of.at.astimezone(zone).date(), of.namespace, of.client, of.name)
                found[key] = found.get(key, Usage()) + usage
        return found

    async def tidy_up(self) -> None:
        """Write what was counted, and delete what is older than RETENTION_DAYS."""
        await self.flush()
        await self._repository.drop_before_everywhere(self._clock() - timedelta(days=RETENTION_DAYS))

    def _add(self, namespace: str, client: str, tool: str, usage: Usage) -> None:
        key = self._now(namespace, client, tool)
        self._pending[key] = self._pending.get(key, Usage()) + usage

    def _now(self, namespace: str, client: str, name: str) -> CounterKey:
        now = self._clock()
        began = now.replace(minute=now.minute - now.minute % QUARTER_MINUTES, second=0, microsecond=0)
        return CounterKey(began, namespace, client, name)

    def _last(self, days: int, zone: tzinfo) -> tuple[datetime, datetime]:
        """Return when the last days of a zone begin, and a moment after now."""
        now = self._clock()
        first = now.astimezone(zone).date() - timedelta(days=days - 1)
        return datetime.combine(first, time(), zone).astimezone(UTC), now + timedelta(days=1)
