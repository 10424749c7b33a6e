"""What the dashboard promises beyond its pages: it lives, loses nothing, is explored, and asks no other machine."""

import asyncio
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, Locator

from agentos.features.dashboard.html import FOLDER
from tests.browser import demo
from tests.browser.conftest import Site, Tab, in_a_thread, serving, signed_in
from tests.slowness import Slowness

LIVE_MS, PAINT_MS = 2_000, 300
SHARED = 3
"""A browser, its pages and a server share the machine, beside the test."""
MOST_BYTES = 150_000
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
SCALE = """() => [...document.querySelectorAll('.bars')].map(bars => [...bars.querySelectorAll('rect')].map(part => [
    part.x.baseVal.value, part.width.baseVal.value, parseFloat(part.textContent.match(/[-+][\\d.]+$/)[0])]))"""
"""Where each part of an explanation's bars begins, how long it is, and what it stands for."""
NODE = """() => {
    const canvas = document.querySelector('#graph');
    const {left, top, width, height} = canvas.getBoundingClientRect();
    const points = [];
    for (let x = left; x < left + width; x += 2) {
        for (let y = top; y < top + height; y += 2) {
            canvas.dispatchEvent(new PointerEvent('pointermove', {clientX: x, clientY: y, pointerId: 9}));
            if (canvas.classList.contains('pointing')) points.push([x, y]);
        }
    }
    const one = points.filter(([x, y]) => Math.hypot(x - points[0][0], y - points[0][1]) < 40);
    return [0, 1].map(side => one.reduce((sum, point) => sum + point[side], 0) / one.length);
}"""
"""The middle of what is drawn of a node."""
CHANGES: list[tuple[str, str, str, dict[str, Any]]] = [
    # the page, the part that tells it, what an agent asks for, and with which fields
    ("", "newest", "/memories", {"content": "{words}"}),
    ("memories", "found", "/memories", {"content": "{words}"}),
    ("timeline", "day", "/memories", {"content": "{words}"}),
    ("goals", "goals", "/goals", {"title": "{words}", "description": "It is wanted."}),
    ("sessions", "sessions", "/sessions", {"name": "{words}", "folder": "/src/shop", "title": "{words}"}),
    ("approvals", "requests", "/approvals",
     {"action": "deploy", "subject": "{words}", "reason": "Why not?", "impact": 0.2, "reversibility": 0.2,
      "sensitivity": 0.2}),
]  # fmt: skip


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def is_live(tab: Tab) -> None:
    tab.page.locator("[data-live][data-state=live]").wait_for()


def flash(tab: Tab) -> Locator:
    return tab.page.get_by_role("status").first


def test_what_agents_do_appears_where_it_belongs_within_two_seconds_unless_the_page_is_frozen(tab: Tab) -> None:
    page, slow = tab.page, Slowness()
    for path, part, asked, fields in CHANGES:
        tab.go(path)
        is_live(tab)
        words = f"It comes in at {path or 'home'} by itself"
        slow.look()
        tab.site.post(asked, **json.loads(json.dumps(fields).replace("{words}", words)))
        shown = page.locator(f"[data-part={part}]").get_by_text(words)
        shown.first.wait_for(timeout=LIVE_MS * SHARED * slow.factor)
    tab.go("operations")
    is_live(tab)
    before = page.locator("#jobs").inner_text()
    tab.site.post("/jobs/usage/run")
    page.wait_for_function("before => document.querySelector('#jobs').innerText !== before", arg=before)
    tab.go("memories")
    is_live(tab)
    page.get_by_role("button", name="Freeze page").click()
    tab.site.post("/memories", content="Nothing moves while it is frozen.")
    page.locator("[data-news]").wait_for(state="visible")
    assert page.get_by_text("Nothing moves while").count() == 0
    page.get_by_role("button", name="Unfreeze page").click()
    page.get_by_text("Nothing moves while").first.wait_for()
    assert tab.complaints == []


