"""Undo in the dashboard: what each act's notice offers, the history, and two who change the same memory."""

import re
from dataclasses import replace
from html import unescape
from typing import Any

import httpx2

from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.risk import RiskInputs
from agentos.modules.goals.models import GoalStatus
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.principals.models import Right, Role
from agentos.modules.store_request import StoreRequest
from tests.integration.conftest import Clock
from tests.integration.http.conftest import Browser, MakeKey, Served, SignIn
from tests.tables import every

ACTS = ("edit", "store", "goal_status", "goal_edit", "progress", "completed_goal", "add_goal", "session")
ACTS += ("approved_goal", "judge")
OFFER = re.compile(r'data-toast>[^<]*<form method="post" action="([^"]*)"[^>]*>(.*?)</form>', re.DOTALL)
FIELD = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')


async def undone(browser: Browser, page: httpx2.Response) -> httpx2.Response:
    """Send the form that a page's notice offers."""
    offer = OFFER.search(page.text)
    assert offer is not None, page.text
    fields = {name: unescape(value) for name, value in FIELD.findall(offer[2])}
    done = await browser.post(offer[1].removeprefix("/dashboard/"), fields)
    assert done.status_code == 303, done.text
    return await browser.client.get(done.headers["location"])


@every("act", ACTS)
async def test_what_was_done_is_undone_by_its_notice(sign_in: SignIn, agentos: AgentOS, clock: Clock, act: str) -> None:
    browser = await sign_in()
    memory = await agentos.memory.store("default", StoreRequest(f"The cup of {act} is blue."))
    goal = await agentos.goals.add("default", f"Ship {act}", "Ship it.")
    found = memory.memory.id

    async def text() -> Any:
        return (await agentos.memory.get("default", found))[0].content

    async def status() -> Any:
        return (await agentos.memory.get("default", found))[0].status

    async def of_goal() -> Any:
        one = await agentos.goals.get("default", goal.id)
        return replace(one, version=0, updated_at=one.created_at, notes=())

    look = {"edit": text, "judge": status}.get(act, of_goal)
    before = await look()
    match act:
        case "edit":
            fields = {"content": "Tea is at five.", "memory_type": "semantic", "importance": "0.5", "version": "1"}
            page = await browser.act(f"memory/{found}", do="edit", **fields)
        case "judge":
            page = await browser.act("approvals", do="refuse", id=found)
        case "store":
            page = await browser.act("memories", do="store", content="Lunch is at noon.")
            await undone(browser, page)
            assert "Lunch is at noon." not in (await browser.get("memories")).text
            return
        case "add_goal":
            page = await browser.act("goals", do="add", title="Read the guide")
            await undone(browser, page)
            tree = [one for one, _ in await agentos.goals.tree("default", "all")]
            assert [one.status for one in tree if one.title == "Read the guide"] == [GoalStatus.ABANDONED]
            return
        case "session":
            session, _ = await agentos.sessions.open("default", "codex", "s1", "/src/shop")
            session = await agentos.sessions.update("default", session.id, "completed")
            untitled, _ = await agentos.sessions.open("default", "codex", "s2", "/src/shop")
            await browser.act(f"sessions/{untitled.id}", do="update", state="failed", title="")
            assert (await agentos.sessions.get("default", untitled.id)).state == "failed"
            clock.advance(hours=1)
            for state in ("failed", "active", "completed"):
                page = await browser.act(f"sessions/{session.id}", do="update", state=state, title="Broken")
                assert await agentos.sessions.get("default", session.id) != session
                await undone(browser, page)
                assert await agentos.sessions.get("default", session.id) == session
            return
        case "completed_goal":
            clock.advance(hours=1)
            await agentos.goals.update_progress("default", goal.id, 0.6)
            await agentos.goals.update_status("default", goal.id, "paused")
            before = await look()
            page = await browser.act(f"goals/{goal.id}", do="progress", progress="100")
        case "approved_goal":
            await agentos.goals.update_status("default", goal.id, "paused")
            before = await look()
            risk, payload = RiskInputs(0.1, 0.1, 0.1), {"goal_id": goal.id}
            asked = await agentos.approvals.propose("default", "ship", "goal.complete", payload, risk, "Done.", "me")
            page = await browser.act(f"approvals/{asked.id}", do="approve", version=str(asked.version))
        case "goal_edit":
            page = await browser.act(f"goals/{goal.id}", do="edit", title="Sail", description="Sail.", priority="90")
        case "progress":
            page = await browser.act(f"goals/{goal.id}", do="progress", progress="70")
        case _:
            page = await browser.act(f"goals/{goal.id}", do="paused")
    assert await look() != before
    await undone(browser, page)
    assert await look() == before


