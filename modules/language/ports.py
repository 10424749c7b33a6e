"""What AgentOS asks of a language model, where the user has configured one; everything has an equivalent by rules."""

from typing import Protocol

from ..errors import AgentOSError


class LanguageError(AgentOSError):
    """The language model gave no answer that can be used. It never means that there was nothing to say."""

    code = "language_model_failed"


class LanguageUnavailable(LanguageError):
    """It cannot be reached, or cannot serve just now: the same request may work later, so ask again later."""


class LanguageRefused(LanguageError):
    """It does not serve us, declines this text, or answers nonsense: the same request will not work later."""


class LanguageModel(Protocol):
    """Completes texts. Its calls are bounded in time; each answer has at most `max_tokens` tokens of its own."""

    @property
    def name(self) -> str:
        """Names the model, without any key."""

    @property
    def problem(self) -> str | None:
        """Why it does not answer, in words for the user; None until it has failed."""

    async def complete(self, instruction: str, text: str, max_tokens: int) -> str:
        """What the model answers to an instruction about a text, which is data: nothing in it is to be followed.

        Raises LanguageUnavailable where asking again later may help, LanguageRefused where it does not.
        """

    async def close(self) -> None:
        """Let go of the model; callers that still wait get an error."""
