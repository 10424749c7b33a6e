"""A month of a small team's work with its agents, lived through by a clock that moves: what the pictures show."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agentos import config
from agentos.database import opened_for_many
from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.decisions import Decisions
from agentos.modules.approvals.models import ApprovalStatus
from agentos.modules.approvals.risk import RiskInputs
from agentos.modules.insights.models import InsightDraft, InsightKey, InsightKind, InsightSeverity
from agentos.modules.sessions.models import EventType, NewEvent, Signal, ToolCall
from agentos.modules.sessions.service import signal, turn
from agentos.modules.store_request import StoreRequest
from agentos.modules.usage.models import Spending, Tokens

NAMESPACE = "default"
DAYS = 30

NOTES: Sequence[tuple[int, str, str, float, str]] = (
    # The day, the text, tags, importance, and who told it.
    (1, "Maria reviews every change to the billing service before it is merged.", "billing team", 0.9, "user"),
    (1, "The shop runs on PostgreSQL 16 in Frankfurt; the replica in Dublin serves reports.", "infra", 0.8, "user"),
    (2, "Invoices are rounded per line, not per total: the tax office checks each line.", "billing", 0.9, "user"),
    (3, "The release branch is cut on Thursday at noon; after that only fixes go in.", "release", 0.8, "user"),
    (3, "Integration tests need Docker with 6 GB, or the search container is killed.", "tests", 0.6, "codex"),
    (4, "Tomás owns the checkout page and answers questions about the cart.", "team checkout", 0.7, "claude-code"),
    (5, "Customers in Norway pay in NOK since March; everybody else pays in EUR.", "billing", 0.8, "user"),
    (6, "The staging database is reset on the first of each month at 04:00.", "staging", 0.6, "claude-code"),
    (7, "Feature flags live in flags.toml; a flag older than 90 days is removed.", "conventions", 0.6, "cursor"),
    (8, "The payment provider retries a webhook for 72 hours: handlers are idempotent.", "billing", 0.9, "codex"),
    (9, "Nadia prefers small pull requests: under 300 lines, one subject each.", "team conventions", 0.7, "user"),
    (10, "The cart lost items when two tabs shared a session key: fixed in #812.", "checkout bug", 0.7, "claude-code"),
    (11, "Search results are cached for five minutes; purge with make purge-search.", "search", 0.5, "cursor"),
    (12, "Error budgets: checkout 99.95 %, everything else 99.5 % a month.", "infra slo", 0.8, "user"),
    (14, "The mobile app talks to API version 3 only; version 2 may go in the autumn.", "api mobile", 0.7, "user"),
    (15, "Deploys to production need one approval and a green smoke test.", "release", 0.9, "user"),
    (16, "Translations come from the agency on Mondays, as XLIFF files.", "i18n", 0.4, "claude-code"),
    (17, "The nightly export fails for products without weight: skip and log them.", "bug export", 0.6, "codex"),
    (18, "Maria is on leave until the 30th; Tomás reviews billing.", "team billing", 0.8, "user"),
    (20, "Load tests run against staging with 400 users, no more: the mock gives up.", "tests", 0.6, "claude-code"),
    (21, "We chose server-rendered pages for the account: they load fast on 3G.", "decision web", 0.9, "user"),
    (23, "The refund endpoint takes amounts in minor units: 1250 is 12.50 EUR.", "billing api", 0.8, "codex"),
    (24, "test_checkout_total is flaky where the time zone is behind UTC.", "tests bug", 0.5, "claude-code"),
    (26, "Nadia found that half of the support mails ask where an invoice is.", "support billing", 0.7, "user"),
    (27, "Production moved to PostgreSQL 17 on Saturday; the old cluster stays up for a week.", "infra", 0.8, "user"),
    (28, "The account area goes live to 5 % of the customers on Monday.", "web release", 0.8, "user"),
    (29, "Invoices can be downloaded as PDF from the account area since today.", "billing web", 0.7, "claude-code"),
)  # fmt: skip
OLD = (
    "The staging database is reset every Sunday night.",
    "Release branches are cut on Fridays at noon.",
)
"""What grows stale before the month begins."""
CONTESTED = (
    ("the billing team", "meeting room", "room Porto", "The billing team meets in room Porto, every Tuesday.",
     "room Lisbon", "The billing team meets in room Lisbon, every Tuesday."),
    ("the export", "schedule", "02:00", "The nightly export starts at 02:00 UTC.",
     "03:30", "The nightly export starts at 03:30 UTC."),
)  # fmt: skip
ACTIONS = (("run the integration tests", 4), ("deploy to staging", 7), ("migrate the schema", 9), ("lint", 99))
"""What is done again and again, and each how many times it then fails once."""
RELATIONS = (
    ("invoices", "billing service", "relates_to"), ("refunds", "billing service", "relates_to"),
    ("small pull requests", "account area", "relates_to"), ("checkout page", "cart", "depends_on"),
    ("cart", "billing service", "depends_on"), ("billing service", "PostgreSQL", "depends_on"),
    ("billing service", "payment provider", "depends_on"), ("payment provider", "webhook", "relates_to"),
    ("account area", "billing service", "depends_on"), ("account area", "feature flags", "depends_on"),
    ("nightly export", "PostgreSQL", "depends_on"), ("nightly export", "warehouse", "relates_to"),
    ("search", "PostgreSQL", "depends_on"), ("mobile app", "API version 3", "depends_on"),
    ("API version 3", "cart", "depends_on"), ("shared session key", "cart", "causes"),
    ("products without weight", "nightly export", "causes"), ("staging", "PostgreSQL", "depends_on"),
    ("load test", "staging", "relates_to"), ("release branch", "staging", "relates_to"),
)  # fmt: skip


class Calendar:
    """A clock that stands where it was put."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


