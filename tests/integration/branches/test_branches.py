"""Branches of a team's namespace: what a merge would do, who may merge, and that each is merged once."""

import base64
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentos.database import OpenedStore
from agentos.modules.agentos import AgentOS
from agentos.modules.approvals.decisions import Decisions
from agentos.modules.approvals.executor import LEASE
from agentos.modules.approvals.models import Approval, ApprovalStatus
from agentos.modules.approvals.risk import RiskInputs
from agentos.modules.branches.learning import Returned
from agentos.modules.branches.models import Branch, Demand, Review, StepKind
from agentos.modules.branches.service import watch
from agentos.modules.errors import (
    AgentOSError,
    Conflict,
    NotFound,
    PermissionDenied,
    QuotaExceeded,
    StorageUnavailable,
)
from agentos.modules.memory.lifecycle_service import HUMAN
from agentos.modules.memory.models import Memory, MemoryFilter, Status
from agentos.modules.memory.service import MemoryChanges
from agentos.modules.principals.acting import acting
from agentos.modules.principals.models import Caller, Door, Right, Role, local_owner
from agentos.modules.store_request import StoreRequest
from tests.integration.conftest import Clock

TEAM, MINE = "team", "team-ada"
LOCAL = local_owner(TEAM, None, Door.COMMAND_LINE)
AGENT = local_owner(MINE, None, Door.STDIO)
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
CREATE, MERGE, CONFLICT = StepKind.CREATE, StepKind.MERGE, StepKind.CONFLICT


def caller(name: str, role: Role, **rights: Right) -> Caller:
    """A caller as its key makes it."""
    named = {{"team": TEAM, "mine": MINE}.get(one, one): right for one, right in rights.items()}
    return Caller(name, role, named, next(iter(named)), Door.HTTP)


WRITER = caller("ada", Role.WRITER, mine=Right.WRITE, team=Right.READ)
OWNING_AUTHOR = caller("ada", Role.OWNER, mine=Right.ADMIN, team=Right.ADMIN)
REVIEWER = caller("ben", Role.OWNER, team=Right.ADMIN, mine=Right.READ)


class Team:
    """A team's namespace with facts, and a branch of it."""

    def __init__(self, agentos: AgentOS, clock: Clock) -> None:
        self.agentos = agentos
        self.clock = clock

    async def says(self, content: str, where: str = TEAM, by: Caller = LOCAL, **more: Any) -> Memory:
        self.clock.advance(minutes=1)
        with acting(by):
            return (await self.agentos.memory.store(where, StoreRequest(content, "semantic", **more))).memory

    async def owner_of(self, service: str, owner: str, where: str = TEAM, by: Caller = LOCAL) -> Memory:
        text = f"The owner of {service} is {owner}."
        return await self.says(text, where, by, subject=service, attribute="owner", value=owner)

    async def fork(self) -> Branch:
        self.clock.advance(minutes=1)
        branch, _ = await self.agentos.branches.fork(LOCAL, TEAM, MINE)
        self.clock.advance(minutes=1)
        return branch

    async def memory(self, memory_id: str, where: str = TEAM) -> Memory:
        return (await self.agentos.memory.get(where, memory_id))[0]

    async def copy_of(self, memory: Memory) -> Memory:
        found = await self.agentos.memory.page(MINE, MemoryFilter(), 50, 0)
        [copy] = [one for one in found.memories if one.content == memory.content]
        return copy

    async def rewrite(self, where: str, memory_id: str, content: str) -> None:
        self.clock.advance(minutes=1)
        await self.agentos.memory.update(where, memory_id, MemoryChanges(content=content))

    async def steps(self) -> list[tuple[StepKind, str]]:
        plan = await self.agentos.branches.preview(WRITER, MINE)
        return [(step.kind, step.memory.content) for step in plan.steps]

    async def holding(self, namespace: str = TEAM) -> set[str]:
        return {one.content for one in (await self.agentos.memory.page(namespace, MemoryFilter(), 50, 0)).memories}

    async def proposed(self, by: Caller = WRITER) -> Approval:
        return await self.agentos.branches.propose(by, MINE, "what I found out")


@pytest.fixture
def team(agentos: AgentOS, clock: Clock) -> Team:
    return Team(agentos, clock)


