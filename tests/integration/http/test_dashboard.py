"""The dashboard over real services: signing in, rights, forms of other sites, and hostile texts on every page."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from agentos.database import OpenedStore
from agentos.features.dashboard.texts import DIRECTION_MARKS
from agentos.interfaces.http.rest import events
from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.risk import RiskInputs
from agentos.modules.facts.models import MAY_SUPERSEDE, RELATES_TO, Relation
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.principals.logins import LoginLinks
from agentos.modules.principals.models import Door as Where
from agentos.modules.principals.models import Right, Role, local_owner
from agentos.modules.store_request import StoreRequest
from tests.integration.conftest import Clock
from tests.integration.http.conftest import BASE, HERE, Browser, MakeKey, Served, SignIn
from tests.tables import every

HOSTILE = "<script>alert(1)</script> <img src=x onerror=alert(2)> \u202eevil\u202c"
PAGES = (
    *("", "memories", "duplicates", "acts", "timeline", "contested", "approvals", "goals", "reflection"),
    *("sessions", "graph", "operations"),
)


class _Attributes(HTMLParser):
    """Notes what would run or look otherwise: handlers, styles, and scripts without a nonce."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        self.found += [f"{tag} {name}" for name in names if name.startswith("on") or name == "style"]
        if tag in ("script", "iframe", "object", "style") and "nonce" not in names:
            self.found.append(tag)


def foreign(page: str) -> list[str]:
    """What a page has in it that is not ours."""
    parser = _Attributes()
    parser.feed(page)
    return parser.found


async def test_a_link_opens_one_session_and_no_other(
    served: Served, agentos: AgentOS, clock: Clock, sign_in: SignIn
) -> None:
    links = LoginLinks(agentos.principals.server_key, clock)
    link = await links.make(is_person=True)
    browser = Browser(served)
    entered = await browser.post("enter", {"link": link})
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "Secure" not in cookie
    assert (await browser.get("")).status_code == 200
    assert (await Browser(served).post("enter", {"link": link})).status_code == 401
    old = await links.make(is_person=True)
    clock.advance(minutes=6)
    assert (await Browser(served).post("enter", {"link": old})).status_code == 401
    signed_out = await browser.act("sign-out")
    assert "Sign in with a key" in signed_out.text or "sign in with a key" in signed_out.text
    assert (await browser.get("")).status_code == 303


async def test_where_the_feature_is_off_nothing_is_there_for_browsers_and_the_rest_works(
    serve: Callable[..., Awaitable[Served]],
) -> None:
    served = await serve(features="ask,attachments,apps")
    anybody, owner = served.client(key=None, accept="text/html"), served.client(accept="text/html")
    for client in (anybody, owner):
        for path in ("", "/", "/sign-in", "/enter", "/static/style.css", "/ask"):
            found = await client.get(f"/dashboard{path}")
            assert found.status_code == 404 and found.json()["code"] == "not_found", path
        assert (await client.post("/dashboard/enter", data={"link": "x"}, headers=HERE)).status_code == 404
    assert (await anybody.get("/")).status_code == 401 and (await owner.get("/")).status_code == 404
    assert (await anybody.get("/api/v1/memories")).status_code == 401
    assert (await owner.get("/api/v1/memories")).status_code == 200
    assert (await owner.get("/metrics")).status_code == 200


async def test_a_session_outlives_the_server_and_so_does_its_end(
    serve: Callable[..., Awaitable[Served]], sign_in: SignIn, clock: Clock
) -> None:
    left, kept = await sign_in(where=await serve()), await sign_in(where=await serve())
    await left.act("sign-out")
    clock.advance(hours=1)
    again = await serve()
    for before, status in ((left, 303), (kept, 200)):
        browser = Browser(again)
        browser.client.cookies = before.client.cookies
        assert (await browser.get("memories")).status_code == status
    clock.advance(hours=11)
    assert (await browser.get("memories")).status_code == 303


