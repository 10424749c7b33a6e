"""The dashboard over time: charts by day, the timeline of memories and sessions, and that of one session."""

import re
from dataclasses import asdict
from datetime import timedelta
from html import escape, unescape

import pytest

from agentos.database import OpenedStore
from agentos.features.dashboard.pages import sessions
from agentos.modules.agentos import AgentOS
from agentos.modules.facts.models import MAY_SUPERSEDE, Relation
from agentos.modules.principals.models import Right, Role
from agentos.modules.sessions.models import EventType, NewEvent, ToolCall
from agentos.modules.sessions.service import turn
from agentos.modules.store_request import StoreRequest
from agentos.modules.usage.models import Spending, Tokens
from tests.integration.conftest import Clock
from tests.integration.http.conftest import HERE, MakeKey, Served, SignIn
from tests.tables import every


async def test_days_have_their_figures(sign_in: SignIn, agentos: AgentOS, clock: Clock) -> None:
    for success in (True, False):
        await agentos.reflection.log("default", "run the tests", "as it went", success)
    clock.advance(days=1)
    await agentos.reflection.log("default", "run the tests", "as it went", True)
    await agentos.memory.store("default", StoreRequest(content="Tea is at four."))
    agentos.usage.note("default", "codex", "memory_store_batch")
    agentos.usage.note("default", "codex", "memory_search", text="x" * 400)
    await agentos.usage.flush()
    assert [(one.total, one.success_rate) for one in await agentos.reflection.daily("default", 90)] == [
        (2, 0.5),
        (1, 1.0),
    ]
    browser = await sign_in()
    page = (await browser.get("reflection")).text
    assert "2 Mar: 50 %" in page and "3 Mar: 100 %" in page and "<polyline" in page
    home = (await browser.get("")).text
    assert (
        "3 Mar: 1 memory" in home
        and "<strong>1</strong>" in home
        and "3 Mar: 100 tokens" in home
        and "Tokens saved" not in home
    )
    assert home.count("timeline?day=2026-03-03&amp;until=2026-03-03") == 2, "a chart and the year lead to the day"
    assert "questions?since=2026-03-03&amp;until=2026-03-03&amp;answered=answered" in home
    assert "memories?since=2026-03-03&amp;until=2026-03-03&amp;memory_type=semantic" in home, "growth leads to its list"
    assert 'aria-current="true">7 days' in (await browser.get("", days="7")).text
    assert 'aria-current="true">30 days' in (await browser.get("", days="8")).text


async def test_what_letters_name_is_found_each_kind_by_itself(
    sign_in: SignIn, agentos: AgentOS, make_key: MakeKey
) -> None:
    await agentos.memory.store("default", StoreRequest(content="The lighthouse opens in May."))
    await agentos.memory.store("other", StoreRequest(content="The lighthouse of somebody else."))
    await agentos.goals.add("default", "Paint the lighthouse <b>", "White and red.")
    await agentos.sessions.open("default", "codex", "s1", "/src/lighthouse")
    browser = await sign_in()
    page = (await browser.get("find", q="LIGHTHOUSE")).text
    assert page.index("opens in May") < page.index("Paint the lighthouse &lt;b&gt;") < page.index("sessions/ses_")
    assert "of somebody else" in page and "ns=other" in page, "all one may see"
    assert "Nothing is called that" in (await browser.get("find", q="zzzz qqqq")).text
    assert (await browser.get("find", q="x" * 999)).status_code == 200
    await browser.post("sign-in", {"key": await make_key("ada", Role.READER, {"other": Right.READ})})
    page = (await browser.get("find", q="lighthouse")).text
    assert "of somebody else" in page and "opens in May" not in page and "Paint" not in page


async def test_a_day_is_looked_at_by_the_hour_and_days_in_longer_ranges(
    sign_in: SignIn, agentos: AgentOS, clock: Clock
) -> None:
    for hours in (1, 3):
        at = (clock().replace(hour=12, minute=30) - timedelta(days=1, hours=hours)).isoformat()
        await agentos.memory.store("default", StoreRequest(f"{hours} hours before.", occurred_at=at))
    browser = await sign_in()
    day = (clock() - timedelta(days=1)).date()
    page = (await browser.get("timeline", day=day, days=90)).text
    assert "11:00: 1 memory" in page and "09:00: 1 memory" in page and "hour=11" in page
    assert 'aria-current="true">90 days' in page and page.count("days=90") > 2, "links keep the range"
    of_hour = (await browser.get("timeline", day=day, hour=11)).text
    assert "1 hours before." in of_hour and "3 hours before." not in of_hour