async def test_a_branch_has_what_its_origin_holds_and_says_where_it_is_from(team: Team) -> None:
    fact = await team.says("The staging cluster is called heron.")
    old = await team.owner_of("billing", "Ada")
    await team.owner_of("billing", "Ben")
    await team.agentos.turns.add(TEAM, "chat", "user", "A word that nobody keeps")
    branch = await team.fork()
    assert (branch.origin, branch.created_by) == (TEAM, "principal:owner")
    assert await team.holding(MINE) == {fact.content, "The owner of billing is Ben."}
    assert old.content not in await team.holding(MINE)
    assert [one.namespace for one in await team.agentos.branches.branches(LOCAL, TEAM)] == [MINE]
    assert await team.steps() == []
    with pytest.raises(Conflict, match="already has memories"):
        await team.agentos.branches.fork(LOCAL, TEAM, MINE)
    with pytest.raises(Conflict, match="nothing to merge"):
        await team.proposed()


async def test_a_merge_creates_replaces_and_asks_about_what_both_sides_changed(
    team: Team, store: OpenedStore, clock: Clock
) -> None:
    same, apart = await team.says("Deploys run on Mondays."), await team.says("Alerts go to the pager.")
    await team.owner_of("billing", "Ada")
    await team.owner_of("search", "Cleo")
    await team.fork()
    await team.says("The cache is flushed nightly.", MINE)
    await team.rewrite(MINE, (await team.copy_of(same)).id, "Deploys run on Tuesdays.")
    await team.rewrite(MINE, (await team.copy_of(apart)).id, "Alerts go to the phone.")
    await team.rewrite(TEAM, apart.id, "Alerts go to the chat.")
    await team.owner_of("billing", "Ben", MINE)
    await team.owner_of("search", "Dan", MINE)
    await team.owner_of("search", "Eve")
    await team.says("Both sides say this.", MINE)
    await team.says("Both sides say this.")
    assert sorted(await team.steps()) == sorted(
        [
            (CREATE, "The cache is flushed nightly."),
            (MERGE, "Deploys run on Tuesdays."),
            (CONFLICT, "Alerts go to the phone."),
            (MERGE, "The owner of billing is Ben."),
            (CONFLICT, "The owner of search is Dan."),
        ]
    )
    before = await team.holding()
    proposal = await team.proposed()
    assert await team.holding() == before, "a preview and a proposal change nothing"
    assert "1 new, 2 changed, 2 in conflict" in proposal.reason
    assert any("Deploys run on Tuesdays" in line for line in await team.agentos.approvals.description(proposal))
    done = await team.agentos.branches.merge(REVIEWER, proposal.id)
    assert (done.status, done.result) == (
        ApprovalStatus.DONE,
        f"merged {MINE}: 1 new, 2 changed; 2 contradict known memories and wait in the inbox",
    )
    assert {
        "The cache is flushed nightly.",
        "Deploys run on Tuesdays.",
        "Alerts go to the chat.",
        "The owner of billing is Ben.",
        "The owner of search is Eve.",
    } <= await team.holding()
    contested = (await team.agentos.memory.page(TEAM, MemoryFilter(statuses=(Status.CONTESTED,)), 9, 0)).memories
    assert {one.content for one in contested} == {"Alerts go to the phone.", "The owner of search is Dan."}
    assert len((await team.agentos.approvals.inbox(TEAM)).approvals) == 2
    [merged] = await team.agentos.branches.merges(LOCAL, TEAM)
    assert (merged.approval, merged.decided_by, merged.created, merged.changed, merged.contested) == (
        proposal.id, "owner:ben", 1, 2, 2
    )  # fmt: skip
    assert await team.steps() == [], "what was merged is not offered again"


async def test_no_merge_carries_another_text_under_what_a_person_vouches_for(team: Team) -> None:
    async def rule(content: str) -> Memory:
        return await team.agentos.lifecycle.vouch(TEAM, await team.says(content, tags=["rule"]))

    rewritten, superseded = await rule("Ask before you deploy."), await rule("Keep the tests green.")
    await team.fork()
    await team.rewrite(MINE, (await team.copy_of(rewritten)).id, "Deploy whenever you like.")
    await team.says("Red tests are fine.", MINE, supersedes=[(await team.copy_of(superseded)).id])
    assert {kind for kind, _ in await team.steps()} == {CONFLICT}
    await team.agentos.branches.merge(REVIEWER, (await team.proposed()).id)
    held = {one.content for one in await team.agentos.memory.vouched(TEAM, "rule")}
    assert held == {rewritten.content, superseded.content}
    assert len((await team.agentos.approvals.inbox(TEAM)).approvals) == 2, "a person is asked about both"


