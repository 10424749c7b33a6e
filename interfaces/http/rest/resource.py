"""From a request to an operation and back: arguments out of path, query and body; JSON, ETag and streams out."""

import asyncio
import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl

import pydantic_core
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute
from starlette.routing import Route as StarletteRoute
from starlette.types import Receive, Scope, Send

from ....modules import offload
from ....modules.errors import AgentOSError, Conflict, InvalidInput
from ....modules.principals.models import RequestKey
from ....tools.bound import ECHOES
from ..auth import caller_of
from ..problems import RETRY_AFTER_S, Problem, problem_of
from .once import HEADER, Asker
from .operations import Behind, Operation, OperationRequest, Stream
from .route import PREFIX, Route, Table
from .routes import ROUTES
from .wording import RouteWords

REQUEST_WITHIN_S = 60.0
MAX_QUERY_FIELDS = 200
WITH_BODY = ("POST", "PUT", "PATCH")
_ETAG = re.compile(r'"?(\d{1,18})"?', re.ASCII)
"""The quotes of an ETag get lost on some ways."""


class RouteMethod:
    """One route, ready to be called."""

    def __init__(self, route: Route, operation: Operation, words: RouteWords) -> None:
        self.route = route
        self._words = words
        self.operation = operation

    @cached_property
    def _lists(self) -> Collection[str]:
        """The arguments that are lists: a query names each entry by itself."""
        schema = self.operation.model.model_json_schema()
        return {name for name, one in schema["properties"].items() if _may_be_list(one)}

    async def answer(self, request: Request, asked: OperationRequest) -> Response:
        """Do what the route does. Raises Problem, AgentOSError."""
        given = {**self.route.defaults, **await self._given(request)}
        for name, value in request.path_params.items():
            if name in given:
                raise InvalidInput(name, "is already in the path; leave it out of the query and the body")
            given[name] = value
        matched = self._matched(request.headers, given)
        try:
            async with asyncio.timeout(REQUEST_WITHIN_S):
                answer = await self.operation.run(asked, given)
        except TimeoutError:
            raise Problem("overloaded", "it took too long; try again", retry_after=str(RETRY_AFTER_S)) from None
        except Conflict as error:
            if matched:
                raise Problem("precondition_failed", await ECHOES.text(self._words.of(str(error)))) from error
            raise
        if isinstance(answer.content, Stream):
            stream = answer.content
            return StreamingResponse(stream.chunks, stream.status, stream.headers, stream.media_type)
        return await self._response(request.headers, answer.content)

    async def _given(self, request: Request) -> dict[str, Any]:
        query = self._queried(request.url.query)
        has_body = request.method in WITH_BODY or self.route.sends
        if not has_body or self.operation.takes_body:
            return query
        body = await request.body()
        if not body:
            return query
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Problem("unsupported_media_type", "send the arguments as application/json")
        sent = await offload.read(len(body), _json, body)
        if both := next((name for name in query if name in sent), None):
            raise InvalidInput(both, "is in both the query and the body; give it once")
        return {**query, **sent}

    def _queried(self, query: str) -> dict[str, Any]:
        try:
            pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=MAX_QUERY_FIELDS, errors="strict")
        except ValueError:
            raise InvalidInput("query", f"must be UTF-8 with at most {MAX_QUERY_FIELDS} fields") from None
        given: dict[str, Any] = {}
        for name, value in pairs:
            if name in self._lists:
                given.setdefault(name, []).append(value)
            elif name in given:
                raise InvalidInput(name, "is given twice")
            else:
                given[name] = value
        return given

    def _matched(self, headers: Headers, given: dict[str, Any]) -> bool:
        """Take the version out of If-Match, for routes that change what has one; return whether there is one.

        Raises InvalidInput where it cannot be heeded: what would only be done on a condition is not done without it.
        """
        wanted = headers.get("if-match")
        if wanted is None or self.route.method == "GET" or wanted == "*":
            return False
        if not self.route.versioned:
            raise InvalidInput("If-Match", "is not supported by this route; leave it out")
        found = _ETAG.fullmatch(wanted)
        if found is None:
            raise InvalidInput("If-Match", "must be an ETag of this record, or *")
        if "version" in given:
            raise InvalidInput("version", "is in both If-Match and the request; give it once")
        given["version"] = int(found[1])
        return True

    async def _response(self, headers: Headers, content: Any) -> Response:
        response_headers: dict[str, str] = {}
        if self.route.tells_version:
            response_headers["etag"] = f'"{content["version"]}"'
            if self.route.method == "GET" and _is_among(response_headers["etag"], headers.get("if-none-match", "")):
                return Response(status_code=304, headers=response_headers)
        body = await offload.read(offload.size(content), _dumped, content)
        return Response(body, self.route.status, response_headers, "application/json")