async def test_goals_stand_on_one_line_of_dates(sign_in: SignIn, agentos: AgentOS, clock: Clock) -> None:
    deadline = (clock() + timedelta(days=9)).date().isoformat()
    await agentos.goals.add("default", "Paint it", "Blue.", deadline=deadline)
    page = (await (await sign_in()).get("goals")).text
    assert f"from {clock().date()} to {deadline}" in page and 'class="today"' in page


async def test_a_session_is_a_story_that_memories_lead_to(sign_in: SignIn, agentos: AgentOS, clock: Clock) -> None:
    known = (await agentos.memory.store("default", StoreRequest("Invoices are rounded per line."))).memory
    session, _ = await agentos.sessions.open("default", "codex", "s1", "/src/shop")
    await agentos.sessions.note_shown(session, [known.id])
    calls = [ToolCall("Edit", success=number > 0, files_modified=(f"a{number}.py",)) for number in range(5)]
    events = [NewEvent(EventType.TOOL_CALL, f"c{number}", structured=asdict(call)) for number, call in enumerate(calls)]
    await agentos.sessions.record(session, turn("user", "Round it.", "t1", clock()), *events)
    request = StoreRequest("Rounding was wrong.", metadata=session.project.fields)
    stored = (await agentos.memory.store("default", request)).memory
    clock.advance(minutes=1)
    await agentos.sessions.record(session, turn("assistant", "Done.", "t2", clock()))
    browser = await sign_in()
    page = (await browser.get(f"sessions/{session.id}")).text
    assert "1 prompt, 5 runs of tools, 1 of them failed." in page and "<code>a4.py</code>" in page
    assert "1 memory recalled, 1 stored" in page and known.id in page and stored.id in page
    assert f"sessions/{session.id}" in (await browser.get(f"memory/{stored.id}")).text, "and the way back"


async def test_a_day_is_shown_in_order_with_its_sessions(sign_in: SignIn, agentos: AgentOS, clock: Clock) -> None:
    yesterday = (clock() - timedelta(days=1)).isoformat()
    await agentos.memory.store("default", StoreRequest(content="Second thing.", occurred_at=yesterday))
    earlier = (clock() - timedelta(days=1, hours=2)).isoformat()
    await agentos.memory.store("default", StoreRequest(content="First thing.", occurred_at=earlier))
    await agentos.sessions.open("default", "codex", "s1", "/src/shop")
    await agentos.memory.store("other", StoreRequest(content="Somebody else's."))
    browser = await sign_in()
    page = (await browser.get("timeline", day="2026-03-01")).text
    assert page.index("First thing.") < page.index("Second thing.") and "Somebody" not in page
    assert "1 Mar: 2 memories" in page and "s1" not in page
    assert "s1" in (await browser.get("timeline", day="2026-03-02")).text
    assert "Second thing." in (await browser.get("timeline")).text, "the last day with memories is shown at first"
    assert (await browser.act("timeline", do="x")).status_code == 400
    assert "until=2026-01-31" not in page, "nothing is earlier than what is shown"
    later = (await browser.get("timeline", until="2026-03-31")).text
    assert "until=2026-03-01" in later and "until=2026-04" not in later


async def test_days_begin_at_midnight_in_the_zone_of_the_browser(
    sign_in: SignIn, agentos: AgentOS, clock: Clock
) -> None:
    """Clocks in Berlin change on 29 March: 22:30 UTC is the same day before, and the next one after."""
    for day in (28, 29):
        at = f"2026-03-{day}T22:30:00+00:00"
        await agentos.memory.store("default", StoreRequest(content=f"Late on day {day}.", occurred_at=at))
    clock.advance(days=30)
    browser = await sign_in()
    page = (await browser.get("timeline")).text
    assert "28 Mar: 1 memory" in page and "29 Mar: 1 memory" in page and "the server&#39;s zone" in page
    browser.client.cookies.set("agentos_zone", "Europe%2FBerlin", path="/dashboard")
    page = (await browser.get("timeline", day="2026-03-30")).text
    assert "28 Mar: 1 memory" in page and "30 Mar: 1 memory" in page and "29 Mar: " not in page
    assert "Late on day 29." in page and ">00:30<" in page and "Europe/Berlin" in page
    assert "30 Mar: 1 memory" in (await browser.get("", days="90")).text, "on Home too"
    listed = (await browser.get("memories", since="2026-03-30", until="2026-03-30")).text
    assert "Late on day 29." in listed and "Late on day 28." not in listed
    goal = await browser.act("goals", do="add", title="Ring the bells", deadline="2026-06-30")
    assert 'name="deadline" value="2026-06-30"' in goal.text and "2026-06-30T21:59:59" in goal.text
    browser.client.cookies.set("agentos_zone", "../../etc/passwd", path="/dashboard")
    assert "the server&#39;s zone" in (await browser.get("timeline")).text