async def test_the_history_undoes_single_judgements_and_an_offer_is_for_its_session(
    served: Served, sign_in: SignIn, agentos: AgentOS, make_key: MakeKey
) -> None:
    browser, other = await sign_in(), await sign_in()
    found, other_found = [(await agentos.memory.store("default", StoreRequest(text))).memory.id
                          for text in ("Tea is at four.", "Supper is at eight.")]  # fmt: skip
    done = await browser.client.get((await browser.act(f"memory/{found}", do="archive")).url)
    assert OFFER.search(done.text) and not OFFER.search((await other.client.get(done.url)).text)
    history = (await other.get("acts")).text
    assert "Tea is at four." in history, "it tells of which memory"
    assert not re.findall(r'name="id" value="(chg_\w+)"', history), "one's own act is told once"
    await agentos.lifecycle.archive("default", other_found, "agent")
    [change] = re.findall(r'name="id" value="(chg_\w+)"', (await other.get("acts")).text)
    back = await other.act("acts", do="revert", id=change)
    assert "undone" in back.text and (await agentos.memory.get("default", other_found))[0].status == "active"
    assert not re.findall(r'name="id" value="(chg_\w+)"', (await other.get("acts")).text)


async def test_the_history_tells_every_act_of_a_principal_and_no_address_offers_anything(
    sign_in: SignIn,
) -> None:
    browser, other = await sign_in(), await sign_in()
    for act, fields in (
        ("goals", {"do": "add", "title": "Read the guide", "description": "x" * 9_000}),
        ("reflection", {"do": "analyze"}),
        ("operations", {"do": "create", "name": "ben", "role": "reader", "right": "read", "namespaces": "default"}),
    ):
        page = await browser.act(act, **fields)
        assert "undo" not in str(page.url) and "undo" not in str(page.history)
    history = (await browser.get("acts")).text.partition('data-part="acts"')[0]
    assert history.count('name="undoes"') == 2 and history.count("This cannot be undone.") == 1
    assert "The key was made." in history and "The log was analysed." in history
    assert not OFFER.search((await other.get("goals", done="goal_added")).text)
    told = (await other.get("acts")).text.partition('data-part="acts"')[0]
    assert told.count('name="undoes"') == 2, "who signs in again undoes what was done before"
    [key] = re.findall(r'name="do" value="revoke"><input type="hidden" name="id" value="(\w+)"', history)
    await browser.act("operations", do="revoke", id=key, undoes="1")
    history = (await browser.get("acts")).text.partition('data-part="acts"')[0]
    assert history.count('name="undoes"') == 1 and "undone" in history


async def test_that_both_hold_is_undone_too(sign_in: SignIn, agentos: AgentOS, clock: Clock) -> None:
    for content, source in (("The port is 8080.", "user"), ("The port is 9999.", "web:evil.example")):
        request = StoreRequest(content, source=source, subject="server", attribute="port")
        new = (await agentos.memory.store("default", request)).memory
        clock.advance(hours=1)
    browser = await sign_in()
    shown = await browser.get("contested")
    fields = dict(re.findall(r'name="(id|seen|kind|page)" value="([^"]*)"', shown.text))
    done = await browser.act("contested", do="both", **fields)
    assert not (await agentos.approvals.inbox("default")).approvals
    assert (await agentos.memory.get("default", new.id))[0].slot is None
    assert "contested again" in (await undone(browser, done)).text
    again = (await agentos.memory.get("default", new.id))[0]
    assert (again.status, again.slot) == (new.status, new.slot) == ("contested", new.slot)
    assert len((await agentos.approvals.inbox("default")).approvals) == 1


async def test_a_request_says_who_asks_and_waits_in_sight(
    served: Served, sign_in: SignIn, make_key: MakeKey, agentos: AgentOS
) -> None:
    key = await make_key("ada", Role.WRITER, {"default": Right.WRITE})
    fields = {"subject": "the shop", "reason": "It is time.", "impact": 0.2, "reversibility": 0.2, "sensitivity": 0.2}
    asked = await served.client(key).post("/api/v1/approvals", json={"action": "deploy", **fields})
    assert asked.json()["requested_by"] == 'agent:default, client "rest", key of ada'
    agentos.recalls.note(agentos.clock(), "default", "codex", "memory_search", "where is the <b>key</b>", ())
    browser = await sign_in()
    page = (await browser.get("")).text
    assert 'class="badge"' in page and "where is the &lt;b&gt;key" in page
    one = (await browser.get(f"approvals/{asked.json()['id']}")).text
    assert '<span class="badge" title="1 decision waits for you: requests 1,' in one, "beside the request itself too"
    done = await browser.act(f"approvals/{asked.json()['id']}", do="approve", version="1")
    assert "key of ada" in done.text and 'class="badge"' not in done.text
    chips = (await browser.get("memories", tags="blue", memory_type="semantic", q="cup")).text
    assert 'href="/dashboard/memories?q=cup&amp;tags=blue"' in chips


