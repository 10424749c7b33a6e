"""Questions to the user of a session, by forms of its client: after an answer has gone out, one at a time.

Nothing waits for them. Whoever declines one, or leaves it, is not asked again in the session: what is open is open.
"""

import asyncio
import json
import os
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...tools.calling import Calls

MOST_WAITING = 10
"""The most forms that wait for the one that is open."""
ANSWER_WITHIN_S = 300.0
"""How long a form stays open."""
LOOKED_WITHIN_S = 1.0
"""How long an answer waits for what may be asked about it; then nothing is asked."""
_ID = "agentos-form-"
ASKED = "The user is asked this in a form: leave it to them."


class Asking:
    """Asks the user of one session."""

    def __init__(
        self, calls: "Calls", write: Callable[[str], Awaitable[None]], within_s: float = ANSWER_WITHIN_S
    ) -> None:
        self._calls = calls
        self._write = write
        self._within_s = within_s
        self._names = f"{_ID}{os.urandom(4).hex()}-"  # a client may yet answer what another process has asked
        self._asked = 0
        self._welcome = True
        self._waiting: deque[tuple[str, Any]] = deque()
        self._answer: asyncio.Future[Mapping[str, Any]] | None = None
        self._task: asyncio.Task[None] | None = None

    async def forms(self, tool: str, given: Mapping[str, Any], result: dict[str, Any]) -> Sequence[Any]:
        """Return what the user is to be asked about an answer; nothing where too much waits, or none is welcome."""
        if not self._welcome or len(self._waiting) >= MOST_WAITING:
            return ()
        try:
            async with asyncio.timeout(LOOKED_WITHIN_S):
                return await self._calls.forms(tool, given, result)
        except TimeoutError:
            return ()

    def begin(self, client: str, forms: Sequence[Any]) -> None:
        """Ask, after what is asked already; does not wait."""
        self._waiting += [(client, form) for form in forms]
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._ask_all())

    def heard(self, message: Mapping[str, Any]) -> None:
        """Take a client's response; one that comes too late changes nothing."""
        if self._answer is not None and message.get("id") == f"{self._names}{self._asked}" and not self._answer.done():
            self._answer.set_result(message)

    async def close(self) -> None:
        """Stop to ask."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _ask_all(self) -> None:
        while self._welcome and self._waiting:
            client, form = self._waiting.popleft()
            if not await self._calls.is_open(form):  # settled while another form was open
                continue
            answer = await self._ask(form)
            if isinstance(answer, dict) and answer.get("action") == "accept":
                await self._calls.settle(client, form, answer)
            else:
                self._welcome = False

    async def _ask(self, form: Any) -> object:
        """Return the result of a form; None where there is none in time, or an error."""
        self._asked += 1
        name = f"{self._names}{self._asked}"
        self._answer = asyncio.get_running_loop().create_future()
        await self._send({"id": name, "method": "elicitation/create", "params": form.params})
        try:
            return (await asyncio.wait_for(self._answer, self._within_s)).get("result")
        except TimeoutError:
            params = {"requestId": name, "reason": "nobody answered"}
            await self._send({"method": "notifications/cancelled", "params": params})
            return None

    async def _send(self, message: Mapping[str, Any]) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":"))
        await self._write(line + "\n")


def is_of_a_form(identifier: object) -> bool:
    """Return whether the id of a response is that of a form, of this process or of one before."""
    return isinstance(identifier, str) and identifier.startswith(_ID)


def told(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of a tool that also tells the agent that the user is asked."""
    first, *rest = result["content"]
    structured = result["structuredContent"]
    content = [{**first, "text": f"{first['text']}\n{ASKED}"}, *rest]
    told_too = {**structured, "hints": [*structured.get("hints", ()), ASKED]}
    return {**result, "content": content, "structuredContent": told_too}
