"""A call of a tool and its result as MCP's JSON; without the SDK, so that whoever only makes calls need not load it."""

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..modules import identifiers, offload
from ..modules.apps import ASKS, SETTLES, Form, Forms
from ..modules.errors import AgentOSError, InvalidInput, unforeseen
from ..modules.principals.models import Caller, Door
from ..modules.version import COMMAND_LINE
from ..modules.views.texts import WithContent
from .bound import ECHOES, BoundTool, BoundTools, Opener, Ran, Toolsets

MAX_ERROR_LINES = 3
MAX_ERROR_CHARS = 600
MAX_FIELD_CHARS = 100
CODE_KEY, FIELD_KEY = "agentos/code", "agentos/field"
"""The keys in `_meta` of a failed result: a code of `modules.errors`, and the argument at fault, if it is one."""

log = logging.getLogger(__name__)

FIRST = ("notice",)
"""The first fields of a structured result: how to read the rest."""

HAND_STRUCTURE = ("claude-code", "codex")
"""Beginnings of the names of clients that give their model `structuredContent`; all others give it the text."""

Result = dict[str, Any]
"""The result of `tools/call`, as JSON."""


class Calls:
    """The calls that one session may make: of the tools that it is shown, for one caller."""

    def __init__(
        self, bound: BoundTools, opener: Opener, caller: Caller, toolsets: Toolsets, forms: Forms | None = None
    ) -> None:
        self._tools = tools_of(bound, toolsets)
        self._opener = opener
        self._caller = caller
        self._forms = forms

    def __contains__(self, tool: str) -> bool:
        """Return whether there is a tool of that name."""
        return tool in self._tools

    def work_in(self, folder: str) -> None:
        """Take calls from now on for somebody who works in a folder."""
        self._caller = replace(self._caller, folder=folder)

    async def answer(self, tool: str, client: str, given: dict[str, Any]) -> Result:
        """Return the result of a call, also of one that fails."""
        return await answered(self._tools[tool], self._opener, self._caller, client, given)

    def asks(self, tool: str, given: Mapping[str, Any]) -> bool:
        """Return whether a call is to have the user asked before it is answered, where the protocol has a way."""
        return self._forms is not None and tool == ASKS and given.get("ask") is True

    async def forms(self, tool: str, given: Mapping[str, Any], result: Result) -> Sequence[Form]:
        """Return what the user may be asked about an answer; nothing where that cannot be told."""
        if self._forms is None or result["isError"]:
            return ()
        structured: Mapping[str, Any] = result.get("structuredContent", {})
        namespace = structured.get("namespace") or given.get("agent_id")
        try:
            return await self._forms.about(
                await self._opener(), self._caller.reading(namespace), tool, given, structured
            )
        except AgentOSError as error:  # what was called for is done; the next snapshot asks the agent
            log.info("what %s leaves open is not asked: %s", tool, error)
        except Exception:  # as where a plugin's answer has a field of the same name: the answer goes out all the same
            log.exception("what %s leaves open is not asked", tool)
        return ()

    async def is_open(self, form: Form) -> bool:
        """Return whether what a form asks is still open, and reads as it did."""
        try:
            return self._forms is not None and await self._forms.is_open(await self._opener(), form)
        except AgentOSError as error:
            log.info("what was left open is not asked: %s", error)
            return False

    async def settle(self, client: str, form: Form, answer: object) -> None:
        """Make the call that the answer to a form stands for, if it stands for one and nobody was faster."""
        if (given := form.settles(answer)) is not None and await self.is_open(form):
            await self.answer(SETTLES, client, given)


def tools_of(bound: BoundTools, toolsets: Toolsets) -> Mapping[str, BoundTool]:
    """Return the tools of a session by name; of those of one name in two toolsets, the first."""
    found: dict[str, BoundTool] = {}
    for entry in bound:
        if toolsets is None or entry.tool.toolset in (None, *toolsets):
            found.setdefault(entry.tool.name, entry)
    return found


