"""A conversation with a configured model that remembers: across processes, and what others have said to it."""

from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from ...modules.model_gateway import ANSWER_TOKENS, PriceList
from ...modules.records import dataclass
from ...modules.turns.service import WINDOW, TurnService
from .block import MAX_TOKENS
from .exchange import Exchange, Learnt
from .service import GatewayService, RecalledBlock

if TYPE_CHECKING:
    from ...modules.language.service import LanguageService

CLIENT = "chat"
MAX_QUESTION_CHARS = 20_000
_INSTRUCTION = (
    "You are an assistant. The material is what is known from earlier conversations, and what you and the user have "
    "said in this one. Answer the user, and write nothing before or after the answer."
)


@dataclass(frozen=True)
class ChatAnswer:
    """An answer, what was recalled for it, and what was learnt from it."""

    text: str
    recalled: RecalledBlock
    learnt: Learnt


class Chat:
    """One conversation, by its session; a later one of the same name goes on with it."""

    def __init__(
        self, gateway: GatewayService, turns: TurnService, language: "LanguageService", namespace: str, session: str
    ) -> None:
        self._gateway = gateway
        self._turns = turns
        self._language = language
        self._namespace = namespace
        self._session = session

    async def say(self, text: str) -> ChatAnswer:
        """Return the model's answer. Raises LanguageError, and keeps nothing then; AgentOSError."""
        question = text[:MAX_QUESTION_CHARS]
        recalled = await self._gateway.recall(self._namespace, question, MAX_TOKENS, self._session)
        earlier = await self._turns.window(self._namespace, self._session, WINDOW)
        lines = [f"{turn.role}: {turn.text}" for turn in earlier]
        material = "\n\n".join(filter(None, [recalled.block.text, *lines]))
        answer = await self._language.reply(_INSTRUCTION, material, question, ANSWER_TOKENS)
        await self._gateway.record_injected(self._namespace, CLIENT, recalled.block)
        exchange = Exchange(
            self._session,
            f"{CLIENT}:{uuid4().hex}",
            question,
            [answer] if answer.strip() else [],
            shown=recalled.block.ids,
        )
        return ChatAnswer(answer, recalled, await self._gateway.learn(self._namespace, CLIENT, exchange))


@dataclass(frozen=True)
class StoreGateway:
    """Implements `modules.model_gateway.ModelGateway` over one store."""

    service: GatewayService
    turns: TurnService
    home: Path

    async def say(self, language: "LanguageService", namespace: str, session: str, text: str) -> str:
        """Return the model's answer in a conversation. Raises LanguageError, AgentOSError."""
        return (await Chat(self.service, self.turns, language, namespace, session).say(text)).text

    async def tidy_up(self) -> None:
        """Learn what has been held for long enough, and delete what is too old or too much."""
        await self.service.tidy_up()

    def price_list(self) -> PriceList:
        """Return the prices that the home's gateway.toml names. Raises WrongSettings."""
        from .proxy import configuration  # its models take a tenth of a second and 7 MB: no daemon needs them

        read = configuration.read(self.home)
        return PriceList(read.prices, read.currency)
