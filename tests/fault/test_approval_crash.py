"""Killing a process in the middle of what a human approved: another one ends it, and nothing is done twice."""

from pathlib import Path

import pytest

from tests.fault.forked import running
from tests.fault.test_crash import PRELUDE, lines, rest

ACTING = (
    PRELUDE
    + """
from agentos.modules.approvals.decisions import Decisions
from agentos.modules.approvals.models import ApprovalStatus
from agentos.modules.approvals.risk import RiskInputs

async def main():
    store = await SqliteStore.open(Path(sys.argv[1]), Path(sys.argv[1]) / "agentos.db", system_clock)
    clock = lambda: system_clock() + timedelta(minutes=float(sys.argv[2]))
    agentos = AgentOS.over(store, Embedder(), config.load(home=Path(sys.argv[1])), clock)
    if sys.argv[3] == "ask":
        ids = [(await agentos.memory.store("ada", StoreRequest(f"fact {n}"))).memory.id for n in range(20)]
        asked = await agentos.approvals.propose(
            "ada", "facts", "memory.bulk_delete", {"memory_ids": ids}, RiskInputs(0, 1, 0), "why", "agent:ada")
        await Decisions(store.work.approvals, clock).decide(asked, ApprovalStatus.APPROVED, "ada")
    say_all = agentos.lifecycle.say_all
    async def hanging(namespace, ids, *rest):
        if sys.argv[3] == "ask":
            await say_all(namespace, ids[:7], *rest)
            print("between", flush=True)
            await asyncio.Event().wait()
        return await say_all(namespace, ids, *rest)
    object.__setattr__(agentos.lifecycle, "say_all", hanging)
    for done in await agentos.approvals.executor.run_due():
        print(done.status.value, done.attempts, done.result, flush=True)
    for row in (await agentos.approvals.history("ada", 1))[0].payload["memory_ids"]:
        print("changes", len(await agentos.lifecycle.changes("ada", row)), flush=True)
    await agentos.close()
    await store.close()

asyncio.run(main())
"""
)


@pytest.mark.parametrize("later", ["0", "11"])
def test_what_was_killed_is_ended_once_its_lease_is_over(tmp_path: Path, later: str) -> None:
    home = tmp_path / "home"
    with running(ACTING, home, "0", "ask") as first:
        assert lines(first, 1) == ["between"]
        first.kill()
    with running(ACTING, home, later, "end") as second:
        output = rest(second)
    changed = ["changes 1"] * 7 + ["changes 0"] * 13 if later == "0" else ["changes 1"] * 20
    ended = [] if later == "0" else ["done 2 archive: 20 memories"]
    assert sorted(output) == sorted([*ended, *changed])
