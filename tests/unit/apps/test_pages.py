"""The pages of the views: small, closed, and of one policy; and what clients say that they can do."""

import base64
import hashlib
import re
from typing import Any

from agentos.features.apps.views import MOST_BYTES, VIEWS, Views
from agentos.modules import abilities
from agentos.tools.catalog import all_tools
from tests.tables import every

PAGES = [one.uri for one in VIEWS]


@every("uri", PAGES)
def test_a_page_is_small_loads_nothing_and_runs_only_what_is_in_it(uri: str) -> None:
    page = Views().page(uri, 'http://127.0.0.1:8420/dashboard"><script>')
    assert page is not None and len(page.encode()) <= MOST_BYTES
    assert not re.search(r"https?://(?!127\.0\.0\.1)|\bfetch\(|XMLHttpRequest|WebSocket|import\(|\beval\(", page)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write", page)
    assert 'data-dashboard="http://127.0.0.1:8420/dashboard&quot;&gt;&lt;script&gt;"' in page
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy
    for name in ("script", "style"):
        [inside] = re.findall(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy


def test_a_view_is_of_tools_that_there_are_and_no_address_is_any_other() -> None:
    named = [tool for one in VIEWS for tool in one.tools]
    assert {*named} <= {tool.name for tool in all_tools(None)} and len({*named}) == len(named)
    views = Views()
    assert views.of_tool("memory_store") is None
    assert views.of_tool("context_get_snapshot") == {"ui": {"resourceUri": PAGES[0]}}
    assert [uri for uri, _, _ in views.listed()] == PAGES
    assert not any(place for place in views.metadata["ui"]["csp"].values())
    assert views.page("ui://agentos/../secrets", "") is None and views.page("", "") is None


def ui(mime: Any) -> dict[str, Any]:
    return {"extensions": {abilities.VIEWS: {"mimeTypes": mime}}}


@every(
    ("capabilities", "views", "forms"),
    [
        ({}, False, False),
        (None, False, False),
        ([], False, False),
        ({"elicitation": {}}, False, True),
        ({"elicitation": {"form": {}}}, False, True),
        ({"elicitation": {"form": {}, "url": {}}}, False, True),
        ({"elicitation": {"url": {}}}, False, False),
        ({"elicitation": None}, False, False),
        ({"elicitation": {"form": True}}, False, False),
        (ui([abilities.PAGE]), True, False),
        (ui(["text/html"]), False, False),
        (ui(abilities.PAGE), False, False),
        ({"extensions": {abilities.VIEWS: {}}}, False, False),
        ({"extensions": [abilities.VIEWS]}, False, False),
    ],
)
def test_what_a_client_can_do_is_what_it_says(capabilities: Any, views: bool, forms: bool) -> None:
    assert (abilities.shows_views(capabilities), abilities.takes_forms(capabilities)) == (views, forms)
    told = abilities.of_use(capabilities)
    assert (abilities.shows_views(told), abilities.takes_forms(told)) == (views, forms)