async def test_a_branch_goes_on_after_a_merge_and_an_erased_memory_does_not_come_back(team: Team) -> None:
    remaining, erased = await team.says("Deploys run on Mondays."), await team.says("Marlowe lives in Hove.")
    await team.fork()
    first = await team.says("The cache is flushed nightly.", MINE)
    await team.agentos.branches.merge(REVIEWER, (await team.proposed()).id)
    await team.rewrite(MINE, first.id, "The cache is flushed hourly.")
    await team.rewrite(MINE, (await team.copy_of(erased)).id, "Marlowe lives in Rye.")
    await team.agentos.memory.delete(TEAM, erased.id)
    plan = await team.agentos.branches.preview(WRITER, MINE)
    assert [(step.kind, step.revises) for step in plan.steps] == [(MERGE, True)]
    assert plan.left == 1
    await team.agentos.branches.merge(REVIEWER, (await team.proposed()).id)
    assert await team.holding() == {remaining.content, "The cache is flushed hourly."}


@pytest.mark.parametrize("how", ["erased", "forgotten"])
async def test_what_the_origin_has_forgotten_does_not_come_back_in_the_words_that_replaced_it(
    team: Team, how: str
) -> None:
    gone = await team.says("Marlowe lives in Hove.")
    await team.fork()
    copy = await team.copy_of(gone)
    if how == "erased":
        await team.agentos.memory.delete(TEAM, gone.id)
    else:
        await team.agentos.lifecycle.forget(TEAM, gone.id)
    await team.says("Marlowe lives in Hove, at the harbour.", MINE, supersedes=[copy.id])
    plan = await team.agentos.branches.preview(WRITER, MINE)
    assert (plan.steps, plan.left) == ((), 1)


NO_OWNERS: list[tuple[Caller, type[AgentOSError]]] = [
    (caller("ada", Role.WRITER, mine=Right.WRITE, team=Right.WRITE), PermissionDenied),
    (caller("cleo", Role.OWNER, mine=Right.ADMIN, team=Right.WRITE), PermissionDenied),
    (caller("dan", Role.OPERATOR, team=Right.ADMIN), PermissionDenied),
    (caller("eve", Role.OWNER, mine=Right.ADMIN), NotFound),
]


async def test_who_does_not_own_the_origin_merges_nothing(team: Team) -> None:
    await team.says("Deploys run on Mondays.")
    await team.fork()
    await team.says("The cache is flushed nightly.", MINE)
    proposal = await team.proposed()
    for who, why in NO_OWNERS:
        for decide in (team.agentos.branches.merge, team.agentos.branches.refuse):
            with pytest.raises(why):
                await decide(who, proposal.id)
        with pytest.raises(PermissionDenied):
            await team.agentos.branches.govern(who, TEAM, Review.WATCHED)
    assert (await team.agentos.approvals.get(TEAM, proposal.id)).status is ApprovalStatus.PENDING
    assert await team.holding() == {"Deploys run on Mondays."}


async def test_a_proposal_shows_nothing_of_an_origin_that_its_author_may_not_read(team: Team) -> None:
    await team.fork()
    await team.says("The cache is flushed nightly.", MINE)
    alone = caller("ada", Role.WRITER, mine=Right.WRITE)
    for asked in (team.agentos.branches.preview(alone, MINE), team.agentos.branches.propose(alone, MINE, "why")):
        with pytest.raises(PermissionDenied):
            await asked
    with pytest.raises(PermissionDenied):
        await team.agentos.branches.fork(alone, "another", MINE)


