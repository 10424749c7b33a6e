"""The abilities of a client that change what it is offered, by its own word; without libraries, for the front."""

from typing import Any

VIEWS = "io.modelcontextprotocol/ui"
"""The extension MCP Apps, by which clients show pages beside answers."""
PAGE = "text/html;profile=mcp-app"
"""The media type of these pages."""


def shows_views(capabilities: object) -> bool:
    """Return whether a client with these capabilities shows pages."""
    settings = _part(_part(capabilities, "extensions"), VIEWS)
    types = settings.get("mimeTypes")
    return isinstance(types, list) and PAGE in types


def takes_forms(capabilities: object) -> bool:
    """Return whether a client with these capabilities asks its user by forms: it says so, or names no kind at all."""
    if not isinstance(capabilities, dict) or not isinstance(capabilities.get("elicitation"), dict):
        return False
    kinds = capabilities["elicitation"]
    return not kinds or isinstance(kinds.get("form"), dict)


def of_use(capabilities: object) -> dict[str, Any]:
    """Return what a server needs to know of a client's capabilities: its folders, its forms and its views."""
    has_roots = isinstance(capabilities, dict) and isinstance(capabilities.get("roots"), dict)
    known: dict[str, Any] = {"roots": {}} if has_roots else {}
    known |= {"elicitation": {}} if takes_forms(capabilities) else {}
    return known | ({"extensions": {VIEWS: {"mimeTypes": [PAGE]}}} if shows_views(capabilities) else {})


def _part(value: object, name: str) -> dict[str, Any]:
    """Return the object of a name in a value; an empty one where there is none."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}
