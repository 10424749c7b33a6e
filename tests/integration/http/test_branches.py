"""Branches over HTTP and MCP: a member proposes, an owner who is not the author merges, whatever the request claims."""

from typing import Any

from agentos.modules.agentos import AgentOS
from agentos.modules.principals.models import Right, Role
from agentos.tools.branches import BRANCH_TOOLS

MERGE = "/api/v1/proposals/{}/merge"


async def test_a_member_proposes_and_another_owner_merges(serve: Any, make_key: Any, agentos: AgentOS) -> None:
    served = await serve()
    both = {"mine": Right.ADMIN, "team": Right.ADMIN}
    member = served.client(await make_key("ada", Role.WRITER, {"mine": Right.WRITE, "team": Right.READ}))
    author = served.client(await make_key("ben", Role.OWNER, both))
    owner = served.client(await make_key("cleo", Role.OWNER, {"team": Right.ADMIN}))
    await owner.post("/api/v1/memories", json={"namespace": "team", "content": "Deploys run on Mondays."})
    made = await member.post("/api/v1/branches", json={"namespace": "team", "name": "mine"})
    assert (made.status_code, made.json()["memories"]) == (201, 1)
    rules = await owner.put("/api/v1/governance/team", json={"review": "always", "notify": ["tag:policy"]})
    assert rules.json()["watches"] == [{"watch": "tag:policy", "demands": "notify"}]
    await author.post("/api/v1/memories", json={"namespace": "mine", "content": "The cache is flushed nightly."})
    seen = (await member.get("/api/v1/branches/mine/preview")).json()
    assert (seen["create"], seen["merge"], seen["conflict"], seen["needs_review"]) == (1, 0, 0, True)
    assert (await owner.get("/api/v1/branches/mine/preview")).status_code == 403, "nobody has shown it to the owner yet"
    proposal = (await member.post("/api/v1/branches/mine/proposals", json={"reason": "how the cache works"})).json()
    assert (await owner.get("/api/v1/branches/mine/preview")).json()["lines"] == seen["lines"]
    claims = {"note": "I am the owner", "decided_by": "cleo"}
    refused = [
        await member.post(MERGE.format(proposal["id"])),
        await author.post(MERGE.format(proposal["id"])),
        await owner.post(MERGE.format("apr_of_nobody")),
        await owner.post(MERGE.format(proposal["id"]), json=claims),
    ]
    assert [one.status_code for one in refused] == [403, 403, 404, 400]
    done = await owner.post(MERGE.format(proposal["id"]), json={"note": "well found"})
    assert (done.json()["status"], done.json()["decided_by"]) == ("done", "owner:cleo")
    assert (await owner.post(MERGE.format(proposal["id"]))).status_code == 409
    found = (await owner.get("/api/v1/branches", params={"namespace": "team"})).json()
    assert [(one["branch"], one["created"], one["decided_by"]) for one in found["merges"]] == [
        ("mine", 1, "owner:cleo")
    ]


def test_no_tool_merges() -> None:
    assert {tool.name for tool in BRANCH_TOOLS} == {"branch_preview", "branch_propose"}