async def test_what_is_watched_needs_another_owner_than_its_author_and_is_reported(team: Team) -> None:
    await team.says("Deploys run on Mondays.")
    await team.owner_of("billing", "Ada")
    await team.fork()
    entries = [watch("slot:billing/owner"), watch("tag:policy"), watch("slot:search", Demand.NOTIFY)]
    await team.agentos.branches.govern(REVIEWER, TEAM, watch=entries)
    await team.owner_of("search", "Cleo", MINE, by=OWNING_AUTHOR)
    free = await team.proposed(OWNING_AUTHOR)
    assert (free.payload["review"], free.payload["watched"]) == (False, ["slot:search"])
    assert (await team.agentos.branches.merge(OWNING_AUTHOR, free.id)).status is ApprovalStatus.DONE
    assert any("slot:search" in one.text for one in await team.agentos.insights.insights(TEAM, 9))
    await team.owner_of("billing", "Ben", MINE, by=OWNING_AUTHOR)
    held = await team.proposed(caller("helper", Role.WRITER, mine=Right.WRITE, team=Right.READ))
    assert held.payload["review"] is True
    with pytest.raises(PermissionDenied, match="an owner other than its author"):
        await team.agentos.branches.merge(OWNING_AUTHOR, held.id)  # proposed by another, but of ada's hand
    assert (await team.agentos.branches.merge(REVIEWER, held.id)).status is ApprovalStatus.DONE
    await team.agentos.branches.govern(REVIEWER, TEAM, Review.ALWAYS, unwatch=["tag:policy"])
    await team.says("The cache is flushed nightly.", MINE, by=OWNING_AUTHOR)
    with pytest.raises(PermissionDenied, match="an owner other than"):
        await team.agentos.branches.merge(OWNING_AUTHOR, (await team.proposed(OWNING_AUTHOR)).id)


Direct = Callable[[Team, Memory], Awaitable[Any]]
DIRECT: dict[str, Direct] = {
    "stores": lambda team, held: team.says("Ben owns it.", subject="billing", attribute="owner", value="Ben"),
    "stores a tag": lambda team, held: team.says("Never deploy on Fridays.", tags=["policy"]),
    "replaces": lambda team, held: team.says("All is different now.", supersedes=[held.id]),
    "rewrites": lambda team, held: team.rewrite(TEAM, held.id, "Nobody owns billing."),
    "tags": lambda team, held: team.agentos.memory.update(TEAM, held.id, MemoryChanges(tags=[])),
    "rejects": lambda team, held: team.agentos.lifecycle.feedback(TEAM, held.id, "reject"),
    "archives": lambda team, held: team.agentos.lifecycle.archive(TEAM, held.id),
    "erases": lambda team, held: team.agentos.memory.delete(TEAM, held.id),
    "erases where": lambda team, held: team.agentos.memory.delete_where(TEAM, MemoryFilter(tags=("policy",))),
}


@pytest.mark.parametrize("act", DIRECT.values(), ids=DIRECT)
async def test_what_is_watched_is_changed_by_no_way_past_a_review(team: Team, act: Direct) -> None:
    held = await team.says("Ada owns billing.", subject="billing", attribute="owner", value="Ada", tags=["policy"])
    unsure = await team.says("Deploys need two eyes.", tags=["policy"], confidence=0.2)
    await team.agentos.branches.govern(REVIEWER, TEAM, watch=[watch("slot:billing/owner"), watch("tag:policy")])
    with pytest.raises(PermissionDenied, match="agentos branch create team"):
        await act(team, held)
    with pytest.raises(PermissionDenied, match="needs a review"):
        await team.agentos.lifecycle.feedback(TEAM, unsure.id, "confirm")
    current, _ = await team.agentos.memory.get(TEAM, held.id)
    assert (current.standing, current.content, current.tags) == (held.standing, held.content, held.tags)
    await team.says("The rota is kept by hand.")
    await team.agentos.lifecycle.archive(TEAM, held.id, HUMAN)


