"""Approvals in a real store: asked once, decided as shown, done once, whatever crashes; and the webhook."""

import asyncio
import http.server
import json
import sqlite3
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from agentos import config
from agentos.daemon_pkg import webhook
from agentos.daemon_pkg.jobs import approvals as job
from agentos.database import OpenedStore
from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.decisions import Decisions
from agentos.modules.approvals.executor import LEASE, MAX_ATTEMPTS, Executor
from agentos.modules.approvals.models import MAY_BECOME, Approval, ApprovalRequest, ApprovalStatus, ApprovedAction
from agentos.modules.approvals.risk import RiskInputs
from agentos.modules.approvals.service import MAX_PENDING, ApprovalService
from agentos.modules.errors import (
    Conflict,
    InvalidInput,
    NotFound,
    PermissionDenied,
    StorageUnavailable,
)
from agentos.modules.identifiers import EVERYWHERE
from agentos.modules.insights.models import Insight
from agentos.modules.insights.triggers import Triggers
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.lazy import NoEmbedder
from agentos.storage.repositories.approvals import withdraw_requests, write_request

NS = "ada"
ASK, NOTIFY, RUN = RiskInputs(1, 0, 1), RiskInputs(0.5, 0.5, 0.5), RiskInputs(0.1, 1, 0)


