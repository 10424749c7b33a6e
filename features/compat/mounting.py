"""What HTTP serves for clients of other systems, where the settings name some."""

from functools import partial
from typing import get_args

from ...config import Settings, Toolset
from ...interfaces.http.mounting import Mount


def mounted(settings: Settings) -> Mount | None:
    """Return the routes of the systems that the settings name; None where they name none."""
    systems = frozenset(settings.http_compat)
    if not systems:
        return None
    from .paths.health import open_routes
    from .paths.table import routes

    served = partial(routes, systems)
    before = partial(open_routes, systems)
    return Mount(served, served, open_routes=before, toolsets=systems.intersection(get_args(Toolset)))
