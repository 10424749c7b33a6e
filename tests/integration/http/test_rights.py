"""Every route of the OpenAPI document, and every tool, for every role: what is not granted is neither told nor done."""

import json
from typing import Any

import pytest
from starlette.routing import Route

from agentos.modules.agentos import AgentOS
from agentos.modules.principals.models import MOST_OF_A_ROLE, Right, Role
from agentos.modules.store_request import StoreRequest
from agentos.tools.catalog import all_tools
from agentos.tools.tool import Tool

MARK = "quetzalcoatl"
OWN, FOREIGN = "own", "foreign"
WHOLE_STORE = {"import_bundle", "list_backups", "make_backup", "job_run", "job_cancel"}
"""What takes a key that may touch every namespace; no key of a principal may."""
STREAMS = {"stream_events"}
MAY = {
    "read": set(Role),
    "share": set[Role](),
    "write": {Role.WRITER, Role.OPERATOR, Role.OWNER},
    "reader": set(Role),
    "writer": {Role.WRITER, Role.OPERATOR, Role.OWNER},
    "operator": {Role.OPERATOR, Role.OWNER},
    "owner": {Role.OWNER},
}
TOOLSETS = sorted({tool.toolset for tool in all_tools(None) if tool.toolset})


@pytest.fixture
async def keys(make_key: Any) -> dict[Role, str]:
    return {role: await make_key(f"the-{role}", role, {OWN: MOST_OF_A_ROLE[role]}) for role in Role}


@pytest.fixture
async def foreign(agentos: AgentOS) -> dict[str, str]:
    """What another tenant has: a record of each kind, all with a word in it that nobody else must ever see."""
    memory = (await agentos.memory.store(FOREIGN, StoreRequest(f"The {MARK} is at the pier", "semantic"))).memory
    goal = await agentos.goals.add(FOREIGN, f"Find the {MARK}", f"all of the {MARK}")
    await agentos.reflection.log(FOREIGN, f"call the {MARK}", "it came", True)
    sealed = (await agentos.sealed.store(FOREIGN, f"{MARK}-ciphertext", [1.0, 0.0])).memory
    await agentos.memory.settled()
    return {
        **dict.fromkeys(("memory_id", "id", "segment", "node_id"), memory.id),
        **dict.fromkeys(("goal_id", "insight_id", "approval_id"), goal.id),
        "sealed": sealed.id,
    }


def value_for(name: str, schema: dict[str, Any], foreign: dict[str, str]) -> Any:
    """Something that an argument takes; an id is another tenant's."""
    if name in foreign:
        return foreign[name]
    if name == "messages":
        return [{"role": "user", "content": MARK[:4]}]
    options = schema.get("anyOf", [schema])
    first = next((one for one in options if one.get("type") != "null"), schema)
    if "enum" in first:
        return first["enum"][0]
    if "const" in first:
        return first["const"]
    samples: dict[str, Any] = {
        "string": OWN if name in ("namespace", "name") else MARK[:4],
        "integer": first.get("minimum", 1),
        "number": 0.5,
        "boolean": True,
        "array": [0.6, 0.8] if first.get("items", {}).get("type") == "number" else [foreign["memory_id"]],
        "object": {},
    }
    return samples[first.get("type", "string")]


class Call:
    """A request of the document's, with arguments that it requires."""

    def __init__(self, method: str, path: str, described: dict[str, Any], foreign: dict[str, str]) -> None:
        given = foreign if not path.startswith("/api/v1/sealed") else {**foreign, "memory_id": foreign["sealed"]}
        parameters = described.get("parameters", [])
        body = described.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        self.method, self.path = method.upper(), path
        self.needs, self.name = described["x-agentos-needs"], described["operationId"]
        self.query: dict[str, Any] = {}
        for one in parameters:
            value = value_for(one["name"], one["schema"], given)
            if one["in"] == "path":
                self.path = self.path.replace("{" + one["name"] + "}", str(value))
            elif one["in"] == "query" and one["required"]:
                self.query[one["name"]] = value
        self.body = None
        if body:
            needed = {name: body["properties"][name] for name in body.get("required", ())}
            self.body = {name: value_for(name, schema, given) for name, schema in needed.items()}
        named = {one["name"] for one in parameters} | set((body or {}).get("properties", ()))
        self.has_namespace = "namespace" in named

    async def send(self, client: Any, namespace: str | None = None) -> Any:
        query, body = dict(self.query), None if self.body is None else dict(self.body)
        if namespace is not None:
            (query if body is None else body)["namespace"] = namespace
        return await client.request(self.method, self.path, params=query, json=body)


