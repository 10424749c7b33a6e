"""The offers to a client beside answers: views, which it shows, and forms, by which it asks its user.

Who implements them is handed in where a session is opened; without them nothing here is done.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from .agentos import AgentOS
from .records import dataclass


class Views(Protocol):
    """Pages that clients show."""

    def of_tool(self, tool: str) -> dict[str, Any] | None:
        """Return the metadata of a tool that has a view; None for any other."""

    def listed(self) -> Sequence[tuple[str, str, str]]:
        """Return the address, name and title of each."""

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of every page."""

    def page(self, uri: str, dashboard: str) -> str | None:
        """Return the page of an address, which links to the dashboard; None where there is none. Blocks."""


class Form(Protocol):
    """A question to the user: whether the second memory of a pair, by their ids, replaces the first."""

    @property
    def pair(self) -> tuple[str, str]:
        """The ids of the older and the newer memory."""

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the request that asks it."""

    def settles(self, result: object) -> dict[str, Any] | None:
        """Return the arguments of the call of SETTLES that an answer stands for; None where it settles nothing."""


class Forms(Protocol):
    """Finds what may be asked about an answer."""

    async def about(
        self, agentos: AgentOS, namespace: str, tool: str, given: Mapping[str, Any], structured: Mapping[str, Any]
    ) -> Sequence[Form]:
        """Return the forms about the structured answer of a tool in a namespace."""

    async def is_open(self, agentos: AgentOS, form: Form) -> bool:
        """Return whether what a form asks is still open, and reads as it did."""


SETTLES, ASKS = "memory_feedback", "memory_questions"
"""The tool whose call an answer stands for, and the one that asks when it is told to."""


@dataclass(frozen=True)
class Apps:
    """The views and forms of a door, None where it has none.

    `dashboard` returns the address of the dashboard for a request, "" where there is none. A request of HTTP may say
    itself whether it `wants` views; None leaves it to the client's capabilities.
    """

    views: Views | None = None
    forms: Forms | None = None
    dashboard: Callable[[Any], str] = lambda _: ""
    wants: Callable[[Any], bool | None] = lambda _: None


NONE = Apps()
"""No views and no forms."""