async def test_another_zone_than_the_browsers_is_chosen_until_it_is_taken_back(
    sign_in: SignIn, agentos: AgentOS
) -> None:
    request = StoreRequest("The bells rang.", occurred_at="2026-01-31T23:30:00+00:00")
    found = (await agentos.memory.store("default", request)).memory.id
    browser = await sign_in()
    browser.client.cookies.set("agentos_zone", "Asia/Tokyo", path="/dashboard")
    for chosen, told, day in (
        ({"zone": "America/New_York"}, "2026-01-31 18:30 EST", "2026-01-31"),
        ({"zone": "Mars/Crater"}, "2026-01-31 18:30 EST", "2026-01-31"),
        ({"theme": "dark"}, "2026-01-31 18:30 EST", "2026-01-31"),
        ({"zone": ""}, "2026-02-01 08:30 JST", "2026-02-01"),
    ):
        await browser.post("look", {**chosen, "back": "/"})
        assert told in (await browser.get(f"memory/{found}")).text
        assert "The bells rang." in (await browser.get("timeline", day=day, until=day)).text


async def test_a_browser_keeps_its_language_and_theme(sign_in: SignIn, served: Served) -> None:
    browser = await sign_in()
    french_then_german = {"accept-language": "fr, de-AT;q=0.8, en;q=0.5"}
    page = (await browser.client.get("/dashboard/goals", headers=french_then_german)).text
    assert 'lang="de"' in page and "Ziele" in page and 'data-theme="system"' in page
    chosen = {"theme": "dark", "language": "en", "back": "/goals?status=paused"}
    kept = await browser.post("look", chosen, HERE | french_then_german)
    assert kept.headers["location"].endswith("/dashboard/goals?status=paused")
    page = (await browser.client.get("/dashboard/goals", headers=french_then_german)).text
    assert 'lang="en"' in page and 'data-theme="dark"' in page
    elsewhere = await browser.post("look", {"theme": "neon", "language": "xx", "back": "https://evil.example"})
    assert elsewhere.headers["location"].endswith("/dashboard/") and "set-cookie" not in elsewhere.headers
    assert (await browser.post("look", chosen, {"origin": "https://evil.example"})).status_code == 403
    await browser.post("look", {"language": "de"})
    for path in ("", "memories", "timeline", "contested", "approvals", "goals", "sessions", "graph", "operations"):
        page = (await browser.get(path)).text
        assert 'lang="de"' in page and "Abmelden" in page, path


async def test_a_session_shows_its_turns_and_tool_calls_a_page_at_a_time(
    sign_in: SignIn, agentos: AgentOS, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "MOST_EVENTS", 2)
    session, _ = await agentos.sessions.open("default", "codex", "s1", "/src/shop")
    call = {"tool": "Edit", "success": False, "files_modified": ["shop/cart.py"]}
    for at, event in enumerate(
        (turn("user", "Fix the <cart>.", "1"), NewEvent(EventType.TOOL_CALL, "2", structured=call),
         turn("assistant", "The cart is fixed.", "3"))
    ):  # fmt: skip
        clock.advance(minutes=at + 1)
        await agentos.sessions.record(session, event)
    browser = await sign_in()
    page = (await browser.get(f"sessions/{session.id}")).text
    assert page.index("Fix the &lt;cart&gt;.") < page.index("Edit shop/cart.py") and "The cart is fixed." not in page
    later = re.search(r"after=(\d+)", page)
    assert later is not None
    page = (await browser.get(f"sessions/{session.id}", after=later[1])).text
    assert "The cart is fixed." in page and "Edit shop" not in page and "What happened later" not in page
    assert session.id in (await browser.get("sessions", project="shop", state="active")).text
    assert session.id not in (await browser.get("sessions", state="failed")).text


@every("query", [{"day": "yesterday"}, {"until": "0001-01-01"}, {"day": "9999-12-31"}])
async def test_what_is_no_day_is_refused(sign_in: SignIn, query: dict[str, str]) -> None:
    assert (await (await sign_in()).get("timeline", **query)).status_code == 400


