"""One server, for `async` programs: requests of operations, again where that helps, and their answers."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
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


class AsyncConnection:
    """A server, asked with some options. Every method raises AgentOSError."""

    def __init__(self, options: Options, http: httpx.AsyncClient) -> None:
        self.options = options
        self._http = http

    def with_options(self, **changes: Any) -> "AsyncConnection":
        """Return one to the same server, with other options."""
        return AsyncConnection(replace(self.options, **changes), self._http)

    async def close(self) -> None:
        """Close what is open."""
        await self._http.aclose()

    async def call(self, operation: str, given: Mapping[str, Any], bundle: Bundle | None = None) -> Any:
        """Return what an operation answers."""
        return await self._retried(request_of(operation, given, self.options), bundle, self._answer)

    async def pages(self, operation: str, given: Mapping[str, Any]) -> AsyncIterator[Any]:
        """Yield the results of every page."""
        cursor: str | None = None
        while True:
            page = await self.call(operation, {**given, "cursor": cursor})
            for one in page["results"]:
                yield one
            before, cursor = cursor, page["next_cursor"]
            if cursor is None:
                return
            if cursor == before:
                raise UnexpectedAnswer("the pages go round in a circle", 200)

    async def stream(self, operation: str, given: Mapping[str, Any]) -> AsyncIterator[bytes]:
        """Yield the parts of a streamed answer."""
        async with aclosing(await self._retried(request_of(operation, given, self.options), None, _itself)) as response:
            try:
                async for part in response.aiter_bytes(CHUNK_BYTES):
                    yield part
            except httpx.RequestError as error:
                raise failure_of(error, self.options.url) from error

    async def follow(
        self, given: Mapping[str, Any], cursor: int | None, reconnect_for: float
    ) -> AsyncIterator[ChangeEvent]:
        """Yield events without end; a stream that was cut is gone on with where it was."""
        following = Following(cursor)
        while True:
            failure: AgentOSError | None = None
            try:
                async with aclosing(self._followed(given, following)) as events:
                    async for event in events:
                        yield event
            except AgentOSError as error:
                failure = error
            await asyncio.sleep(following.wait_after(failure, time.monotonic(), reconnect_for))

    async def _followed(self, given: Mapping[str, Any], following: Following) -> AsyncGenerator[ChangeEvent, None]:
        request = request_of("stream_events", {**given, "cursor": following.cursor}, self.options)
        async with aclosing(await self._sent(request, None, SILENT_S)) as response:
            following.connected()
            lines = Lines()
            try:
                async for part in response.aiter_bytes():
                    for line in lines.take(part):
                        if event := following.take(line):
                            yield event
            except httpx.RequestError as error:
                raise failure_of(error, self.options.url) from error

    async def _retried(
        self, request: Request, bundle: Bundle | None, read: Callable[[httpx.Response], Awaitable[T]]
    ) -> T:
        options, attempt = self.options, 0
        while True:
            try:
                return await read(await self._sent(request, bundle, options.timeout))
            except AgentOSError as error:
                repeatable = request.operation.repeatable
                wait = wait_before(
                    error, attempt, repeatable=repeatable, retries=options.retries, max_wait=options.max_wait
                )
                if wait is None:
                    raise
            await asyncio.sleep(wait)
            attempt += 1

    async def _sent(self, request: Request, bundle: Bundle | None, silent_s: float) -> httpx.Response:
        content = _parts(bundle) if isinstance(bundle, Path) else bundle if bundle is not None else request.body
        built = self._http.build_request(
            request.operation.method, request.url, headers=dict(request.headers), content=content, timeout=silent_s
        )
        try:
            response = await self._http.send(built, stream=True, follow_redirects=False)
        except httpx.RequestError as error:
            raise failure_of(error, self.options.url) from error
        if response.is_success:
            return response
        body = await self._body(response, MOST_BYTES_OF_A_PROBLEM)
        raise refusal_of(response.status_code, response.headers, body, self.options.url)

    async def _answer(self, response: httpx.Response) -> Any:
        return answer_of(response.status_code, await self._body(response, MOST_BYTES))

    async def _body(self, response: httpx.Response, most: int) -> bytes:
        parts, size = [], 0
        async with aclosing(response):
            try:
                async for part in response.aiter_bytes():
                    size += len(part)
                    if size > most:
                        raise UnexpectedAnswer(f"the answer has more than {most} bytes", response.status_code)
                    parts.append(part)
            except httpx.RequestError as error:
                raise failure_of(error, self.options.url) from error
        return b"".join(parts)


async def _itself(response: httpx.Response) -> httpx.Response:
    return response


async def _parts(path: Path) -> AsyncIterator[bytes]:
    file = await asyncio.to_thread(path.open, "rb")
    try:
        while part := await asyncio.to_thread(file.read, CHUNK_BYTES):
            yield part
    finally:
        await asyncio.to_thread(file.close)