@every("act, later", [(act, later) for act in ("judge", "edit") for later in (False, True)])
async def test_an_undo_takes_back_its_own_act_and_none_that_came_later(
    sign_in: SignIn, agentos: AgentOS, clock: Clock, act: str, later: bool
) -> None:
    browser = await sign_in()
    found = (await agentos.memory.store("default", StoreRequest(f"The tea of {act} {later} is at four."))).memory.id
    edit = {
        "do": "edit",
        "content": f"The tea of {act} {later} is at five.",
        "memory_type": "semantic",
        "importance": "0.5",
        "version": "1",
    }
    page = await browser.act(f"memory/{found}", **({"do": "archive"} if act == "judge" else edit))
    offer = OFFER.search(page.text)
    assert offer is not None
    if later:
        clock.advance(minutes=1)
        await agentos.lifecycle.restore("default", found, "human")
        await agentos.lifecycle.feedback("default", found, "confirm")
        await agentos.memory.update("default", found, MemoryChanges(f"The tea of {act} {later} is at six."))
    before, _ = await agentos.memory.get("default", found)
    done = await browser.post(offer[1].removeprefix("/dashboard/"), dict(FIELD.findall(offer[2])))
    after, _ = await agentos.memory.get("default", found)
    assert done.status_code == (409 if later else 303)
    assert ((after.content, after.status) == (before.content, before.status)) is later


async def test_two_who_change_the_same_memory_lose_no_text(sign_in: SignIn, agentos: AgentOS) -> None:
    browser = await sign_in()
    found = (await agentos.memory.store("default", StoreRequest("Tea is at four."))).memory.id
    fields = {"memory_type": "semantic", "importance": "0.5", "version": "1"}
    await browser.act(f"memory/{found}", do="edit", content="Tea is at five.", **fields)
    assert "Tea is at <mark>four</mark>." in (await browser.get(f"memory/{found}")).text
    page = await browser.act(f"memory/{found}", do="edit", content="Tea is at six.", **fields)
    assert page.status_code == 409 and "<mark>five</mark>" in page.text and "<mark>six</mark>" in page.text
    assert (await agentos.memory.get("default", found))[0].content == "Tea is at five."
    await browser.act(f"memory/{found}", do="edit", content="Tea is at six.", **{**fields, "version": "2"})
    assert (await agentos.memory.get("default", found))[0].content == "Tea is at six."


async def test_the_history_outlives_the_server_and_is_its_principals(
    serve: Any, served: Served, sign_in: SignIn, agentos: AgentOS, make_key: MakeKey, clock: Clock
) -> None:
    browser = await sign_in()
    await browser.act("goals", do="add", title="Read the guide")
    again = Browser(await serve())
    again.client.cookies = browser.client.cookies
    form = re.search(r'data-part="deeds".*?(<form.*?)</form>', (await again.get("acts")).text, re.DOTALL)
    assert form is not None
    fields = {name: unescape(value) for name, value in FIELD.findall(form[1])}
    [address] = re.findall(r'action="/dashboard/([^"]*)"', form[1])
    assert (await again.post(address, fields)).status_code == 303
    assert 'class="tag">undone' in (await again.get("acts")).text.partition('data-part="acts"')[0]
    other = Browser(served)
    await other.post("sign-in", {"key": await make_key("ada", Role.WRITER, {"default": Right.WRITE})})
    assert "Nothing yet." in (await other.get("acts")).text.partition('data-part="acts"')[0]
    clock.advance(hours=24 * 8)
    await agentos.deeds.tidy_up()
    assert "Nothing yet." in (await (await sign_in()).get("acts")).text.partition('data-part="acts"')[0]


@every("act", ("merge", "supersede", "split"))
async def test_what_a_person_replaces_is_replaced_by_a_person(sign_in: SignIn, agentos: AgentOS, act: str) -> None:
    texts = (f"The {act} pump leaks. It is red.", f"The {act} pump drips.")
    one, other = [(await agentos.memory.store("default", StoreRequest(text))).memory.id for text in texts]
    browser = await sign_in()
    if act == "merge":
        page = await browser.act("memories", do="merged", id=[one, other], content="The pump leaks and drips.")
    elif act == "supersede":
        page = await browser.act(f"memory/{one}", do="supersede", by=other)
    else:
        page = await browser.act(f"memory/{one}", do="split", parts="The pump leaks.\n\nIt is red.")
    assert {change.by for change in await agentos.lifecycle.latest("default", 1)} == {"human"}
    assert one not in (await browser.get("memories")).text
    await undone(browser, page)
    assert (await agentos.memory.get("default", one))[0].valid_to is None
    assert one in (await browser.get("memories")).text
