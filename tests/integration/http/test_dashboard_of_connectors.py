"""The dashboard's rows of connectors: which are on, what they brought and when, and its removal, asked first."""

from pathlib import Path

import pytest

from agentos import config
from agentos.database import OpenedStore
from agentos.features.connectors.wiring import with_connectors
from agentos.modules.agentos import AgentOS
from agentos.modules.principals.models import Right, Role
from agentos.modules.store_request import StoreRequest
from tests.integration.conftest import Wire
from tests.integration.http.conftest import Browser, MakeKey, Served, SignIn


@pytest.fixture
def agentos(store: OpenedStore, wire: Wire, home: Path) -> AgentOS:
    return with_connectors(wire(store), store.engine, config.load(home=home, connectors="calendar"))


async def bring(agentos: AgentOS, namespace: str, text: str) -> None:
    tags, metadata = ("connector", "connector-terminal"), {"connector": "terminal", "reference": text}
    await agentos.memory.store(namespace, StoreRequest(text, tags=tags, metadata=metadata, kind="observation"))


async def test_what_connectors_brought_is_shown_and_removed_once_that_was_asked(
    served: Served, sign_in: SignIn, agentos: AgentOS, make_key: MakeKey
) -> None:
    browser = await sign_in()
    await bring(agentos, "default", "Terminal: the user ran `make <b>`")
    await bring(agentos, "ben", "Terminal: the user ran `make`")
    page = (await browser.get("operations")).text
    section = page[page.index('id="connectors"') :].split("</section>")[0]
    assert "repeated commands" in section and "appointments" in section and "tickets" not in section
    assert "connector-terminal" in section and ">off<" in section and ">on<" in section
    asked = await browser.act("operations", do="disconnect", id="terminal")
    assert "has brought?" in asked.text and "1 memory" in asked.text
    assert (await agentos.memory.page("default")).total == 1, "what is only asked changes nothing"
    done = await browser.act("operations", do="disconnect", id="terminal", sure="1")
    assert "What the connector had brought was erased." in done.text
    assert [(await agentos.memory.page(one)).total for one in ("default", "ben")] == [0, 1]
    assert (await browser.act("operations", do="disconnect", id="terminal", sure="1")).status_code == 404
    reader = Browser(served)
    await reader.post("sign-in", {"key": await make_key("eye", Role.READER, {"ben": Right.READ})})
    assert "disconnect" not in (await reader.get("operations", ns="ben")).text
    refused = await reader.act("operations", do="disconnect", id="terminal", sure="1", ns="ben")
    assert refused.status_code == 403 and (await agentos.memory.page("ben")).total == 1


async def test_where_none_is_on_and_none_has_brought_anything_there_is_no_row(
    sign_in: SignIn, agentos: AgentOS, store: OpenedStore, home: Path
) -> None:
    off = with_connectors(agentos, store.engine, config.load(home=home))
    assert await off.connectors("default") is None
    browser = await sign_in()
    assert "Termine" in (await browser.client.get("/dashboard/operations", headers={"Accept-Language": "de"})).text
