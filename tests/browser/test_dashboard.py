"""The dashboard as a person uses it: every page in both themes and on a phone, actions, keys, and hostile texts."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import HOSTILE, Tab, decorate, serving, signed_in
from tests.places import ROOT

PAGES = ("", "memories", "memories?q=release&explain=1", "timeline", "contested", "approvals", "goals", "reflection",
         "sessions", "graph", "operations")  # fmt: skip
GRAPH_SCRIPT = (ROOT / "interfaces/http/dashboard/static/graph.js").read_text(encoding="utf-8")
MANY_NODES = """count => {
    const nodes = [], edges = [];
    for (let n = 0; n < count; n += 1) {
        nodes.push([`node ${n}`, 'concept', Math.sin(n), Math.cos(n * 7)]);
        edges.push([n, Math.floor(n / 3), 'relates_to'], [n, (n * 7) % count, 'co_occurs']);
    }
    document.querySelector('#graph-data').textContent = JSON.stringify({nodes, edges});
    document.querySelector('#graph').replaceWith(document.querySelector('#graph').cloneNode());
}"""
FRAME_MS = """async () => {
    const took = [];
    for (let n = 0; n < 11; n += 1) {
        const began = performance.now();
        document.querySelector('#graph').dispatchEvent(new WheelEvent('wheel', {deltaY: -1}));
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
        took.push(performance.now() - began);
    }
    return took.sort((a, b) => a - b)[5] / 2;
}"""
"""The median time of a frame while the drawing is zoomed, in milliseconds."""
BOTH_THEMES = [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)]
RUN_AXE = """async () => {
    const found = await axe.run(document, {resultTypes: ['violations']});
    return found.violations.filter(one => ['serious', 'critical'].includes(one.impact))
        .map(one => [one.id, one.nodes.slice(0, 3).map(node => node.html.slice(0, 200))]);
}"""


@pytest.mark.parametrize("tab", BOTH_THEMES, indirect=True, ids=lambda one: f"{one[0]}-{one[1]}")
def test_every_page_is_accessible_and_fits(tab: Tab, axe: str) -> None:
    page = tab.page
    tab.go("memories")
    links: list[str] = page.eval_on_selector_all(
        "[data-entry] a.text", "all => all.map(one => one.getAttribute('href'))"
    )
    records = [link.removeprefix("/dashboard/") for link in links[:3]]
    tab.go("approvals")
    records.append(
        str(page.locator("main a[href*='/approvals/']").first.get_attribute("href")).removeprefix("/dashboard/")
    )
    for path in (*PAGES, *records):
        tab.go(path)
        page.evaluate(axe)
        assert page.evaluate(RUN_AXE) == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"), f"{path} scrolls sideways"
        assert page.title() != "gone"
    assert tab.complaints == []


def test_a_memory_is_stored_found_edited_hidden_and_brought_back(tab: Tab) -> None:
    page = tab.page
    tab.go("memories")
    page.get_by_text("Store a memory").click()
    page.get_by_label("What should be remembered").fill("The printer is on the second floor.")
    page.get_by_role("button", name="Store", exact=True).click()
    assert page.get_by_role("status").first.inner_text().startswith("The memory was stored.")
    page.keyboard.press("e")
    page.keyboard.press("Control+A")
    page.keyboard.type("The printer is on the third floor.")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Archive").click()
    page.get_by_role("button", name="Undo", exact=True).click()
    assert "undone" in page.get_by_role("status").first.inner_text()
    tab.go("memories")
    page.keyboard.press("/")
    page.keyboard.type("printer")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=printer**")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/memory/**")
    assert "third floor" in page.locator(".whole").inner_text()
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Erase").click()
    page.get_by_role("button", name="Erase 1 memory").click()
    assert "erased" in page.get_by_role("status").first.inner_text()
    assert tab.complaints == []


def test_many_memories_are_merged_and_new_ones_are_announced(tab: Tab) -> None:
    page = tab.page
    tab.go("memories")
    with page.expect_response(lambda response: "/dashboard/events" in response.url):
        page.reload()
    tab.site.post("/memories", content="Something new came in.")
    page.locator("[data-news]").wait_for(state="visible")
    page.locator("[data-news] a").click()
    boxes = page.locator("[data-entry] input[type=checkbox]")
    boxes.nth(1).check()
    boxes.nth(2).check()
    page.get_by_role("button", name="Merge").click()
    page.get_by_label("One text that replaces them").fill("Releases went out on many days.")
    page.get_by_role("button", name="Merge").click()
    assert "merged" in page.get_by_role("status").first.inner_text()
    assert tab.complaints == []


def test_a_risky_request_takes_a_second_look(tab: Tab) -> None:
    page = tab.page
    tab.go("approvals")
    page.get_by_text("deploy_production").first.click()
    page.get_by_role("button", name="Approve").click()
    assert "What will happen" in page.locator("main").inner_text()
    page.get_by_label("to approve it").fill(page.locator("label code").inner_text())
    page.get_by_role("button", name="Approve").click()
    assert page.get_by_role("status").first.inner_text().startswith("Approved.")


def test_goals_jobs_backups_and_sessions_are_handled(tab: Tab) -> None:
    page = tab.page
    tab.go("goals")
    page.get_by_text("Ship version 3").first.click()
    page.get_by_label("Progress in %").first.fill("40")
    page.get_by_role("button", name="Save progress").first.click()
    assert "40 %" in page.locator(".tree").inner_text()
    tab.go("operations")
    page.get_by_role("button", name="Make a backup now").click()
    assert "backup was made" in page.get_by_role("status").first.inner_text()
    page.get_by_role("button", name="Run now: usage").click()
    assert "within a minute" in page.get_by_role("status").first.inner_text()
    tab.go("sessions")
    page.get_by_text("Fix the cart").click()
    page.get_by_label("State").select_option("completed")
    page.get_by_role("button", name="Save").click()
    assert "changed" in page.get_by_role("status").first.inner_text()
    page.get_by_role("button", name="Sign out").click()
    assert "agentos open" in page.locator("main").inner_text()
    assert tab.complaints == []


def test_a_backup_is_brought_back_and_a_key_made(chromium: Browser, tmp_path: Path) -> None:
    with serving(tmp_path / "home") as site:
        site.post("/memories", content="What was there before.")
        with signed_in(chromium, site, "light", 1100) as tab:
            page = tab.page
            tab.go("operations")
            page.get_by_text("Make a key").first.click()
            page.get_by_label("Name", exact=True).fill("ci")
            page.get_by_role("button", name="Make the key").click()
            assert page.locator("[data-secret]").inner_text().startswith("agos_")
            tab.go("operations")
            page.get_by_role("button", name="Make a backup now").click()
            site.post("/memories", content="What came after.")
            page.get_by_role("button", name="Restore ").first.click()
            page.get_by_label("to go on").fill(page.locator("label code").inner_text())
            page.get_by_role("button", name="Restore", exact=True).click()
            assert "begins again" in page.locator("h1").inner_text()
        again = site.begun_again()
        with signed_in(chromium, again, "light", 1100) as tab:
            tab.go("operations")
            assert "restored 20" in tab.page.locator("main").inner_text()
            tab.go("memories")
            assert "What was there before." in tab.page.locator("main").inner_text()
            assert "What came after." not in tab.page.locator("main").inner_text()


def test_two_thousand_nodes_are_drawn_without_stutter(tab: Tab) -> None:
    page = tab.page
    tab.go("graph")
    told: dict[str, Any] = json.loads(page.locator("#graph-data").inner_text())
    assert HOSTILE[:20] in json.dumps(told)
    page.evaluate(MANY_NODES, 2000)
    page.evaluate("() => {\n" + GRAPH_SCRIPT + "\n}")
    assert page.evaluate(FRAME_MS) < 100, "ten frames a second on a busy machine without a GPU"


def test_the_pictures_of_the_guide_can_be_taken(chromium: Browser, tmp_path: Path) -> None:
    """`PICTURES=docs/images python -m pytest -m browser -k pictures` takes them anew."""
    folder = Path(os.environ.get("PICTURES", tmp_path))
    with serving(tmp_path / "home") as site, signed_in(chromium, site, "light", 1100) as tab:
        decorate(site)
        tab.go("memories?q=how+is+billing+done&explain=1")
        tab.page.screenshot(path=folder / "memories.png")
        tab.go("contested")
        assert tab.page.locator("mark").count() > 0
        tab.page.screenshot(path=folder / "contested.png", full_page=True)
    assert all((folder / name).stat().st_size > 10_000 for name in ("memories.png", "contested.png"))
