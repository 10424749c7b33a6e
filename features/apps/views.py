"""The views: pages that a client shows beside the answers of tools, each one file of HTML that loads nothing."""

import base64
import hashlib
import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...modules import package_files
from ...modules.records import dataclass

MOST_BYTES = 24_000
"""The most bytes of a page, which a client reads once a session; a test holds them."""
FOLDER = Path(__file__).parent / "page"
NOWHERE: Mapping[str, Sequence[str]] = {
    "connectDomains": (),
    "resourceDomains": (),
    "frameDomains": (),
    "baseUriDomains": (),
}
"""The places that a page may load from or send to: none."""


@dataclass(frozen=True)
class View:
    """A view: its name, its title, and the tools whose answers it shows."""

    name: str
    title: str
    tools: tuple[str, ...]

    @property
    def uri(self) -> str:
        """The address of its page."""
        return f"ui://agentos/{self.name}"


VIEWS = (
    View("snapshot", "Context of a session", ("context_get_snapshot",)),
    View("questions", "Open questions", ("memory_questions",)),
    View("approvals", "Requests for permission", ("approval_list", "approval_get", "approval_request")),
)


class Views:
    """The views there are, for whoever speaks the protocol."""

    def of_tool(self, tool: str) -> dict[str, Any] | None:
        """Return the metadata of a tool that has a view; None for any other."""
        found = next((one.uri for one in VIEWS if tool in one.tools), None)
        return None if found is None else {"ui": {"resourceUri": found}}

    def listed(self) -> Sequence[tuple[str, str, str]]:
        """Return the address, name and title of each."""
        return [(one.uri, one.name, one.title) for one in VIEWS]

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of every page: what it may reach, and that a border around it is welcome."""
        return {"ui": {"csp": {name: list(places) for name, places in NOWHERE.items()}, "prefersBorder": True}}

    def page(self, uri: str, dashboard: str) -> str | None:
        """Return the page of an address, which links to the dashboard at an address, "" for none. Blocks.

        None where there is no such page.
        """
        view = next((one for one in VIEWS if one.uri == uri), None)
        return None if view is None else _page(view, dashboard)


def _page(view: View, dashboard: str) -> str:
    style = package_files.text(FOLDER / "style.css")
    script = "".join(package_files.text(FOLDER / f"{name}.js") for name in ("host", "parts", view.name))
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" '
        f'content="light dark"><title>{html.escape(view.title)}</title><style>{style}</style></head>'
        f'<body data-dashboard="{html.escape(dashboard)}"><main aria-busy="true"></main>'
        f'<p id="said" role="status"></p><script>{script}</script></body></html>'
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
