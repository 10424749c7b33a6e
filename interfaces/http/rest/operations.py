"""Operations: what a route does, be it a tool or a function of this door, in one shape."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import ExitStack
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, get_type_hints

from pydantic import BaseModel, TypeAdapter
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import Receive

from ....modules.agentos import AgentOS
from ....modules.errors import InvalidInput
from ....modules.health.models import Report
from ....modules.memory.ports import IndexStatus
from ....modules.principals.acting import acting
from ....modules.principals.models import Caller, Role
from ....modules.records import dataclass
from ....tools import arguments
from ....tools.arguments import as_asked, as_meant
from ....tools.bound import BoundTool
from ....tools.tool import NAMESPACES
from .once import Once
from .streams import Streams

CLIENT = "rest"
"""The name that calls are counted under."""
ANY_FILE = "application/octet-stream"
"""The media type of bytes that nobody opens or runs."""
CHUNK_BYTES = 64 * 1024
"""The parts of what is streamed."""
MOST_UPLOADS = 8
"""How many files are taken at once: each is in memory until it is stored."""
NAMESPACE = "namespace"
AGENT = "agent_id"
"""The namespace's name among the arguments of tools."""
KNOWN_BY_REQUEST = frozenset({"goal_add", "reflection_log"})
"""Tools that add another one at each call, but for the same request: its key is stored with what it added."""


@dataclass(frozen=True)
class Process:
    """The process around the services: the state of its index, and how to begin it again, which ends every session.

    `examine` looks at the whole store as the doctor does; it blocks.
    """

    index: Callable[[], IndexStatus | None]
    begin_again: Callable[[], None]
    examine: Callable[[], Report] | None = None


@dataclass(frozen=True)
class Behind:
    """All that is behind the door: the services, the folder for files on their way, open streams, kept answers.

    Without a `process` nothing is known of it, and it cannot be begun again from here. `shared` names what several
    processes serve side by side, any of which may answer the next request of a browser. `uploads` are files on their
    way into memory.
    """

    agentos: Callable[[], Awaitable[AgentOS]]
    home: Path
    components: Callable[[], Awaitable[Mapping[str, str]]]
    streams: Streams = field(default_factory=Streams)
    once: Once = field(default_factory=Once)
    uploads: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOST_UPLOADS))
    process: Process | None = None
    shared: str = ""

    @property
    def place(self) -> str:
        """What cookies are named after, as ports of a machine share them."""
        return self.shared or str(self.home)


@dataclass(frozen=True)
class OperationRequest:
    """A request of an authenticated caller, for the functions of this door; `key` names the key that it came with.

    `renew` looks again who calls, and raises where the credential has ended; `closing` is closed after the answer.
    """

    behind: Behind
    caller: Caller
    key: str | None
    headers: Headers
    receive: Receive
    renew: Callable[[], Awaitable[Caller]]
    closing: ExitStack

    async def agentos(self) -> AgentOS:
        """Return the services. Raises AgentOSError."""
        return await self.behind.agentos()

    async def body(self) -> AsyncIterator[bytes]:
        """Yield the request's body by the parts in which it comes. Raises ClientDisconnect where it is cut off."""
        more = True
        while more:
            message = await self.receive()
            if message["type"] != "http.request":
                raise ClientDisconnect
            yield message.get("body", b"")
            more = message.get("more_body", False)


@dataclass(frozen=True)
class Stream:
    """A streamed answer, with `headers` and a `status` of its own."""

    chunks: AsyncIterator[bytes]
    media_type: str
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True)
class Erased:
    """The number of erased memories."""

    deleted: int


@dataclass(frozen=True)
class OperationAnswer:
    """The answer of an operation as JSON values, or a stream."""

    content: Any


