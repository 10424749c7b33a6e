"""Messages of services in the words of REST: routes in place of tools."""

import re
from collections.abc import Mapping

from .route import PREFIX
from .routes import ROUTES

_PATHS: Mapping[str, str] = {
    route.does: f"{route.method} {PREFIX}{route.path}" for route in reversed(ROUTES) if isinstance(route.does, str)
}
_NAMES = "|".join(sorted(_PATHS, key=len, reverse=True))
_TOOL = re.compile(rf"(?<![\w./'\"-])({_NAMES})(?![\w.])(?:\((\w{{1,40}})='(\w{{1,80}})'\))?")


def as_routes(message: str) -> str:
    """Return a message with routes in place of tools; the argument of a call is put into the route's path."""
    return _TOOL.sub(_route, message)


def _route(found: re.Match[str]) -> str:
    tool, argument, value = found.groups()
    return _PATHS[tool] if argument is None else _PATHS[tool].replace(f"{{{argument}}}", value)
