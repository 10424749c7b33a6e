"""What features serve beside the routes: whole parts of the tree of paths, with a protocol of their own."""

from collections.abc import Callable

from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from ...config import Settings
from ...features import registered
from ...modules.plugins.feature import parts
from ...modules.records import dataclass
from .policy import CurrentPolicy
from .rest.operations import Behind

Routes = Callable[[Behind, CurrentPolicy], list[BaseRoute]]
OpenRoutes = Callable[[ASGIApp], list[BaseRoute]]


def no_open_routes(_: ASGIApp) -> list[BaseRoute]:
    """Return none: everything asks for a key."""
    return []


@dataclass(frozen=True)
class Mount:
    """What is served to who has a key: by `routes` the home's own store, by `of_others` each that is served beside it.

    Below a `prefix` the body of a request may have `most_bytes`. `open_routes` are what is answered before the part
    that asks for a key, which they are given. MCP lists `toolsets` to all; their clients parse the texts of answers.
    """

    routes: Routes
    of_others: Routes
    prefix: str = ""
    most_bytes: int = 0
    open_routes: OpenRoutes = no_open_routes
    toolsets: frozenset[str] = frozenset()


def mounts_of(settings: Settings) -> list[Mount]:
    """Return what the features that are on serve, where the settings want it."""
    made = (mounted(settings) for mounted in parts(registered(settings.features), "mounted"))
    return [one for one in made if one is not None]