async def test_what_is_watched_is_made_no_surer_by_the_merge_of_a_fork_past_a_review(team: Team) -> None:
    fork, branches = "team-bea", team.agentos.branches
    policy = await team.says("Deploys need two reviews.", confidence=0.7, tags=["policy"])
    free = await team.says("The cache is flushed nightly.", confidence=0.7)
    assert await branches.teach(LOCAL, TEAM, fork) == 2
    for one in [one async for one in team.agentos.memory.walk(fork)]:
        for _ in range(2):
            await team.agentos.lifecycle.feedback(fork, one.id, "confirm")
    await team.says("The tests need Redis.", fork, confidence=0.9)
    await branches.govern(LOCAL, TEAM, watch=[watch("tag:policy")])
    with pytest.raises(PermissionDenied, match="tag:policy of team is watched"):
        await branches.take_back(LOCAL, fork, TEAM)
    assert len(await team.holding()) == 2, "nothing comes back where something needs a review"
    await branches.govern(LOCAL, TEAM, watch=[watch("tag:policy", Demand.NOTIFY)])
    assert await branches.take_back(LOCAL, fork, TEAM) == Returned(new=1, surer=2)
    insights = [one.text for one in await team.agentos.insights.insights(TEAM, 9)]
    assert any("touched what is watched: tag:policy" in one for one in insights)
    for one in (policy, free):
        memory, _ = await team.agentos.memory.get(TEAM, one.id)
        assert memory.confidence == 1.0


async def test_what_an_agent_has_forgotten_does_not_come_back_from_its_fork(team: Team) -> None:
    gone = await team.says("The build needs Node 20.", confidence=0.9)
    await team.agentos.branches.teach(LOCAL, TEAM, "team-bea")
    await team.agentos.lifecycle.forget(TEAM, gone.id)
    assert await team.agentos.branches.take_back(LOCAL, "team-bea", TEAM) == Returned(new=0, surer=0)
    assert await team.holding() == set()


async def test_an_agent_without_memories_teaches_nobody_and_those_with_some_are_named(team: Team) -> None:
    await team.says("The build needs Node 20.")
    await team.says("The cache is flushed nightly.", MINE)
    ada = caller("ada", Role.WRITER, mine=Right.WRITE, nobody=Right.READ)
    named = f"; there are: {TEAM}, {MINE}"
    for asked, others in (
        (team.agentos.branches.teach(LOCAL, "nobody", "new"), named),
        (team.agentos.branches.take_back(LOCAL, "nobody", TEAM), named),
        (team.agentos.branches.take_back(LOCAL, MINE, "nobody"), named),
        (team.agentos.branches.take_back(ada, "nobody", MINE), f"'nobody' has no memories; there are: {MINE}"),
    ):
        with pytest.raises(NotFound) as refused:
            await asked
        assert str(refused.value).endswith(others), "what the caller may not read is not named"
    found = await team.agentos.principals.rows.summaries()
    assert {one.id for one in found} == {MINE, TEAM}, "nothing was changed"


FORK = "team-bea"


async def taught(team: Team, content: str) -> tuple[Memory, Memory]:
    """A memory of the team, and its copy in a fork."""
    was = await team.says(content, confidence=0.9)
    await team.agentos.branches.teach(LOCAL, TEAM, FORK)
    [copy] = [one async for one in team.agentos.memory.walk(FORK)]
    return was, copy


async def confirmed(team: Team, copy: Memory) -> None:
    for _ in range(3):
        await team.agentos.lifecycle.feedback(FORK, copy.id, "confirm")


@pytest.mark.parametrize("how", ["rewritten", "superseded"])
async def test_a_correction_in_a_fork_makes_the_old_words_no_surer_and_is_put_to_a_person(
    team: Team, store: OpenedStore, how: str
) -> None:
    was, copy = await taught(team, "The build needs Node 20.")
    await confirmed(team, copy)
    if how == "rewritten":
        await team.rewrite(FORK, copy.id, "The build needs Node 22.")
    else:
        await team.says("The build needs Node 22.", FORK, confidence=0.95, supersedes=[copy.id])
    assert await team.agentos.branches.take_back(LOCAL, FORK, TEAM) == Returned(new=1, surer=0)
    current, _ = await team.agentos.memory.get(TEAM, was.id)
    assert (current.content, current.standing) == (was.content, was.standing)
    assert await team.agentos.branches.take_back(LOCAL, FORK, TEAM) == Returned(new=0, surer=0)
    [contest] = (await team.agentos.approvals.inbox(TEAM)).approvals
    assert contest.payload["old"] == [was.id]
    await Decisions(store.work.approvals, team.clock).decide(contest, ApprovalStatus.APPROVED, "ada at tty1")
    await team.agentos.approvals.executor.run_due()
    assert await team.holding() == {"The build needs Node 22."}


