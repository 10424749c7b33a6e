"""Calls to a server on another machine (AGENTOS_URL, AGENTOS_KEY): MCP over HTTP, one request a call."""

import http.client
import json
import ssl
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlsplit

from ... import config
from ...modules.errors import cause
from .outcome import CommandFailure, ExitCode

MAX_ANSWER_BYTES = 32 * 2**20
WAIT_S = 60.0
OF_STATUS = {401: ExitCode.REFUSED, 403: ExitCode.REFUSED, 429: ExitCode.UNAVAILABLE}


class RemoteWire:
    """Sends JSON-RPC requests to a server by HTTP; each stands for itself."""

    def __init__(self, settings: config.Settings, toolsets: Sequence[str], protocol: str) -> None:
        parts = urlsplit(settings.url)
        self._url = settings.url
        self._host, self._port, self._tls = parts.hostname or "", parts.port, parts.scheme == "https"
        self._path = f"{parts.path.rstrip('/')}/mcp?toolsets={quote(','.join(toolsets))}"
        self._headers = {
            "Authorization": f"Bearer {settings.key.get_secret_value()}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": protocol,
        }

    def request(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request. Raises CommandFailure where there is none, naming the server."""
        connection = self._connection()
        try:
            connection.request("POST", self._path, json.dumps(message), self._headers)
            response = connection.getresponse()
            body = response.read(MAX_ANSWER_BYTES)
        except (OSError, http.client.HTTPException) as error:
            raise CommandFailure(f"{self._url} does not answer: {cause(error)}", ExitCode.UNAVAILABLE) from error
        finally:
            connection.close()
        try:
            answer = json.loads(body)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise CommandFailure(
                f"{self._url} is not an AgentOS server: it answered {response.status}", ExitCode.UNAVAILABLE
            )
        if "jsonrpc" not in answer:
            detail = answer.get("detail", f"it answered {response.status}")
            outcome = OF_STATUS.get(response.status, ExitCode.UNAVAILABLE)
            raise CommandFailure(f"{self._url}: {detail}", outcome, str(answer.get("code", outcome.word)))
        return answer

    def _connection(self) -> http.client.HTTPConnection:
        if self._tls:
            return http.client.HTTPSConnection(
                self._host, self._port, timeout=WAIT_S, context=ssl.create_default_context()
            )
        return http.client.HTTPConnection(self._host, self._port, timeout=WAIT_S)