async def test_a_damaged_file_of_ended_sessions_ends_all_once(
    serve: Callable[..., Awaitable[Served]], sign_in: SignIn, clock: Clock, home: Path
) -> None:
    before = await sign_in(where=await serve())
    await before.act("sign-out")
    (home / "ended-logins").write_text("torn\n")
    clock.advance(hours=1)
    again = await serve()
    assert (await before.get("memories")).status_code == 303
    clock.advance(minutes=1)
    after = await sign_in(where=again)
    assert (await after.get("memories")).status_code == 200, "the key is as it was"


@every("path", ["", "memories", "memory/mem_1", "operations", "events"])
async def test_nothing_is_shown_to_whoever_is_not_signed_in(served: Served, path: str) -> None:
    response = await Browser(served).get(path)
    assert (response.status_code, response.headers["location"]) == (303, "/dashboard/sign-in")


async def test_a_browser_at_the_root_is_shown_how_to_sign_in_and_a_program_is_answered_as_before(
    serve: Callable[..., Awaitable[Served]],
) -> None:
    wants = {"accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
    for base in ("", "/memory"):
        client = (await serve(http_base_path=base)).client(key=None)
        shown = await client.get(f"{base}/", headers=wants, follow_redirects=True)
        assert shown.status_code == 200 and "agentos open" in shown.text
        assert str(shown.url).endswith(f"{base}/dashboard/sign-in")
        for headers in ({}, {"accept": "application/json"}):
            refused = await client.get(f"{base}/", headers=headers)
            assert (refused.status_code, refused.json()["code"]) == (401, "unauthenticated")
        assert (await client.post(f"{base}/", headers=wants)).status_code == 401


async def test_a_key_opens_its_own_rights_and_decides_nothing(
    served: Served, agentos: AgentOS, make_key: MakeKey
) -> None:
    await agentos.memory.store("ada", StoreRequest(content="Ada likes tea."))
    await agentos.memory.store("bob", StoreRequest(content="Bob likes beer."))
    asked = await agentos.approvals.ask_permission("ada", "prod", "deploy", RiskInputs(1, 1, 1), "now", "agent:ada")
    browser = Browser(served)
    assert (await browser.post("sign-in", {"key": "agok_wrong"})).status_code == 401
    key = await make_key("ada", Role.OWNER, {"ada": Right.ADMIN})
    assert (await browser.post("sign-in", {"key": key})).status_code == 303
    page = (await browser.get("memories", ns="bob")).text
    assert "Ada likes tea." in page and "Bob" not in page
    refused = await browser.act(f"approvals/{asked.id}", do="approve", version=str(asked.version), key=asked.key)
    assert refused.status_code == 403
    assert (await agentos.approvals.get("ada", asked.id)).status == "pending"


async def test_what_a_person_finds_counts_as_no_use(sign_in: SignIn, agentos: AgentOS) -> None:
    kept = await agentos.memory.store("default", StoreRequest("The staging database listens on port 5433"))
    page = await sign_in()
    for _ in range(3):
        assert "5433" in (await page.get("memories", q="staging database port")).text
    assert (await agentos.memory.get("default", kept.memory.id))[0].access_count == 0


async def test_a_reader_changes_nothing(served: Served, agentos: AgentOS, make_key: MakeKey) -> None:
    stored = await agentos.memory.store("ada", StoreRequest(content="Ada likes tea."))
    browser = Browser(served)
    await browser.post("sign-in", {"key": await make_key("ada", Role.READER, {"ada": Right.READ})})
    for fields in (
        {"do": "store", "content": "x"},
        {"do": "archive", "id": stored.memory.id},
        {"do": "tag", "every": "1", "labels": "x", "sure": "1"},
    ):
        assert (await browser.act("memories", **fields)).status_code == 403
    assert (await browser.get("operations")).status_code == 403
    assert (await agentos.memory.page("ada")).total == 1


@every("headers", [{"origin": BASE}, HERE, {"origin": "http://evil.example"}, {}])
async def test_forms_of_other_sites_change_nothing(sign_in: SignIn, headers: dict[str, str], agentos: AgentOS) -> None:
    browser = await sign_in()
    response = await browser.post("memories", {"do": "store", "content": "x", "token": "forged"}, headers)
    assert response.status_code == 403
    assert (await agentos.memory.page("default")).total == 0


async def test_hostile_texts_are_shown_as_texts(sign_in: SignIn, agentos: AgentOS) -> None:
    await agentos.memory.store(
        "default", StoreRequest(content=HOSTILE, tags=["<b>tag</b>"], source=HOSTILE, metadata={HOSTILE: HOSTILE})
    )
    await agentos.goals.add("default", HOSTILE, HOSTILE)
    await agentos.reflection.log("default", HOSTILE, HOSTILE, False, HOSTILE)
    asked = await agentos.approvals.ask_permission("default", HOSTILE, "deploy", RiskInputs(1, 1, 1), HOSTILE, HOSTILE)
    await agentos.graph.add_node("default", "concept", HOSTILE, HOSTILE)
    browser = await sign_in()
    memory = (await agentos.memory.page("default")).memories[0]
    for path in (*PAGES, f"memory/{memory.id}", f"approvals/{asked.id}"):
        page = await browser.get(path)
        assert page.status_code == 200, (path, page.text)
        assert "<script>alert" not in page.text and "<img src=x" not in page.text and "<b>tag" not in page.text
        assert not set(page.text) & {chr(mark) for mark in DIRECTION_MARKS}, path
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert foreign(page.text) == [], path
    found = await browser.get("memories", q="script", explain="1")
    assert found.status_code == 200 and "<script>alert" not in found.text


async def test_what_is_done_to_a_memory_is_done_and_can_be_undone(sign_in: SignIn, agentos: AgentOS) -> None:
    browser = await sign_in()
    page = await browser.act("memories", do="store", content="Deploys go out on Tuesdays.", tags="ops, when")
    assert "The memory was stored." in page.text
    [memory] = (await agentos.memory.page("default")).memories
    assert memory.tags == ("ops", "when")
    edited = {"content": "Deploys go out on Fridays.", "importance": "0.9", "memory_type": "semantic", "tags": "ops"}
    here = f"memory/{memory.id}"
    assert (
        "Deploys go out on Fridays." in (await browser.act(here, do="edit", version=str(memory.version), **edited)).text
    )
    stale = await browser.act(here, do="edit", version=str(memory.version), **edited)
    assert stale.status_code == 409
    assert "Deploys go out on Tuesdays." in (await browser.act(here, do="restore_version", version="1")).text
    after = {"archive": "archived", "forget": "forgotten", "confirm": "active", "reject": "rejected"}
    for what, status in after.items():
        done = await browser.act(here, do=what)
        assert done.status_code == 200, done.text
        assert status in done.text
        if what == "archive":
            assert "The memory was restored." in (await browser.act(here, do="restore")).text
            assert "undone" in (await browser.act(here, do="revert")).text
        assert "The last change was undone." in (await browser.act(here, do="revert")).text
    assert (await browser.act(here, do="burn")).status_code == 400
    sure = await browser.act(here, do="erase")
    assert "Erase for good?" in sure.text and (await agentos.memory.page("default")).total == 1
    assert "erased for good" in (await browser.act(here, do="erase", sure="1")).text
    assert (await agentos.memory.page("default")).total == 0


async def test_memories_are_merged_split_and_handled_in_bulk(sign_in: SignIn, agentos: AgentOS) -> None:
    browser = await sign_in()
    ids = [
        (await agentos.memory.store("default", StoreRequest(content=text))).memory.id
        for text in ("The office is in Bern.", "The office has a garden.", "Lunch is at noon.")
    ]
    shown = await browser.act("memories", do="merge", id=ids[:2])
    assert "The office is in Bern." in shown.text
    await agentos.memory.update("default", ids[0], MemoryChanges(tags=["place"], importance=0.9))
    merged = await browser.act("memories", do="merged", id=ids[:2], content="The office in Bern has a garden.")
    assert "were merged" in merged.text and "#place" in merged.text, "nothing of them is lost"
    assert "Undo</button>" in merged.text
    assert "The office in Bern has a garden." in (await browser.get("memories", q="office")).text
    [to_split] = [one.id for one in (await agentos.memory.page("default")).memories if "in Bern has" in one.content]
    offered = await browser.act(f"memory/{ids[2]}", do="split")
    assert "Lunch is at noon." in offered.text
    done = await browser.act(f"memory/{to_split}", do="split", parts="The office is in Bern.\n\nIt has a garden.")
    assert "was split" in done.text
    assert "1 memory archived" in (await browser.act("memories", do="archive", id=[ids[2]])).text
    assert (await browser.act("memories", do="archive")).status_code == 400


async def test_all_that_match_are_shown_before_they_are_archived_and_brought_back_after(
    sign_in: SignIn, agentos: AgentOS, clock: Clock
) -> None:
    browser = await sign_in()
    for number in range(60):
        await agentos.memory.store("default", StoreRequest(f"Ping {number}.", tags=["noise"]))
    await agentos.memory.store("default", StoreRequest("Ada likes tea."))
    shown = (await browser.get("memories", tags="noise", sort="oldest")).text
    assert "1 to 50 of 60 memories" in shown and "all 60 that match" in shown
    listing = re.search(r'name="listing" value="([^"]*)"', shown)[1].replace("&amp;", "&")  # type: ignore[index]
    form = {"do": "archive", "every": "1", "listing": listing, "from": "memories"}
    asked = await browser.act("memories", **form)
    assert "Archive 60 memories?" in asked.text and asked.text.count("<li dir") == 10
    assert (await agentos.memory.page("default")).total == 61, "it is asked first"
    seen = re.search(r'name="seen" value="([^"]+)"', asked.text)[1]  # type: ignore[index]
    clock.advance(seconds=1)
    await agentos.memory.store("default", StoreRequest("Ping once more.", tags=["noise"]))
    done = await browser.act("memories", **form, sure="1", seen=seen)
    assert "60 memories archived;" in done.text and "1 to 1 of 1 memory" in done.text, "filter and what came since stay"
    assert done.url.params["tags"] == "noise" and done.url.params["sort"] == "oldest"
    act = done.url.params["act"]
    assert "1 to 50 of 60 memories" in (await browser.get("memories", status="archived")).text
    back = await browser.act(f"acts/{act}", do="undo", listing=listing, **{"from": "memories"})
    assert "Undone: 60 memories restored." in back.text and "1 to 50 of 61 memories" in back.text
    assert "Archive: 60 memories" in (await browser.get("acts")).text
    nobody = {**form, "listing": "tags=none"}
    assert (await browser.act("memories", **nobody, sure="1", seen=seen)).status_code == 400
    found = await browser.act("memories", do="tag", every="1", labels="old", listing="q=ping", **{"from": "memories"})
    assert "the tags old" in found.text


async def test_a_person_approves_a_risky_request_after_a_second_look(sign_in: SignIn, agentos: AgentOS) -> None:
    [memory] = [(await agentos.memory.store("default", StoreRequest(content="Ada likes tea."))).memory]
    asked = await agentos.approvals.propose(
        "default", "old", "memory.bulk_delete", {"memory_ids": [memory.id]}, RiskInputs(0, 1, 0), "now", "agent:default"
    )
    where, given = f"approvals/{asked.id}", {"do": "approve", "version": str(asked.version)}
    no_person = await sign_in(is_person=False)
    assert (await no_person.act(where, **given, key=asked.key)).status_code == 403
    person = await sign_in()
    look = await person.act(where, **given, key=asked.key)
    assert "archive: 1 memory; it can be undone" in look.text and asked.key in look.text
    assert (await agentos.approvals.get("default", asked.id)).status == "pending", "the effect is shown first"
    given["seen"] = re.search(r'name="seen" value="(\w+)"', look.text)[1]  # type: ignore[index]
    assert (await person.act(where, **given)).status_code == 400
    assert (await person.act(where, **{**given, "seen": "0" * 64}, key=asked.key)).status_code == 409
    assert (await person.act(where, **{**given, "version": "99"}, key=asked.key)).status_code == 409
    done = await person.act(where, **given, key=asked.key)
    assert "Approved." in done.text and "archive: 1 memory" in done.text
    decided = await agentos.approvals.get("default", asked.id)
    assert (decided.status, decided.decided_by) == ("done", "human:dashboard")
    assert (await agentos.memory.page("default")).total == 0


async def test_goals_insights_jobs_backups_and_sessions_are_handled(sign_in: SignIn, agentos: AgentOS) -> None:
    browser = await sign_in()
    assert "The goal was added." in (await browser.act("goals", do="add", title="Ship it", deadline="2030-01-31")).text
    [goal] = await agentos.goals.active("default")
    here = f"goals/{goal.id}"
    assert "40 %" in (await browser.act(here, do="progress", progress="40", notes="Half of it.")).text
    assert "The goal was added." in (await browser.act(here, do="add", title="Pack it")).text
    part = next(one for one in await agentos.goals.active("default") if one.title == "Pack it")
    assert part.parent_goal_id == goal.id and "Pack it" in (page := (await browser.get(here)).text)
    assert "Half of it." in page and 'value="2030-01-31"' in page
    apart = {"title": "Pack all", "priority": "80", "deadline": "", "parent": ""}
    assert "Pack all" in (await browser.act(f"goals/{part.id}", do="edit", **apart)).text
    assert (await agentos.goals.get("default", part.id)).parent_goal_id is None
    for status in ("paused", "active", "abandoned", "completed"):
        assert (await browser.act(here, do=status)).status_code == 200
        assert (await agentos.goals.get("default", goal.id)).status == status
    assert (await browser.get("goals/goal_none")).status_code == 404
    assert (await browser.act("reflection", do="analyze")).status_code == 200
    session, _ = await agentos.sessions.open("default", "codex", "s1", "/src/shop")
    shown = await browser.act(f"sessions/{session.id}", do="update", title="Tea", state="completed")
    assert "Tea" in shown.text and "completed" in shown.text


async def test_pages_work_below_a_base_path(serve: Any, sign_in: SignIn) -> None:
    served = await serve(http_base_path="/memory")
    browser = await sign_in(base="/memory/dashboard", where=served)
    page = await browser.get("memories")
    links = re.findall(r'(?:href|src|action)="(/[^"]*)"', page.text)
    assert len(links) > 8 and all(link.startswith("/memory/dashboard") for link in links)
    for name in ("style.css", "script.js", "graph.js"):
        assert (await browser.get(f"static/{name}")).status_code == 200
    assert (await browser.get("static/../app.py")).status_code == 404


async def test_a_contest_is_decided_as_it_was_shown_or_not_at_all(sign_in: SignIn, agentos: AgentOS) -> None:
    slot = {"subject": "the team", "attribute": "room"}
    claims = ("user", "Porto"), ("imported from a web page", "Lisbon")
    old, new = [
        (
            await agentos.memory.store(
                "default", StoreRequest(content=f"The team meets in {value}.", source=source, value=value, **slot)
            )
        ).memory
        for source, value in claims
    ]
    browser = await sign_in()
    page = (await browser.get("contested")).text
    fields = {name: re.search(rf'name="{name}" value="([^"]+)"', page)[1] for name in ("id", "seen")}  # type: ignore[index]
    await agentos.memory.update("default", old.id, MemoryChanges(content="The team meets in Porto, on Mondays."))
    changed = await browser.act("contested", do="newer", **fields)
    assert changed.status_code == 409
    no_person = await sign_in(is_person=False)
    assert (await no_person.act("contested", do="newer", **fields)).status_code == 403
    page = (await browser.get("contested")).text
    fields = {name: re.search(rf'name="{name}" value="([^"]+)"', page)[1] for name in ("id", "seen")}  # type: ignore[index]
    assert "the newer memory is true" in (await browser.act("contested", do="newer", **fields)).text
    shown, _ = await agentos.memory.get("default", old.id)
    assert shown.valid_to is not None and (await agentos.memory.get("default", new.id))[0].status == "active"


@pytest.mark.parametrize("verdict", ["supersede", "confirm"])
async def test_what_may_be_outdated_stands_beside_its_successor_until_somebody_says_so(
    sign_in: SignIn, agentos: AgentOS, store: OpenedStore, clock: Clock, verdict: str
) -> None:
    old = (await agentos.memory.store("default", StoreRequest(content="Staging is reset on Sundays."))).memory
    clock.advance(days=1)
    new = (await agentos.memory.store("default", StoreRequest(content="Staging is reset on Mondays."))).memory
    opinion = Relation(new.id, old.id, MAY_SUPERSEDE, 0.9, "the pair model")
    await store.memory.lifecycle.relate("default", [opinion], clock())
    browser = await sign_in()
    page = (await browser.get("contested")).text
    assert "<mark>Sundays</mark>" in page and "<mark>Mondays</mark>" in page and "Nothing looks outdated." not in page
    day = (await browser.get("timeline", day=f"{old.occurred_at:%Y-%m-%d}")).text
    assert re.search(rf"Sundays.{{1,200}}memory/{new.id}\S+>there is a newer one<", day, re.DOTALL)
    after = await browser.act("contested", do=verdict, id=old.id, by=new.id, kind="outdated", page="1")
    assert after.status_code == 200 and "Nothing looks outdated." in after.text
    assert ((await agentos.memory.get("default", old.id))[0].valid_to is None) is (verdict == "confirm")


async def test_stale_and_unconfirmed_memories_are_judged(
    sign_in: SignIn, agentos: AgentOS, store: OpenedStore, clock: Clock
) -> None:
    old = (await agentos.memory.store("default", StoreRequest(content="Staging is reset on Sundays."))).memory
    clock.advance(days=150)
    await agentos.upkeep.age("default")
    new = (await agentos.memory.store("default", StoreRequest(content="Staging is reset on Mondays."))).memory
    perhaps = (await agentos.memory.store("default", StoreRequest(content="Tea is served.", confidence=0.3))).memory
    browser = await sign_in()
    assert "Sundays" in (page := (await browser.get("contested")).text) and "Mondays" not in page
    await store.memory.lifecycle.relate("default", [Relation(new.id, old.id, RELATES_TO, 0.9, "similar")], clock())
    page = (await browser.get("contested")).text
    assert "<mark>Sundays</mark>" in page and "<mark>Mondays</mark>" in page
    assert "was replaced" in (await browser.act("contested", do="supersede", id=old.id, by=new.id)).text
    assert (await agentos.memory.get("default", old.id))[0].valid_to is not None
    assert "was confirmed" in (await browser.act("contested", do="confirm", id=new.id)).text
    assert "was archived" in (await browser.act("contested", do="archive", id=new.id)).text
    assert "Tea is served." in (await browser.get("approvals")).text
    assert "was confirmed" in (await browser.act("approvals", do="confirm", id=perhaps.id)).text
    assert (await agentos.memory.get("default", perhaps.id))[0].status == "active"


async def test_roles_hold_for_forms_and_a_revoked_key_ends_its_session(
    served: Served, agentos: AgentOS, make_key: MakeKey
) -> None:
    browser = Browser(served)
    await browser.post("sign-in", {"key": await make_key("ada", Role.READER, {"ada": Right.READ})})
    refused = await browser.act("operations", do="backup")
    assert refused.status_code == 403 and await agentos.backups.all() == []
    other = await browser.act("memories", do="store", content="x", ns="bob")
    assert other.status_code == 403
    [key] = await agentos.principals.rows.keys()
    await agentos.principals.revoke_key(local_owner("default", None, Where.COMMAND_LINE), key.prefix)
    assert (await browser.get("")).status_code == 303


async def test_an_open_stream_counts_among_a_principals_and_ends_with_its_session(
    serve: Any, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "CHECKED_EVERY_S", 0.05)
    served = await serve()
    browser = await sign_in(where=served)
    cookie = "; ".join(f"{name}={value}" for name, value in browser.client.cookies.items())
    arrived, ended = asyncio.Event(), asyncio.Event()

    async def send(message: dict[str, Any]) -> None:
        arrived.set()
        if message["type"] == "http.response.body" and not message.get("more_body"):
            ended.set()

    async def receive() -> dict[str, Any]:
        await ended.wait()
        return {"type": "http.disconnect"}

    scope = {
        "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1", "method": "GET",
        "scheme": "http", "path": "/dashboard/events", "query_string": b"", "client": ("127.0.0.1", 1),
        "headers": [(b"host", b"127.0.0.1"), (b"cookie", cookie.encode())],
    }  # fmt: skip
    stream = asyncio.create_task(served.app(scope, receive, send))
    await arrived.wait()
    await browser.act("sign-out")
    await stream
    assert ended.is_set()


async def test_what_waits_is_shown_a_page_at_a_time(sign_in: SignIn, agentos: AgentOS) -> None:
    for number in range(21):
        for value, source in (("Porto", "user"), ("Lisbon", "imported from a web page")):
            slot = {"subject": f"team {number}", "attribute": "room", "value": value}
            request = StoreRequest(content=f"Team {number} meets in {value}.", source=source, **slot)
            await agentos.memory.store("default", request)
    for number in range(51):
        above = (await agentos.goals.active("default"))[0].id if number else None
        await agentos.goals.add("default", f"Part {number}", "As it says.", 1 - number / 100, parent_goal_id=above)
    browser = await sign_in()
    for path, number, entries in (("contested", 1, 20), ("contested", 2, 1), ("contested", 9, 1), ("goals", 1, 50)):
        page = (await browser.get(path, page=str(number))).text
        assert page.count(" data-entry>") == entries, path
        assert ("data-later" in page, "data-earlier" in page) == (number == 1, number > 1), path
    second = (await browser.get("goals", page="2")).text
    assert "Part 0</a> ›" in second and "Part 50" in second and "Part 49" not in second


class _Forms(HTMLParser):
    """Notes the forms that a page would send: where to, the fields, and each button's own."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[tuple[str, dict[str, str]]] = []
        self._action: str | None = None
        self._fields: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        of = {name: value or "" for name, value in attrs}
        if tag == "form" and of.get("method") == "post":
            self._action, self._fields = of.get("action", ""), {}
        elif tag == "input" and self._action is not None and of.get("name"):
            self._fields[of["name"]] = of.get("value", "")
        elif tag == "button" and self._action is not None and of.get("name"):
            self.sent.append((self._action, {**self._fields, of["name"]: of.get("value", "")}))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._action = None


@every(
    "role, right",
    [(Role.READER, Right.READ), (Role.WRITER, Right.READ), (Role.OPERATOR, Right.READ), (Role.OPERATOR, Right.WRITE)],
)
async def test_nobody_is_shown_a_button_that_is_refused(
    served: Served, agentos: AgentOS, make_key: MakeKey, role: Role, right: Right
) -> None:
    kept = await agentos.memory.store("ada", StoreRequest(content="Ada's release is called Willow.", tags=["release"]))
    await agentos.memory.store("ada", StoreRequest(content="The release is called Birch.", tags=["release"]))
    await agentos.approvals.ask_permission("ada", "prod", "deploy", RiskInputs(1, 1, 1), "now", "agent:ada")
    goal = await agentos.goals.add("ada", "Ship it", "It is out")
    await agentos.jobs.register("retention", timedelta(hours=6), at_first_start=False)
    browser = Browser(served)
    key = await make_key(f"key-{role}-{right}", role, {"ada": right})
    assert (await browser.post("sign-in", {"key": key})).status_code == 303
    buttons = 0
    for page in (*PAGES, "namespaces", f"memory/{kept.memory.id}", f"goals/{goal.id}"):
        shown = await browser.get(page, ns="ada")
        if shown.status_code == 403:
            continue
        forms = _Forms()
        forms.feed(shown.text)
        for action, fields in forms.sent:
            if "sign-out" in action:
                continue
            path = (action or f"/dashboard/{page}").split("?")[0].removeprefix("/dashboard").lstrip("/")
            answer = await browser.post(path, {"ns": "ada", **fields})
            assert answer.status_code != 403, (page, action, fields, answer.text[-400:])
            buttons += 1
    assert bool(buttons) == (right >= Right.WRITE and role is not Role.READER) or role is Role.OPERATOR


async def test_a_list_is_filtered_by_chips_that_say_how_many_and_reaches_all_that_one_may_see(
    sign_in: SignIn, agentos: AgentOS
) -> None:
    for number in range(3):
        fields = {"project": "prj_1", "project_name": "house"}
        await agentos.memory.store("default", StoreRequest(f"Lamp {number} is lit.", tags=["lamp"], metadata=fields))
    await agentos.memory.store("default", StoreRequest("Rain is near.", memory_type="episodic"))
    await agentos.memory.store("bob", StoreRequest("Bob likes lamps."))
    browser = await sign_in()
    chips = (await browser.get("chips", memory_type="semantic")).text
    assert re.search(r"episodic</bdi> <span class=\"number\">1<", chips), "as many as there would be instead"
    assert re.search(r"lamp</bdi> <span class=\"number\">3<", chips) and "project=house" in chips
    assert re.search(r"bob</bdi> <span class=\"number\">1<", chips)
    everybody = (await browser.get("chips", across="1")).text
    assert re.search(r"semantic</bdi> <span class=\"number\">4<", everybody), "as many as the list of all shows"
    searched = (await browser.get("chips", q="lamp")).text
    assert re.search(r"semantic</bdi> <span class=\"number\">3<", searched)
    for query in ({}, {"q": "lamps"}):
        across = (await browser.get("memories", across="1", **query)).text
        assert "Bob likes lamps." in across and "Lamp 1 is lit." in across and "ns=bob" in across
        assert 'form="chosen"' not in across, "acts are on the memories of one agent"
    of_project = (await browser.get("memories", project="house")).text
    assert "Lamp 2" in of_project and "Rain" not in of_project
    assert "project=house" in of_project, "other pages keep it"
    home = (await browser.get("", project="house")).text
    assert "Lamp 2" in home and "Rain" not in home and "<strong>3</strong>" in home
    assert "Lamp 2" in (await browser.get("timeline", project="house")).text
    named = (await browser.get("namespaces")).text
    assert "All I may see" in named and "ns=bob" in named


async def test_what_should_have_been_first_is_found_by_the_words_of_the_question(
    sign_in: SignIn, agentos: AgentOS
) -> None:
    browser = await sign_in()
    one = (await agentos.memory.store("default", StoreRequest("Keys hang beside the door."))).memory
    given = {"do": "first", "id": one.id, "query": "where is the spare bunch of keys", "listing": "q=spare+bunch"}
    done = await browser.act("memories", **given)
    assert "tagged with the words" in done.text and "Undo</button>" in done.text
    after, _ = await agentos.memory.get("default", one.id)
    assert after.tags == ("spare", "bunch")
    again = await browser.act("memories", **given)
    assert "confirmed" in again.text, "no word is lacking any more"


@every(
    ("kind", "body"),
    [
        ("multipart/form-data", b"--"),
        ("multipart/form-data; boundary=x", b"zz"),
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n1\r\n--x--\r\n',
        ),
        ("application/x-www-form-urlencoded", b"a=1&" * 2_000),
    ],
)
async def test_a_form_that_is_none_is_refused_with_the_reason(sign_in: SignIn, kind: str, body: bytes) -> None:
    browser = await sign_in()
    for path in ("sign-in", "enter", "look"):
        answer = await browser.client.post(f"/dashboard/{path}", content=body, headers={**HERE, "content-type": kind})
        assert answer.status_code == 400, (path, answer.text[:200])
