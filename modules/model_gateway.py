"""The gateway as other parts of AgentOS see it: a model that answers from memory, and what its calls cost."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

from .clock import Clock
from .errors import NotFound
from .installing import switched_off
from .records import dataclass
from .usage.prices import Price

if TYPE_CHECKING:
    from ..storage.repositories.kept_by_gateway import KeptByGateway
    from .language.service import LanguageService

ANSWER_TOKENS = 1_000
"""The most tokens of an answer."""
HELD_AT_LONGEST, BLOCK_LIFETIME = timedelta(days=1), timedelta(days=30)
"""How long an exchange is held that cannot be stored, and how long a block is kept."""


@dataclass(frozen=True)
class PriceList:
    """The prices of models, by name, and the currency that they are in."""

    prices: Mapping[str, Price]
    currency: str


class ModelGateway(Protocol):
    """The gateway of one store."""

    async def say(self, language: "LanguageService", namespace: str, session: str, text: str) -> str:
        """Return the model's answer in a conversation, which a later call of the same session goes on with.

        Raises LanguageError, and keeps nothing then; AgentOSError.
        """

    async def tidy_up(self) -> None:
        """Learn what has been held for long enough, and delete what is too old or too much."""

    def price_list(self) -> PriceList:
        """Return the prices that the home's gateway.toml names. Raises WrongSettings."""


class NoGateway:
    """Implements `ModelGateway` where the feature is off; what is left of it goes when its time is over."""

    def __init__(self, left: "KeptByGateway | None", clock: Clock) -> None:
        self._left = left
        self._clock = clock

    async def say(self, language: "LanguageService", namespace: str, session: str, text: str) -> str:
        raise NotFound(switched_off("gateway"))

    async def tidy_up(self) -> None:
        if self._left is not None:
            now = self._clock()
            await self._left.drop_everywhere(now - HELD_AT_LONGEST, now - BLOCK_LIFETIME)

    def price_list(self) -> PriceList:
        return PriceList({}, "")


OpensGateway = Callable[[], ModelGateway]
