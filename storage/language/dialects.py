"""The HTTP APIs of language models: OpenAI-compatible chat completions, and Anthropic's messages."""

import json
from collections.abc import Mapping
from typing import Any, Protocol

from ...modules.language.ports import LanguageRefused
from ...modules.records import dataclass

ANTHROPIC_VERSION = "2023-06-01"


@dataclass(frozen=True)
class ModelAnswer:
    """A model's answer, and whether it is complete, not cut off at the token limit."""

    text: str
    complete: bool


class ApiDialect(Protocol):
    """The differences between the APIs."""

    path: str
    default_url: str

    def headers(self, api_key: str) -> Mapping[str, str]:
        """Return the headers of each request."""

    def request(self, model: str, instruction: str, text: str, max_tokens: int) -> dict[str, Any]:
        """Return the body of a request."""

    def other_request(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """Return the request with newer field names, for servers that refuse the first; None where there are none."""

    def answer(self, body: bytes) -> ModelAnswer:
        """Return the answer in a body. Raises LanguageRefused if the model declines, or the body is of another API."""


class ChatCompletions:
    """The API of OpenAI, which Ollama, LM Studio, llama.cpp and vLLM serve too."""

    path = "/chat/completions"
    default_url = ""

    def headers(self, api_key: str) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {api_key}"} if api_key else {}

    def request(self, model: str, instruction: str, text: str, max_tokens: int) -> dict[str, Any]:
        messages = [{"role": "system", "content": instruction}, {"role": "user", "content": text}]
        return {"model": model, "messages": messages, "max_tokens": max_tokens, "stream": False}

    def other_request(self, request: dict[str, Any]) -> dict[str, Any] | None:
        rest = {name: value for name, value in request.items() if name != "max_tokens"}
        return {**rest, "max_completion_tokens": request["max_tokens"]}

    def answer(self, body: bytes) -> ModelAnswer:
        choice = _found(body, lambda content: content["choices"][0])
        reason = choice.get("finish_reason")
        message = choice.get("message")
        refusal = message.get("refusal") if isinstance(message, dict) else None
        if refusal or reason == "content_filter":
            raise LanguageRefused("the language model declined the text")
        text = message.get("content") if isinstance(message, dict) else None
        if not isinstance(text, str | None):
            raise LanguageRefused(_FOREIGN)
        return ModelAnswer(text or "", reason != "length")


class AnthropicMessages:
    """The API of Anthropic."""

    path = "/messages"
    default_url = "https://api.anthropic.com/v1"

    def headers(self, api_key: str) -> Mapping[str, str]:
        version = {"anthropic-version": ANTHROPIC_VERSION}
        return {**version, "x-api-key": api_key} if api_key else version

    def request(self, model: str, instruction: str, text: str, max_tokens: int) -> dict[str, Any]:
        messages = [{"role": "user", "content": text}]
        return {"model": model, "system": instruction, "messages": messages, "max_tokens": max_tokens}

    def other_request(self, request: dict[str, Any]) -> dict[str, Any] | None:
        return None

    def answer(self, body: bytes) -> ModelAnswer:
        content = _found(body, lambda content: content)
        blocks, reason = content.get("content"), content.get("stop_reason")
        if reason == "refusal":
            raise LanguageRefused("the language model declined the text")
        if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
            raise LanguageRefused(_FOREIGN)
        texts = [block.get("text") for block in blocks if block.get("type") == "text"]
        if not all(isinstance(text, str) for text in texts):
            raise LanguageRefused(_FOREIGN)
        return ModelAnswer("".join(map(str, texts)), reason != "max_tokens")


_FOREIGN = "what answers at AGENTOS_LLM_URL does not speak the API of AGENTOS_LLM_PROVIDER"


def _found(body: bytes, look: Any) -> dict[str, Any]:
    """Return the object that `look` finds in a JSON body. Raises LanguageRefused where there is none."""
    try:
        found = look(json.loads(body))
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        raise LanguageRefused(_FOREIGN) from None
    if not isinstance(found, dict):
        raise LanguageRefused(_FOREIGN)
    return found


DIALECTS: Mapping[str, ApiDialect] = {"openai": ChatCompletions(), "anthropic": AnthropicMessages()}