@pytest.fixture
async def calls(served: Any, foreign: dict[str, str]) -> list[Call]:
    document = (await served.client(key=None).get("/openapi.json")).json()
    return [
        Call(method, path, described, foreign)
        for path, methods in document["paths"].items()
        for method, described in methods.items()
    ]


async def test_every_route_for_every_role(
    serve: Any, keys: dict[Role, str], calls: list[Call], agentos: AgentOS
) -> None:
    served = await serve(http_requests_per_minute=100_000)
    before = await agentos.portability.canonical_hash([FOREIGN])
    assert len(calls) > 75
    wrong: list[str] = []
    for call in calls:
        if (await call.send(served.client(key=None, address=f"10.0.0.{len(wrong)}"))).status_code != 401:
            wrong.append(f"{call.name}: open to everybody")
        for role, key in keys.items():
            if call.name in STREAMS:
                continue  # test_events tries it: in process its answer would not end
            client = served.client(key)
            answer = await call.send(client)
            may = role in MAY[call.needs] and call.name not in WHOLE_STORE
            if answer.status_code >= 500 or (answer.status_code in (401, 403)) == may:
                wrong.append(f"{call.name} as {role}: {answer.status_code} {answer.text[:200]}")
            if MARK in answer.text:
                wrong.append(f"{call.name} as {role}: tells what is another's: {answer.text[:300]}")
            if call.has_namespace and (beyond := await call.send(client, FOREIGN)).status_code != 403:
                wrong.append(f"{call.name} as {role} of another's namespace: {beyond.status_code}")
    assert not wrong, "\n".join(wrong)
    assert await agentos.portability.canonical_hash([FOREIGN]) == before


def paths_of(app: Any) -> set[str]:
    """Every path that an application answers, however deep its routers lie within what stands before them."""
    found: set[str] = set()
    waiting, seen = [app], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen or not type(one).__module__.startswith(("agentos.interfaces.http", "starlette.routing")):
            continue
        seen.add(id(one))
        found |= {one.path} if isinstance(one, Route) else set()
        waiting += [*getattr(one, "routes", ()), *vars(one).values()]
    return found


async def test_no_route_is_outside_of_the_document_but_those_of_other_tests(served: Any) -> None:
    document = (await served.client(key=None).get("/openapi.json")).json()
    others = paths_of(served.app) - set(document["paths"])
    assert others == {
        *("/mcp", "/mcp/", "/metrics", "/healthz", "/readyz", "/openapi.json", "/dashboard", "/dashboard/{page:path}"),
        *("/", "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"),
    }


async def called(client: Any, tool: Tool, given: dict[str, Any]) -> dict[str, Any]:
    params = {"name": tool.name, "arguments": given}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
    path = f"/mcp?toolsets={tool.toolset}" if tool.toolset else "/mcp"
    answer = await client.post(path, json=message, headers=headers)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()["result"]
    return result


async def test_every_tool_for_every_role(
    serve: Any, keys: dict[Role, str], foreign: dict[str, str], agentos: AgentOS, bound: Any
) -> None:
    served = await serve(http_requests_per_minute=100_000)
    before = await agentos.portability.canonical_hash([FOREIGN])
    wrong: list[str] = []
    for entry in bound:
        schema, tool = entry.input_schema, entry.tool
        given = {name: value_for(name, schema["properties"][name], foreign) for name in schema.get("required", ())}
        for role, key in keys.items():
            client = served.client(key)
            for namespace in (None, FOREIGN):
                named = {} if namespace is None else {tool.namespace_in[0]: namespace}
                result = await called(client, tool, {**given, **named})
                denied = (result.get("_meta") or {}).get("agentos/code") == "permission_denied"
                may = namespace is None and (tool.read_only or Right.WRITE <= MOST_OF_A_ROLE[role])
                may = may and role in MAY[tool.role] and tool.name not in WHOLE_STORE
                if may and denied and "agent_id" not in str(result["content"]):
                    may = False  # a person alone may do that, whatever the key
                if denied == may:
                    wrong.append(f"{tool.name} as {role} in {namespace}: {json.dumps(result)[:200]}")
                if MARK in json.dumps(result):
                    wrong.append(f"{tool.name} as {role} in {namespace} tells what is another's")
    assert not wrong, "\n".join(wrong)
    assert await agentos.portability.canonical_hash([FOREIGN]) == before
