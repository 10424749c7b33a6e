"""The gateway as an ASGI application: requests to providers pass through it, and memory looks on."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Iterable, MutableMapping
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import unquote, unquote_plus

from ....modules.errors import InvalidInput
from ....modules.rules.policy import RuleVerdict
from ....modules.tracing import span
from ..modes import CONFIRM, Mode, Wish, wished
from ..replies import AnswerListener
from ..requests import Dialect
from .access import DIRECT, ClientAccess, ClientRefused, ClientTerms, access_of, check_one_key, credentials
from .budgets import Budgets
from .budgets import BudgetStanding as BudgetStanding
from .coding import READ
from .configuration import GEMINI, Configuration
from .interruption import Interruptible
from .learning import Learning
from .model_list import ModelList
from .remembering import PreparedRequest, Remembering
from .revocation import Revocation
from .routes import Ambiguous, ProxyRoute, route_of
from .upstream import Body, Call, ProviderAnswer, Unreachable, Upstream, is_local
from .wire import Gone, RawHeaders, Receive, Scope, Send, body_of, named, passed_on, problem, tell, until_gone

_NO_SOCKETS = "the gateway does not pass WebSockets, where rules cannot be enforced: use HTTP"
_BLINDLY = "what it runs is not in the request"

log = logging.getLogger(__name__)


class Gateway:
    """The application. It answers what is a provider's with the provider's answer, byte for byte."""

    def __init__(
        self,
        remembering: Remembering,
        learning: Learning,
        upstream: Upstream,
        configuration: Configuration,
        standing: ClientTerms,
        *,
        is_local_only: bool = True,
        model_list: ModelList | None = None,
        costs: Learning | None = None,
        budgets: Budgets | None = None,
        revocation: Revocation | None = None,
    ) -> None:
        """Prepare the application. If it `is_local_only`, it is asked under the names of this machine alone.

        With a `model_list`, providers are asked how much unknown models read. `costs` is the queue of what was spent,
        which does not wait for what is learnt, `budgets` knows what keys may spend, and `revocation` which
        were taken away.
        """
        self._remembering = remembering
        self._learning = learning
        self._upstream = upstream
        self._configuration = configuration
        self._standing = standing
        self._is_local_only = is_local_only
        self._model_list = model_list
        self._costs = costs or learning
        self._budgets = budgets
        self._revocation = revocation

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            with contextlib.suppress(Gone), span("gateway", {"http.request.method": scope["method"]}):
                await self._answer(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "the gateway speaks HTTP"})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = named(scope["headers"])
        path = scope.get("raw_path") or scope["path"].encode()
        if headers.get("upgrade", "").lower() == "websocket":
            await tell(send, 426, problem("", "upgrade_refused", _NO_SOCKETS), [(b"upgrade", b"HTTP/1.1")])
            return
        if not self._is_meant(headers):
            await tell(send, 403, problem("", "forbidden", "the gateway accepts requests only for its own address"))
            return
        try:
            route = route_of(scope["method"], path, scope.get("query_string", b""))
        except Ambiguous as error:
            await tell(send, 400, problem("", "invalid_request_error", str(error)))
            return
        if route is None:
            await tell(send, *self._other(scope["method"], path))
            return
        if route.provider == GEMINI and self._configuration.keys and "x-goog-api-key" not in headers:
            route, headers["x-goog-api-key"] = _with_key_apart(route)
        if self._configuration.keys:
            route = _without_own_keys(route, self._configuration)
        try:
            check_one_key(scope["headers"], self._configuration)
            access = access_of(headers, route.provider, self._configuration, self._standing)
            if access.name != DIRECT and self._revocation and await self._revocation.has_taken(access.name):
                raise ClientRefused(_taken(access.name))
            wish = wished(access.wish, headers, may_control=access.client_control)
        except ClientRefused as refusal:
            await tell(send, 401, problem(route.provider, "authentication_error", str(refusal)))
            return
        except InvalidInput as error:
            await tell(send, 400, problem(route.provider, "invalid_request_error", str(error)))
            return
        if route.dialect is Dialect.COMPLETIONS:
            wish = replace(wish, mode=Mode.OFF)  # a text to go on with is not a conversation: rules alone look at it
        budget = await self._budgets.of(access.name) if self._budgets and route.dialect else BudgetStanding()
        if budget.is_stopped:
            about = f"the budget of the key {access.name} is spent ({budget.words}), as gateway.toml has it"
            await tell(send, 402, problem(route.provider, "budget_spent", about), _budget_header(budget))
            return
        await self._pass(scope, receive, _with_headers(send, _budget_header(budget)), route, access, wish)

    def _is_meant(self, headers: dict[str, str]) -> bool:
        """Return whether the request is for the gateway's own address and not from a web page."""
        host = headers.get("host", "").rpartition(":")[0] or headers.get("host", "")
        return "origin" not in headers and (is_local(host.lower()) or not self._is_local_only)

    def _other(self, method: str, path: bytes) -> tuple[int, dict[str, Any]]:
        if method == "GET" and path == b"/health":
            return 200, {"status": "ok", "memory": self._remembering.state}
        hint = (
            "the base URL is /proxy/openai/v1 for OpenAI's form, /proxy/anthropic for Anthropic's, /proxy/gemini, "
            "and /proxy/ollama"
        )
        return 404, problem("", "not_found", hint)

    async def _pass(
        self, scope: Scope, receive: Receive, send: Send, route: ProxyRoute, access: ClientAccess, wish: Wish
    ) -> None:
        body = await body_of(receive)
        answer = Interruptible(send, route.provider)
        passing = asyncio.ensure_future(self._passed(scope, answer.send, route, access, wish, body))
        # What streams is still read from `receive` by whoever sends it on; it ends with its client.
        waiting = {passing} if not isinstance(body, bytes) else {passing, asyncio.ensure_future(until_gone(receive))}
        taken = asyncio.ensure_future(self._taken(access.name))
        waiting.add(taken)
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                if not task.done():
                    task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
        if passing.cancelled() and not taken.cancelled():
            with contextlib.suppress(TimeoutError):
                await answer.interrupt(401, "authentication_error", _taken(access.name))
        if not passing.cancelled() and (error := passing.exception()) is not None:
            raise error

    async def _taken(self, name: str) -> None:
        """Return once a key is taken away, which ends what is answered to it."""
        if self._revocation is None or name == DIRECT:
            await asyncio.Event().wait()
        else:
            await self._revocation.taken(name)

    async def _passed(
        self, scope: Scope, send: Send, route: ProxyRoute, access: ClientAccess, wish: Wish, body: Body
    ) -> None:
        prepared = await self._prepared(route, body, _coding(scope), access, wish)
        if prepared is not None:
            if prepared.is_refused:
                await self._refuse(send, route, access, prepared)
                return
            body = prepared.body if prepared.is_changed else body
        headers = _sent(_without_held_keys(scope["headers"], self._configuration), route, access, prepared)
        call = Call(route.provider, scope["method"], route.target, headers, body, access.name)
        own_headers = [
            (name.encode(), value.encode()) for name, value in (prepared.headers if prepared else {}).items()
        ]
        try:
            answered = await self._upstream.send(call)
        except Unreachable as error:
            await tell(send, 502, problem(route.provider, "upstream_unreachable", str(error)), own_headers)
            return
        if answered.by_fallback:
            own_headers.append((b"x-memory-upstream", b"fallback"))
        if self._model_list is not None and prepared is not None and prepared.request is not None:
            self._model_list.seek(route.provider, prepared.request.model, call.headers)
        await self._relay(send, answered, route, access, prepared, wish, own_headers)

    async def _prepared(
        self, route: ProxyRoute, body: Body, coding: str, access: ClientAccess, wish: Wish
    ) -> PreparedRequest | None:
        """Return what memory and rules make of a request; None for what holds no words to a model that acts."""
        if route.is_unseen:
            return await self._remembering.unseen(b"", _BLINDLY, access, wish)
        if route.dialect is None and not route.orders:
            return None
        if not isinstance(body, bytes):
            return await self._remembering.unseen(b"", "it is too long to be checked", access, wish)
        if route.dialect is None:
            return await self._remembering.looked_at(body, coding, access, wish)
        return await self._remembering.prepared(
            route.dialect, body, coding, access, wish, counts=route.counts, model=route.model, streams=route.streams
        )

    async def _relay(
        self,
        send: Send,
        answered: ProviderAnswer,
        route: ProxyRoute,
        access: ClientAccess,
        prepared: PreparedRequest | None,
        wish: Wish,
        own_headers: RawHeaders,
    ) -> None:
        """Pass an answer on as it comes, and listen to it: each piece is on its way before it is looked at."""
        response = answered.response
        listener = None
        listens = route.dialect not in (None, Dialect.COMPLETIONS) and not route.counts
        if prepared and prepared.request and route.dialect and listens and response.status_code < 300:
            is_stream = response.headers.get("content-type", "").startswith("text/event-stream")
            if response.headers.get("content-encoding", "identity") == "identity":
                listener = AnswerListener(route.dialect, streams=is_stream)
        try:
            headers = [*passed_on((name.lower(), value) for name, value in response.headers.raw), *own_headers]
            await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
            async for chunk in _pieces(response):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
                if listener is not None:
                    listener.feed(chunk)
            await send({"type": "http.response.body", "body": b""})
        finally:
            if listener is not None and prepared is not None:
                self._note(listener, prepared, access, wish)
            await asyncio.shield(response.aclose())

    def _note(self, listener: AnswerListener, prepared: PreparedRequest, access: ClientAccess, wish: Wish) -> None:
        """Hand over what an answer leaves: to memory where the mode says so, its tokens in any case."""
        reply = listener.finish()
        exchange = self._remembering.exchange(prepared, access, wish, reply) if wish.mode.stores else None
        if exchange is not None:
            self._learning.put(partial(dict, exchange), self._remembering.doubt(prepared, access))
        self._costs.put(partial(self._remembering.spent, prepared, access, reply))

    async def _refuse(self, send: Send, route: ProxyRoute, access: ClientAccess, prepared: PreparedRequest) -> None:
        finding = prepared.finding
        rule = finding.rule.text[:300] if finding.rule else ""
        about = f"a rule of this memory's owner forbids it ({finding.action}): {rule}"
        headers = [(name.encode(), value.encode()) for name, value in prepared.headers.items()]
        if prepared.unseen:
            about = f"this memory's owner has rules, which cannot be checked for this request: {prepared.unseen}"
            headers.append((b"accept-encoding", READ.encode()))
            await tell(send, 415, problem(route.provider, "policy_unseen", about), headers)
            return
        if finding.verdict is RuleVerdict.BLOCK:
            await tell(send, 403, problem(route.provider, "policy_blocked", about), headers)
            return
        remedy = f"{about}; send it again with the header {CONFIRM}: {prepared.confirmation}"
        if not access.client_control:
            remedy = f"{about}; it needs a confirmation, which this gateway's clients may not give (client_control)"
        content = problem(route.provider, "policy_confirmation_required", remedy, confirm=prepared.confirmation)
        await tell(send, 428, content, headers)