async def live(home: Path, until: datetime) -> None:
    """Live a month in a home that is not there yet."""
    calendar = Calendar(until - timedelta(days=DAYS))
    async with opened_for_many(config.load(home=home), calendar) as (agentos, _, decisions, _):
        await _long_ago(agentos, calendar)
        goals = await _goals(agentos, calendar)
        for day in range(DAYS):
            calendar.now = (until - timedelta(days=DAYS - 1 - day)).replace(hour=9, minute=12, second=0, microsecond=0)
            calendar.now = min(calendar.now, until - timedelta(minutes=90))
            await _day(agentos, calendar, day)
        await _progress(agentos, goals)
        await _sessions(agentos, calendar)
        await _graph(agentos)
        await _questions(agentos, decisions)
        await agentos.reflection.analyze(NAMESPACE)
        await _insights(agentos)


async def _long_ago(agentos: AgentOS, calendar: Calendar) -> None:
    """Tell what was then not used for long."""
    begin = calendar.now
    calendar.now -= timedelta(days=150)
    for content in OLD:
        await agentos.memory.store(NAMESPACE, StoreRequest(content=content, importance=0.6, source="user"))
    calendar.now = begin
    await agentos.upkeep.age(NAMESPACE)


async def _day(agentos: AgentOS, calendar: Calendar, day: int) -> None:
    """Tell what was learnt on a day, what was done, and how the memory was used."""
    busy = 1 if calendar.now.weekday() > 4 else 4 + day // 4
    for number, (when, content, tags, importance, source) in enumerate(NOTES):
        if when == day:
            calendar.now += timedelta(minutes=7 + number)
            request = StoreRequest(content=content, tags=tags.split(), importance=importance, source=source)
            shown = [(await agentos.memory.store(NAMESPACE, request)).memory.id]
            agentos.usage.note(NAMESPACE, source, "memory_search", text="x" * 40, shown=shown)
    for client, share in (("claude-code", 3), ("codex", 2), ("cursor", 1)):
        for call in range(busy * share // 2 + 1):
            shown = [f"{day}-{call}-{hit}" for hit in range(4)]
            agentos.usage.note(NAMESPACE, client, "memory_search", text="x" * (700 + 45 * day), shown=shown)
            if (day + call) % 3:
                agentos.usage.note(NAMESPACE, client, "memory_get", text="x" * 300, named=shown[call % 2])
                agentos.usage.used(NAMESPACE, client, shown[2])
        for _ in range(busy // 3):
            agentos.usage.note(NAMESPACE, client, "memory_store", text="x" * 60)
    agentos.usage.note("reports", "codex", "memory_search", text="x" * 900, failed=day % 9 == 0)
    spent = Spending(12, 0, Tokens(1800 * busy, 5200 * busy, 400 * busy, 900 * busy), 600 * busy, 4000 * busy)
    agentos.usage.spend(NAMESPACE, "claude-code", "claude", spent)
    await agentos.usage.flush()
    for turn_of, (action, fails) in enumerate(ACTIONS):
        for run in range(1 + (day + turn_of) % 3):
            success = (day * 3 + run + turn_of) % fails != 0 or day > 24
            outcome = "done" if success else "the search container was killed: out of memory"
            await agentos.reflection.log(NAMESPACE, action, outcome, success)


async def _goals(agentos: AgentOS, calendar: Calendar) -> list[str]:
    """Set goals, some within others."""
    soon = [(calendar.now + timedelta(days=DAYS + days)).date().isoformat() for days in (2, 9, 26, 60)]
    ship = await agentos.goals.add(NAMESPACE, "Ship the account area", "Invoices and addresses, in six languages.",
                                   priority=0.9, deadline=soon[1])  # fmt: skip
    pdf = await agentos.goals.add(NAMESPACE, "Invoices as PDF", "The same as in the mail.", priority=0.8,
                                  deadline=soon[0], parent_goal_id=ship.id)  # fmt: skip
    words = await agentos.goals.add(NAMESPACE, "Translate the account area", "From the agency's files.", priority=0.5,
                                    deadline=soon[1], parent_goal_id=ship.id)  # fmt: skip
    move = await agentos.goals.add(NAMESPACE, "Switch off the old database cluster", "After a week without errors.",
                                   priority=0.7, urgency=0.8, deadline=soon[0])  # fmt: skip
    flaky = await agentos.goals.add(NAMESPACE, "No flaky tests in checkout", "None in 100 runs.", priority=0.6,
                                    deadline=soon[2])  # fmt: skip
    await agentos.goals.add(NAMESPACE, "Retire API version 2", "When the mobile app no longer calls it.", priority=0.4,
                            deadline=soon[3])  # fmt: skip
    return [ship.id, pdf.id, words.id, move.id, flaky.id]


async def _progress(agentos: AgentOS, goals: Sequence[str]) -> None:
    for goal, share in zip(goals, (0.65, 0.9, 0.4, 0.5, 0.2), strict=True):
        await agentos.goals.update_progress(NAMESPACE, goal, share)


async def _sessions(agentos: AgentOS, calendar: Calendar) -> None:
    """Record what agents did in three sessions."""
    sessions = (
        (6, "claude-code", "Fix the rounding of invoices", "The totals of invoices are off by a cent. Find out why.",
         "The cause was rounding per total. I round per line now. Next: tell Maria.", "billing/invoice.py"),
        (3, "codex", "Refunds in minor units", "Add a refund endpoint that takes amounts in minor units.",
         "Done: POST /refunds takes minor units, and is idempotent by key.", "api/refunds.py"),
        (1, "claude-code", "PDF of an invoice", "Let customers download an invoice as PDF.",
         "The PDF is the same as in the mail. Next: measure how long it takes.", "account/invoice_pdf.py"),
    )  # fmt: skip
    end = calendar.now
    for days, client, title, asked, reply, file in sessions:
        calendar.now = end - timedelta(days=days, hours=1)
        session, _ = await agentos.sessions.open(NAMESPACE, client, title.lower().replace(" ", "-"), "/src/shop")
        session = await agentos.sessions.update(NAMESPACE, session.id, title=title)
        await agentos.sessions.record(session, turn("user", asked, f"{session.id}-1", calendar.now))
        for number, name in enumerate((file, f"tests/{file.split('/')[-1]}")):
            calendar.now += timedelta(minutes=6)
            call = ToolCall("Edit", success=True, files_modified=(name,))
            await agentos.sessions.record(
                session, NewEvent(EventType.TOOL_CALL, f"{session.id}-c{number}", structured=asdict(call))
            )
        calendar.now += timedelta(minutes=9)
        await agentos.sessions.record(session, turn("assistant", reply, f"{session.id}-2", calendar.now))
        await agentos.sessions.record(session, signal(Signal.TURN_ENDED, f"{session.id}-3", calendar.now))
        if days > 1:
            await agentos.sessions.end(session)
        await agentos.sessions.observe()
    calendar.now = end


async def _graph(agentos: AgentOS) -> None:
    """Join people, parts and problems."""
    ids: dict[str, str] = {}
    for source, target, relation in RELATIONS:
        for label in (source, target):
            if label not in ids:
                node, _ = await agentos.graph.add_node(NAMESPACE, "concept", label)
                ids[label] = node.id
        await agentos.graph.add_edge(NAMESPACE, ids[source], ids[target], relation)


async def _questions(agentos: AgentOS, decisions: Decisions) -> None:
    """Ask for what a person decides, and contradict what was known."""
    for subject, attribute, old, old_text, new, new_text in CONTESTED:
        for value, text, source in ((old, old_text, "user"), (new, new_text, "imported from a web page")):
            request = StoreRequest(content=text, subject=subject, attribute=attribute, value=value, source=source)
            await agentos.memory.store(NAMESPACE, request)
    for text, confidence in (("Support answers mails within four hours on weekdays.", 0.3),
                             ("The agency wants to be told of new texts a week before.", 0.4)):  # fmt: skip
        await agentos.memory.store(NAMESPACE, StoreRequest(content=text, confidence=confidence, source="cursor"))
    ask = agentos.approvals.ask_permission
    await ask(NAMESPACE, "release 4.2 to production", "deploy_production", RiskInputs(0.9, 0.3, 0.6),
              "All checks are green, and the release branch was cut at noon.", "agent:codex")  # fmt: skip
    await ask(NAMESPACE, "the old database cluster", "delete_cluster", RiskInputs(0.6, 0.6, 0.4),
              "A week has gone by without an error on the new one.", "agent:claude-code")  # fmt: skip
    done = await ask(NAMESPACE, "staging", "reset_database", RiskInputs(0.5, 0.8, 0.2),
                     "The load test needs fresh data.", "agent:cursor")  # fmt: skip
    await decisions.decide(done, ApprovalStatus.APPROVED, "ada", "Not before six o'clock.")


async def _insights(agentos: AgentOS) -> None:
    """Record findings of each severity."""
    found = (
        (InsightKind.INSIGHT, InsightSeverity.CRITICAL, "The integration tests fail again and again: out of memory."),
        (InsightKind.INSIGHT, InsightSeverity.WARNING, "“Invoices as PDF” is due in 2 days and stands at 90 %."),
        (InsightKind.INSIGHT, InsightSeverity.INFO, "14 memories speak of billing: a summary would save tokens."),
        (InsightKind.TASK, InsightSeverity.WARNING, "Decide which memory holds: the billing team’s meeting room."),
        (InsightKind.TASK, InsightSeverity.INFO, "Look at 5 memories that nobody has used for three weeks."),
    )  # fmt: skip
    drafts = [
        InsightDraft(kind, InsightKey("demo", f"subject {number}", "demo"), severity, text)
        for number, (kind, severity, text) in enumerate(found)
    ]
    await agentos.insights.record(NAMESPACE, drafts)


def now() -> datetime:
    """Return the end of the month that is lived through: the present, in whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)
