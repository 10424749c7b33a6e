"""A project as a filter: in searches, lists, goals and the snapshot, by its name or its id."""

from typing import Any

from agentos.modules.agentos import AgentOS
from agentos.modules.store_request import StoreRequest
from agentos.tools.context import context_get_snapshot
from agentos.tools.goals import goal_list
from agentos.tools.memory import memory_list, memory_store
from agentos.tools.search import memory_search

NS = "ada"


async def test_a_project_narrows_what_is_found_listed_and_shown(agentos: AgentOS) -> None:
    app, site = [await agentos.sessions.project(NS, folder) for folder in ("/w/app", "/w/site")]

    async def keep(text: str, **metadata: Any) -> str:
        return (await agentos.memory.store(NS, StoreRequest(text, importance=0.9, metadata=metadata))).memory.id

    of_app = await keep("The release is cut on Fridays", project=app.id, project_name="app")
    of_site = await keep("The release is cut by the editors", project=site.id, project_name="site")
    named = await keep("The release is cut with a tag", project="app")
    everywhere = await keep("The release is cut in English")
    for title, tags in (("ship the app", ("App", "release")), ("draw the site", (site.id,)), ("rest", ())):
        await agentos.goals.add(NS, title, title, 0.9 if title == "rest" else 0.1, tags=tags)

    for project in ("app", app.id):
        ids = {hit.id for hit in (await memory_search(agentos, NS, query="release cut", project=project)).results}
        ids |= {one.id for one in (await memory_list(agentos, NS, project=project)).results}
        assert of_app in ids and not ids & {of_site, everywhere}
        goals = await goal_list(agentos, NS, project=project)
        assert ([goal.title for goal in goals.results], goals.total) == (["ship the app"], 1)
        snapshot = await context_get_snapshot(agentos, NS, project=project, query="release")
        assert {one.id for one in snapshot.top_memories} == {of_app, named, everywhere}
        assert [goal.title for goal in snapshot.active_goals] == ["ship the app", "rest"]
    assert [goal.title for goal in (await goal_list(agentos, NS, project="site")).results] == ["draw the site"]
    assert (await goal_list(agentos, NS, project="nowhere")).total == 0
    assert {one.id for one in (await context_get_snapshot(agentos, NS)).top_memories} > {of_app, of_site}
    started, _ = await agentos.sessions.open(NS, "cli", "s", "/w/app")
    briefing = (await agentos.briefing.at_start(started, frozenset())).text
    assert briefing.index("ship the app") < briefing.index("rest") and "draw the site" not in briefing


async def test_what_is_stored_in_a_project_is_its_own_unless_it_is_about_the_user(agentos: AgentOS) -> None:
    shop, radar = [await agentos.sessions.project(NS, folder) for folder in ("/w/shop", "/w/radar")]
    await memory_store(agentos, NS, shop, content="The shop is deployed on Tuesdays")
    await memory_store(agentos, NS, shop, content="The invoices are blue", project="radar")
    told = await memory_store(agentos, NS, shop, content="Elena", subject="user", attribute="name", value="Elena")
    assert "Kept for every project." in told.as_text()
    for project, own, other in ((shop, "Tuesdays", "blue"), (radar, "blue", "Tuesdays")):
        shown = (await context_get_snapshot(agentos, NS, project)).as_text()
        assert own in shown and "Elena" in shown and other not in shown
