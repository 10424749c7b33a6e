"""The package's files are removed under a running server: it has read at its start what it answers from."""

import json
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from agentos.modules.principals.logins import LoginLinks
from agentos.storage.server_key import ServerKeyFile
from tests.e2e.conftest import DEADLINE_S
from tests.e2e.test_serve import KEY, Serving
from tests.integration.http.test_rights import STREAMS, TOOLSETS, Call, value_for
from tests.places import ROOT

PARTS = (
    "config.py",
    "env_files.py",
    "plugins.py",
    "database.py",
    "model_files.py",
    "library.py",
    "server.py",
    "daemon.py",
    "__init__.py",
)
FOLDERS = ("features", "interfaces", "modules", "storage", "tools", "daemon_pkg", "conformance")
API = "/api/v1"
MOST_PAGES = 60


class Removed:
    """A server that runs from a copy of the package, of which only the code is left."""

    def __init__(self, home: Path) -> None:
        self._package = home.parent / "agentos"
        for folder in FOLDERS:
            shutil.copytree(ROOT / folder, self._package / folder, ignore=shutil.ignore_patterns("fixtures"))
        for part in PARTS:
            shutil.copy(ROOT / part, self._package / part)
        self.serving = Serving(
            home,
            PYTHONPATH=str(home.parent),
            AGENTOS_TOOLSETS=",".join(TOOLSETS),
            AGENTOS_HTTP_REQUESTS_PER_MINUTE="100000",
        )
        assert self.serving.url, self.serving.startup

    def remove(self, *, code: bool) -> int:
        gone = [path for path in self._package.rglob("*") if path.is_file() and (code or path.suffix != ".py")]
        for path in gone:
            path.unlink()
        return len(gone)


@pytest.fixture
def removed(home: Path) -> Iterator[Removed]:
    started = Removed(home)
    yield started
    started.serving.end()
    assert started.serving.process.stderr is not None
    started.serving.process.stderr.close()


def client_of(serving: Serving, **headers: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=serving.url, timeout=DEADLINE_S, headers=headers, follow_redirects=True)


def told_wrong(name: str, answer: httpx.Response) -> list[str]:
    """What an answer says that a user can do nothing with."""
    unclear = ("internal error", "No such file", "No module named")
    bad = answer.status_code >= 500 or any(words in answer.text for words in unclear)
    return [f"{name}: {answer.status_code} {answer.text[:300]}"] if bad else []


async def called(client: httpx.AsyncClient, tool: str, given: dict[str, Any]) -> httpx.Response:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": given}}
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    return await client.post("/mcp", json=body, headers=headers)


async def test_every_route_tool_job_and_page_answers_without_the_data_files(removed: Removed, home: Path) -> None:
    assert removed.remove(code=False) > 50
    wrong: list[str] = []
    async with client_of(removed.serving, authorization=f"Bearer {KEY}") as client:
        memory = (await client.post(f"{API}/memories", json={"content": "The ferry leaves from pier four"})).json()
        goal = (await client.post(f"{API}/goals", json={"title": "Find it", "description": "all of it"})).json()
        ids = dict.fromkeys(("memory_id", "id", "segment", "node_id"), memory["id"])
        ids |= dict.fromkeys(
            ("goal_id", "insight_id", "approval_id"), goal["goal"]["id"] if "goal" in goal else goal["id"]
        )
        ids["sealed"] = memory["id"]
        for path, methods in (await client.get("/openapi.json")).json()["paths"].items():
            for method, described in methods.items():
                call = Call(method, path, described, ids)
                if call.name not in STREAMS and method != "delete":
                    wrong += told_wrong(call.name, await call.send(client))
        listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        accepted = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
        tools = (await client.post("/mcp", json=listing, headers=accepted)).json()["result"]["tools"]
        for tool in tools:
            schema = tool["inputSchema"]
            given = {name: value_for(name, schema["properties"][name], ids) for name in schema.get("required", ())}
            wrong += told_wrong(tool["name"], await called(client, tool["name"], given))
        jobs = (await client.get(f"{API}/jobs")).json()["results"]
        for job in jobs:
            wrong += told_wrong(job["id"], await client.post(f"{API}/jobs/{job['id']}/run", json={}))
        after = (await client.get(f"{API}/jobs")).json()["results"]
        wrong += [f"the job {job['id']}: {job['error']}" for job in after if job.get("failures")]
    link = await LoginLinks(ServerKeyFile(home), lambda: datetime.now(UTC)).make(is_person=True)
    async with client_of(removed.serving, origin=removed.serving.url) as browser:
        entered = await browser.post("/dashboard/enter", data={"link": link})
        assert entered.status_code == 200, entered.text
        seen: set[str] = set()
        found = ["/dashboard", *(f"/dashboard/static/{name}" for name in ("style.css", "script.js", "icon.svg"))]
        while found and len(seen) < MOST_PAGES:
            page = found.pop(0)
            seen.add(page)
            answer = await browser.get(page)
            wrong += told_wrong(page, answer)
            links = {link.replace("&amp;", "&") for link in re.findall(r'href="(/dashboard[^"#?]*)"', answer.text)}
            found += sorted(links - seen - set(found))
    assert len(tools) > 60 and len(jobs) > 15 and len(seen) > 20
    assert not wrong, "\n".join(wrong)


async def test_a_server_whose_code_is_gone_says_so(removed: Removed) -> None:
    removed.remove(code=True)
    async with client_of(removed.serving, authorization=f"Bearer {KEY}") as client:
        by_tool = (await called(client, "memory_store", {"content": "a note"})).json()
        by_route = await client.post(f"{API}/memories", json={"content": "a note"})
    for told in (json.dumps(by_tool["result"]), by_route.text):
        assert "agentos restart" in told and "No module named" not in told