def hands_structure_to_its_model(client: str) -> bool:
    """Return whether the model of a client reads the structured result instead of the text."""
    return client.lower().startswith(HAND_STRUCTURE)


async def answered(
    bound: BoundTool, opener: Opener, caller: Caller, client: str, given: dict[str, Any], *, as_json: bool = False
) -> Result:
    """Run a tool and return the result, of a failure too: its text `as_json` or for a model."""
    try:
        try:
            return await call(bound, opener, caller, client, given, as_json=as_json)
        except AgentOSError as error:
            field = error.field if isinstance(error, InvalidInput) else None
            return await _failure(error.code, str(error), field)
    except (Exception, asyncio.CancelledError) as error:
        task = asyncio.current_task()
        if isinstance(error, asyncio.CancelledError) and (task is None or task.cancelling()):
            raise  # the call itself was taken back, not only something that the tool waited for
        name = bound.tool.name
        log.exception("%s failed", name)
        return _failed("internal_error", f"{name}: {unforeseen(error)}", None)


async def call(
    bound: BoundTool, opener: Opener, caller: Caller, client: str, given: dict[str, Any], *, as_json: bool = False
) -> Result:
    """Run a tool, count the call, and return the result, its text `as_json` or for a model. Raises AgentOSError."""
    asking = caller if caller.request_id else caller.asking(identifiers.new_id("req"))
    if client == COMMAND_LINE and asking.door is Door.STDIO:
        asking = replace(asking, door=Door.COMMAND_LINE)
    ran = await bound.run(opener, asking, client, given)
    if isinstance(ran.result, WithContent):
        return await _shown(ran, ran.result)
    for_model = hands_structure_to_its_model(client)
    context = {"for_model": for_model}
    dumped = bound.result.dump_python(ran.result, mode="json", exclude_defaults=True, context=context)
    text = await offload.read(offload.size(dumped), ran.result.as_text)
    structured = {**{name: dumped.pop(name) for name in FIRST if name in dumped}, **dumped}
    text, structured = await ran.without_echoes(text, structured)
    text = "\n".join([text, *ran.remarks])
    structured |= ran.remarked
    if as_json:
        _, complete = await ran.without_echoes("", bound.result.dump_python(ran.result, mode="json"))
        text = json.dumps({**structured, **complete}, ensure_ascii=False)
    elif for_model:
        structured = await ran.agentos.abbreviations.in_fields(ran.namespace, structured)
    else:
        text = await ran.agentos.abbreviations.in_text(ran.namespace, text)
    ran.note(json.dumps(structured, ensure_ascii=False, separators=(",", ":")) if for_model else text)
    return {"content": [{"type": "text", "text": text}], "structuredContent": structured, "isError": False}


async def _shown(ran: Ran, result: WithContent) -> Result:
    """Return a result that clients show: its text, then its content."""
    text, _ = await ran.without_echoes(result.as_text(), {})
    text = await ran.agentos.abbreviations.in_text(ran.namespace, "\n".join([text, *ran.remarks]))
    ran.note(text)
    blocks = await asyncio.to_thread(result.blocks)
    return {"content": [{"type": "text", "text": text}, *blocks], "isError": False}


async def _failure(code: str, message: str, field: str | None = None) -> Result:
    """Return a short, flagged failure in valid Unicode; for programs with its code and the argument's name.

    A message may quote what was given: secrets are taken out here, for all of them.
    """
    short = "\n".join(message.splitlines()[:MAX_ERROR_LINES])[:MAX_ERROR_CHARS]
    text = await ECHOES.text(short.encode("utf-8", "replace").decode("utf-8"))
    return _failed(code, text, None if field is None else await ECHOES.text(field))


def _failed(code: str, text: str, field: str | None) -> Result:
    meta = {CODE_KEY: code} if field is None else {CODE_KEY: code, FIELD_KEY: _valid(field)}
    return {"_meta": meta, "content": [{"type": "text", "text": text}], "isError": True}


def _valid(field: str) -> str:
    return field.encode("utf-8", "replace").decode("utf-8")[:MAX_FIELD_CHARS]