class Doer:
    """An action that notes what it did."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.undone: list[str] = []
        self.failure: BaseException | None = None

    async def run(self, approval: Approval) -> str:
        self.done.append(approval.subject)
        if self.failure is not None:
            raise self.failure
        return f"did {approval.subject}"

    async def on_reject(self, approval: Approval) -> str:
        self.undone.append(approval.subject)
        if self.failure is not None:
            raise self.failure
        return f"left {approval.subject}"

    def as_action(self, *, idempotent: bool = False, settles: bool = False) -> ApprovedAction:
        return ApprovedAction(self.run, idempotent, self.on_reject if settles else None)


@pytest.fixture
def doer() -> Doer:
    return Doer()


@pytest.fixture
def actions(doer: Doer) -> dict[str, ApprovedAction]:
    return {
        "act": doer.as_action(),
        "repeat": doer.as_action(idempotent=True),
        "settle": doer.as_action(idempotent=True, settles=True),
    }


Serve = Callable[[OpenedStore], ApprovalService]


@pytest.fixture
def serve(actions: dict[str, ApprovedAction], agentos: AgentOS, clock: Any) -> Serve:
    """The service over a store, as another process would wire it."""
    return lambda store: ApprovalService(
        store.work.approvals, actions, Triggers(agentos.insights), agentos.redactor, clock
    )


@pytest.fixture
def service(serve: Serve, store: OpenedStore) -> ApprovalService:
    return serve(store)


@pytest.fixture
def decisions(store: OpenedStore, clock: Any) -> Decisions:
    return Decisions(store.work.approvals, clock)


async def ask(
    service: ApprovalService, subject: str = "s", action: str = "act", risk: RiskInputs = ASK, reason: str = "why"
) -> Approval:
    return await service.request(ApprovalRequest(NS, subject, action, {"id": subject}, risk, reason, "job:test"))


async def permission(service: ApprovalService, subject: str = "s", reason: str = "why") -> Approval:
    return await service.ask_permission(NS, subject, "deploy", NOTIFY, reason, f"agent:{NS}")


async def approve(decisions: Decisions, approval: Approval) -> Approval:
    return await decisions.decide(approval, ApprovalStatus.APPROVED, "ada")


async def statuses(service: ApprovalService, approval: Approval) -> list[str]:
    return [event.status.value for event in await service.events(await service.get(NS, approval.id))]


# Asking.


async def test_what_is_asked_again_is_one_request(service: ApprovalService) -> None:
    first = await ask(service)
    assert (await ask(service)) == first
    assert (await service.inbox(NS)).approvals == [first]
    await ask(service, "another subject")
    await ask(service, action="repeat")
    await permission(service)
    assert len((await service.inbox(NS)).approvals) == 4
    assert (await service.inbox("ben")).approvals == []


async def test_another_content_replaces_the_pending_one_and_nobody_decides_what_he_did_not_see(
    service: ApprovalService, decisions: Decisions
) -> None:
    seen = await permission(service, reason="to staging")
    changed = await permission(service, reason="to production")
    assert (changed.id, changed.version, changed.reason) == (seen.id, 2, "to production")
    assert changed.key != seen.key
    with pytest.raises(Conflict, match="changed since it was shown"):
        await approve(decisions, seen)
    with pytest.raises(NotFound, match="has changed since"):
        await decisions.find(seen.key)
    assert (await approve(decisions, await decisions.find(changed.key))).status == "approved"


async def test_a_smaller_risk_does_not_turn_what_waits_into_what_is_allowed(
    service: ApprovalService, doer: Doer
) -> None:
    first = await ask(service)
    again = await ask(service, risk=RUN)
    assert (again.id, again.status, again.risk) == (first.id, "pending", RUN.risk)
    assert doer.done == []


async def test_many_processes_that_ask_at_once_make_one_request(
    open_store: Callable[[], Awaitable[OpenedStore]], serve: Serve
) -> None:
    services = [serve(await open_store()) for _ in range(3)]
    asked = await asyncio.gather(*(ask(service) for service in services * 4))
    assert len({approval.id for approval in asked}) == 1
    assert await statuses(services[0], asked[0]) == ["pending"]


async def test_a_small_risk_is_done_a_middling_one_too_and_reported(
    service: ApprovalService, agentos: AgentOS, doer: Doer
) -> None:
    small = await ask(service, "small", risk=RUN)
    assert (small.status, small.decided_by, small.result) == ("done", "policy", "did small")
    assert await open_insights(agentos) == []
    middling = await ask(service, "middling", risk=NOTIFY)
    assert (middling.status, doer.done) == ("done", ["small", "middling"])
    [insight] = await open_insights(agentos)
    assert "act (middling) is done, without asking: its risk is 0.50" in insight.text
    great = await ask(service, "great")
    assert (great.status, doer.done) == ("pending", ["small", "middling"])


async def open_insights(agentos: AgentOS) -> list[Insight]:
    return await agentos.insights.insights(NS, 10)


async def test_agentos_does_only_what_it_knows(service: ApprovalService) -> None:
    with pytest.raises(InvalidInput, match="action: must be one of act, repeat, settle"):
        await ask(service, action="format_disk")


async def test_an_agent_cannot_have_an_action_of_agentos_done(
    service: ApprovalService, decisions: Decisions, doer: Doer
) -> None:
    own = await service.ask_permission(NS, "s", "act", RUN, "why", "agent:ada")
    assert own.status == "pending", "whatever risk it claims"
    agentos_own = await ask(service)
    assert own.id != agentos_own.id, "nor does it stand in the way of the real one"
    await approve(decisions, own)
    assert await service.executor.run_due() == []
    assert doer.done == []
    assert (await service.get(NS, own.id)).status == "approved"


async def test_an_agent_that_asks_without_end_fills_no_inbox(service: ApprovalService) -> None:
    for number in range(MAX_PENDING):
        await permission(service, str(number))
    with pytest.raises(Conflict, match="200 requests are already pending"):
        await permission(service, "one more")
    assert (await permission(service, "7")).subject == "7", "what waits already still does"
    await ask(service, "of a job")


async def test_a_request_within_a_transaction_is_undone_with_it(store: OpenedStore, clock: Any) -> None:
    request = ApprovalRequest(NS, "memory:mem_1", "settle", {"new": "mem_1"}, ASK, "contested", "job:contest")

    async def work(connection: Any) -> Approval:
        made = await write_request(connection, request, clock())
        assert await write_request(connection, request, clock()) == made
        raise RuntimeError("the judgement failed")

    with pytest.raises(RuntimeError):
        await store.engine.write(work)
    assert await store.work.approvals.pending(NS, clock()) == []


async def test_what_is_settled_otherwise_is_withdrawn(
    store: OpenedStore, service: ApprovalService, decisions: Decisions, clock: Any
) -> None:
    waiting = await ask(service, "memory:mem_1", "settle")

    async def work(connection: Any) -> int:
        return await withdraw_requests(connection, NS, "settle", "memory:mem_1", clock(), "the user said so")

    assert await store.engine.write(work) == 1
    assert await store.engine.write(work) == 0
    withdrawn = await service.get(NS, waiting.id)
    assert (withdrawn.status, withdrawn.result) == ("expired", "the user said so")
    with pytest.raises(Conflict):
        await approve(decisions, waiting)


# Deciding.


async def test_whoever_asked_never_decides(service: ApprovalService, decisions: Decisions, at_hand: Any) -> None:
    asked = await service.ask_permission(NS, "s", "deploy", ASK, "why", "human:ada")
    with pytest.raises(PermissionDenied, match="the requester cannot decide"):
        await approve(decisions, asked)
    with at_hand() as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute("UPDATE approvals SET status = 'approved', decided_by = requested_by")
    assert (await service.get(NS, asked.id)).status == "pending"


async def test_a_stale_position_decides_nothing(service: ApprovalService, decisions: Decisions) -> None:
    lesser = await permission(service, "lesser")
    inbox = await service.inbox(NS)
    assert await decisions.find("1", inbox.generation, NS) == lesser
    riskier = await ask(service, "riskier")
    with pytest.raises(Conflict, match="has changed"):
        await decisions.find("1", inbox.generation, NS)
    with pytest.raises(InvalidInput, match="--list"):
        await decisions.find("1")
    now = await service.inbox(NS)
    assert [a.id for a in now.approvals] == [riskier.id, lesser.id], "the riskiest first"
    assert await decisions.find("2", now.generation, NS) == lesser
    for position in ("0", "3"):
        with pytest.raises(NotFound, match="no position"):
            await decisions.find(position, now.generation, NS)
    await approve(decisions, riskier)
    with pytest.raises(Conflict, match="has changed"):
        await decisions.find("2", now.generation, NS)
    assert await decisions.find(lesser.key) == await decisions.find(lesser.id) == lesser
    with pytest.raises(NotFound):
        await decisions.find(lesser.key, None, "ben")


async def test_of_two_decisions_one_counts(service: ApprovalService, decisions: Decisions) -> None:
    asked = await ask(service)
    outcomes = await asyncio.gather(
        decisions.decide(asked, ApprovalStatus.APPROVED, "ada"),
        decisions.decide(asked, ApprovalStatus.REJECTED, "ben", "no"),
        return_exceptions=True,
    )
    assert sum(isinstance(outcome, Approval) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 1
    with pytest.raises(InvalidInput):
        await decisions.decide(asked, ApprovalStatus.DONE, "ada")


async def test_what_nobody_decides_expires(service: ApprovalService, decisions: Decisions, clock: Any) -> None:
    asked = await ask(service)
    clock.advance(days=7)
    assert (await service.inbox(NS)).approvals == []
    with pytest.raises(Conflict):
        await approve(decisions, asked)
    assert await service.expire() == 1
    assert await service.expire() == 0
    assert (await service.get(NS, asked.id)).status == "expired"
    assert (await ask(service)).id != asked.id, "asked anew"
    clock.advance(days=8)
    third = await ask(service)
    assert await statuses(service, third) == ["pending"], "before any job has closed the old one"


@pytest.mark.sqlite("it drops its trigger")
async def test_a_status_becomes_only_what_it_may_become(service: ApprovalService, home: Path) -> None:
    await ask(service)
    with closing(sqlite3.connect(home / "agentos.db", isolation_level=None)) as connection:
        for old, new in product(ApprovalStatus, ApprovalStatus):
            connection.execute("DROP TRIGGER IF EXISTS kept")
            connection.execute("BEGIN")
            [trigger] = connection.execute(
                "SELECT sql FROM sqlite_master WHERE name = 'approvals_become_what_they_may'"
            ).fetchone()
            connection.execute("DROP TRIGGER approvals_become_what_they_may")
            connection.execute("UPDATE approvals SET status = ?", (old.value,))
            connection.execute(trigger)
            try:
                connection.execute("UPDATE approvals SET status = ?", (new.value,))
                became = True
            except sqlite3.IntegrityError:
                became = False
            connection.execute("ROLLBACK")
            assert became is (new is old or new in MAY_BECOME[old]), (old, new)


async def test_what_was_decided_about_does_not_change_any_more(
    service: ApprovalService, decisions: Decisions, home: Path, at_hand: Any
) -> None:
    await approve(decisions, await ask(service))
    with at_hand() as connection:
        for change in ("payload = '{}'", "action = 'repeat'", "namespace = 'ben'", "automatic = NOT automatic"):
            with pytest.raises(sqlite3.IntegrityError, match="does not change"):
                connection.execute(f"UPDATE approvals SET {change}")


# Doing.


async def test_what_is_approved_is_done_once_and_its_history_is_kept(
    service: ApprovalService, decisions: Decisions, doer: Doer
) -> None:
    asked = await ask(service)
    assert await service.executor.run_due() == []
    await decisions.decide(asked, ApprovalStatus.APPROVED, "ada at /dev/pts/1", "go")
    [done] = await service.executor.run_due()
    assert (done.status, done.result, done.note) == ("done", "did s", "go")
    assert await service.executor.run_due() == []
    assert doer.done == ["s"]
    assert await statuses(service, asked) == ["pending", "approved", "executing", "done"]
    assert [event.by for event in await service.events(asked)][:2] == ["job:test", "human:ada at /dev/pts/1"]
    assert await service.history(NS, 10) == [done]
    again = await ask(service)
    assert again.id != asked.id, "the next time it is asked anew"


async def test_of_many_executors_one_does_it(
    open_store: Callable[[], Awaitable[OpenedStore]], serve: Serve, clock: Any, doer: Doer
) -> None:
    stores = [await open_store() for _ in range(4)]
    services = [serve(store) for store in stores]
    decisions = Decisions(stores[0].work.approvals, clock)
    for number in range(5):
        await approve(decisions, await ask(services[0], str(number)))
    await asyncio.gather(*(service.executor.run_due() for service in services))
    assert sorted(doer.done) == list("01234")
    assert {approval.status for approval in await services[0].history(NS, 10)} == {"done"}


class Crash(BaseException):
    """The process ends here: nothing of ours catches it."""


async def crash(service: ApprovalService, doer: Doer) -> None:
    doer.failure = Crash()
    with pytest.raises(Crash):
        await service.executor.run_due()
    doer.failure = None


async def test_a_crash_in_the_middle_does_not_run_it_twice(
    service: ApprovalService, serve: Serve, store: OpenedStore, decisions: Decisions, doer: Doer, clock: Any
) -> None:
    asked = await ask(service)
    await approve(decisions, asked)
    await crash(service, doer)
    after = serve(store)
    assert await after.executor.run_due() == [], "its lease still runs"
    assert (await ask(after)).id == asked.id, "and it is not asked again meanwhile"
    clock.advance(seconds=LEASE.total_seconds())
    [failed] = await after.executor.run_due()
    assert failed.status == "failed"
    assert "may have run" in str(failed.result)
    assert await after.executor.run_due() == []
    assert doer.done == ["s"]
    assert await statuses(after, asked) == ["pending", "approved", "executing", "failed"]


async def test_an_idempotent_action_is_begun_again_a_few_times(
    service: ApprovalService, serve: Serve, store: OpenedStore, decisions: Decisions, doer: Doer, clock: Any
) -> None:
    await approve(decisions, await ask(service, action="repeat"))
    await crash(service, doer)
    clock.advance(minutes=11)
    [done] = await serve(store).executor.run_due()
    assert (done.status, done.attempts, doer.done) == ("done", 2, ["s", "s"])

    hopeless = await ask(service, "hopeless", "repeat")
    await approve(decisions, hopeless)
    for _ in range(MAX_ATTEMPTS):
        await crash(serve(store), doer)
        clock.advance(minutes=11)
    [failed] = await serve(store).executor.run_due()
    assert (failed.id, failed.status) == (hopeless.id, "failed")


async def test_who_comes_back_after_its_lease_changes_nothing(
    service: ApprovalService, serve: Serve, store: OpenedStore, decisions: Decisions, clock: Any
) -> None:
    await approve(decisions, await ask(service))
    claimable = service.executor._claimable
    slow = await store.work.approvals.claim_everywhere(claimable, "slow", clock(), LEASE, MAX_ATTEMPTS)
    assert slow is not None
    clock.advance(minutes=11)
    await serve(store).executor.run_due()
    late = await store.work.approvals.finish(slow.namespace, slow.id, "slow", ApprovalStatus.DONE, "late", clock())
    assert late is None
    assert (await service.get(NS, slow.id)).status == "failed"


async def test_a_lease_of_a_wrong_clock_does_not_hold(
    service: ApprovalService, serve: Serve, store: OpenedStore, decisions: Decisions, doer: Doer, clock: Any
) -> None:
    await approve(decisions, await ask(service, action="repeat"))
    clock.advance(days=300)
    await crash(service, doer)
    clock.advance(days=-300)
    [done] = await serve(store).executor.run_due()
    assert done.status == "done"


@pytest.mark.parametrize(
    ("failure", "result"),
    [
        (Conflict("it changed meanwhile"), "it changed meanwhile"),
        (RuntimeError("secret"), "internal error (RuntimeError)"),
        (StorageUnavailable("the disk is full"), "the disk is full"),
    ],
)
async def test_a_failure_is_reported_and_not_repeated(
    service: ApprovalService, decisions: Decisions, doer: Doer, failure: Exception, result: str
) -> None:
    await approve(decisions, await ask(service))
    doer.failure = failure
    [failed] = await service.executor.run_due()
    assert (failed.status, str(failed.result).startswith(result)) == ("failed", True)
    assert "secret" not in str(failed.result)
    assert await service.executor.run_due() == []


async def test_what_may_be_repeated_waits_for_a_store_that_cannot_be_used_just_now(
    service: ApprovalService, decisions: Decisions, doer: Doer, clock: Any
) -> None:
    await approve(decisions, await ask(service, action="repeat"))
    doer.failure = StorageUnavailable("the disk is full")
    assert await service.executor.run_due() == []
    doer.failure = None
    clock.advance(minutes=11)
    [done] = await service.executor.run_due()
    assert done.status == "done"


async def test_a_rejection_is_settled_once_and_again_after_a_crash(
    service: ApprovalService, serve: Serve, store: OpenedStore, decisions: Decisions, doer: Doer, clock: Any
) -> None:
    asked = await ask(service, action="settle")
    await decisions.decide(asked, ApprovalStatus.REJECTED, "ada", "keep the old one")
    await crash(service, doer)
    clock.advance(minutes=11)
    [settled] = await serve(store).executor.run_due()
    assert (settled.status, settled.result, doer.undone) == ("rejected", "left s", ["s", "s"])
    assert await service.executor.run_due() == []
    assert doer.done == []
    plain = await ask(service, "plain")
    await decisions.decide(plain, ApprovalStatus.REJECTED, "ada")
    assert await service.executor.run_due() == [], "nothing follows from it"


async def test_an_executor_without_the_action_leaves_it_alone(
    service: ApprovalService, agentos: AgentOS, store: OpenedStore, decisions: Decisions, clock: Any
) -> None:
    asked = await ask(service)
    await approve(decisions, asked)
    stranger = Executor(store.work.approvals, {}, Triggers(agentos.insights), clock)
    assert await stranger.run_due() == []
    [done] = await service.executor.run_due()
    assert done.id == asked.id


# What AgentOS itself does: contested memories.


async def contest(agentos: AgentOS, company: str = "Globex") -> tuple[str, str, Approval]:
    """What was said by the user, what a web page says, and the question that this makes."""
    slot = {"subject": "Dana", "attribute": "employer"}
    stored = await agentos.memory.store(NS, StoreRequest("Dana earns her money at Acme", value="Acme", **slot))
    read = await agentos.memory.store(
        NS, StoreRequest(f"Dana earns her money at {company}", value=company, source="web", **slot)
    )
    [asked] = (await agentos.approvals.inbox(NS)).approvals
    return stored.memory.id, read.memory.id, asked


async def believed(agentos: AgentOS) -> set[str]:
    found = await agentos.memory.search(NS, "where does Dana earn her money")
    return {hit.memory.id for hit in found.hits if hit.memory.status == "active"}


@pytest.mark.parametrize("verdict", [ApprovalStatus.APPROVED, ApprovalStatus.REJECTED])
async def test_the_user_settles_a_contest(agentos: AgentOS, decisions: Decisions, verdict: ApprovalStatus) -> None:
    stated, read, asked = await contest(agentos)
    assert await believed(agentos) == {stated}, "the trusted one stays what is told"
    assert "Acme" not in f"{asked.reason} {asked.payload} {asked.subject}", "no text that an erasure would leave behind"
    assert [line.split()[:2] for line in await agentos.approvals.description(asked)] == [
        ["new", f"{read}"],
        ["old", f"{stated}"],
    ]
    await decisions.decide(asked, verdict, "ada")
    [settled] = await agentos.approvals.executor.run_due()
    approved = verdict is ApprovalStatus.APPROVED
    assert settled.status == ("done" if approved else "rejected")
    assert await believed(agentos) == {read if approved else stated}
    assert await agentos.approvals.executor.run_due() == []


async def test_a_contest_waits_as_long_as_it_takes(agentos: AgentOS, clock: Any) -> None:
    _, _, asked = await contest(agentos)
    clock.advance(days=365)
    assert (await agentos.approvals.inbox(NS)).approvals == [asked]


async def test_an_erased_memory_leaves_no_question(agentos: AgentOS, decisions: Decisions) -> None:
    _, read, asked = await contest(agentos)
    await agentos.memory.delete(NS, read)
    assert (await agentos.approvals.inbox(NS)).approvals == []
    with pytest.raises(Conflict):
        await approve(decisions, asked)


# Told by job and webhook.


async def test_the_job_does_expires_and_reminds(agentos: AgentOS, decisions: Decisions, clock: Any) -> None:
    first = await permission(agentos.approvals, "first")
    await job.attend_approvals(agentos)
    [insight] = await open_insights(agentos)
    assert "agentos approvals list" in insight.text
    await agentos.insights.update(NS, insight.id, "dismissed")
    await job.attend_approvals(agentos)
    assert await open_insights(agentos) == [], "said once"
    clock.advance(hours=1)
    second = await permission(agentos.approvals, "second")
    await job.attend_approvals(agentos)
    assert len(await open_insights(agentos)) == 1, "the next request is news"
    for approval in (first, second):
        await approve(decisions, approval)
    await job.attend_approvals(agentos)
    assert await open_insights(agentos) == []
    await permission(agentos.approvals, "third")
    clock.advance(days=8)
    await job.attend_approvals(agentos)
    assert (await agentos.approvals.history(NS, 1))[0].status == "expired"


@contextmanager
def listening(status: int = 200, location: str = "") -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """An HTTP server of this machine that notes what it is sent."""
    received: list[dict[str, Any]] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            if location:
                self.send_header("Location", location)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/hook", received
        server.shutdown()
        thread.join(60)


def calling(store: OpenedStore, home: Path, clock: Any, url: str) -> AgentOS:
    return AgentOS.over(store, NoEmbedder(), config.load(home=home, approval_webhook=url), clock)


async def test_the_webhook_hears_of_each_request_once_and_of_no_text(
    store: OpenedStore, home: Path, clock: Any
) -> None:
    with listening() as (url, received):
        agentos = calling(store, home, clock, url)
        asked = await permission(agentos.approvals, "a secret subject", "a secret reason")
        for _ in range(2):
            await job.attend_approvals(agentos)
        assert received == [{"id": asked.id, "action": "deploy", "risk": 0.5}]
        await permission(agentos.approvals, "a secret subject", "another reason")
        await job.attend_approvals(agentos)
        assert len(received) == 1
        await agentos.close()


async def test_without_a_webhook_nothing_is_sent(agentos: AgentOS, monkeypatch: pytest.MonkeyPatch) -> None:
    async def post(url: str, approval: Approval) -> None:
        raise AssertionError(url)

    monkeypatch.setattr(webhook, "post", post)
    assert config.load().approval_webhook.get_secret_value() == agentos.approvals.webhook == ""
    await permission(agentos.approvals)
    await job.attend_approvals(agentos)


async def test_a_webhook_that_fails_is_called_again_and_hinders_nothing(
    store: OpenedStore, home: Path, clock: Any, decisions: Decisions, caplog: pytest.LogCaptureFixture
) -> None:
    with listening(500) as (url, received):
        agentos = calling(store, home, clock, url)
        asked = await permission(agentos.approvals)
        for _ in range(2):
            await job.attend_approvals(agentos)
        assert len(received) == 2
        assert "answers 500" in caplog.text and url not in caplog.text
        await approve(decisions, asked)
        await job.attend_approvals(agentos)
        assert len(received) == 2, "what was decided is no news"
        await permission(agentos.approvals, "the next")
    await job.attend_approvals(agentos)
    assert "cannot be reached" in caplog.text
    await agentos.close()


async def test_a_webhook_follows_no_redirect_and_no_proxy(
    service: ApprovalService, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = await permission(service)
    with listening() as (elsewhere, misled), listening(307, elsewhere) as (url, received):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, elsewhere)
        with pytest.raises(webhook.WebhookFailed, match="307"):
            await webhook.post(url, asked)
        assert (len(received), misled) == (1, [])


INSIDE = (
    *("10.1.2.3", "169.254.169.254", "192.168.0.1", "172.16.9.9", "100.64.0.1", "0.0.0.0", "127.0.0.1", "224.0.0.1"),
    *("fe80::1", "fd00::1", "::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::1"),
)


async def test_a_webhook_whose_name_leads_into_a_private_network_is_not_called(
    service: ApprovalService, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = await permission(service)
    for address in INSIDE:

        async def leads(*_: Any, to: str = address, **__: Any) -> list[Any]:
            return [(0, 0, 0, "", ("93.184.216.34", 443)), (0, 0, 0, "", (to, 443))]

        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", leads)
        with pytest.raises(webhook.WebhookFailed, match="private network"):
            await webhook.post("https://hooks.example.com/x", asked)


async def test_a_webhook_that_never_answers_is_given_up(
    service: ApprovalService, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = await permission(service)
    monkeypatch.setattr(webhook, "WITHIN_S", 0.2)

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(webhook.WebhookFailed, match=r"no answer|cannot be reached"):
        await webhook.post(f"http://127.0.0.1:{port}/", asked)
    server.close()
    await server.wait_closed()


async def test_an_approval_of_another_namespace_is_not_there(service: ApprovalService) -> None:
    asked = await ask(service)
    with pytest.raises(NotFound):
        await service.get("ben", asked.id)
    assert await service.get(EVERYWHERE, asked.id) == asked
