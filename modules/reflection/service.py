"""The reflection service: log, analyze, patterns, summary."""

import logging
from collections.abc import Sequence
from datetime import UTC, timedelta, tzinfo
from typing import TYPE_CHECKING

from .. import identifiers, inputs
from ..clock import Clock
from ..errors import AgentOSError
from ..records import dataclass
from ..redactor import Redactor
from . import patterns
from .models import ActionTally, Analysis, DaysSummary, DayTally, Pattern, PatternType, Reflection

if TYPE_CHECKING:
    from ...storage.repositories.reflections import ReflectionsRepository
    from ..insights.triggers import Triggers

MAX_TEXT_BYTES = 16 * 1024
MAX_DAYS = 3650
TOP = 3

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ReflectionSettings:
    """Settings: `lookback_days` is the default window; a pattern needs `min_frequency` occurrences."""

    lookback_days: int = 7
    min_frequency: int = 3


class ReflectionService:
    """The rules of reflection over one store."""

    def __init__(
        self,
        repository: "ReflectionsRepository",
        listener: "Triggers",
        settings: ReflectionSettings,
        redactor: Redactor,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._listener = listener
        self._settings = settings
        self._redactor = redactor
        self._clock = clock

    async def log(
        self,
        namespace: str,
        action: str,
        outcome: str,
        success: bool,
        context: str | None = None,
        goal_id: str | None = None,
        tags: Sequence[str] = (),
        key: str | None = None,
        occurred_at: str | None = None,
        *,
        dry_run: bool = False,
    ) -> Reflection:
        """Append an action and its outcome; the same `key` again changes nothing. With `dry_run` it is only looked at.

        An action that `occurred_at` another time is history: its outcome is not reported. Raises InvalidInput, or
        NotFound for an unknown goal.
        """
        reflection = Reflection(
            id=identifiers.new_id("act"),
            namespace=namespace,
            action=(await self._redactor.text(inputs.text("action", action, 1000))).strip(),
            outcome=await self._redactor.text(inputs.text("outcome", outcome, MAX_TEXT_BYTES)),
            success=success,
            context=await self._redactor.text(inputs.text("context", context or "", MAX_TEXT_BYTES, allow_empty=True)),
            goal_id=None if goal_id is None else inputs.text("goal_id", goal_id, 200),
            tags=await self._redactor.tags(inputs.tags("tags", tags)),
            occurred_at=inputs.moment("occurred_at", occurred_at) or self._clock(),
        )
        if dry_run:
            return reflection
        stored = await self._repository.add(reflection, key)
        if stored is reflection and occurred_at is None:
            await self._tell(reflection)
        return stored or reflection

    async def _tell(self, reflection: Reflection) -> None:
        """Tell the listener of an action that is stored already: its own failure must not look like a refusal."""
        try:
            tally = await self.tally(reflection.namespace, reflection.action, timedelta(days=1))
            if not reflection.success:
                await self._listener.action_failed(reflection, 1 if tally is None else tally.failing)
            elif tally is not None and tally.failures and tally.recovered >= patterns.RESOLVED_AFTER:
                await self._listener.action_recovered(reflection)
        except AgentOSError as error:
            log.warning("nobody could be told how an action ended: %s", error)

    async def known(self, namespace: str, keys: Sequence[str]) -> set[str]:
        """Those of the keys under which an action was logged."""
        return await self._repository.known_keys(namespace, keys)

    async def keep(self, namespace: str, found: Sequence[Pattern]) -> None:
        """Keep patterns that were found elsewhere, until an analysis of their actions says otherwise."""
        await self._repository.save_patterns(namespace, found, [pattern.action for pattern in found])

    async def analyze(self, namespace: str, lookback_days: int | None = None) -> Analysis:
        """Find the patterns in a window and store them; running it again updates the same patterns.

        A window shorter than the configured one has too little evidence: it only reports. Raises InvalidInput.
        """
        window = self._window(lookback_days, "lookback_days")
        tallies = await self.tallies(namespace, timedelta(days=window))
        found = patterns.find(tallies, self._settings.min_frequency)
        if window >= self._settings.lookback_days:
            await self._repository.save_patterns(namespace, found, [tally.action for tally in tallies])
        return Analysis(tuple(found), *_totals(tallies))

    async def patterns(self, namespace: str, pattern_type: str | None = None, limit: int = 50) -> list[Pattern]:
        """Return the patterns found so far, the last seen first. Raises InvalidInput."""
        kind = None if pattern_type is None else inputs.choice("pattern_type", pattern_type, PatternType)
        return await self._repository.patterns(namespace, kind, limit)

    async def summary(self, namespace: str, days: int | None = None) -> DaysSummary:
        """Summarise the last days: rates, the most common failures, what works, what to do. Raises InvalidInput."""
        window = self._window(days, "days")
        tallies = await self.tallies(namespace, timedelta(days=window))
        failing = sorted((t for t in tallies if t.failures), key=lambda t: (-t.failures, t.action))
        successes = await self._repository.patterns(namespace, PatternType.SUCCESS_PATTERN, TOP)
        newest = await self._repository.patterns(namespace, None, TOP)
        return DaysSummary(
            window,
            *_totals(tallies),
            most_common_failures=tuple(failing[:TOP]),
            most_successful_patterns=tuple(successes),
            top_recommendations=tuple(pattern.suggested_action for pattern in newest),
        )

    async def tallies(self, namespace: str, window: timedelta) -> list[ActionTally]:
        """Return one tally per action within a window that ends now."""
        return await self._repository.tallies(namespace, self._clock() - window)

    async def tally(self, namespace: str, action: str, window: timedelta | None = None) -> ActionTally | None:
        """Return the tally of one action within a window, by default the configured one; None if it never ran."""
        within = timedelta(days=self._settings.lookback_days) if window is None else window
        found = await self._repository.tallies(namespace, self._clock() - within, action)
        return found[0] if found else None

    async def elsewhere(self, namespace: str, project: str) -> set[str]:
        """Return the actions that were only logged in other projects than the one of this id."""
        return await self._repository.elsewhere(namespace, project)

    async def daily(self, namespace: str, days: int, zone: tzinfo = UTC) -> list[DayTally]:
        """Return how actions went on each of the last days, in a zone, that had any, the oldest first.

        Raises InvalidInput.
        """
        now = self._clock()
        return await self._repository.daily(namespace, now - timedelta(days=self._window(days, "days")), now, zone)

    async def totals(self, namespace: str, window: timedelta) -> tuple[int, float | None]:
        """Return how many actions there were within a window that ends now, and the share of successes (None: none)."""
        return _totals(await self.tallies(namespace, window))

    def _window(self, days: int | None, field: str) -> int:
        return inputs.count(field, self._settings.lookback_days if days is None else days, 1, MAX_DAYS)


def _totals(tallies: Sequence[ActionTally]) -> tuple[int, float | None]:
    total = sum(tally.total for tally in tallies)
    return total, (sum(tally.successes for tally in tallies) / total if total else None)