async def test_the_old_words_of_a_fork_make_what_its_origin_has_corrected_no_surer(team: Team) -> None:
    was, copy = await taught(team, "The build needs Node 20.")
    await confirmed(team, copy)
    await team.rewrite(TEAM, was.id, "The build needs Node 22.")
    assert await team.agentos.branches.take_back(LOCAL, FORK, TEAM) == Returned(new=0, surer=0)
    current, _ = await team.agentos.memory.get(TEAM, was.id)
    assert (current.content, current.confidence) == ("The build needs Node 22.", 0.9)


async def test_what_both_have_corrected_alike_is_made_surer(team: Team) -> None:
    was, copy = await taught(team, "The build needs Node 20.")
    await confirmed(team, copy)
    for where, one in ((TEAM, was), (FORK, copy)):
        await team.rewrite(where, one.id, "The build needs Node 22.")
    assert await team.agentos.branches.take_back(LOCAL, FORK, TEAM) == Returned(new=0, surer=1)


async def test_what_a_fork_is_not_sure_of_does_not_come_back(team: Team) -> None:
    await taught(team, "The build needs Node 20.")
    await team.says("The tests need Redis.", FORK, confidence=0.74)
    assert await team.agentos.branches.take_back(LOCAL, FORK, TEAM) == Returned(new=0, surer=0)
    await team.says("The cache needs a disk.", FORK, confidence=0.75)
    assert await team.agentos.branches.take_back(LOCAL, FORK, TEAM) == Returned(new=1, surer=0)


async def test_a_direct_change_of_what_is_to_be_reported_is_reported(team: Team) -> None:
    await team.agentos.branches.govern(REVIEWER, TEAM, watch=[watch("tag:policy", Demand.NOTIFY)])
    await team.says("Never deploy on Fridays.", tags=["policy"])
    [insight] = await team.agentos.insights.insights(TEAM, 9)
    assert "direct change of team touched what is watched: tag:policy" in insight.text


async def test_an_import_brings_in_nothing_past_a_review(team: Team, tmp_path: Path) -> None:
    for text, tags in (("Never deploy on Fridays.", ["policy"]), ("The rota is kept by hand.", [])):
        await team.says(text, tags=tags)
    await team.agentos.portability.export(tmp_path / "all.jsonl")
    team.clock.advance(minutes=1)
    await team.agentos.memory.delete_where(TEAM, MemoryFilter(until=team.clock()))
    await team.agentos.branches.govern(REVIEWER, TEAM, watch=[watch("tag:policy")])
    done = await team.agentos.portability.import_bundle(tmp_path / "all.jsonl")
    assert (done.new["memories"], done.left_out["memories, watched"]) == (1, 1)
    assert await team.holding() == {"The rota is kept by hand."}


async def test_a_review_shows_what_changes_beside_a_text_and_the_stricter_watch_counts(team: Team) -> None:
    same = await team.says("Deploys run on Mondays.")
    await team.fork()
    both = [watch("tag:policy"), watch("tag:policy", Demand.NOTIFY)]
    assert (await team.agentos.branches.govern(REVIEWER, TEAM, watch=both)).watches == (watch("tag:policy"),)
    await team.agentos.memory.update(
        MINE, (await team.copy_of(same)).id, MemoryChanges("Deploys run on Mondays!", tags=["policy"])
    )
    [line] = (await team.agentos.approvals.description(await team.proposed()))[1:]
    assert line.endswith("| other: tags [watched: tag:policy]")


WRITTEN = ["slot:the Billing_Team/Owner", "slot:billing-team", "slot:billing team/owner", "slot:Billing/Team"]


async def test_what_is_watched_is_found_however_it_is_written(team: Team) -> None:
    await team.fork()
    slot = {"subject": "billing team", "attribute": "owner", "value": "Ada"}
    memory = await team.says("Ada owns it.", MINE, tags=["Policy"], **slot)
    assert [one for one in WRITTEN if not watch(one).names(memory)] == []
    assert watch("tag:POLICY").names(memory)
    for other in ("slot:billing/owner", "slot:billing team/lead", "slot:team", "tag:polic"):
        assert not watch(other).names(memory), other


