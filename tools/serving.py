"""Serving of one session over standard input and output: by the SDK's server, and calls without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..features import registered
from ..modules.apps import Apps
from ..modules.plugins.feature import parts
from ..modules.version import VERSION
from .calling import Calls

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from mcp.server import Server

    from ..modules.principals.models import Caller
    from .bound import BoundTools, Opener, Toolsets


def session_of(
    bound: BoundTools,
    opener: Opener,
    caller: Caller,
    toolsets: Toolsets,
    *,
    resources: bool,
    traced: bool,
    apps: Apps,
) -> tuple[Callable[[], Server[Any]], Calls | None]:
    """Return what imports the SDK and builds a session's server, and the session's calls, to be made without it.

    `apps` are the views and forms for clients that show them. There are no calls where these are `traced`: the SDK's
    own span of each is wanted too.
    """

    def build() -> Server[Any]:
        from . import mcp
        from .resources import handlers

        return mcp.build(bound, opener, caller, toolsets, VERSION, handlers if resources else None, apps)

    return build, None if traced else Calls(bound, opener, caller, toolsets, apps.forms)


def apps_of(
    features: Collection[str], *, views: bool, forms: bool, dashboard: Callable[[Any], str] = lambda _: ""
) -> Apps:
    """Return the views and forms that clients are offered where the features that are on have them.

    `dashboard` returns its address for a request, or "".
    """
    on = registered(features)
    shown = next((made() for made in parts(on, "views")), None) if views else None
    asked = next((made() for made in parts(on, "forms")), None) if forms else None
    return Apps(views=shown, forms=asked, dashboard=dashboard)
