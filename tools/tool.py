"""The definition of a tool: one function over the services, and its description for clients."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from ..modules.principals.models import Role
from ..modules.views.texts import Result

ALSO = "also"
"""The argument that names further namespaces to read."""


@dataclass(frozen=True)
class Tool:
    """One tool. `run(agentos, namespace, **arguments)` returns a view: the structured result, and its text.

    Its keyword-only parameters are the tool's arguments, its docstring is the description, its return annotation the
    output schema. A tool of a `toolset` is listed only where the setting of that name asks for it. `namespace_in` are
    the arguments that name the namespace, for tools of other systems that name it differently: those given must agree.
    One that reads `several` namespaces is handed `sources`, by the argument ALSO or the namespace's policy. What a tool
    `stores` goes where the policy says, unless the call names a namespace; what it `shares` every agent reads. What
    concerns more than namespaces needs a `role`.
    """

    run: Callable[..., Awaitable[Result]]
    title: str
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    toolset: str | None = None
    edits: bool = False
    several: bool = False
    stores: bool = False
    shares: bool = False
    namespace_in: tuple[str, ...] = ("agent_id",)
    role: Role = Role.READER

    @property
    def name(self) -> str:
        return self.run.__name__

    @property
    def description(self) -> str:
        return " ".join((self.run.__doc__ or "").split())
