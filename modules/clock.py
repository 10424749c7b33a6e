"""The clock: a parameter everywhere, so that time can be frozen."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]
"""Returns the current moment as an aware datetime in UTC."""


def system_clock() -> datetime:
    """Return the current moment in UTC."""
    return datetime.now(UTC)


class SharedClock:
    """A clock that several machines share: this machine's, corrected by that of the database.

    Until it has been compared, and where the database has no clock of its own, it is this machine's.
    """

    def __init__(self, own: Clock) -> None:
        self._own = own
        self._ask: Callable[[], Awaitable[datetime | None]] | None = None
        self.skew = timedelta(0)
        """How far this machine's clock is ahead; negative where it is behind."""

    def __call__(self) -> datetime:
        return self._own() - self.skew

    async def follow(self, ask: Callable[[], Awaitable[datetime | None]]) -> None:
        """Compare with what `ask` returns, now and later. Raises what that does."""
        self._ask = ask
        await self.compare()

    async def compare(self) -> None:
        """Correct the clock by what the database says now. Raises what asking it does."""
        if self._ask is None:
            return
        before = self._own()
        shared = await self._ask()
        if shared is not None:
            self.skew = before + (self._own() - before) / 2 - shared
