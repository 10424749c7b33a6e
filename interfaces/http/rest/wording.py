"""Messages of services in the words of REST: routes in place of tools."""

import re
from collections.abc import Sequence

from .route import PREFIX, Route


class RouteWords:
    """Puts routes in place of the tools that a message names."""

    def __init__(self, routes: Sequence[Route]) -> None:
        self._paths = {
            route.does: f"{route.method} {PREFIX}{route.path}"
            for route in reversed(routes)
            if isinstance(route.does, str)
        }
        names = "|".join(sorted(self._paths, key=len, reverse=True))
        self._tool = re.compile(rf"(?<![\w./'\"-])({names})(?![\w.])(?:\((\w{{1,40}})='(\w{{1,80}})'\))?")

    def of(self, message: str) -> str:
        """Return a message with routes in place of tools; the argument of a call is put into the route's path."""
        return self._tool.sub(self._route, message)

    def _route(self, found: re.Match[str]) -> str:
        tool, argument, value = found.groups()
        path = self._paths[tool]
        return path if argument is None else path.replace(f"{{{argument}}}", value)
