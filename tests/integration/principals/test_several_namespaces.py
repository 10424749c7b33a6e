"""Recall over several namespaces in one call: named, or by policy; each hit with where it is from."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agentos.database import OpenedStore
from agentos.modules.agentos import AgentOS
from agentos.modules.errors import InvalidInput, PermissionDenied
from agentos.modules.facts.models import MAY_SUPERSEDE, Relation
from agentos.modules.principals.models import Caller, Door, Right, Role, local_owner
from agentos.modules.store_request import StoreRequest
from agentos.tools import calling
from agentos.tools.bound import bind
from agentos.tools.catalog import all_tools

OWNER = local_owner("ada", None, Door.COMMAND_LINE)
RIGHTS = {"ada": Right.WRITE, "team": Right.READ}
ADA = Caller("ada", Role.WRITER, RIGHTS, "ada", Door.HTTP, tagged={"news": frozenset({"public"})})
Call = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def call(agentos: AgentOS) -> Call:
    bound = {one.tool.name: one for one in reversed(bind(all_tools(None)))}

    async def opener() -> AgentOS:
        return agentos

    async def run(caller: Caller, tool: str, **given: Any) -> dict[str, Any]:
        result = await calling.call(bound[tool], opener, caller, "test", given)
        structured: dict[str, Any] = result["structuredContent"]
        return structured

    return run


@pytest.fixture
async def filled(agentos: AgentOS) -> None:
    rows = {
        "ada": [("Ada deploys the billing service on Mondays", ())],
        "team": [("The team deploys the billing service on Fridays", ())],
        "news": [("Billing deploys are public now", ("public",)), ("Billing deploys are secret", ())],
        "eve": [("Eve deploys the billing service at night", ())],
    }
    for namespace, texts in rows.items():
        for text, tags in texts:
            await agentos.memory.store(namespace, StoreRequest(text, tags=tags))
    await agentos.embedding.caught_up(10)


QUERY = "when is billing deployed"


def by_namespace(found: dict[str, Any]) -> dict[str, str]:
    return {hit["content"]: hit.get("label", "") for hit in found["results"]}


async def test_hits_of_named_namespaces_say_where_they_are_from(call: Call, filled: None) -> None:
    alone = by_namespace(await call(ADA, "memory_search", query=QUERY))
    assert alone == {"Ada deploys the billing service on Mondays": ""}
    both = by_namespace(await call(ADA, "memory_search_across", query=QUERY, namespaces=["team", "news", "ada"]))
    assert both == {
        "Ada deploys the billing service on Mondays": "",
        "The team deploys the billing service on Fridays": "in team",
        "Billing deploys are public now": "in news",
    }
    for others in (["eve"], ["team", "eve"], ["global"]):
        with pytest.raises(PermissionDenied, match="namespaces"):
            await call(ADA, "memory_search_across", query=QUERY, namespaces=others)
    with pytest.raises(InvalidInput, match="namespaces"):
        await call(ADA, "memory_search_across", query=QUERY, namespaces=[f"n{n}" for n in range(9)])


async def test_a_policy_says_what_is_read_and_written_and_opens_nothing(
    agentos: AgentOS, call: Call, filled: None
) -> None:
    await agentos.principals.set_policy(OWNER, "ada", ["team", "eve"])
    assert set(by_namespace(await call(ADA, "memory_search", query=QUERY)).values()) == {"", "in team"}
    assert set(by_namespace(await call(OWNER, "memory_search", query=QUERY)).values()) == {"", "in team", "in eve"}
    assert set(by_namespace(await call(ADA, "memory_search_across", query=QUERY, namespaces=[])).values()) == {""}
    await agentos.principals.set_policy(OWNER, "ada", target="team")
    stored = await call(OWNER, "memory_store", content="The office is in Graz")
    assert stored["namespace"] == "team"
    assert (await agentos.memory.get("team", stored["id"]))[0].content == "The office is in Graz"
    assert "namespace" not in await call(OWNER, "memory_store", content="Ada sits in Linz", agent_id="ada")
    with pytest.raises(PermissionDenied, match="team"):
        await call(ADA, "memory_store", content="not where only reading is allowed")


async def test_a_walk_over_several_namespaces_gives_each_memory_once(
    agentos: AgentOS, call: Call, filled: None
) -> None:
    first = await call(ADA, "memory_search_across", query=QUERY, namespaces=["team", "news"], limit=1)
    seen = [hit["id"] for hit in first["results"]]
    found = first
    while cursor := found.get("next_cursor"):
        found = await call(
            ADA, "memory_search_across", query=QUERY, namespaces=["team", "news"], limit=1, cursor=cursor
        )
        seen += [hit["id"] for hit in found["results"]]
    assert len(seen) == len({*seen}) == 3
    with pytest.raises(InvalidInput, match="cursor"):
        await call(ADA, "memory_search", query=QUERY, cursor=first["next_cursor"])


async def test_what_every_agent_reads_is_shared_only_by_who_may_write_there(call: Call) -> None:
    with pytest.raises(PermissionDenied, match="global"):
        await call(ADA, "procedure_promote", id="mem_" + "0" * 20)


async def test_a_grant_of_a_tag_names_nothing_beside_it(agentos: AgentOS, call: Call, filled: None) -> None:
    old = (await agentos.memory.store("news", StoreRequest("The office cat is called Mim", tags=("public",)))).memory
    new = (await agentos.memory.store("news", StoreRequest("The office cat is called Tom now, in secret"))).memory
    await agentos.lifecycle.feedback("news", old.id, "supersede", new.id)
    await agentos.embedding.caught_up(10)
    given = {"query": "what is the office cat called", "include_superseded": True}
    await agentos.principals.set_policy(OWNER, "ada", ["news"])
    by_tag = await call(ADA, "memory_search", **given)
    assert old.content in by_namespace(by_tag) and new.id not in str(by_tag)
    assert new.id in str(await call(OWNER, "memory_search", **given))


async def test_an_answer_names_nothing_beside_a_grant_of_a_tag(
    agentos: AgentOS, store: OpenedStore, call: Call, filled: None
) -> None:
    old = (await agentos.memory.store("news", StoreRequest("The office cat is called Mim", tags=("public",)))).memory
    new = (await agentos.memory.store("news", StoreRequest("The office cat is called Tom now, in secret"))).memory
    await store.memory.lifecycle.relate(
        "news", [Relation(new.id, old.id, MAY_SUPERSEDE, 0.99, "test")], agentos.clock()
    )
    await agentos.embedding.caught_up(10)
    await agentos.principals.set_policy(OWNER, "ada", ["news"])
    answer = str(await call(ADA, "memory_ask", question="What is the office cat called?"))
    assert "Mim" in answer and "secret" not in answer and new.id not in answer
