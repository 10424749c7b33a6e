"""Budgets of keys: what each has spent in its period, at the user's prices, and whether that was all."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

from ....modules.records import dataclass
from ....modules.usage.models import Tokens
from ....modules.usage.prices import cost, price_of
from .configuration import Configuration, OverBudget, Period, ProxyKey
from .rules import Daemon

FRESH_S, WITHIN_S = 1.0, 0.28
"""How long what was spent is taken as it was, and how long a request waits for it."""
_TOKENS = ("uncached", "cached", "written", "output")


@dataclass(frozen=True)
class BudgetStanding:
    """How a budget stands: in words, and whether requests are to stop."""

    words: str = ""
    is_stopped: bool = False


class Budgets:
    """Asks the daemon what keys with a budget have spent."""

    def __init__(
        self, daemon: Daemon, configuration: Configuration, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._daemon = daemon
        self._configuration = configuration
        self._now = now
        self._known: dict[str, tuple[float, float]] = {}

    async def of(self, client: str) -> BudgetStanding:
        """Return how the budget of a key stands, as known last where the daemon does not answer."""
        key = next((one for one in self._configuration.keys if one.name == client), None)
        if key is None or key.budget is None:
            return BudgetStanding()
        spent = await self._spent(key)
        of_budget = f"{spent:.2f} of {key.budget:.2f} {self._configuration.currency}".strip()
        if spent < key.budget:
            return BudgetStanding(f"within; {of_budget}")
        return BudgetStanding(f"over; {of_budget}", key.over_budget is OverBudget.STOP)

    async def _spent(self, key: ProxyKey) -> float:
        known_at, spent = self._known.get(key.name, (-FRESH_S, 0.0))
        if time.monotonic() - known_at < FRESH_S:
            return spent
        days = 1 if key.budget_period is Period.DAY else self._now().day
        asked = {"what": "spent", "namespace": key.namespace or "default", "client": key.name, "days": days}
        answer = await self._daemon.ask(asked, WITHIN_S)
        if answer is not None:
            spent = sum(self._cost(one) for one in answer["spent"])
            self._known[key.name] = time.monotonic(), spent
        return spent

    def _cost(self, row: dict[str, object]) -> float:
        price = price_of(str(row["model"]), self._configuration.prices)
        counts = [count for name in _TOKENS if isinstance(count := row[name], int)]
        return cost(Tokens(*counts), price) if price else 0.0
