"""A visit: one request of a signed-in browser, with what pages need to answer it."""

import asyncio
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import FormData, QueryParams
from starlette.requests import Request

from ...interfaces.http.metrics import Latencies
from ...interfaces.http.rest.operations import Behind, OperationRequest
from ...modules.agentos import AgentOS
from ...modules.approvals.decisions import Decisions
from ...modules.deeds.models import Undo as Undo
from ...modules.errors import InvalidInput
from ...modules.memory.lifecycle_service import AGENT, HUMAN
from ...modules.principals.acting import acting
from ...modules.principals.logins import Login
from ...modules.principals.models import Caller, Right, Role
from ...modules.records import dataclass
from ...tools.bound import BoundTool
from .look import Look
from .texts import Texts

CLIENT = "dashboard"
"""The name that calls of tools are counted under where they fail; looking at pages counts as no use."""
MAX_PROJECT_CHARS = 200
ACROSS = "across"
"""The field that asks for the things of all agents."""
MOST_NAMESPACES = 50
"""The namespaces that are listed together: the largest."""
DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
MOST = 10**15
"""The largest number in a field: what is kept counts microseconds, bytes and places, in 64 bits."""


async def readable(agentos: AgentOS, caller: Caller, first: str) -> tuple[tuple[str, ...], int]:
    """Return the largest namespaces that a caller may read, one of them first, and how many others there are."""
    found = sorted(await agentos.principals.namespaces(caller), key=lambda one: -one.memories)
    names = list(dict.fromkeys([first, *(one.id for one in found)]))
    return tuple(names[:MOST_NAMESPACES]), max(0, len(names) - MOST_NAMESPACES)


@dataclass(frozen=True)
class Shown:
    """A page to be shown: its template, and the values in it; after an act its name and what undoes it, if anything."""

    template: str
    values: Mapping[str, Any]
    status: int = 200
    done: str = ""
    undo: Undo | None = None


@dataclass(frozen=True)
class Redirect:
    """A way on, after something was done: a path of the dashboard and its query, and what undoes it, if anything."""

    path: str
    query: Mapping[str, str]
    undo: Undo | None = None


