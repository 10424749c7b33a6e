"""Asking the user in the result of a call, which the client answers by calling again: the newer protocol alone.

What is asked about is stored long before, and stays open if no answer comes.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import mcp.types as types
from mcp.server import ServerRequestContext

from ..modules import abilities
from ..modules.apps import ASKS, SETTLES, Form, Forms
from ..modules.principals.models import Caller
from .bound import BoundTool, Opener
from .calling import Result, answered
from .shown import capabilities_of

ANSWER_WITHIN_S = 600
"""How long after a question its answer still counts: later the memories may be about something else."""
MAX_STATE_CHARS = 2_000
LATE = "The answer came too late and settled nothing."
UNANSWERED = "The user did not answer: what is open stays open."


def may_be_asked(context: ServerRequestContext[Any, Any]) -> bool:
    """Return whether a message came from a client that answers questions in results, and takes forms."""
    is_modern = types.PROTOCOL_VERSION_META_KEY in (context.meta or {})
    return is_modern and abilities.takes_forms(capabilities_of(context))


class AskingCall:
    """The call that lists what is open and asks the user about it."""

    def __init__(
        self, forms: Forms, tools: Mapping[str, BoundTool], opener: Opener, caller: Caller, client: str
    ) -> None:
        self._forms = forms
        self._tools = tools
        self._opener = opener
        self._caller = caller
        self._client = client

    async def answer(
        self, given: dict[str, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Ask, or where the answers have come settle what they say; return what is open then."""
        done: list[str] = []
        if params.request_state is not None or params.input_responses:
            done = await self._settle(given, params)
        result = await self._call(ASKS, given)
        if result["isError"]:
            return types.CallToolResult.model_validate(result)
        if not done and (forms := await self._open(given, result)):
            return types.InputRequiredResult(
                input_requests={str(at): _request(form) for at, form in enumerate(forms)},
                request_state=json.dumps([int(await self._now()), *(_name(form) for form in forms)]),
            )
        text, structured = result["content"][0]["text"], result["structuredContent"]
        content = [{"type": "text", "text": "\n".join([*done, text])}]
        structured = {**structured, "hints": [*done, *structured.get("hints", ())]} if done else structured
        return types.CallToolResult.model_validate({**result, "content": content, "structuredContent": structured})

    async def _settle(self, given: dict[str, Any], params: types.CallToolRequestParams) -> list[str]:
        """Make the calls that the answers stand for, about what is still open; return what came of it."""
        asked = _asked(params.request_state, await self._now())
        if asked is None:
            return [LATE]
        result = await self._call(ASKS, given)
        if result["isError"]:
            return [UNANSWERED]
        is_open = {_name(form): form for form in await self._open(given, result)}
        done = []
        for at, name in enumerate(asked):
            answer = (params.input_responses or {}).get(str(at))
            form = is_open.get((name[0], name[1], name[2])) if _is_name(name) else None
            settles = None if form is None or answer is None else form.settles(_plain(answer))
            if settles is not None:
                settled = await self._call(SETTLES, settles)
                done.append(settled["content"][0]["text"])
        return done or [UNANSWERED]

    async def _open(self, given: dict[str, Any], result: Result) -> Sequence[Form]:
        namespace = self._caller.reading(given.get("agent_id"))
        return await self._forms.about(await self._opener(), namespace, ASKS, given, result["structuredContent"])

    async def _now(self) -> float:
        return (await self._opener()).clock().timestamp()

    async def _call(self, tool: str, given: dict[str, Any]) -> Result:
        return await answered(self._tools[tool], self._opener, self._caller, self._client, given)


def _request(form: Form) -> types.ElicitRequest:
    params = form.params
    return types.ElicitRequest(
        params=types.ElicitRequestFormParams(message=params["message"], requested_schema=params["requestedSchema"])
    )


def _plain(answer: Any) -> object:
    return answer.model_dump(mode="json") if hasattr(answer, "model_dump") else answer


def _asked(state: str | None, now: float) -> list[Any] | None:
    """Return which pairs were asked about, by a state that a client hands back; None for what is too old, or none.

    It may be forged: then it names pairs that the client could settle by calls as well.
    """
    try:
        at, *pairs = json.loads((state or "")[:MAX_STATE_CHARS])
    except (ValueError, TypeError, RecursionError):
        return None
    is_late = not isinstance(at, int) or not -1 <= now - at <= ANSWER_WITHIN_S
    return None if is_late else pairs


def _name(form: Form) -> tuple[str, str, int]:
    """Return what tells a form from others: its pair, and how it reads, for a memory may be rewritten meanwhile."""
    return (*form.pair, zlib.crc32(form.params["message"].encode()))


def _is_name(name: object) -> bool:
    return isinstance(name, list) and [type(one) for one in name] == [str, str, int]
