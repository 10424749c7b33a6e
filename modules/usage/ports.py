"""The ports of usage: storage of counters and of questions."""

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Protocol

from .models import Answered, Asked, AskingKey, CounterKey, QuestionCounts, Spending, SpendingKey, Usage, UsageKey


class UsageRepository(Protocol):
    """Storage of counters; additions are not fsynced, since they are statistics."""

    async def add(self, counts: Mapping[CounterKey, Usage]) -> None:
        """Add to the counters."""

    async def between_everywhere(self, since: datetime, until: datetime, zone: tzinfo) -> dict[UsageKey, Usage]:
        """Return the counters of a time, by the days of a zone."""

    async def add_spending(self, counts: Mapping[CounterKey, Spending]) -> None:
        """Add to what was spent."""

    async def spending_between_everywhere(
        self, since: datetime, until: datetime, zone: tzinfo
    ) -> dict[SpendingKey, Spending]:
        """Return what was spent in a time, by the days of a zone."""

    async def drop_before_everywhere(self, moment: datetime) -> int:
        """Delete the counters of before; return how many."""


class QuestionRepository(Protocol):
    """Storage of questions, whose texts are sealed; they are not fsynced, since they are statistics."""

    async def put(self, asked: Sequence[Asked]) -> None:
        """Store questions; of one that is there, how many memories were used."""

    async def used(self, asked: Sequence[Asked]) -> None:
        """Store of questions that are there how many memories were used."""

    async def unanswered(self, namespaces: Sequence[str], most: int) -> Sequence[Asked]:
        """Return the questions that were given nothing when they were asked last, each once, the last first."""

    async def asked(
        self, namespaces: Sequence[str], since: datetime, until: datetime, answered: Answered | None, most: int
    ) -> tuple[Sequence[Asked], int]:
        """Return the last questions of a time, all or those that were answered in a way, and how many there are."""

    async def daily(
        self, namespaces: Sequence[str], since: datetime, until: datetime, zone: tzinfo
    ) -> Mapping[AskingKey, QuestionCounts]:
        """Return the questions of a time, counted by the days of a zone and by tool."""

    async def texts(self, namespace: str) -> Mapping[str, str]:
        """Return the texts of the questions in a namespace, by id."""

    async def drop(self, namespace: str, ids: Sequence[str]) -> None:
        """Erase questions of a namespace."""

    async def drop_before_everywhere(self, moment: datetime) -> int:
        """Delete the questions of before; return how many."""
