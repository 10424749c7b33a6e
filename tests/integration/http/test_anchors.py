"""Anchors over REST and in the dashboard: what became of the code that notes name, confirmed and dropped there."""

from pathlib import Path

import pytest

from agentos import config
from agentos.database import OpenedStore
from agentos.features.anchors.service import anchors_of
from agentos.features.anchors.wiring import with_anchors
from agentos.modules.agentos import AgentOS
from agentos.modules.principals.models import Right, Role
from agentos.modules.store_request import StoreRequest
from tests.integration.http.conftest import MakeKey, Served, SignIn

CODE = "def {name}(url):\n    for one in range(3):\n        if send(url):\n            return one\n"
MARK = "code renamed: fetch_page is now load_page"


@pytest.fixture
def agentos(agentos: AgentOS, store: OpenedStore, home: Path) -> AgentOS:
    return with_anchors(agentos, store.engine, config.load(home=home))


async def test_notes_whose_code_changed_are_listed_confirmed_and_dropped(
    served: Served, agentos: AgentOS, sign_in: SignIn, make_key: MakeKey, tmp_path: Path
) -> None:
    owner, browser = served.client(), await sign_in()
    assert (await owner.get("/api/v1/anchors")).json() == {"results": []}
    assert (await owner.delete("/api/v1/anchors/mem_none")).status_code == 404
    assert "kind=code" not in (await browser.get("contested")).text, "nothing is followed"

    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "go.mod").touch()
    for name in ("net.py", "web.py"):
        (folder / name).write_text(CODE.format(name="fetch_page"), encoding="utf-8")
    project = await agentos.sessions.project("default", str(folder))
    texts = ("`fetch_page` in net.py tries, <b>thrice</b>.", "`fetch_page` in net.py is slow.", "web.py is old.")
    ids = [
        (await agentos.memory.store("default", StoreRequest(text, metadata=dict(project.fields)))).memory.id
        for text in texts
    ]
    anchors = await anchors_of(agentos)
    await anchors.follow("default", str(folder))
    (folder / "net.py").write_text(CODE.format(name="load_page"), encoding="utf-8")
    await anchors.check()

    listed = (await owner.get("/api/v1/anchors")).json()["results"]
    assert [(one["memory_id"], one["state"]) for one in listed] == [
        *((ids[2], "same"), (ids[1], "renamed"), (ids[0], "renamed")),
    ]
    assert (listed[2]["text"], listed[2]["mark"], listed[2]["project"]) == (texts[0], MARK, "shop")
    assert (listed[2]["place"], listed[2]["now"]) == ("net.py:fetch_page", "net.py:load_page")
    [one] = (await owner.get("/api/v1/anchors", params={"memory_id": ids[2]})).json()["results"]
    assert (one["place"], one["mark"], one["is_given"]) == ("web.py", "", False)

    reader = served.client(await make_key("ada", Role.READER, {"default": Right.READ}))
    stranger = served.client(await make_key("eve", Role.WRITER, {"eve": Right.WRITE}))
    for path in (f"/api/v1/anchors/{ids[0]}", f"/api/v1/anchors/{ids[0]}/confirm"):
        method = "POST" if path.endswith("confirm") else "DELETE"
        assert (await reader.request(method, path)).status_code == 403
        assert (await stranger.request(method, path)).status_code == 404
    assert (await stranger.get("/api/v1/anchors")).json() == {"results": []}
    assert (await stranger.get("/api/v1/anchors", params={"namespace": "default"})).status_code in (403, 404)

    page = (await browser.get("contested", kind="code")).text
    assert "&lt;b&gt;thrice" in page and page.count("renamed to") == 2 and "net.py:load_page" in page
    assert "umbenannt in" in (await browser.client.get("/dashboard/contested?kind=code", headers=GERMAN)).text
    assert "renamed to" in (await browser.get(f"memory/{ids[0]}")).text
    done = await browser.act("contested", do="drop", id=ids[0], place="net.py:fetch_page", kind="code")
    assert "no longer follows that code" in done.text and done.text.count("renamed to") == 1
    again = await browser.act("contested", do="drop", id=ids[0], place="net.py:fetch_page", kind="code")
    assert again.status_code == 404
    [one] = (await owner.post(f"/api/v1/anchors/{ids[1]}/confirm")).json()["results"]
    assert (one["state"], one["place"], one["mark"]) == ("same", "net.py:load_page", "")
    assert (await owner.get("/api/v1/anchors", params={"marked": True})).json() == {"results": []}
    assert "No code that a note names has changed" in (await browser.get("contested", kind="code")).text
    await browser.act(f"memory/{ids[2]}", do="drop", place="web.py")
    assert (await owner.get("/api/v1/anchors", params={"memory_id": ids[2]})).json() == {"results": []}
    at = {"place": one["place"]}  # as it is shown, before the next check writes it so
    assert (await owner.delete(f"/api/v1/anchors/{ids[1]}", params=at)).json() == {"removed": 1}
    await agentos.lifecycle.forget("default", ids[1])
    assert (await owner.get("/api/v1/anchors", params={"memory_id": ids[1]})).json() == {"results": []}


GERMAN = {"accept-language": "de"}
