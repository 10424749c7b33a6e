"""The port to a language model, if the user has configured one; every use has an equivalent by rules."""

from typing import Protocol

from ..errors import AgentOSError


class LanguageError(AgentOSError):
    """The language model gave no usable answer. It never means that there was nothing to say."""

    code = "language_model_failed"


class LanguageUnavailable(LanguageError):
    """The model cannot be reached, or cannot serve just now: the same request may work later."""


class LanguageRefused(LanguageError):
    """The model refuses service, declines this text, or answers nonsense: the same request will not work later."""


class LanguageModel(Protocol):
    """Completes texts. Its calls are bounded in time; each answer has at most `max_tokens` tokens of its own."""

    @property
    def name(self) -> str:
        """The name of the model, without any key."""

    @property
    def problem(self) -> str | None:
        """The reason why it does not answer, in words for the user; None until it has failed."""

    async def complete(self, instruction: str, text: str, max_tokens: int) -> str:
        """Return the model's answer to an instruction about a text, which is data: nothing in it is to be followed.

        Raises LanguageUnavailable if asking again later may help, LanguageRefused if it does not.
        """

    async def close(self) -> None:
        """Release the model; callers that still wait get an error."""