@every("path, query", [("operations", {"before": "1e300"}), ("", {"done": "archived", "count": "9" * 5_000})])
async def test_no_number_in_an_address_is_too_large_for_a_page(
    sign_in: SignIn, path: str, query: dict[str, str]
) -> None:
    assert (await (await sign_in()).get(path, **query)).status_code in (200, 400)


async def test_an_entity_shows_its_relations_and_the_memories_that_name_it(
    sign_in: SignIn, agentos: AgentOS, store: OpenedStore, clock: Clock
) -> None:
    stored = [
        (await agentos.memory.store("default", StoreRequest(content=text))).memory.id
        for text in ("Nadia Brandt works at Vestas.", "Nadia Brandt likes <b>small</b> changes.", "Nadia Brandt left.")
    ]
    await agentos.lifecycle.forget("default", stored[2])
    await agentos.memory.store("other", StoreRequest(content="Nadia Brandt is somebody else here."))
    opinion = Relation(stored[1], stored[0], MAY_SUPERSEDE, 0.9, "the pair model")
    await store.memory.lifecycle.relate("default", [opinion], clock())
    [node] = [one for one in (await agentos.graph.find("default", label_contains="nadia brandt"))[0]]
    browser = await sign_in()
    page = (await browser.get(f"graph/{node.id}")).text
    assert page.index("&lt;b&gt;small") < page.index("works at Vestas.") and "left." not in page
    assert "somebody else" not in page and "Vestas</a>" in page and "there is a newer one" in page
    assert f"/graph/{node.id}" in (await browser.get("graph")).text
    assert (await browser.get("graph/node_none")).status_code == 404


async def test_each_part_of_the_bars_leads_to_its_questions(sign_in: SignIn, agentos: AgentOS, clock: Clock) -> None:
    for query, shown in (("where is <b>the key", ("mem_1",)), ("who has it", ()), ("what is it", ("mem_2",))):
        agentos.usage.note("default", "codex", "memory_search", shown=shown, asked=True)
        agentos.recalls.note(clock(), "default", "codex", "memory_search", query, shown)
    agentos.usage.used("default", "codex", "mem_1")
    agentos.recalls.used("default", "codex", "mem_1")
    browser = await sign_in()
    home = unescape((await browser.get("")).text)
    for answered, question in (("used", "where is <b>the key"), ("answered", "what is it"), ("nothing", "who has it")):
        [address] = set(re.findall(rf'href="([^"]*/questions\?since=[^"]*answered={answered})"', home))
        page = (await browser.client.get(address)).text
        others = {"where is <b>the key", "what is it", "who has it"} - {question}
        assert escape(question) in page and not [one for one in others if escape(one) in page]
    everything = (await browser.get("questions")).text
    assert everything.count("data-entry") == 3 and "1 memory given, 1 used" in everything
    assert (await browser.get("questions", since="soon")).status_code == 400


async def test_questions_and_tokens_are_counted_by_the_days_of_the_browsers_zone(
    sign_in: SignIn, agentos: AgentOS, clock: Clock
) -> None:
    clock.advance(seconds=(clock().replace(hour=23, minute=30, second=0) - clock()).total_seconds())
    late = clock().date()
    agentos.usage.note("default", "codex", "memory_search", shown=["mem_1"], asked=True)
    agentos.recalls.note(clock(), "default", "codex", "memory_search", "what rang at half past eleven", ["mem_1"])
    agentos.usage.note("default", "codex", "hook UserPromptSubmit", shown=["mem_1"], text="x" * 400)
    spent = Spending(1, 0, Tokens(cached=70))
    agentos.usage.spend("default", "chat", "gpt-4o", spent)
    clock.advance(days=1)
    browser = await sign_in()
    for zone, day in (("UTC", late), ("Europe/Berlin", late + timedelta(days=1))):
        browser.client.cookies.set("agentos_zone", zone, path="/dashboard")
        home = unescape((await browser.get("")).text)
        assert f"questions?since={day}&until={day}&answered=answered" in home, zone
        [told] = re.findall(rf"<th scope=\"row\">{day}</th><td class=\"number\">([^<]*recall[^<]*)", home)
        assert told == "answered: 2 recalls", "of the question, and of the hook, which asks nothing"
        read, saved = (f"{day.day} {day:%b}: {n} tokens" in home for n in (100, 70))
        assert read and saved, zone
        assert "half past" in (await browser.get("questions", since=day, until=day)).text
        assert "half past" not in (await browser.get("questions", since=day + timedelta(days=1))).text
