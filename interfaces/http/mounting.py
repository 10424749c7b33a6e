"""What features serve beside the routes: whole parts of the tree of paths, with a protocol of their own, and pages."""

from collections.abc import Awaitable, Callable, Collection

from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope

from ...config import Settings
from ...features import registered
from ...modules.approvals.decisions import Decisions
from ...modules.plugins.feature import parts
from ...modules.principals.models import Caller
from ...modules.records import dataclass
from ...tools.bound import BoundTools
from .metrics import Latencies
from .policy import CurrentPolicy
from .rest.operations import Behind

DASHBOARD = "/dashboard"
"""Where people come with a browser; where no feature serves it, nothing is there, whoever asks."""

Routes = Callable[[Behind, CurrentPolicy], list[BaseRoute]]
OpenRoutes = Callable[[ASGIApp], list[BaseRoute]]


def no_routes(_: Behind, __: CurrentPolicy) -> list[BaseRoute]:
    """Return none: what is served asks for no key."""
    return []


def no_open_routes(_: ASGIApp) -> list[BaseRoute]:
    """Return none: everything asks for a key."""
    return []


@dataclass(frozen=True, kw_only=True)
class StoreDoor:
    """What the door of a store has, for what lets people in by itself. `owner` is who may do everything.

    `decisions` is the human's side of approvals, if any; `latencies` tells how long answers took; of `features` those
    are there that are on, of None all.
    """

    behind: Behind
    bound: BoundTools
    policy: CurrentPolicy
    owner: Caller
    decisions: Callable[[], Decisions | None]
    latencies: Latencies
    features: Collection[str] | None


@dataclass(frozen=True)
class Site:
    """Pages for browsers at DASHBOARD and below, which ask for no key: `served` makes those of a store.

    `credential` returns what they will check a request by, of those to what is served from a place, and what to receive
    the request from after this. `read_files` reads what they need for as long as the server runs; it blocks.
    """

    served: Callable[[StoreDoor], ASGIApp]
    credential: Callable[[Scope, Receive, str], Awaitable[tuple[str | None, Receive]]]
    read_files: Callable[[], None]


@dataclass(frozen=True)
class Mount:
    """What is served to who has a key: by `routes` the home's own store, by `of_others` each that is served beside it.

    Below a `prefix` the body of a request may have `most_bytes`. `open_routes` are what is answered before the part
    that asks for a key, which they are given, and so is a `site`. MCP lists `toolsets` to all; their clients parse the
    texts of answers.
    """

    routes: Routes = no_routes
    of_others: Routes = no_routes
    prefix: str = ""
    most_bytes: int = 0
    open_routes: OpenRoutes = no_open_routes
    toolsets: frozenset[str] = frozenset()
    site: Site | None = None


def mounts_of(settings: Settings) -> list[Mount]:
    """Return what the features that are on serve, where the settings want it."""
    made = (mounted(settings) for mounted in parts(registered(settings.features), "mounted"))
    return [one for one in made if one is not None]
