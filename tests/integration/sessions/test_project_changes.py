"""Projects that are named anew, merged or moved, and memories from before that are assigned to them."""

from pathlib import Path

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.errors import InvalidInput
from agentos.modules.principals.models import Door, local_owner
from agentos.modules.projects.assigning import Ground
from agentos.modules.sessions.models import Project
from agentos.modules.store_request import StoreRequest
from agentos.storage.git.checkouts import GitCheckouts
from agentos.tools.context import context_get_snapshot
from agentos.tools.goals import goal_add
from agentos.tools.memory import memory_list, memory_store
from agentos.tools.reflection import reflection_log

NS = "ada"
ME = local_owner(NS, None, Door.STDIO)


async def of(agentos: AgentOS, *folders: str) -> list[Project]:
    return [await agentos.sessions.project(NS, folder) for folder in folders]


async def listed(agentos: AgentOS, project: str) -> list[str]:
    return [one.content for one in (await memory_list(agentos, NS, project=project)).results]


async def test_a_project_keeps_the_name_that_it_is_given_and_is_found_by_it(agentos: AgentOS) -> None:
    shop, _ = await of(agentos, "/w/shop", "/w/radar")
    await memory_store(agentos, NS, shop, content="The shop deploys on Tuesdays")
    await memory_store(agentos, NS, content="The till prints receipts", metadata={"project": "shop"})
    renamed = await agentos.projects.rename(NS, "shop", "store")
    assert (renamed.id, renamed.name) == (shop.id, "store")
    assert len(await listed(agentos, "store")) == 2
    assert (await agentos.sessions.project(NS, "/w/shop")).name == "store"
    assert (await agentos.sessions.moved(NS, "store", "/w/market")).name == "store"
    assert (await agentos.sessions.project(NS, "/w/market")).id == shop.id
    for name, why in (("Radar", "another project"), ("everywhere", "must be"), (" x", "must be"), ("", "is empty")):
        with pytest.raises(InvalidInput, match=why):
            await agentos.projects.rename(NS, "store", name)


async def test_a_merged_project_takes_memories_goals_actions_and_sessions_along(agentos: AgentOS) -> None:
    old, new, radar = await of(agentos, "/w/shop", "/w/store", "/w/radar")
    await agentos.sessions.open(NS, "cli", "s1", "/w/shop")
    await memory_store(agentos, NS, old, content="The shop deploys on Tuesdays", tags=[old.id, "ops"])
    await memory_store(agentos, NS, radar, content="The radar deploys on Fridays")
    await goal_add(agentos, NS, old, title="ship the gift cards", description="")
    await reflection_log(agentos, NS, old, action="make slow", outcome="timeout", success=False)
    merged, count = await agentos.projects.merge(NS, "shop", "store")
    assert (merged.id, count) == (new.id, 1)
    assert [one.id for one in await agentos.sessions.projects(NS)] == [new.id, radar.id]
    assert (await agentos.sessions.named(NS, "cli", "s1")).project.id == new.id
    [memory] = (await memory_list(agentos, NS, project="store", detail="full")).results
    assert (memory.metadata, memory.tags) == (new.fields, (new.id, "ops"))
    snapshot = (await context_get_snapshot(agentos, NS, ME, new)).as_text()
    assert "gift cards" in snapshot and "Tuesdays" in snapshot
    assert "make slow" not in await agentos.reflection.elsewhere(NS, new.id)
    assert "make slow" in await agentos.reflection.elsewhere(NS, radar.id)
    with pytest.raises(InvalidInput, match="the same project"):
        await agentos.projects.merge(NS, "store", new.id)


async def test_memories_without_a_project_are_assigned_by_session_file_and_name(agentos: AgentOS) -> None:
    shop, radar, _, _ = await of(agentos, "/w/shop", "/w/radar", "/a/site", "/b/site")
    await agentos.sessions.open(NS, "cli", "s1", "/w/radar")

    async def keep(text: str, session: str | None = None, **more: str) -> str:
        return (await agentos.memory.store(NS, StoreRequest(text, session=session, **more))).memory.id

    expected = {
        await keep("It was decided over lunch", session="s1"): (radar, Ground.SESSION),
        await keep("The settings are in /w/shop/settings.toml"): (shop, Ground.FILE),
        await keep("The Shop deploys on Tuesdays"): (shop, Ground.NAME),
    }
    for text in (
        "A workshop is on Monday",
        "shop and radar share a login",
        "see /w/shopping",
        "The site is blue",
        "Hi",
    ):
        await keep(text)
    await keep("I like the shop", subject="user", attribute="favourite", value="the shop")
    proposals = await agentos.projects.proposals(NS)
    assert {one.memory.id: (one.project, one.evidence) for one in proposals} == expected
    own = await memory_store(agentos, NS, radar, content="The radar beeps")
    assert await agentos.projects.assign(NS, proposals) == 3
    assert await agentos.projects.assign(NS, proposals) == 0 == len(await agentos.projects.proposals(NS))
    assert len(await listed(agentos, "shop")) == 2 and own.id
    _, history = await agentos.memory.get(NS, proposals[0].memory.id)
    assert len(history) == 1 and not history[0].metadata


async def test_what_is_everywhere_comes_after_what_belongs_to_the_project(agentos: AgentOS) -> None:
    [shop] = await of(agentos, "/w/shop")
    await memory_store(agentos, NS, content="Old notes are somewhere", importance=1.0)
    await memory_store(agentos, NS, shop, content="The till prints receipts", importance=0.3)
    shown = [one.content for one in (await context_get_snapshot(agentos, NS, ME, shop)).top_memories]
    assert shown == ["The till prints receipts", "Old notes are somewhere"]


async def test_a_marker_and_a_setting_keep_a_folder_out_with_all_below_it(tmp_path: Path) -> None:
    for name in ("marked/below", "set/below", "open"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "Makefile").touch()
    (tmp_path / "marked" / ".agentos-ignore").touch()
    reader = GitCheckouts(["~nobody-here/x", f" {tmp_path}/se?/", ""])
    for name, expected in (("marked", True), ("marked/below", True), ("set/below", True), ("open", False)):
        assert (await reader.read(str(tmp_path / name))).is_kept_out is expected, name
