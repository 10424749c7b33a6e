"""A tool bound to its schemas, ready to be run for a caller; knows no protocol, so that every door runs it the same."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any, get_type_hints

from pydantic import BaseModel, TypeAdapter

from ..modules import identifiers
from ..modules.agentos import AgentOS
from ..modules.errors import AgentOSError, InvalidInput, NotFound, PermissionDenied
from ..modules.framing import quote
from ..modules.installing import switched_off
from ..modules.lagging import may_lag
from ..modules.memory import named_dates
from ..modules.principals.acting import acting, asker
from ..modules.principals.models import Caller, Door, Right, Role
from ..modules.records import dataclass
from ..modules.redaction.redactor import SecretRedactor
from ..modules.tracing import span
from ..modules.views.questions import SETTLE, OpenQuestion, open_questions
from ..modules.views.texts import Result, WithContent
from . import arguments
from .arguments import as_asked, as_meant
from .tool import NAMESPACES, Tool

ECHOES = SecretRedactor()
"""Takes out of answers what a caller gave and they quote: what is kept has no secrets."""

BUDGET = "max_tokens"
"""The argument of tools whose answers never cost more."""

Opener = Callable[[], Awaitable[AgentOS]]
Toolsets = frozenset[str] | None
"""The toolsets of a session beside the default one; with None, all tools are listed, also several of one name."""


@dataclass(frozen=True)
class Ran:
    """The outcome of a call: its result, the secrets that were not kept, by kind, and what its answer must say.

    `stored_in` is the namespace that a policy or the call chose, None for the caller's own; with `may_echo` it may
    quote secrets that were given.
    """

    agentos: AgentOS
    tool: str
    namespace: str
    client: str
    result: Result
    redacted: Mapping[str, int]
    named: str | None
    query: str | None
    stored_in: str | None
    may_echo: bool
    questions: Sequence[OpenQuestion] = ()
    by_person: bool = False

    def note(self, text: str) -> None:
        """Count the call, with the text that a model reads of it; what was asked for is shown to people who watch.

        What a person is shown or names is not counted: it is no use.
        """
        shown = [one.id for one in getattr(self.result, "results", getattr(self.result, "top_memories", ()))]
        if self.by_person:
            self.agentos.usage.note(self.namespace, self.client, self.tool, text=text)
        else:
            asked = self.query is not None
            self.agentos.usage.note(
                self.namespace, self.client, self.tool, text=text, shown=shown, named=self.named, asked=asked
            )
        if self.named is not None and not self.by_person:
            self.agentos.recalls.used(self.namespace, self.client, self.named)
        if self.query is not None:
            now = self.agentos.clock()
            self.agentos.recalls.note(now, self.namespace, self.client, self.tool, self.query, shown)

    @property
    def remarks(self) -> list[str]:
        """The lines that the answer's text ends with: secrets replaced, where it was kept, what is still asked."""
        lines = []
        if self.redacted:
            counts = ", ".join(f"{count} {kind}" for kind, count in self.redacted.items())
            lines.append(f"Secrets were replaced by markers: {counts}.")
        if self.stored_in is not None:
            lines.append(f"Kept in namespace {quote(self.stored_in)}.")
        if self.questions:
            lines += [f"Since an earlier store: {SETTLE}", *(one.line() for one in self.questions)]
        return lines

    @property
    def remarked(self) -> dict[str, Any]:
        """The fields of a structured answer that say the same as `remarks`."""
        fields: dict[str, Any] = {}
        if self.redacted:
            fields["redacted"] = self.redacted
        if self.stored_in is not None:
            fields["namespace"] = self.stored_in
        if self.questions:
            fields["questions"] = [asdict(one) for one in self.questions]
        return fields

    async def without_echoes(self, text: str, structured: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the answer's text and structure without secrets that the caller gave."""
        if not self.may_echo:
            return text, structured
        return await ECHOES.text(text), await ECHOES.json(structured)


class BoundTool:
    """A tool with its argument model and the schemas derived from it, each made when it is first used."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self.keeps = not tool.read_only and not tool.destructive

    @cached_property
    def model(self) -> type[BaseModel]:
        """The strict model of the arguments."""
        lists = (NAMESPACES,) if self.tool.sources == "named" else ()
        return arguments.model_of(self.tool.run, self.tool.namespace_in, lists)

    @cached_property
    def result(self) -> TypeAdapter[Any]:
        """Return the adapter that serializes results to JSON."""
        return TypeAdapter(get_type_hints(self.tool.run)["return"])

    @cached_property
    def _schema(self) -> dict[str, Any]:
        return self.model.model_json_schema()

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """The schema of the arguments, as clients see it."""
        return arguments.schema_of(self.model)

    @cached_property
    def shows(self) -> bool:
        """Return whether its result is content to show, which has no structure."""
        return issubclass(get_type_hints(self.tool.run)["return"], WithContent)

    @cached_property
    def output_schema(self) -> dict[str, Any] | None:
        """The schema of the structured result, as clients see it, where it has one."""
        if self.shows:
            return None
        schema = arguments.slim(self.result.json_schema(mode="serialization"))
        added = {**(_REDACTED if self.keeps else {}), **(_NAMESPACE if self.tool.stores else {})}
        return {**schema, "properties": {**schema["properties"], **added}} if added else schema

    async def run(self, opener: Opener, caller: Caller, client: str, given: dict[str, Any]) -> Ran:
        """Run the tool for a client of a caller, and count it if it fails. Raises AgentOSError."""
        caller.requires(self.tool.role)
        if self.tool.role is not Role.READER:
            caller.requires_all_namespaces()
        caller = caller.through(client)
        checked = arguments.parse(self.model, self._read(given))
        named = {name: checked.pop(name) for name in self.tool.namespace_in}
        namespace = own = self._namespace(caller, named)
        agentos = await opener()
        if self.tool.feature is not None and self.tool.feature not in agentos.features:
            raise NotFound(switched_off(self.tool.feature))
        if self.keeps and caller.door is Door.HTTP:
            agentos.embedding.admit()
        if namespace != caller.default and await agentos.redactor.kinds(namespace):
            raise InvalidInput(self.tool.namespace_in[0], "looks like a secret; give the agent another name")
        try:
            if self.tool.reaches_all is not None and self.tool.reaches_all(checked):
                await agentos.principals.require_all(caller, self.tool.name)
            if self.tool.sources is not None:
                sources = await agentos.principals.reads(caller, namespace, checked.pop(NAMESPACES, None))
                checked["sources"] = sources
            if self.tool.stores and not any(named.values()):
                namespace = await agentos.principals.target(caller, namespace)
            if self.tool.is_placed:
                checked["here"] = await agentos.projects.of_caller(namespace, caller, register=self.keeps)
            asked = {"agentos.tool": self.tool.name, "agentos.door": str(caller.door)}
            with acting(caller), agentos.redactor.counting() as redacted, span(f"tool {self.tool.name}", asked):
                checked = await arguments.spelled_out(agentos, namespace, checked)
                checked = await named_dates.spelled_out(checked, agentos.clock())
                who = (caller,) if self.tool.asks_who else ()
                with may_lag(self.tool.may_lag):
                    result = await self.tool.run(agentos, namespace, *who, **checked)
        except AgentOSError:
            agentos.usage.note(namespace, client, self.tool.name, failed=True)
            raise
        counts = dict(sorted(redacted.items(), key=lambda one: -one[1])) if self.keeps else {}
        echoes = bool(redacted) or (self.tool.read_only and bool(await agentos.redactor.kinds(given)))
        is_elsewhere = namespace != (caller.default if self.tool.stores else own)
        stored_in = namespace if is_elsewhere else None
        named_memory, query = checked.get("memory_id"), checked.get("query") if self.tool.read_only else None
        asked_late = await self._questions(agentos, namespace, caller)
        return Ran(
            agentos,
            self.tool.name,
            namespace,
            client,
            result,
            counts,
            named_memory,
            query,
            stored_in,
            echoes,
            asked_late,
            caller.is_person,
        )

    async def _questions(self, agentos: AgentOS, namespace: str, caller: Caller) -> Sequence[OpenQuestion]:
        """Return what an earlier store of the caller did not wait to ask; results with a budget stay within it."""
        if agentos.supersession is None or caller.is_looking or BUDGET in self.model.model_fields:
            return ()
        with acting(caller):
            pairs = agentos.supersession.questions.take((namespace, *asker()))
        if not pairs:
            return ()
        try:
            return await open_questions(await agentos.lifecycle.still_open(namespace, pairs))
        except AgentOSError:  # what was asked for is done; the next snapshot asks
            return ()

    def _namespace(self, caller: Caller, given: Mapping[str, str | None]) -> str:
        """Return a call's namespace, from the arguments that may name it. Raises InvalidInput or PermissionDenied."""
        allowed = caller.reading if self.tool.read_only else caller.writing
        if self.tool.shares and (caller.right_over(identifiers.GLOBAL) or 0) < Right.WRITE:
            raise PermissionDenied(
                f"{self.tool.name}: only who may write to {identifiers.GLOBAL!r} shares with every agent"
            )
        named = {field: name for field, name in given.items() if name is not None}
        if not named:
            return allowed()
        found = {allowed(name, field) for field, name in named.items()}
        if len(found) > 1:
            raise InvalidInput(next(iter(named)), f"and {', '.join(list(named)[1:])} name the same namespace; give one")
        return found.pop()

    def _read(self, given: dict[str, Any]) -> dict[str, Any]:
        if self.tool.destructive:
            return as_asked(self._schema, given)
        written = self._schema["properties"].keys() - {*self.tool.namespace_in} if self.tool.edits else ()
        return as_meant(self._schema, given, written=written)


_REDACTED = {
    "redacted": {
        "type": "object",
        "additionalProperties": {"type": "integer"},
        "description": "Secrets that markers stand for now, by kind; not there when there were none.",
    }
}
"""The addition to the output schema of tools that store texts."""

_NAMESPACE = {"namespace": {"type": "string", "description": "Where it was kept, if not in the caller's own."}}
"""The addition to the output schema of tools whose namespace may keep elsewhere, by its policy."""

BoundTools = Sequence[BoundTool]


def bind(tools: Sequence[Tool]) -> BoundTools:
    """Return the tools with their schemas, for any number of sessions."""
    return [BoundTool(tool) for tool in tools]