async def test_no_other_memory_is_a_way_round_to_what_is_watched(team: Team) -> None:
    known = {"subject": "billing", "attribute": "owner", "value": "Ada"}
    await team.says("The owner of billing is Ada.", tags=["policy"], **known)
    rota = await team.says("The rota is kept by hand.")
    await team.fork()
    await team.agentos.branches.govern(REVIEWER, TEAM, watch=[watch("tag:policy")])
    await team.rewrite(MINE, (await team.copy_of(rota)).id, "The owner of billing is Mallory.")
    plan = await team.agentos.branches.preview(OWNING_AUTHOR, MINE)
    assert [(step.kind, len(step.concerns)) for step in plan.steps] == [(CONFLICT, 2)] and plan.needs_review
    await team.agentos.branches.merge(REVIEWER, (await team.proposed()).id)
    assert "The owner of billing is Ada." in await team.holding(), "a human is asked first"


async def test_at_a_terminal_the_local_user_decides_about_an_agents_proposal_and_not_about_his_own(
    team: Team, store: OpenedStore, clock: Clock
) -> None:
    await team.fork()
    await team.says("The cache is flushed nightly.", MINE, by=AGENT)
    decisions = Decisions(store.work.approvals, clock)
    with pytest.raises(PermissionDenied, match="somebody else"):
        await decisions.decide(await team.proposed(LOCAL), ApprovalStatus.APPROVED, "ada at tty1")
    await team.says("Deploys run on Mondays.", MINE, by=AGENT)
    by_agent = await team.proposed(AGENT)
    assert by_agent.requested_by == f"agent:{MINE}"
    await decisions.decide(by_agent, ApprovalStatus.APPROVED, "ada at tty1")
    [done] = await team.agentos.approvals.executor.run_due()
    assert (done.status, await team.holding()) == (ApprovalStatus.DONE, await team.holding(MINE))


async def test_what_an_agent_asks_for_under_the_name_of_a_merge_is_no_proposal(team: Team) -> None:
    await team.fork()
    await team.says("The cache is flushed nightly.", MINE)
    proposal = await team.proposed()
    asked = await team.agentos.approvals.ask_permission(
        TEAM, proposal.subject, proposal.action, RiskInputs(0, 0, 0), "reviewed", f"agent:{TEAM}"
    )
    assert [one.id for one in await team.agentos.branches.proposals(LOCAL, TEAM)] == [proposal.id] != [asked.id]
    with pytest.raises(NotFound):
        await team.agentos.branches.merge(REVIEWER, asked.id)


async def test_an_owner_who_may_not_read_a_branch_sees_of_it_what_was_proposed_and_no_more(team: Team) -> None:
    await team.fork()
    await team.says("The cache is flushed nightly.", MINE)
    owner = caller("cleo", Role.OWNER, team=Right.ADMIN)
    await team.proposed()
    assert len((await team.agentos.branches.preview(owner, MINE)).steps) == 1
    await team.says("A word that nobody is to hear yet.", MINE)
    with pytest.raises(Conflict, match="ask for a new proposal"):
        await team.agentos.branches.preview(owner, MINE)


async def test_what_changed_after_it_was_proposed_is_not_merged(team: Team) -> None:
    await team.fork()
    await team.says("The cache is flushed nightly.", MINE)
    proposal = await team.proposed()
    await team.says("Deploys run on Mondays.", MINE)
    assert "would merge nothing" in (await team.agentos.approvals.description(proposal))[0]
    done = await team.agentos.branches.merge(REVIEWER, proposal.id)
    assert (done.status, await team.holding()) == (ApprovalStatus.FAILED, set())
    again = await team.proposed()
    assert (await team.agentos.branches.merge(REVIEWER, again.id)).status is ApprovalStatus.DONE