def test_what_is_typed_outlives_a_lost_server_and_a_lost_session(chromium: Browser, tmp_path: Path) -> None:
    here, typed = f"127.0.0.1:{free_port()}", "Tea is at five, and there is cake."
    with ExitStack() as first, ExitStack() as browsing:
        site = first.enter_context(serving(tmp_path / "home", http=here, embedding_model="none"))
        found = site.post("/memories", content="Tea is at four.")["id"]
        tab = browsing.enter_context(signed_in(chromium, site, "light", 1280))
        page, text = tab.page, tab.page.locator("[data-edit] textarea")
        tab.go(f"memory/{found}")
        is_live(tab)
        page.locator("summary", has_text="Edit").click()
        text.fill(typed)
        first.close()
        page.locator("[data-live][data-state=reconnecting]").wait_for()
        page.get_by_role("button", name="Save").click()
        page.get_by_text("Not sent").wait_for()
        assert text.input_value() == typed
        with serving(tmp_path / "home", http=here, embedding_model="none") as again:
            is_live(tab)
            token = page.locator("[data-sign-out] [name=token]").get_attribute("value")
            cookies = {one["name"]: one["value"] for one in page.context.cookies()}
            httpx2.post(f"{site.url}/dashboard/sign-out", data={"token": token}, cookies=cookies,
                        headers={"origin": site.url, "sec-fetch-site": "same-origin"})  # fmt: skip
            page.locator("[data-live][data-state=ended]").wait_for()
            page.get_by_role("button", name="Save").click()
            page.get_by_text("agentos open").first.wait_for()
            page.goto(f"{site.url}/dashboard/enter#{again.link()}")
            page.wait_for_url(f"**/memory/{found}*")
            assert text.input_value() == typed and text.is_visible()
            page.get_by_role("button", name="Save").click()
            flash(tab).wait_for()
            assert page.locator("article.whole").get_by_text(typed).count() == 1
            tab.go("goals")
            page.locator("main summary", has_text="Add a goal").click()
            page.get_by_role("textbox", name="Title").fill("Bake a cake")
            tab.go("memories")
            tab.go("goals")
            assert page.get_by_role("textbox", name="Title").input_value() == "Bake a cake", "a line is a draft too"
            page.get_by_role("button", name="Add", exact=True).click()
            flash(tab).wait_for()
            tab.go("goals")
            page.locator("main summary", has_text="Add a goal").click()
            assert page.get_by_role("textbox", name="Title").input_value() == ""


def test_a_search_explains_itself_on_one_scale_and_learns_what_should_have_been_first(tab: Tab) -> None:
    page = tab.page
    tab.site.post("/memories", content="The ferry to the island leaves at nine from the old pier.")
    other = tab.site.post("/memories", content="In winter the boats do not go to Hven.")["id"]
    tab.go("memories?q=ferry+to+the+island+in+winter")
    page.get_by_role("link", name="Why").or_(page.locator("a[href*='explain=1']")).first.click()
    stacks = page.evaluate(SCALE)
    assert len(stacks) > 1
    units = [length / abs(value) for parts in stacks for _, length, value in parts if abs(value) > 0.05]
    assert max(units) < 1.1 * min(units), "a part is as long as it counts, in every row"
    taken = [x + length for parts in stacks for x, length, value in parts if value < 0]
    given = [x for parts in stacks for x, _, value in parts if value > 0]
    assert max(taken, default=0) <= min(given) + 0.2, "penalties to the left"
    if page.locator(f"details [data-entry]:has(a[href*='{other}'])").count():
        page.locator("summary", has_text="withheld").first.click()
    page.locator(f"form:has(input[name=id][value='{other}']) button[value=first]").first.click()
    flash(tab).wait_for()
    assert {"ferry", "island"} & set(tab.site.api.get(f"/memories/{other}").json()["tags"])
    flash(tab).get_by_role("button", name="Undo").click()
    flash(tab).get_by_text("undone").wait_for()
    assert not {"ferry", "island"} & set(tab.site.api.get(f"/memories/{other}").json()["tags"])
    assert tab.complaints == []


