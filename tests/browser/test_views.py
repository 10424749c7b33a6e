"""The views of MCP Apps in a Chromium: by a page that plays the client, in the sandbox that clients show them in."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Frame, Page, expect

from agentos.features.apps.views import VIEWS, Views

from .conftest import DEADLINE_S, HOSTILE

HOST = """<!doctype html><title>host</title><iframe id="view" sandbox="allow-scripts" width="100%" height="600">
</iframe>
<script>
const view = document.getElementById("view"), said = [], answers = [];
let able = {serverTools: {}, openLinks: {}, updateModelContext: {text: {}}}, theme = "light";
const post = message => view.contentWindow.postMessage({jsonrpc: "2.0", ...message}, "*");
addEventListener("message", event => {
  if (event.source !== view.contentWindow) return;
  const message = event.data;
  said.push(message);
  if (message.id === undefined || message.method === undefined) return;
  able = Object.fromEntries(Object.entries(able).filter(([, one]) => one !== null));
  if (message.method === "ui/initialize") post({id: message.id, result: {protocolVersion: "2026-01-26",
    hostInfo: {name: "host", version: "1"}, hostCapabilities: able, hostContext: {theme}}});
  else if (message.method === "tools/call")
    post({id: message.id, result: answers.shift() ?? {content: [], isError: false}});
  else post({id: message.id, result: {}});
});
</script>"""
STATEMENT = {"date": "2031-05-01", "label": HOSTILE, "source": HOSTILE}
PAIR = {
    "older": {"id": "mem_1", "content": f"On Tuesday {HOSTILE}", **STATEMENT},
    "newer": {"id": "mem_2", "content": "On Thursday", **STATEMENT},
}
REQUEST = {
    "id": "apr_1", "status": "pending", "action": HOSTILE, "subject": HOSTILE, "reason": HOSTILE, "risk": 0.9,
    "requested_by": HOSTILE, "decided_by": "nobody",
}  # fmt: skip
RESULTS: dict[str, dict[str, Any]] = {
    "questions": {
        "agent_id": "ada",
        "questions": [PAIR],
        "contested": [{"approval_id": "apr_1", "newer": PAIR["newer"], "older": [PAIR["older"]]}],
    },
    "approvals": {"results": [REQUEST], "total": 3},
    "snapshot": {
        "agent_id": "ada",
        "top_memories": [{"id": "mem_1", "content": HOSTILE, "date": "2031-05-01", "source": HOSTILE}],
        "active_goals": [{"id": "goal_1", "title": HOSTILE, "progress": 0.4}],
        "recent_patterns": [
            {"pattern_type": HOSTILE, "frequency": 3, "description": HOSTILE, "suggested_action": HOSTILE}
        ],
        "proactive_insights": [{"id": "ins_1", "severity": "high", "text": HOSTILE}],
        "autonomous_tasks": [{"id": "task_1", "text": HOSTILE}],
        "performance_summary": {"total_memories": 7, "total_goals": 1, "completed_goals": 0},
        "pending_approvals": [{"id": "apr_1", "action": HOSTILE, "subject": HOSTILE}],
        "questions": [{"id": "mem_1", "content": HOSTILE, "by": "mem_2", "newer": "On Thursday"}],
    },
}
DASHBOARD = "http://127.0.0.1:8420/dashboard"


class Shown:
    """A view and the page that plays its client."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda one: self.complaints.append(one.text) if one.type == "error" else None)
        page.on("pageerror", lambda one: self.complaints.append(str(one)))
        page.on("request", lambda one: self.requests.append(one.url))

    @property
    def view(self) -> Frame:
        [frame] = self.page.main_frame.child_frames
        return frame

    def said(self, method: str) -> list[dict[str, Any]]:
        """The messages of a method that the view has sent."""
        found: list[dict[str, Any]] = self.page.evaluate("m => said.filter(one => one.method === m)", method)
        return found