@pytest.mark.parametrize("killed_at", ["before", "after"])
async def test_a_merge_that_is_killed_is_done_once(
    team: Team, store: OpenedStore, wire: Any, clock: Clock, monkeypatch: pytest.MonkeyPatch, killed_at: str
) -> None:
    await team.fork()
    await team.says("The cache is flushed nightly.", MINE)
    proposal = await team.proposed()
    merge = store.sharing.branches.merge

    async def dying(*given: Any) -> Any:
        if killed_at == "after":
            await merge(*given)
        raise StorageUnavailable("the process was killed")

    monkeypatch.setattr(store.sharing.branches, "merge", dying)
    left = await team.agentos.branches.merge(REVIEWER, proposal.id)
    assert left.status is ApprovalStatus.EXECUTING
    monkeypatch.undo()
    clock.now += LEASE * 2
    another = wire(store)
    [done] = await another.approvals.executor.run_due()
    assert (done.status, done.result) == (ApprovalStatus.DONE, f"merged {MINE}: 1 new, 0 changed")
    assert len(await another.branches.merges(LOCAL, TEAM)) == 1
    page = await another.memory.page(TEAM, MemoryFilter(include_superseded=True), 9, 0)
    assert [one.content for one in page.memories] == ["The cache is flushed nightly."]
    assert await another.approvals.executor.run_due() == []
    [noted] = [one for one in await another.audit.show(LOCAL, TEAM) if one.action == "branch.merge"]
    assert (noted.subject, noted.detail["by"]) == (MINE, "owner:ben")


async def test_a_branch_has_the_files_of_its_origin_and_a_merge_brings_new_ones(team: Team) -> None:
    files = team.agentos.attachments()
    kept = (await files.attach(TEAM, "harbour.png", PNG, caption="Plan of the harbour")).attachment
    await team.agentos.principals.set_policy(LOCAL, MINE, limits={"max_bytes": 100})
    with pytest.raises(QuotaExceeded):
        await team.fork()
    assert not await team.holding(MINE), "nothing of it was made"
    await team.agentos.principals.set_policy(LOCAL, MINE, limits={"max_bytes": 10_000})
    await team.fork()
    [copy] = await files.all(MINE, 10)
    assert copy == replace(kept, memory_id=(await team.copy_of(await team.memory(kept.memory_id))).id)
    await team.rewrite(MINE, copy.memory_id, "The harbour as it was in May")
    new = (await files.attach(MINE, "mill.png", PNG + b"1", caption="Plan of the mill")).attachment
    proposal = await team.proposed()
    await files.attach(MINE, "mill.png", PNG + b"2", caption="Plan of the mill")  # the same text, of another file
    changed = await team.agentos.branches.merge(REVIEWER, proposal.id)
    assert changed.status is ApprovalStatus.FAILED and "propose it again" in changed.result
    assert len(await files.all(TEAM, 10)) == 1
    await team.agentos.branches.merge(REVIEWER, (await team.proposed()).id)
    found = {one.name: one for one in await files.all(TEAM, 10)}
    assert len(found) == 2
    both = await files.of_memory(TEAM, found["mill.png"].memory_id)
    assert [one.content_hash for one in both] == [
        one.content_hash for one in await files.of_memory(MINE, new.memory_id)
    ]
    assert await files.of_memory(TEAM, kept.memory_id) == [kept] and await team.steps() == []
    await team.agentos.memory.delete(MINE, copy.memory_id, new.memory_id)
    assert (await files.get(TEAM, kept.memory_id))[1] == PNG
    given = [(await files.get(TEAM, one.memory_id, one.content_hash))[1] for one in both]
    assert sorted(given) == [PNG + b"1", PNG + b"2"]


async def test_a_fork_has_the_files_of_what_it_learns_and_gives_its_own_back(team: Team) -> None:
    files = team.agentos.attachments()
    kept = (await files.attach(TEAM, "harbour.png", PNG, caption="Plan of the harbour")).attachment
    assert await team.agentos.branches.teach(LOCAL, TEAM, MINE) == 1
    [copy] = await files.all(MINE, 10)
    assert copy.memory_id != kept.memory_id and (await files.get(MINE, copy.memory_id))[1] == PNG
    new = (await files.attach(MINE, "mill.png", PNG + b"1", caption="Plan of the mill")).attachment
    for _ in range(2):
        await team.agentos.lifecycle.feedback(MINE, new.memory_id, "confirm")
    assert (await team.agentos.branches.take_back(LOCAL, MINE, TEAM)).new == 1
    assert {one.content_hash for one in await files.all(TEAM, 10)} == {kept.content_hash, new.content_hash}