@dataclass(frozen=True, kw_only=True)
class Visit:
    """A page's request context. `namespace` is the one shown, by default the caller's own.

    `namespaces` are those whose things are listed, the shown one first: all that the visitor may see on pages that can
    and were asked to. `left_out` is how many there are beyond MOST_NAMESPACES.
    `renewed` looks again who calls; `closing` is closed after the answer; one examination runs at a time.
    `look` has the texts of the pages.
    """

    request: Request
    behind: Behind
    agentos: AgentOS
    tools: Mapping[str, BoundTool]
    caller: Caller
    login: Login
    decisions: Decisions | None
    namespace: str
    namespaces: Sequence[str]
    left_out: int
    form: FormData | None
    renewed: Callable[[], Awaitable[Caller]]
    closing: ExitStack
    latencies: Latencies
    examining: asyncio.Semaphore
    look: Look
    base: str
    now: datetime

    @property
    def text(self) -> Texts:
        """The texts of the pages, in the language and zone of the browser."""
        return self.look.text

    @property
    def query(self) -> QueryParams:
        """The query of the request."""
        return self.request.query_params

    def given(self, name: str, default: str = "") -> str:
        """Return a field of the form, or of the query of a page that has none."""
        value = (self.query if self.form is None else self.form).get(name, default)
        return value.strip() if isinstance(value, str) else default

    def end_of_day(self, name: str) -> str:
        """Return a field, with the last second of a bare day in the browser's zone in its place."""
        given = self.given(name)
        try:
            return (self.text.midnight(date.fromisoformat(given) + DAY) - SECOND).isoformat()
        except (ValueError, OverflowError):
            return given

    def chosen(self, name: str) -> list[str]:
        """Return all values of a field of the form."""
        return [one for one in (self.form.getlist(name) if self.form is not None else []) if isinstance(one, str)]

    def number(self, name: str, default: float) -> float:
        """Return a field as a number. Raises InvalidInput."""
        try:
            value = float(self.given(name) or default)
        except ValueError:
            value = math.nan
        if not abs(value) <= MOST:
            raise InvalidInput(name, self.text("errors.number"))
        return value

    @property
    def project(self) -> str:
        """The project whose things alone are shown, where a page can tell; "" for all."""
        return self.given("project")[:MAX_PROJECT_CHARS]

    @property
    def is_across(self) -> bool:
        """Whether what is listed may be of any namespace that the visitor may see, so that each says whose it is."""
        return self.namespaces != (self.namespace,)

    def inside(self, namespace: str) -> "Visit":
        """Return this visit in one of the namespaces that are listed."""
        return replace(self, namespace=namespace, namespaces=(namespace,), left_out=0)

    def may_write_in(self, namespace: str) -> bool:
        """Return whether the caller may change what is in a namespace."""
        right = self.caller.right_over(namespace)
        return self.may("writer") and right is not None and right >= Right.WRITE

    async def projects(self) -> list[str]:
        """Return the names of the projects of the namespaces that are listed."""
        found = [each for one in self.namespaces for each in await self.agentos.sessions.projects(one)]
        return sorted({one.name for one in found})

    @property
    def by(self) -> str:
        """Return the judge: the owner in a session that a person opened, else an agent."""
        return HUMAN if self.login.is_person and self.may("owner") else AGENT

    def may(self, role: str) -> bool:
        """Return whether the caller's role includes another."""
        return list(Role).index(self.caller.role) >= list(Role).index(Role(role))

    @property
    def may_write(self) -> bool:
        """Return whether the caller may change what is in the namespace that is shown."""
        return self.may_write_in(self.namespace)

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Return the structured result of a tool, run with the visitor's rights. Raises AgentOSError."""
        tool = self.tools[name]
        given = {key: value for key, value in arguments.items() if value not in (None, "")}
        if "agent_id" in tool.tool.namespace_in:
            given["agent_id"] = self.namespace
        ran = await tool.run(self._opener, replace(self.caller, is_person=True, is_looking=True), CLIENT, given)
        result: dict[str, Any] = tool.result.dump_python(ran.result, mode="json")
        return result

    async def ask(self, operation: Callable[..., Any], **arguments: Any) -> Any:
        """Return the result of a function of this door, for a caller who was checked for the role that it needs."""
        headers, receive = self.request.headers, self.request.receive
        asked = OperationRequest(self.behind, self.caller, self.login.key, headers, receive, self.renewed, self.closing)
        with acting(self.caller):
            return await operation(asked, **arguments)

    async def happened(self, days: Sequence[date]) -> Mapping[date, int]:
        """Return how many memories happened on each of some days, of which the first is the earliest."""
        begin, end = self.text.midnight(days[0]), self.text.midnight(days[-1] + timedelta(days=1))
        counts: Counter[date] = Counter()
        if self.project:
            for (day, _, _), count in (await self.grown(begin, end)).items():
                counts[day] += count
        else:
            for one in self.namespaces:
                counts.update(await self.agentos.archive.daily(one, begin, end, self.text.zone))
        return dict(counts)

    async def grown(self, begin: datetime, end: datetime) -> Counter[tuple[date, str, str]]:
        """Return how many memories happened, by day, kind and project, of the chosen project alone if there is one."""
        counts: Counter[tuple[date, str, str]] = Counter()
        for one in self.namespaces:
            names = await self.agentos.sessions.spellings(one, self.project or None)
            grown = await self.agentos.browsing.growth(one, begin, end, self.text.zone)
            counts.update({key: count for key, count in grown.items() if not names or key[2] in names})
        return counts

    async def undo_of(self, memory_id: str) -> Undo | None:
        """Return what undoes the judgement of a memory that was just passed, and none that comes later."""
        last = next(iter(await self.agentos.lifecycle.changes(self.namespace, memory_id)), None)
        if last is None or last.reverted_by or last.action == "revert":
            return None
        return Undo(f"/memory/{memory_id}", {"do": "revert", "change": last.id})

    @property
    def today(self) -> date:
        """The day that it is in the browser's zone."""
        return self.text.day_of(self.now)

    def url(self, path: str = "", **query: Any) -> str:
        """Return the address of a page of the dashboard, in the same namespace or all, and the same project.

        What is given of them counts instead.
        """
        parameters = {name: str(value) for name, value in query.items() if value not in (None, "")}
        if self.project and "project" not in query and "ns" not in parameters:
            parameters["project"] = self.project
        if self.given(ACROSS) and ACROSS not in query:
            parameters[ACROSS] = "1"
        if self.namespace != self.caller.default:
            parameters.setdefault("ns", self.namespace)
        return f"{self.base}{path}" + (f"?{urlencode(parameters)}" if parameters else "")

    def at(self, namespace: str, path: str, **query: Any) -> str:
        """Return the address of a page about something of one of the namespaces that are listed."""
        return self.url(path, **query) if namespace == self.namespace else self.url(path, **query, ns=namespace)

    async def _opener(self) -> AgentOS:
        return self.agentos
