"""A project as a filter: in searches, lists, goals and the snapshot, by its name or its id."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.errors import InvalidInput
from agentos.modules.principals.models import Door, local_owner
from agentos.modules.sessions.models import Project
from agentos.modules.store_request import StoreRequest
from agentos.tools.context import context_get_snapshot
from agentos.tools.goals import goal_add, goal_list
from agentos.tools.memory import memory_list, memory_store, memory_update
from agentos.tools.search import memory_search
from tests.integration.conftest import OpenedStore, Wire

NS = "ada"
ME = local_owner(NS, None, Door.STDIO)


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
        snapshot = await context_get_snapshot(agentos, NS, ME, project=project, query="release")
        assert {one.id for one in snapshot.top_memories} == {of_app, named, everywhere}
        assert [goal.title for goal in snapshot.active_goals] == ["ship the app", "rest"]
    assert [goal.title for goal in (await goal_list(agentos, NS, project="site")).results] == ["draw the site"]
    assert (await goal_list(agentos, NS, project="nowhere")).total == 0
    assert {one.id for one in (await context_get_snapshot(agentos, NS, ME)).top_memories} > {of_app, of_site}
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
        shown = (await context_get_snapshot(agentos, NS, ME, project)).as_text()
        assert own in shown and "Elena" in shown and other not in shown


async def test_a_project_that_is_new_sees_nothing_of_the_others_and_looking_does_not_register_it(
    agentos: AgentOS, tmp_path: Path
) -> None:
    (tmp_path / "Makefile").touch()
    shop = await agentos.sessions.project(NS, "/w/shop")
    await memory_store(agentos, NS, shop, content="The deployment of the shop is on Tuesdays")
    here = await agentos.projects.of_caller(NS, replace(ME, folder=str(tmp_path)), register=False)
    assert here is not None and await agentos.sessions.projects(NS) == [shop]
    found = await memory_search(agentos, NS, (), here, query="deployment")
    assert not found.results and found.elsewhere.startswith("1 more in project shop")
    assert "Tuesdays" not in (await context_get_snapshot(agentos, NS, ME, here)).as_text()


async def test_searches_and_lists_are_of_the_project_worked_in_and_say_what_lies_elsewhere(agentos: AgentOS) -> None:
    shop, radar = [await agentos.sessions.project(NS, folder) for folder in ("/w/shop", "/w/radar")]
    await memory_store(agentos, NS, shop, content="The deployment of the shop is on Tuesdays")
    await memory_store(agentos, NS, radar, content="The deployment of the radar is on Fridays")
    await memory_store(agentos, NS, content="Every deployment is announced")

    async def told(here: Project | None, project: str | None = None) -> tuple[str, str]:
        found = await memory_search(agentos, NS, (), here, query="deployment", project=project)
        return found.as_text(), (await memory_list(agentos, NS, here, project=project)).as_text()

    for text in await told(shop):
        assert "Tuesdays" in text and "announced" in text and "Fridays" not in text
        assert text.endswith("\n1 more in project radar: project='*'")
    for here, project in ((shop, "*"), (None, None), (None, "*")):
        for text in await told(here, project):
            assert all(word in text for word in ("Tuesdays", "Fridays", "announced")) and "more in" not in text
    for project in ("radar", "Radar", radar.id):
        for text in await told(shop, project):
            assert "Fridays" in text and "Tuesdays" not in text and "announced" not in text
    for text in await told(shop, "everywhere"):
        assert "announced" in text and "Tuesdays" not in text and "Fridays" not in text
    for call in (
        memory_list(agentos, NS, shop, project="rader"),
        memory_search(agentos, NS, query="d", project="rader"),
    ):
        with pytest.raises(InvalidInput, match="project: there is none called 'rader'; the nearest: radar"):
            await call


async def test_what_others_have_most_of_takes_no_place_in_a_project(agentos: AgentOS) -> None:
    shop, radar = [await agentos.sessions.project(NS, folder) for folder in ("/w/shop", "/w/radar")]
    own = await memory_store(agentos, NS, shop, content="A deployment of the shop takes a good while, mostly for tests")
    for number in range(120):
        await memory_store(agentos, NS, radar, content=f"Deployment {number}")
    found = await memory_search(agentos, NS, (), shop, query="deployment")
    assert [hit.id for hit in found.results] == [own.id]


async def test_two_projects_of_one_name_are_never_mixed(agentos: AgentOS) -> None:
    one, other = [await agentos.sessions.project(NS, folder) for folder in ("/a/shop", "/b/shop")]
    for project, day in ((one, "Tuesdays"), (other, "Fridays")):
        await memory_store(agentos, NS, project, content=f"The deployment is on {day}")
        await goal_add(agentos, NS, project, title=f"deploy on {day}", description="")
    for here, day, away in ((one, "Tuesdays", "Fridays"), (other, "Fridays", "Tuesdays")):
        texts = [
            (await memory_search(agentos, NS, (), here, query="deployment")).as_text(),
            (await memory_search(agentos, NS, (), here, query="deployment", project="shop")).as_text(),
            (await memory_list(agentos, NS, project=here.id)).as_text(),
            (await context_get_snapshot(agentos, NS, ME, here)).as_text(),
        ]
        assert [(day in text, away in text) for text in texts] == [(True, False)] * len(texts)
        assert f"1 more in project shop ({(other if here is one else one).id})" in texts[0]
    with pytest.raises(InvalidInput, match=rf"names 2 projects; give an id: {one.id} \(/a/shop\), {other.id}"):
        await memory_search(agentos, NS, query="deployment", project="shop")


async def test_the_same_text_in_two_projects_is_a_memory_of_each(agentos: AgentOS) -> None:
    shop, radar = [await agentos.sessions.project(NS, folder) for folder in ("/w/shop", "/w/radar")]
    text = "The tests run with make check"
    first, second = [await memory_store(agentos, NS, project, content=text) for project in (shop, radar)]
    assert first.id != second.id
    for here, own in ((shop, first), (radar, second)):
        again = await memory_store(agentos, NS, here, content=text)
        found = await memory_search(agentos, NS, (), here, query="make check")
        assert (again.id, [hit.id for hit in found.results]) == (own.id, [own.id])
    everywhere = await memory_store(agentos, NS, content="We test on Mondays")
    assert (await memory_store(agentos, NS, shop, content="We test on Mondays")).id == everywhere.id


async def test_a_memory_stays_in_its_project_until_its_metadata_say_otherwise(agentos: AgentOS) -> None:
    shop, radar = [await agentos.sessions.project(NS, folder) for folder in ("/w/shop", "/w/radar")]
    kept = await memory_store(agentos, NS, shop, content="The tests run with make check", metadata={"by": "Ada"})
    for given, expected in (
        ({"by": "Bo"}, {"by": "Bo", **shop.fields}),
        ({"project": "radar"}, radar.fields),
        ({"project": "everywhere"}, {}),
    ):
        await memory_update(agentos, NS, memory_id=kept.id, metadata=given)
        memory, _ = await agentos.memory.get(NS, kept.id)
        assert memory.metadata == expected


async def test_a_briefing_is_in_the_language_that_is_set_and_memories_as_they_were_written(
    store: OpenedStore, wire: Wire
) -> None:
    agentos = wire(store, briefing_language="de")
    session, _ = await agentos.sessions.open(NS, "cli", "s", "/w/app")
    await agentos.goals.add(NS, "ship {it}", "now", deadline="2027-01-05")
    await agentos.memory.store(NS, StoreRequest("Deploys run on Tuesdays", source="Rosa {x}", importance=0.9))
    text = (await agentos.briefing.at_start(session, frozenset())).text
    assert text.startswith('# AgentOS: was von früher bekannt ist, Projekt "app"\n')
    for line in (
        'Ziel "ship {it}" 0%, fällig am 2027-01-05',
        'von "Rosa {x}": "Deploys run on Tuesdays"',
        "## Was ansteht",
    ):
        assert line in text, text
    assert "memory_search" in text and "is known" not in text
