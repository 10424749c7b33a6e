"""The dashboard's operations: keys whose secret is shown once, indexes, latencies, a restore that is asked twice."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from agentos import config
from agentos.database import backups, open_store
from agentos.interfaces.http.rest.operations import Process
from agentos.modules.agentos import AgentOS
from agentos.modules.backup.plan import RestorePlan, carry_out
from agentos.modules.health.models import CheckResult, Report, Severity
from agentos.modules.memory.ports import IndexPhase, IndexStatus
from agentos.modules.principals.models import Right, Role
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.lazy import NoEmbedder
from tests.integration.conftest import Clock
from tests.integration.http.conftest import Browser, MakeKey, Served, SignIn


async def test_a_key_is_made_and_renewed_and_its_secret_shown_once(
    served: Served, sign_in: SignIn, agentos: AgentOS, make_key: MakeKey
) -> None:
    browser = await sign_in()
    made = await browser.act("operations", do="create", name="ci", role="writer", right="write", namespaces="ada, bob")
    secret = re.search(r"data-secret>(agos_\S+)<", made.text)
    assert secret is not None
    assert made.headers["cache-control"] == "no-store"
    key = await agentos.principals.authenticate(secret[1])
    assert (key.role, dict(key.namespaces or {})) == ("writer", {"ada": Right.WRITE, "bob": Right.WRITE})
    page = (await browser.get("operations")).text
    assert "ci" in page and secret[1] not in page
    [known] = await agentos.principals.rows.keys()
    renewed = await browser.act("operations", do="rotate", id=known.prefix)
    assert "keeps working for 24 hours" in renewed.text and secret[1] not in renewed.text
    assert (
        await browser.act("operations", do="create", name="x", role="god", right="read", namespaces="a")
    ).status_code == 400
    assert (await browser.act("operations", do="create", name="x", role="reader", right="read")).status_code == 400
    operator = Browser(served)
    await operator.post("sign-in", {"key": await make_key("op", Role.OPERATOR, {"ada": Right.ADMIN})})
    page = (await operator.get("operations")).text
    assert "Make a key" not in page and "Make a backup" not in page and "Indexes" not in page
    refused = await operator.act("operations", do="create", name="x", role="owner", right="admin", namespaces="ada")
    assert refused.status_code == 403


async def test_the_indexes_and_how_long_answers_took_are_shown(serve: Any, sign_in: SignIn, agentos: AgentOS) -> None:
    await agentos.memory.store("default", StoreRequest(content="Ada likes tea."))
    process = Process(lambda: IndexStatus(IndexPhase.READY, 40, 47, 41, "a <b>problem</b>"), lambda: None)
    browser = await sign_in(where=await serve(process=process))
    await browser.get("memories")
    page = (await browser.get("operations")).text
    assert "7 changes" in page and "a &lt;b&gt;problem" in page
    assert "GET /dashboard/memories" in page and "≤ " in page and "<rect" in page


async def test_what_the_doctor_finds_is_shown_to_owners(serve: Any, sign_in: SignIn, make_key: MakeKey) -> None:
    found = CheckResult("database.disk", Severity.WARNING, "the <disk> is nearly full", "make room", {}, False, False)
    fine = CheckResult("home.files", Severity.OK, "nobody else reads them", None, {}, False, False)
    process = Process(lambda: None, lambda: None, lambda: Report((fine, found), ()))
    served = await serve(process=process)
    browser = await sign_in(where=served)
    assert "Run all checks" in (await browser.get("operations")).text
    page = (await browser.act("operations", do="examine")).text
    assert page.index("the &lt;disk&gt; is nearly full") < page.index("nobody else reads them"), "the worst first"
    assert "make room" in page
    one = Browser(served)
    await one.post("sign-in", {"key": await make_key("op", Role.OWNER, {"ada": Right.ADMIN})})
    assert "Run all checks" not in (await one.get("operations")).text
    assert (await one.act("operations", do="examine")).status_code == 403


async def test_rights_are_given_and_taken_away_and_the_audit_is_filtered(
    served: Served, sign_in: SignIn, agentos: AgentOS, make_key: MakeKey
) -> None:
    await make_key("grace", Role.READER, {"grace": Right.READ})
    stored = [
        (await agentos.memory.store("default", StoreRequest(content=f"Thing {number}."))).memory.id
        for number in range(30)
    ]
    browser = await sign_in()
    given = {"principal": "grace", "namespace": "default", "tag": "ops"}
    assert "The grant was added." in (await browser.act("operations", do="grant", right="read", **given)).text
    page = (await browser.get("operations")).text
    assert "Withdraw from grace: default" in page and "#ops" in page and "Older entries" in page
    assert (await browser.act("operations", do="grant", right="all", **given)).status_code == 400
    assert "The grant was withdrawn." in (await browser.act("operations", do="withdraw", **given)).text
    assert "Withdraw from grace" not in (await browser.get("operations")).text
    filtered = (await browser.get("operations", record=stored[0])).text
    assert stored[0] in filtered and stored[1] not in filtered and "Older entries" not in filtered
    older = re.search(r'href="/dashboard/operations\?([^"#]*before=\d+)', page)
    assert older is not None
    before = dict(parse_qsl(older[1].replace("&amp;", "&")))
    assert stored[-1] not in (await browser.get("operations", **before)).text
    assert "No entries match." in (await browser.get("operations", where="nobody")).text
    operator = Browser(served)
    await operator.post("sign-in", {"key": await make_key("op", Role.OPERATOR, {"ada": Right.ADMIN})})
    assert (await operator.act("operations", do="grant", right="read", **given)).status_code == 403
    closed = (await operator.get("operations", where="default")).text
    assert stored[-1] not in closed, "the audit of another namespace is closed"
    shown = (await operator.get("namespaces")).text
    assert "ada" in shown and ">default<" not in shown


async def test_a_restore_is_asked_twice_by_a_person_and_planned_for_the_next_start(
    serve: Any, sign_in: SignIn, agentos: AgentOS, home: Path
) -> None:
    begun: list[bool] = []
    served = await serve(process=Process(lambda: None, lambda: begun.append(True)))
    name = (await agentos.backups.make()).name
    person, script = await sign_in(where=served), await sign_in(is_person=False, where=served)
    assert (await script.act("operations", do="restore", id=name)).status_code == 403
    assert (await person.act("operations", do="restore", id="../../etc/passwd")).status_code == 404
    look = await person.act("operations", do="restore", id=name)
    assert "What will happen" in look.text and begun == []
    assert (await person.act("operations", do="restore", id=name, sure="1", name="yes")).status_code == 400
    assert RestorePlan(home).take() is None and begun == []
    done = await person.act("operations", do="restore", id=name, sure="1", name=name)
    assert "is restarting" in done.text and begun == [True]
    again = await person.act("operations", do="restore", id=name, sure="1", name=name)
    assert again.status_code == 409
    taken = RestorePlan(home).take()
    assert taken is not None and taken.backup == name and taken.by.startswith("human:")
    assert "has not finished" in (await person.get("operations")).text, "it is not carried out a second time"


async def test_a_planned_restore_is_carried_out_once_while_nothing_is_open(tmp_path: Path, clock: Clock) -> None:
    settings = config.load(home=tmp_path / "home")
    service, plan = backups(settings, clock), RestorePlan(settings.home)

    async def total(*store_first: str) -> int:
        store = await open_store(settings, clock)
        agentos = AgentOS.over(store, NoEmbedder(), settings, clock)
        for text in store_first:
            await agentos.memory.store("default", StoreRequest(content=text))
        count = (await agentos.memory.page("default")).total
        await agentos.close()
        await store.close()
        return count

    assert await total("one") == 1
    name = (await service.make()).name
    assert await total("two") == 2
    plan.ask(name, "human:ada", clock())
    store = await open_store(settings, clock)
    failed = await carry_out(plan, service, clock)
    assert failed is not None and not failed.done, "another process has it open"
    await store.close()
    assert await total() == 2
    plan.ask(name, "human:ada", clock())
    done = await carry_out(plan, service, clock)
    assert done is not None and done.done and plan.last() == done
    assert await carry_out(plan, service, clock) is None
    assert await total() == 1
