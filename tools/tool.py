"""The definition of a tool: one function over the services, and its description for clients."""

from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import Any, Literal

from ..modules.principals.models import Role
from ..modules.records import dataclass
from ..modules.views.texts import Result

NAMESPACES = "namespaces"
"""The argument that names further namespaces to read."""


@dataclass(frozen=True)
class Tool:
    """A tool: `run(agentos, namespace, **arguments)` returns a view, the structured result with its text.

    Its keyword-only parameters are the tool's arguments, its docstring is the description, its return annotation the
    output schema. A tool of a `toolset` is listed only where the setting of that name asks for it, one of a `feature`
    is there only where that is on. `namespace_in` are the arguments that name the namespace, for tools of other systems
    that name it differently: those given must agree. A tool with `sources` is handed the namespaces that it reads
    beside its own: by that one's policy, or as NAMESPACES names them. What one `stores` goes where the policy says,
    unless the call names a namespace; what one `shares` every agent reads. What concerns more than namespaces needs a
    `role`; where it `reaches_all`, by its arguments, only who may touch every namespace may do it. One that `asks_who`
    is handed the caller after the namespace: for what needs rights over namespaces that the call does not name. One
    that `is_placed` is handed the project of the folder that the caller works in, if there is one. One that `may_lag`
    may be answered by a standby that is a little behind. One that is `part_of` another is called and counted as that
    one.
    """

    run: Callable[..., Awaitable[Result]]
    title: str
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    toolset: str | None = None
    feature: str | None = None
    edits: bool = False
    sources: Literal["by policy", "named"] | None = None
    stores: bool = False
    shares: bool = False
    namespace_in: tuple[str, ...] = ("agent_id",)
    role: Role = Role.READER
    reaches_all: Callable[[Mapping[str, Any]], bool] | None = None
    asks_who: bool = False
    part_of: str | None = None
    is_placed: bool = False
    may_lag: bool = False

    @cached_property
    def name(self) -> str:
        return self.part_of or self.run.__name__

    @cached_property
    def description(self) -> str:
        return " ".join((self.run.__doc__ or "").split())