class Resource:
    """One path with its methods."""

    def __init__(self, path: str, methods: Sequence[RouteMethod], behind: Behind, words: RouteWords) -> None:
        self._words = words
        self._path = path  # with its prefix: what its requests are counted under
        self._methods: Mapping[str, RouteMethod] = {method.route.method: method for method in methods}
        self._behind = behind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request. Raises Problem, AgentOSError."""
        scope["state"]["route"] = self._path
        wanted = "GET" if scope["method"] == "HEAD" else scope["method"]
        method = self._methods.get(wanted)
        if method is None or (scope["method"] == "HEAD" and method.operation.streams):
            allowed = ", ".join(sorted(self._methods))
            raise Problem("method_not_allowed", f"this path accepts only {allowed}", allow=allowed)
        state = scope["state"]
        with ExitStack() as closing:
            headers, caller = Headers(scope=scope), caller_of(scope)
            asked = OperationRequest(self._behind, caller, state["key"], headers, receive, state["renew"], closing)
            try:
                response = await self._once(method, Request(scope, receive), asked)
            except AgentOSError as error:
                raise problem_of(error, await ECHOES.text(self._words.of(str(error)))) from error
            await response(scope, receive, send)

    async def _once(self, method: RouteMethod, request: Request, asked: OperationRequest) -> Response:
        key = request.headers.get(HEADER)
        if key is None or method.route.method != "POST" or not method.operation.changes:
            return await method.answer(request, asked)
        content = request.url.path.encode() + b"?" + request.url.query.encode() + b"\n" + await request.body()
        agentos = await asked.agentos()
        named = RequestKey(key, hashlib.sha256(content).digest(), agentos.clock())
        keyed = replace(asked, caller=replace(asked.caller, request_key=named))

        async def work() -> Response:
            if await agentos.requests.came_before(asked.caller.principal, named) and not method.operation.repeatable:
                raise Conflict("this request was already carried out; read the result")
            return await method.answer(request, keyed)

        return await self._behind.once.answer(Asker(request.state.credential, asked.caller), named, work)


def resources(routes: Table, behind: Behind, prefix: str = PREFIX, named: Sequence[Route] = ROUTES) -> list[BaseRoute]:
    """Return the table as routes of Starlette, fixed paths before those with parameters.

    `named` are those that messages may name.
    """
    words = RouteWords(named)
    paths: dict[str, list[RouteMethod]] = {}
    for route, operation in routes:
        paths.setdefault(prefix + route.path, []).append(RouteMethod(route, operation, words))
    ordered = sorted(paths.items(), key=lambda one: [part.startswith("{") for part in one[0].split("/")])
    return [StarletteRoute(path, Resource(path, methods, behind, words)) for path, methods in ordered]


def _is_among(etag: str, listed: str) -> bool:
    """Return whether an ETag is in a list; proxies that compress mark theirs as weak, which is the same to a cache."""
    given = [one.strip().removeprefix("W/") for one in listed.split(",")]
    return etag in given or given == ["*"]


def _json(body: bytes) -> dict[str, Any]:
    try:
        value = pydantic_core.from_json(body, allow_inf_nan=False, cache_strings="none")
    except ValueError:
        raise InvalidInput("body", "is not JSON, or nests too deeply") from None
    if not isinstance(value, dict):
        raise InvalidInput("body", "must be an object with the arguments")
    return value


def _dumped(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _may_be_list(schema: Mapping[str, Any]) -> bool:
    return schema.get("type") == "array" or any(_may_be_list(one) for one in schema.get("anyOf", ()))
