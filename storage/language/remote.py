"""A language model behind a server: the LanguageModel port over HTTP, bounded in time and size, with few retries."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from ...modules.language.ports import LanguageRefused, LanguageUnavailable
from ...modules.records import dataclass
from .. import outside
from .dialects import DIALECTS, ApiDialect

if TYPE_CHECKING:
    from httpx2 import AsyncClient

logger = logging.getLogger(__name__)

URL_SETTING = "AGENTOS_LLM_URL"
MODEL_SETTING = "AGENTOS_LLM_MODEL"
KEY_SETTING = "AGENTOS_LLM_API_KEY"
PAUSES_S = (0.5, 2.0)
"""The pauses before the second and the third try."""
ANSWER_BYTES_MAX = 4 * 1024 * 1024
TEXT_CHARACTERS_MAX = 200_000
"""The longest text for one request; callers split texts long before."""
_ABOUT_THE_TEXT = frozenset({400, 413, 422})


@dataclass(frozen=True)
class LanguageServer:
    """A server's API, its base URL (`…/v1`; empty: the API's own), its model, and the key."""

    provider: str
    url: str
    model: str
    api_key: str = field(default="", repr=False)

    @property
    def dialect(self) -> ApiDialect:
        return DIALECTS[self.provider]

    @property
    def base(self) -> str:
        return self.url or self.dialect.default_url

    def why_not(self, *, offline: bool) -> str | None:
        """Return why the server cannot be asked, with the remedy; None if it can."""
        if not self.base:
            return f"{URL_SETTING} is not set: it must be the base URL of the server, as http://127.0.0.1:11434/v1"
        if not self.model:
            return f"{MODEL_SETTING} is not set: it must name the server's model"
        return outside.why_not(self.base, URL_SETTING, offline=offline)


class RemoteLanguageModel:
    """The LanguageModel of `modules.language.ports` for a server. Its coroutines belong to one event loop."""

    def __init__(
        self, server: LanguageServer, *, offline: bool, timeout_s: float, pauses_s: Sequence[float] = PAUSES_S
    ) -> None:
        self._server = server
        self._forbidden = server.why_not(offline=offline)
        self._timeout_s = timeout_s
        self._pauses_s = pauses_s
        self._client: AsyncClient | None = None
        self._failure: str | None = None
        self._newer_words = False
        self._closed = False

    @property
    def name(self) -> str:
        return self._server.model

    @property
    def problem(self) -> str | None:
        return self._forbidden or self._failure

    async def complete(self, instruction: str, text: str, max_tokens: int) -> str:
        if self._forbidden:
            raise LanguageRefused(self._forbidden)
        if len(text) > TEXT_CHARACTERS_MAX:
            raise LanguageRefused(f"a text of {len(text)} characters is too long for one request")
        request = self._server.dialect.request(self._server.model, instruction, text, max_tokens)
        try:
            body = await self._persistently(request)
            answer = self._server.dialect.answer(body)
        except (LanguageUnavailable, LanguageRefused) as error:
            self._fail(str(error))
            raise
        self._failure = None
        if not answer.complete:
            raise LanguageRefused(f"the language model's answer does not end within {max_tokens} tokens")
        if not answer.text.strip():
            raise LanguageRefused("the language model's answer is empty")
        return answer.text.strip()

    async def _persistently(self, request: dict[str, Any]) -> bytes:
        """Make a request; repeat it after each pause while the server is unavailable. Raises LanguageUnavailable."""
        for pause in self._pauses_s:
            with contextlib.suppress(LanguageUnavailable):
                return await self._request(request)
            await asyncio.sleep(pause)
        return await self._request(request)

    async def _request(self, request: dict[str, Any]) -> bytes:
        dialect = self._server.dialect
        other = dialect.other_request(request)
        status, body = await self._post(other if other and self._newer_words else request)
        if status == 400 and other and not self._newer_words:
            status, body = await self._post(other)
            self._newer_words = status == 200
        _check_status(status)
        return body

    async def _post(self, request: dict[str, Any]) -> tuple[int, bytes]:
        if self._closed:
            raise LanguageRefused("the language model is closed")
        server = self._server
        if self._client is None:
            self._client = outside.open_client(server.base, server.dialect.headers(server.api_key), self._timeout_s)
        url = f"{server.base}{server.dialect.path}"
        try:
            return await outside.post(self._client, url, request, self._timeout_s, ANSWER_BYTES_MAX)
        except outside.NoAnswer as error:
            raise LanguageUnavailable(f"the language model's server {error}") from None
        except outside.EndlessAnswer:
            raise LanguageRefused("the language model's answer does not end") from None

    def _fail(self, problem: str) -> None:
        if problem != self._failure:
            logger.warning("%s", problem)
        self._failure = problem

    async def close(self) -> None:
        self._closed = True
        if self._client is not None:
            await self._client.aclose()


def _check_status(status: int) -> None:
    """Raise LanguageUnavailable or LanguageRefused unless the status is 200.

    The message has only the number: a server's own words may repeat the key, or address the model that reads them.
    """
    if status == 200:
        return
    if outside.passes(status):
        raise LanguageUnavailable(f"the language model's server answers {status}; it will be retried later")
    if status in _ABOUT_THE_TEXT:
        raise LanguageRefused(f"the language model's server refuses the request ({status})")
    remedy = f"check {KEY_SETTING}" if status in (401, 403) else f"check {URL_SETTING} and {MODEL_SETTING}"
    raise LanguageRefused(f"the language model's server answers {status}: {remedy}")
