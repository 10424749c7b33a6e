"""All that one may see: the pages that list the things of all agents, whose each is, and what waits among them."""

import re

import pytest

from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.risk import RiskInputs
from agentos.modules.principals.models import Right, Role
from agentos.modules.store_request import StoreRequest
from tests.integration.http.conftest import Browser, MakeKey, Served, SignIn
from tests.tables import every

WHOSE = re.compile(r'<span class="tag agent"[^>]*><bdi>(\w+)</bdi>')
PAGES = ("", "timeline", "approvals", "sessions", "goals", "graph", "memories")


@pytest.fixture
async def agents(agentos: AgentOS) -> AgentOS:
    """Three agents, each with a thing of every kind."""
    for name in ("default", "bob", "eve"):
        await agentos.memory.store(name, StoreRequest(f"Nadia Brandt told {name} about tea."))
        await agentos.goals.add(name, f"A goal of {name}", "Reach it.")
        await agentos.approvals.ask_permission(name, f"prod of {name}", "deploy", RiskInputs(0, 0, 0.9), "now", "a")
        await agentos.sessions.open(name, "codex", f"s-{name}", f"/src/{name}")
    return agentos


@every("path", PAGES)
async def test_a_page_lists_what_all_agents_have_and_says_whose_it_is(
    sign_in: SignIn, agents: AgentOS, path: str
) -> None:
    browser = await sign_in()
    own, everything = (await browser.get(path)).text, (await browser.get(path, across="1")).text
    assert WHOSE.findall(own) == [] and set(WHOSE.findall(everything)) == {"default", "bob", "eve"}
    assert "all agents" in everything and "/dashboard/goals?across=1" in everything
    assert re.search(r'class="badge"[^>]*>3</span>', everything) and re.search(r'class="badge"[^>]*>1</span>', own)


async def test_all_is_what_a_key_opens_and_no_more(served: Served, agents: AgentOS, make_key: MakeKey) -> None:
    browser = Browser(served)
    key = await make_key("bo", Role.WRITER, {"bob": Right.WRITE, "eve": Right.READ})
    await browser.post("sign-in", {"key": key})
    for path in PAGES:
        assert set(WHOSE.findall((await browser.get(path, across="1")).text)) == {"bob", "eve"}
    listed = (await browser.get("approvals", across="1")).text
    assert listed.count("/dashboard/approvals/apr_") == 2 and 'class="badge"' not in listed, "a key decides nothing"


async def test_what_is_another_agents_is_decided_from_the_list_of_all(sign_in: SignIn, agents: AgentOS) -> None:
    browser = await sign_in()
    listed = (await browser.get("approvals", across="1")).text
    [asked] = (await agents.approvals.inbox("bob")).approvals
    form = re.search(rf'action="/dashboard/approvals/{asked.id}\?[^"]*ns=bob[^>]*>\s*(.*?)</form>', listed, re.DOTALL)
    assert form is not None and 'name="ns" value="bob"' in form[1]
    await browser.act(f"approvals/{asked.id}", do="approve", version=str(asked.version), ns="bob", across="1")
    assert (await agents.approvals.get("bob", asked.id)).status == "approved"
    assert (await agents.approvals.waiting("default"), await agents.approvals.waiting("eve")) == (1, 1)


async def test_the_badge_counts_what_the_page_lists(sign_in: SignIn, agents: AgentOS) -> None:
    stored = await agents.memory.store("default", StoreRequest("The tap drips.", confidence=0.1))
    browser = await sign_in()
    page = (await browser.get("approvals")).text
    candidates = page.count('name="do" value="confirm"')
    assert stored.memory.status == "candidate" and candidates == 1
    assert "2 decisions wait for you: requests 1, contested memories 0, unconfirmed memories 1." in page
    assert re.search(r'class="badge"[^>]*>2</span>', page)


async def test_goals_and_the_graph_are_of_a_chosen_project(sign_in: SignIn, agentos: AgentOS) -> None:
    for project, person in (("tea", "Nadia Brandt"), ("beer", "Igor Holm")):
        opened, _ = await agentos.sessions.open("default", "codex", project, f"/src/{project}")
        metadata = {"project": opened.project.id, "project_name": project}
        await agentos.memory.store("default", StoreRequest(f"{person} works at Vestas.", metadata=metadata))
        await agentos.goals.add("default", f"Brew {project}", "Brew.", tags=[opened.project.id])
    browser = await sign_in()
    for path, of_tea, of_beer in (("goals", "Brew tea", "Brew beer"), ("graph", "Nadia Brandt", "Igor Holm")):
        both, tea = (await browser.get(path)).text, (await browser.get(path, project="tea")).text
        assert of_tea in both and of_beer in both and '<option value="tea">' in both
        assert of_tea in tea and of_beer not in tea and '<option value="tea" selected>' in tea
    around = (await browser.get("graph", project="beer", q="Vestas")).text
    assert "Igor Holm" in around and "Nadia" not in around
    for path in ("", "timeline"):
        figures = [re.findall(r"<title>2 Mar: (\d memor\w+)</title>", (await browser.get(path, **given)).text)
                   for given in ({}, {"project": "tea"})]  # fmt: skip
        assert [set(one) for one in figures] == [{"2 memories"}, {"1 memory"}], f"{path} counts what it lists"
    named = "default</bdi> · <bdi>tea</bdi>"
    assert named in (await browser.get("goals", project="tea")).text
    assert named not in (await browser.get("contested", project="tea")).text, "that page knows no project"
