"""One server, for programs without `async`: requests of operations, again where that helps, and their answers."""
# Written by packaging/write_sdk.py from async_connection.py: do not edit.

import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import httpx

from .errors import AgentOSError, UnexpectedAnswer
from .events import SILENT_S, ChangeEvent, Following
from .lines import Lines
from .options import Options
from .retries import wait_before
from .transport import CHUNK_BYTES, MOST_BYTES_OF_A_PROBLEM, Bundle, failure_of
from .wire import MOST_BYTES, Request, answer_of, refusal_of, request_of

T = TypeVar("T")


class Connection:
    """A server, asked with some options. Every method raises AgentOSError."""

    def __init__(self, options: Options, http: httpx.Client) -> None:
        self.options = options
        self._http = http

    def with_options(self, **changes: Any) -> "Connection":
        """Return one to the same server, with other options."""
        return Connection(replace(self.options, **changes), self._http)

    def close(self) -> None:
        """Close what is open."""
        self._http.close()

    def call(self, operation: str, given: Mapping[str, Any], bundle: Bundle | None = None) -> Any:
        """Return what an operation answers."""
        return self._retried(request_of(operation, given, self.options), bundle, self._answer)

    def pages(self, operation: str, given: Mapping[str, Any]) -> Iterator[Any]:
        """Yield the results of every page."""
        cursor: str | None = None
        while True:
            page = self.call(operation, {**given, "cursor": cursor})
            yield from page["results"]
            before, cursor = cursor, page["next_cursor"]
            if cursor is None:
                return
            if cursor == before:
                raise UnexpectedAnswer("the pages go round in a circle", 200)

    def stream(self, operation: str, given: Mapping[str, Any]) -> Iterator[bytes]:
        """Yield the parts of a streamed answer."""
        with closing(self._retried(request_of(operation, given, self.options), None, _itself)) as response:
            try:
                yield from response.iter_bytes(CHUNK_BYTES)
            except httpx.RequestError as error:
                raise failure_of(error, self.options.url) from error

    def follow(self, given: Mapping[str, Any], cursor: int | None, reconnect_for: float) -> Iterator[ChangeEvent]:
        """Yield events without end; a stream that was cut is gone on with where it was."""
        following = Following(cursor)
        while True:
            failure: AgentOSError | None = None
            try:
                with closing(self._followed(given, following)) as events:
                    yield from events
            except AgentOSError as error:
                failure = error
            time.sleep(following.wait_after(failure, time.monotonic(), reconnect_for))

    def _followed(self, given: Mapping[str, Any], following: Following) -> Generator[ChangeEvent, None, None]:
        request = request_of("stream_events", {**given, "cursor": following.cursor}, self.options)
        with closing(self._sent(request, None, SILENT_S)) as response:
            following.connected()
            lines = Lines()
            try:
                for part in response.iter_bytes():
                    for line in lines.take(part):
                        if event := following.take(line):
                            yield event
            except httpx.RequestError as error:
                raise failure_of(error, self.options.url) from error

    def _retried(self, request: Request, bundle: Bundle | None, read: Callable[[httpx.Response], T]) -> T:
        options, attempt = self.options, 0
        while True:
            try:
                return read(self._sent(request, bundle, options.timeout))
            except AgentOSError as error:
                repeatable = request.operation.repeatable
                wait = wait_before(
                    error, attempt, repeatable=repeatable, retries=options.retries, max_wait=options.max_wait
                )
                if wait is None:
                    raise
            time.sleep(wait)
            attempt += 1

    def _sent(self, request: Request, bundle: Bundle | None, silent_s: float) -> httpx.Response:
        content = _parts(bundle) if isinstance(bundle, Path) else bundle if bundle is not None else request.body
        built = self._http.build_request(
            request.operation.method, request.url, headers=dict(request.headers), content=content, timeout=silent_s
        )
        try:
            response = self._http.send(built, stream=True, follow_redirects=False)
        except httpx.RequestError as error:
            raise failure_of(error, self.options.url) from error
        if response.is_success:
            return response
        body = self._body(response, MOST_BYTES_OF_A_PROBLEM)
        raise refusal_of(response.status_code, response.headers, body, self.options.url)

    def _answer(self, response: httpx.Response) -> Any:
        return answer_of(response.status_code, self._body(response, MOST_BYTES))

    def _body(self, response: httpx.Response, most: int) -> bytes:
        parts, size = [], 0
        with closing(response):
            try:
                for part in response.iter_bytes():
                    size += len(part)
                    if size > most:
                        raise UnexpectedAnswer(f"the answer has more than {most} bytes", response.status_code)
                    parts.append(part)
            except httpx.RequestError as error:
                raise failure_of(error, self.options.url) from error
        return b"".join(parts)


def _itself(response: httpx.Response) -> httpx.Response:
    return response


def _parts(path: Path) -> Iterator[bytes]:
    file = path.open("rb")
    try:
        while part := file.read(CHUNK_BYTES):
            yield part
    finally:
        file.close()