@contextmanager
def shown(
    chromium: Browser, name: str, dashboard: str = DASHBOARD, theme: str = "light", **able: Any
) -> Iterator[Shown]:
    """Show a view with a result, as a client that can do more than usual, or with `able` less."""
    context = chromium.new_context()
    context.set_default_timeout(DEADLINE_S * 1000)
    opened = Shown(context.new_page())
    opened.page.set_content(HOST)
    uri = next(one.uri for one in VIEWS if one.name == name)
    opened.page.evaluate(
        "given => { able = {...able, ...given.able}; theme = given.theme; }", {"able": able, "theme": theme}
    )
    opened.page.evaluate("html => { view.srcdoc = html; }", Views().page(uri, dashboard))
    opened.page.wait_for_function("said.some(one => one.method === 'ui/notifications/initialized')")
    result = {"content": [{"type": "text", "text": "text"}], "structuredContent": RESULTS[name], "isError": False}
    opened.page.evaluate("result => post({method: 'ui/notifications/tool-result', params: result})", result)
    expect(opened.view.locator("main")).to_have_attribute("aria-busy", "false")
    yield opened
    assert opened.view.evaluate("document.title") in {one.title for one in VIEWS}
    assert opened.view.locator("main :is(script, img, a, iframe)").count() == 0
    assert opened.complaints == [] and [one for one in opened.requests if one.startswith("http")] == []
    context.close()


def test_a_pair_is_settled_by_the_call_that_an_agent_would_make(chromium: Browser) -> None:
    with shown(chromium, "questions", theme="dark") as one:
        assert "<script>" in one.view.locator("blockquote").first.inner_text()
        assert "\\u202e" in one.view.locator("blockquote").first.inner_text()
        assert one.view.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(28, 28, 30)"
        one.page.evaluate("answers.push({content: [{type: 'text', text: 'it was refused'}], isError: true})")
        one.view.get_by_role("button", name="It replaces it").focus()
        one.page.keyboard.press("Enter")
        expect(one.view.locator("#said")).to_have_text("Nothing was changed: it was refused")
        one.page.keyboard.press("Tab")
        one.view.get_by_role("button", name="It replaces it").press("Enter")
        expect(one.view.locator("#said")).to_have_text("mem_1 is superseded by mem_2.")
        assert one.view.get_by_role("button", name="Both hold").is_disabled()
        calls = [call["params"] for call in one.said("tools/call")]
        given = {"agent_id": "ada", "memory_id": "mem_1", "verdict": "supersede", "by": "mem_2"}
        assert calls == [{"name": "memory_feedback", "arguments": given}] * 2
        [told] = one.said("ui/update-model-context")
        assert told["params"]["content"] == [{"type": "text", "text": "mem_1 is superseded by mem_2."}]
        one.view.get_by_role("button", name="Decide in the dashboard").click()
        [link] = one.said("ui/open-link")
        assert link["params"] == {"url": f"{DASHBOARD}/approvals/apr_1"}
        assert one.said("ui/notifications/size-changed")


def test_a_request_for_permission_can_be_read_and_not_decided(chromium: Browser) -> None:
    with shown(chromium, "approvals") as one:
        assert one.view.get_by_role("button").all_inner_texts() == ["Decide in the dashboard"]
        expect(one.view.locator("main")).to_contain_text("2 more wait.")
    with shown(chromium, "approvals", dashboard="") as one:
        assert one.view.get_by_role("button").count() == 0
        expect(one.view.locator("main")).to_contain_text("agentos approvals list")


def test_a_snapshot_shows_each_part_and_offers_no_call_where_the_client_makes_none(chromium: Browser) -> None:
    with shown(chromium, "snapshot") as one:
        one.view.get_by_role("button", name="Dismiss").first.click()
        expect(one.view.locator("#said")).to_have_text("ins_1 is dismissed.")
        [call] = one.said("tools/call")
        assert call["params"]["name"] == "insight_update" and call["params"]["arguments"]["status"] == "dismissed"
        assert one.view.locator("blockquote").count() >= 8
        stranger = {"jsonrpc": "2.0", "method": "ui/notifications/tool-result", "params": {"isError": True}}
        one.view.evaluate("message => postMessage(JSON.parse(message), '*')", json.dumps(stranger))
        assert one.view.locator("blockquote").count() >= 8  # it hears its client alone
        for method in ("ping", "ui/resource-teardown", "no/such"):
            one.page.evaluate("method => post({id: method, method})", method)
        answered = "said.filter(one => one.method === undefined && one.id).length === 3"
        one.page.wait_for_function(answered)
    with shown(chromium, "snapshot", serverTools=None) as one:
        assert {*one.view.get_by_role("button").all_inner_texts()} <= {"Decide in the dashboard"}