class Operation(Protocol):
    """The work of a route."""

    @property
    def name(self) -> str:
        """The operation's id in OpenAPI."""
        ...

    @property
    def title(self) -> str:
        """Return its title, a few words."""
        ...

    @property
    def description(self) -> str:
        """Return its description, a sentence."""
        ...

    @property
    def needs(self) -> str:
        """The right or the role without which it is refused; `share` is the right to write for every agent."""
        ...

    @property
    def changes(self) -> bool:
        """Return whether it changes anything and may be answered again: not where its answer holds a secret."""
        ...

    @property
    def repeatable(self) -> bool:
        """Return whether the same request may run again, and changes nothing then that it has changed before."""
        ...

    @property
    def model(self) -> type[BaseModel]:
        """Its arguments."""
        ...

    @property
    def result(self) -> TypeAdapter[Any] | None:
        """Its result; None for a stream."""
        ...

    @property
    def takes_body(self) -> str:
        """The media type of the request's body, where it reads that by itself."""
        ...

    @property
    def streams(self) -> str:
        """The media type of its result, where that is a stream."""
        ...

    async def run(self, asked: OperationRequest, given: dict[str, Any]) -> OperationAnswer:
        """Do it. Raises AgentOSError."""
        ...


class OfTool:
    """A tool as an operation: its arguments, its rights and its result; `namespace` is the tool's `agent_id`."""

    takes_body = ""
    streams = ""

    def __init__(self, bound: BoundTool) -> None:
        self._bound = bound
        self.name = bound.tool.run.__name__
        self.title, self.description = bound.tool.title, bound.tool.description
        right = "share" if bound.tool.shares else "read" if bound.tool.read_only else "write"
        self.needs = right if bound.tool.role is Role.READER else bound.tool.role.value
        self.changes = not bound.tool.read_only
        self.repeatable = bound.tool.idempotent or self.name in KNOWN_BY_REQUEST
        self.result: TypeAdapter[Any] | None = bound.result

    @cached_property
    def model(self) -> type[BaseModel]:
        """The arguments, with the namespace under its own name."""
        tool = self._bound.tool
        return arguments.model_of(tool.run, (NAMESPACE,), (NAMESPACES,) if tool.sources == "named" else ())

    async def run(self, asked: OperationRequest, given: dict[str, Any]) -> OperationAnswer:
        """Call the tool."""
        if AGENT in given:
            raise InvalidInput(AGENT, f"is called {NAMESPACE} here")
        named = given.pop(NAMESPACE, None)
        if not isinstance(named, str | None):
            raise InvalidInput(NAMESPACE, "must be text")
        allowed = asked.caller.reading if self._bound.tool.read_only else asked.caller.writing
        place = allowed(named, NAMESPACE)
        if named is not None:  # what names none goes where the policy of the caller's own says
            given[AGENT] = place
        ran = await self._bound.run(asked.behind.agentos, asked.caller, CLIENT, given)
        _, content = await ran.without_echoes("", self._bound.result.dump_python(ran.result, mode="json"))
        ran.note("")
        return OperationAnswer({**content, **ran.remarked})


class OfFunction:
    """A function of this door as an operation: `run(asked, **arguments)`; its return annotation is the result."""

    def __init__(
        self,
        run: Callable[..., Awaitable[Any]],
        role: Role,
        *,
        takes_body: str = "",
        streams: str = "",
        changes: bool = False,
        removes: bool = False,
    ) -> None:
        self._run = run
        self._role = role
        self.name = run.__name__
        self.description = " ".join((run.__doc__ or "").split())
        self.title = self.description.partition(".")[0]
        self.needs = role.value
        self.model = arguments.model_of(run, ())
        self.takes_body = takes_body
        self.streams = streams
        self.changes = self.repeatable = changes
        self._read = as_asked if removes else as_meant
        returned = get_type_hints(run)["return"]
        self.result: TypeAdapter[Any] | None = None if returned is Stream else TypeAdapter(returned)

    async def run(self, asked: OperationRequest, given: dict[str, Any]) -> OperationAnswer:
        """Call the function, for a caller of the role that it needs."""
        asked.caller.requires(self._role)
        checked = arguments.parse(self.model, self._read(self.model.model_json_schema(), given))
        with acting(asked.caller):
            result = await self._run(asked, **checked)
        return OperationAnswer(result if self.result is None else self.result.dump_python(result, mode="json"))
