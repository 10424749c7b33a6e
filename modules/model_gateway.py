"""The gateway as other parts of AgentOS see it: a model that answers from memory, and what its calls cost."""

from collections.abc import Callable, Mapping
from typing import Protocol

from .errors import NotFound
from .installing import switched_off
from .language.ports import TalkingModel
from .records import dataclass
from .usage.prices import Price

ANSWER_TOKENS = 1_000
"""The most tokens of an answer."""


@dataclass(frozen=True)
class PriceList:
    """The prices of models, by name, and the currency that they are in."""

    prices: Mapping[str, Price]
    currency: str


class ModelGateway(Protocol):
    """The gateway of one store."""

    async def say(self, language: TalkingModel, namespace: str, session: str, text: str) -> str:
        """Return the model's answer in a conversation, which a later call of the same session goes on with.

        Raises LanguageError, and keeps nothing then; AgentOSError.
        """

    async def tidy_up(self) -> None:
        """Learn what has been held for long enough, and delete what is too old or too much."""

    def price_list(self) -> PriceList:
        """Return the prices that the home's gateway.toml names. Raises WrongSettings."""


class NoGateway:
    """Implements `ModelGateway` where the feature is off."""

    async def say(self, language: TalkingModel, namespace: str, session: str, text: str) -> str:
        raise NotFound(switched_off("gateway"))

    async def tidy_up(self) -> None:
        return None

    def price_list(self) -> PriceList:
        raise NotFound(switched_off("gateway"))


OpensGateway = Callable[[], ModelGateway]