def _taken(name: str) -> str:
    return f"the key {name} is no longer in gateway.toml"


def _budget_header(budget: BudgetStanding) -> RawHeaders:
    return [(b"x-memory-budget", budget.words.encode())] if budget.words else []


def _with_headers(send: Send, headers: RawHeaders) -> Send:
    """Return a `send` that adds headers to an answer's."""

    async def added(message: MutableMapping[str, Any]) -> None:
        if headers and message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *headers]}
        await send(message)

    return added


async def _pieces(response: Any) -> AsyncIterator[bytes]:
    """Yield the pieces of an answer, as they came. Raises Gone where it breaks off: its client is dropped then."""
    import httpx2

    try:
        async for chunk in response.aiter_raw():
            if chunk:
                yield chunk
    except httpx2.TransportError as error:
        log.warning("a provider's answer breaks off: %s", type(error).__name__)
        raise Gone from None


def _coding(scope: Scope) -> str:
    return b",".join(value for name, value in scope["headers"] if name.lower() == b"content-encoding").decode("latin-1")


def _with_key_apart(route: ProxyRoute) -> tuple[ProxyRoute, str]:
    """Return a route without the key that Gemini takes in a query, and that key."""
    path, mark, query = route.target.partition(b"?")
    found = [one for one in query.split(b"&") if one.startswith(b"key=")]
    rest = b"&".join(one for one in query.split(b"&") if one not in found)
    target = path + (mark + rest if rest else b"")
    return replace(route, target=target), unquote(found[0][4:].decode("latin-1")) if found else ""


