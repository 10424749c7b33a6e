"""Ask over HTTP: the route and the page."""

from pathlib import Path
from typing import Any

from agentos import config
from agentos.database import OpenedStore
from agentos.interfaces.http.app import application
from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.decisions import Decisions
from agentos.tools.bound import BoundTools
from tests.integration.conftest import Clock
from tests.integration.http.conftest import OWNER_KEY, SignIn, door_over, served_by

QUESTION = "When does Maria deploy?"


async def test_the_route_answers_with_the_memory_of_each_sentence(owner: Any) -> None:
    stored = (await owner.post("/api/v1/memories", json={"content": "Maria deploys on Tuesday mornings."})).json()
    answer = (await owner.post("/api/v1/ask", json={"question": QUESTION})).json()
    assert answer["outcome"] == "answered" and answer["sentences"][0]["memories"] == [stored["id"]]
    assert (await owner.post("/api/v1/ask", json={"question": ""})).status_code == 400


async def test_the_page_answers_and_says_what_is_not_known(sign_in: SignIn) -> None:
    browser = await sign_in()
    assert "Not known." not in (await browser.get("ask")).text
    assert "Not known." in (await browser.get("ask", q="Where does Maria live?")).text


async def test_where_the_feature_is_off_no_page_leads_to_it(
    agentos: AgentOS, store: OpenedStore, home: Path, bound: BoundTools, clock: Clock, sign_in: SignIn
) -> None:
    assert "/dashboard/ask" in (await (await sign_in()).get("")).text
    settings = config.load(home=home, http="127.0.0.1:0", http_key=OWNER_KEY)
    door = door_over(agentos, Decisions(store.work.approvals, clock), bound, settings, features=())
    async with served_by(door, application(door)) as served:
        browser = await sign_in(where=served)
        home_page = await browser.get("")
        assert home_page.status_code == 200 and "/dashboard/ask" not in home_page.text
        assert (await browser.get("ask")).status_code == 404