def test_the_drawing_of_the_graph_answers_the_pointer(tab: Tab) -> None:
    page = tab.page
    drawn: Callable[[], str] = lambda: page.evaluate("document.querySelector('#graph').toDataURL()")  # noqa: E731
    pointing: Callable[[], bool] = lambda: page.evaluate(  # noqa: E731
        "() => document.querySelector('#graph').classList.contains('pointing')"
    )
    hub, *rim = [
        tab.site.post("/graph/nodes", node_type="concept", label=f"wheel {number}")["id"] for number in range(6)
    ]
    for node in rim:
        tab.site.post("/graph/edges", source_node_id=hub, target_node_id=node, edge_type="depends_on")
    tab.go("graph?q=wheel+0")
    page.wait_for_selector("#graph[data-settled]")
    colours = dict(page.eval_on_selector_all("[data-kind]", "all => all.map(one => Object.values(one.dataset))"))
    still = drawn()
    spot = page.evaluate(NODE)
    page.mouse.move(*spot)
    assert pointing()
    page.wait_for_function("before => document.querySelector('#graph').toDataURL() !== before", arg=still)
    page.keyboard.down("Control")
    for _ in range(6):
        page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    page.mouse.move(spot[0] + 1, spot[1])
    assert pointing(), "what is under the cursor stays there"
    page.mouse.click(*spot)
    page.locator("[data-aside]").get_by_text("wheel").first.wait_for()
    tab.go("graph")
    others = dict(page.eval_on_selector_all("[data-kind]", "all => all.map(one => Object.values(one.dataset))"))
    assert all(others[kind] == colour for kind, colour in colours.items()), "a kind has one colour everywhere"
    assert tab.complaints == []


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server of its own for what is decided and taken back."""
    with serving(tmp_path_factory.mktemp("decided") / "home") as site:
        yield site


def test_decisions_and_their_effects_are_taken_back(chromium: Browser, decided: Site) -> None:
    site = decided
    ids = [site.post("/memories", content=f"Old note {number} about nothing.")["id"] for number in range(2)]
    goal = site.post("/goals", title="Paint the shed", description="Red.")["id"]
    for value, source in (("Oslo", "user"), ("Bergen", "web:evil.example")):
        site.post("/memories", content=f"Bo lives in {value}.", subject="Bo", attribute="home", value=value,
                  source=source)  # fmt: skip
    for action, payload in (
        ("memory.bulk_delete", {"memory_ids": ids, "mode": "archive"}), ("goal.complete", {"goal_id": goal})
    ):  # fmt: skip
        site.post("/approvals", action=action, subject=f"about {action}", reason="It is time.", payload=payload,
                  impact=0.5, reversibility=0.5, sensitivity=0.5)  # fmt: skip
    with signed_in(chromium, site, "light", 1280) as tab:
        page = tab.page
        assert page.locator("nav .badge").inner_text() == "3", "two requests and a contest wait"

        def status_of(one: str) -> str:
            goals = site.api.get("/goals?status=all").json()["results"]
            return str(next(each["status"] for each in goals if each["id"] == one))

        def decide(request: str) -> None:
            tab.go("approvals")
            page.get_by_role("link", name=request).first.click()
            main = page.locator("main")
            assert main.get_by_text('client "rest"').count(), "it says who asks"
            page.get_by_role("button", name="Approve").click()
            if page.locator("label code").count():
                page.get_by_label("to approve it").fill(page.locator("label code").inner_text())
                page.get_by_role("button", name="Approve").click()
            flash(tab).get_by_text("Approved.").wait_for()

        def taken_back() -> None:
            with page.expect_navigation():
                page.locator("main").get_by_role("button", name="Undo").first.click()

        decide("about memory.bulk_delete")
        assert {site.api.get(f"/memories/{one}").json()["status"] for one in ids} == {"archived"}
        taken_back()
        page.wait_for_function("() => !document.querySelector('[data-running]')")
        assert {site.api.get(f"/memories/{one}").json()["status"] for one in ids} == {"active"}
        decide("about goal.complete")
        assert status_of(goal) == "completed"
        taken_back()
        assert status_of(goal) == "active"
        tab.go("contested")
        pair = page.locator(".pair")
        assert pair.count() == 1 and pair.locator("mark").count() >= 2, (
            "both stand side by side, marked where they differ"
        )
        page.get_by_role("button", name="The newer is true").click()
        flash(tab).get_by_role("button", name="Undo").click()
        tab.go("contested")
        assert pair.count() == 1
        assert tab.complaints == []


def test_two_texts_of_one_memory_are_shown_when_they_collide_and_an_error_leads_back(tab: Tab) -> None:
    page = tab.page
    found = tab.site.post("/memories", content="The gate opens at eight.")["id"]
    tab.go(f"memory/{found}")
    page.locator("summary", has_text="Edit").click()
    page.locator("[data-edit] textarea").fill("The gate opens at ten.")
    tab.site.api.patch(f"/memories/{found}", json={"content": "The gate opens at nine."}).raise_for_status()
    page.get_by_role("button", name="Save").click()
    sides = page.locator(".sides")
    sides.wait_for()
    assert "nine" in sides.inner_text() and "ten" in sides.inner_text() and sides.locator("mark").count() >= 2
    page.locator("main form button").first.click()
    page.locator("article.whole").get_by_text("The gate opens at ten.").wait_for()
    versions = page.locator("section", has_text="Restore").locator("mark").all_inner_texts()
    assert {"eight", "nine"} <= set(versions), "what differs between versions is marked"
    tab.go("memory/mem_0000000000000000")
    assert page.get_by_role("alert").inner_text()
    page.locator("main").get_by_role("link", name="Home").click()
    page.wait_for_url("**/dashboard/")


def test_what_was_said_several_times_is_one_entry_and_merged_from_the_list(tab: Tab) -> None:
    page, states = tab.page, {"subject": "the lantern", "attribute": "place", "value": "by the door"}
    for words in ("The lantern hangs by the door.", "By the door hangs the lantern.", "The lantern is by the door."):
        tab.site.post("/memories", content=words, tags=["lantern"], **states)
    tab.go("memories?tags=lantern")
    entry = page.locator("[data-entry]", has_text="lantern")
    assert entry.count() == 1
    entry.get_by_text("said 3 times", exact=False).click()
    assert entry.locator("li").count() == 2
    entry.get_by_role("button", name="Merge").click()
    page.get_by_label("One text that replaces them").fill("The lantern hangs by the door.")
    page.get_by_role("button", name="Merge").click()
    assert "merged" in flash(tab).inner_text()
    tab.go("memories?tags=lantern")
    assert entry.count() == 1 and not entry.locator("li").count()
    assert tab.complaints == []


def test_a_session_is_a_story_whose_memories_lead_there_and_back_and_goals_stand_on_a_line(
    chromium: Browser, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    in_a_thread(lambda: asyncio.run(demo.live(home, demo.now())))
    with serving(home) as site, signed_in(chromium, site, "light", 1280) as tab:
        page = tab.page
        tab.go("sessions")
        page.get_by_role("link", name="Fix the rounding of invoices").click()
        main = page.locator("main")
        assert "1 prompt, 2 runs of tools" in main.inner_text() and "tokens" in main.inner_text()
        story = page.locator("[data-part=story] li").all_inner_texts()
        assert ["off by a cent" in story[0], "Edit" in story[1]] == [True, True], "in the order in which it happened"
        page.locator("[data-part=story] a[href*='/memory/']").first.click()
        page.wait_for_url("**/memory/**")
        page.locator("a[href*='/sessions/']").first.click()
        page.wait_for_url("**/sessions/**")
        tab.go("goals")
        depths = page.eval_on_selector_all(".goal-row", "all => all.map(one => one.getAttribute('aria-level'))")
        assert "2" in depths and page.locator(".goal-row svg.dates rect.today").count() == len(depths)
        tab.go("timeline?days=90")
        with page.expect_navigation(url="**/timeline?*day=*"):
            page.locator("[data-part=charts] figure").first.locator("svg a").last.dispatch_event("click")
        with page.expect_navigation(url="**hour=*"):
            page.locator("[data-part=charts] figure").last.locator("svg a").first.dispatch_event("click")
        assert page.locator("[data-part=day] [data-entry]").count() >= 1
        assert tab.complaints == []


def test_pages_paint_at_once_load_little_and_ask_no_other_machine(tab: Tab) -> None:
    page, slow, asked = tab.page, Slowness(), set[str]()
    page.on("request", lambda request: asked.add(request.url))
    for path in ("", "memories", "timeline", "goals", "graph", "operations"):
        took = []
        for _ in range(3):
            slow.look()
            tab.go(path)
            page.wait_for_function(PAINTED)
            took.append(page.evaluate(PAINTED))
        assert min(took) <= PAINT_MS * SHARED * slow.factor, (path, took)
    assert [one for one in asked if not one.startswith((tab.site.url, "data:"))] == []
    sizes = [one.stat().st_size for one in (FOLDER / "static").iterdir() if one.suffix in (".js", ".css")]
    assert len(sizes) >= 3 and sum(sizes) <= MOST_BYTES