def _without_held_keys(headers: Iterable[tuple[bytes, bytes]], configuration: Configuration) -> RawHeaders:
    """Return headers without those that hold a key of ours, wherever a client has put it."""
    ours = [one.key.get_secret_value().encode() for one in configuration.keys]
    return [(name, value) for name, value in headers if not any(key in value for key in ours)]


def _without_own_keys(route: ProxyRoute, configuration: Configuration) -> ProxyRoute:
    """Return a route without what has a key of ours in its query, which is nobody else's to know."""
    path, _, query = route.target.partition(b"?")
    parts = query.split(b"&")
    kept = [one for one in parts if configuration.key(unquote_plus(one.partition(b"=")[2].decode("latin-1"))) is None]
    return route if len(kept) == len(parts) else replace(route, target=b"?".join(filter(None, (path, b"&".join(kept)))))


def _sent(given: RawHeaders, route: ProxyRoute, access: ClientAccess, prepared: PreparedRequest | None) -> RawHeaders:
    """Return the headers for the provider: the client's, with the length and the key as they are now."""
    without = [b"host"]
    listens = prepared is not None and prepared.request is not None
    if listens:
        without.append(b"accept-encoding")  # a compressed answer could not be listened to
    if prepared is not None and prepared.is_changed:
        without += [b"content-length", b"content-encoding"]
    if access.upstream_key is not None:
        without += [b"authorization", b"x-api-key", b"api-key", b"x-goog-api-key", b"cookie"]
    headers = passed_on(given, *without)
    if listens:
        headers.append((b"accept-encoding", b"identity"))
    if access.upstream_key is not None:
        headers += credentials(route.provider, access.upstream_key)
    return headers
