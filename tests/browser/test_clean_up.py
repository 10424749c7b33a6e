"""A store of 500 memories, as agents left it, is cleaned up by a person who sees the dashboard for the first time."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Site, Tab, serving, signed_in
from tests.browser.messy import messy
from tests.tables import every


@pytest.fixture(scope="module")
def littered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server of those memories, each looked at for others like it."""
    with serving(tmp_path_factory.mktemp("littered") / "home") as site:
        memories = messy()
        for begin in range(0, len(memories), 100):
            site.post("/memories/batch", memories=memories[begin : begin + 100])
        yield site


@pytest.fixture
def messy_tab(chromium: Browser, littered: Site) -> Iterator[Tab]:
    with signed_in(chromium, littered, "light", 1280) as opened:
        yield opened


def act_result(tab: Tab) -> str:
    """What the page says of the last act, once it is over."""
    over = tab.page.locator("[data-act]:not([data-running])")
    over.wait_for()
    return over.inner_text()


def count(tab: Tab, **where: str) -> int:
    return int(tab.site.api.get("/memories", params={"limit": 1, **where}).json()["total"])


STEPS: list[tuple[str, dict[str, str], str, str, int]] = [
    # the list, what is filled in beside it, the button, what is said, how many of these are found afterwards
    ("tags=log&sort=unimportant", {}, "Archive", "170 memories archived", 0),
    ("tags=howto&memory_type=episodic", {"kind": "procedural"}, "Set kind", "Kind set for", 0),
    ("tags=howto", {"Tags to add or remove": "runbook"}, "Add tags", "Tags added to", 50),
    ("tags=runbook", {"Tags to add or remove": "howto"}, "Remove tags", "Tags removed from", 50),
    ("tags=runbook", {"Importance (0 to 1)": "0.9"}, "Set importance", "Importance set for", 50),
    ("tags=sprint", {}, "Forget", "90 memories forgotten", 0),
]


def carry_out(tab: Tab, listing: str, given: dict[str, str], button: str) -> None:
    """Do something to all that a list means: choose all, fill in, press, look, press again."""
    page = tab.page
    tab.go(f"memories?{listing}")
    page.locator("[data-every]").check()
    if given:
        page.get_by_text("Change a field").click()
    for label, value in given.items():
        if label == "kind":
            page.locator("[name=to_type]").select_option(value)
        else:
            page.locator("#chosen").get_by_label(label, exact=True).fill(value)
    page.locator("#chosen").get_by_role("button", name=button, exact=True).click()
    assert page.locator("main li").count() == 10, "some of them are shown"
    page.locator("main form button").last.click()


def test_all_that_match_a_filter_are_handled_at_once_and_each_act_is_undone(messy_tab: Tab) -> None:
    for listing, given, button, message, left in STEPS:
        where = dict(part.split("=") for part in listing.split("&") if not part.startswith("sort"))
        carry_out(messy_tab, listing, given, button)
        assert message in act_result(messy_tab), (listing, act_result(messy_tab))
        assert all(part in messy_tab.page.url for part in listing.split("&")), "the list is the same one"
        assert count(messy_tab, **where) == left, listing
    carry_out(messy_tab, "tags=runbook", {}, "Archive")
    assert "50 memories archived" in act_result(messy_tab)
    messy_tab.page.keyboard.press("z")
    messy_tab.page.locator("[data-act]", has_text="Undone").wait_for()
    assert "50 memories restored" in act_result(messy_tab) and count(messy_tab, tags="runbook") == 50
    messy_tab.page.get_by_text("History, with undo").click()
    messy_tab.page.get_by_text("Forget: 90 memories").click()
    messy_tab.page.get_by_role("button", name="Undo").click()
    messy_tab.page.locator("[data-act]", has_text="Undone").wait_for()
    assert "90 memories restored" in act_result(messy_tab) and count(messy_tab, tags="sprint") == 90
    assert messy_tab.complaints == []


def test_repeats_are_found_in_groups_and_archived_by_the_keyboard(messy_tab: Tab, axe: str) -> None:
    page = messy_tab.page
    for path in ("duplicates", "duplicates?similar=1", "acts"):
        messy_tab.go(path)
        page.evaluate(axe)
        assert page.evaluate("axe.run(document).then(found => found.violations.map(one => one.id))") == [], path
    messy_tab.go("duplicates")
    assert page.locator("[data-group]").count() > 0, "it begins with the kind of which there are some"
    messy_tab.go("duplicates?similar=1")
    first = page.locator("[data-group]").first
    others = first.locator("[data-entry]").count()
    assert others >= 2 and first.locator("mark").count() > 0, "what differs is marked"
    assert page.get_by_role("button", name="Archive").is_disabled()
    for key in ("j", "x", "j", "x"):
        page.keyboard.press(key)
    assert page.locator("[data-count]").inner_text() == "2"
    page.keyboard.press("#")
    assert "2 memories archived" in act_result(messy_tab) and "similar=1" in page.url
    assert page.locator("[data-group]").first.locator("[data-entry]").count() <= others
    assert messy_tab.complaints == []


@every("sort, width", [("oldest", 1280), ("unimportant", 390), ("unused", 390)])
def test_pages_are_walked_forwards_and_back_with_their_counts(
    chromium: Browser, littered: Site, sort: str, width: int
) -> None:
    with signed_in(chromium, littered, "dark", width) as tab:
        tab.go(f"memories?sort={sort}")
        shown = []
        for key in ("", "n", "n", "p", "p"):
            if key:
                before = tab.page.url
                tab.page.keyboard.press(key)
                tab.page.wait_for_url(lambda url, before=before: url != before)
            shown.append(tab.page.locator("[data-entry] a.text").all_inner_texts())
            line = tab.page.locator("p.quiet", has_text="memories in").inner_text()
            assert line.startswith(f"{1 + 50 * (0, 1, 2, 1, 0)[len(shown) - 1]} to "), line
        assert shown[:2] == shown[:2:-1] and len({*map(tuple, shown)}) == 3
        assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")


def test_pairs_at_odds_are_decided_one_after_the_other(messy_tab: Tab) -> None:
    page = messy_tab.page
    messy_tab.go("contested")
    pairs = page.locator("main form button[value=older]")
    waiting = pairs.count()
    assert waiting >= 10
    for _ in range(3):
        pairs.first.click()
        page.wait_for_load_state()
    assert pairs.count() == waiting - 3
