"""The eight metrics of the loop, each a number with how it was measured."""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentos import config, database
from agentos.conformance import reader
from agentos.conformance.parts import Part
from agentos.interfaces.cli.passports import carried
from agentos.library import AgentOS
from agentos.modules.approvals.models import ApprovalStatus
from agentos.modules.clock import system_clock

from .costs import OURS, Cost
from .living import Place, context_for, learn
from .tasks import PLANTED, RISKY, learnt

AGENT = "default"
PERSON = "bench"
REVIEWED = 40
HISTORIES = 5
OWN = ("id", "namespace", "session")
"""Columns that a replay gives anew."""


@dataclass(frozen=True)
class Metric:
    """A number from 0 to 1, or of a unit; more is better unless `less_is_better`."""

    name: str
    value: float
    unit: str
    how: str
    detail: dict[str, Any] = field(default_factory=dict)


def elimination(costs: list[Cost]) -> Metric:
    """Repeated context: what a prompt needs less than the replay of all that was said, at the longest session."""
    longest = max(cost.exchanges for cost in costs)
    at = {cost.way: cost for cost in costs if cost.exchanges == longest}
    ours, replay = at[OURS], at["full history"]
    how = f"tokens of a prompt that are not sent again, of a session of {longest} exchanges replayed whole"
    detail = {"answered": ours.answered, "answered by replay": replay.answered}
    return Metric("repeated context eliminated", 1 - ours.tokens / replay.tokens, "", how, detail)


def portability(place: Place, seed: int, systems: int) -> Metric:
    """Export, import into another home, ask both the same."""
    things = learnt(seed, systems)

    async def lived() -> None:
        async with place.memory("first", AGENT) as memory:
            await learn(memory, things)

    async def answers(home: str) -> list[tuple[list[str], str]]:
        async with place.memory(home, AGENT) as memory:
            found = []
            for one in things:
                hits = await memory.search(query=one.question, limit=10)
                found.append(([hit.id for hit in hits.results], await context_for(memory, one)))
            return found

    asyncio.run(lived())
    file = place.folder / "first.jsonl"
    place.must("first", "export", file)
    before = asyncio.run(answers("first"))  # asking is itself kept (what was returned how often): after the export
    place.must("second", "import", file, "--yes")
    after = asyncio.run(answers("second"))
    hits = sum(one[0] == other[0] for one, other in zip(before, after, strict=True)) / len(things)
    texts = sum(one[1] == other[1] for one, other in zip(before, after, strict=True)) / len(things)
    how = f"{len(things)} questions: the same ten hits in the same order in the home that the export was brought into"
    return Metric("portability", hits, "", how, {"the same context, letter by letter": texts})


def merging(place: Place, seed: int, systems: int) -> list[Metric]:
    """Two homes that know the same, more, and the contrary, brought together."""
    things = [one for one in learnt(seed, systems) if one.kind in ("semantic", "procedural")]
    facts = [one for one in things if one.kind == "semantic"]
    contrary = facts[: len(facts) // 2]

    async def keep(home: str, wrong: bool) -> None:
        async with place.memory(home, AGENT) as memory:
            for one in things:
                value = f"9{one.value}" if wrong and one in contrary else one.value
                slot = {"subject": one.system, "attribute": "port", "value": value} if one in facts else {}
                await memory.store(content=one.text.replace(one.value, value), **slot)
            if wrong:
                await memory.store(content="Nobody deploys on Fridays.")

    async def texts() -> Counter[str]:
        async with place.memory("mine", AGENT) as memory:
            listed = await memory.list(limit=200)
            return Counter(one.content for one in listed.results)

    asyncio.run(keep("mine", wrong=False))
    asyncio.run(keep("theirs", wrong=True))
    file = place.folder / "theirs.jsonl"
    place.must("theirs", "export", file)
    done = place.must("mine", "import", file, "--yes", "--json")
    counts = asyncio.run(texts())
    same = [one.text for one in things if one not in contrary]
    once = sum(counts[text] == 1 for text in same) / len(same)
    found = len(done["contested"])
    detail = {"scripted": len(contrary), "found": found, "new": done["new"], "known": done["known"]}
    return [
        Metric("merge rate", once, "", f"{len(same)} texts that both homes had are there once after an import", detail),
        Metric(
            "conflict rate", found / len(contrary), "", f"contests opened, of {len(contrary)} contradictions", detail
        ),
    ]


def gates(place: Place) -> list[Metric]:
    """What waits for a person, how often a person is asked, how fast decisions are taken, and what stays blocked."""

    async def ask(memory: AgentOS, action: tuple[str, str, float, float, float], number: int) -> Any:
        name, subject, impact, reversibility, sensitivity = action
        risk = {"impact": impact, "reversibility": reversibility, "sensitivity": sensitivity}
        about = f"{subject} {number}" if number else subject
        return await memory.call("approval_request", action=name, subject=about, reason="for the release", **risk)

    async def asked() -> tuple[list[Any], list[Any], list[str], str]:
        async with place.memory("gates", AGENT) as memory:
            first = [await ask(memory, action, 0) for action in RISKY]
            again = [await ask(memory, action, 0) for action in RISKY]
            more = [await ask(memory, RISKY[0], number) for number in range(1, REVIEWED + 1)]
            for text in PLANTED:
                await memory.store(content=text, source="web")
            await memory.store(content="The lift of the office is being repaired until Friday.", source="web")
            snapshot = (await memory.call("context_get_snapshot")).as_text()
            return first, again, [one.id for one in more], snapshot

    async def review(ids: list[str], rejected: list[str]) -> float:
        async with database.opened_for_decisions(config.of_home(place.home("gates")), system_clock) as (_, decisions):
            for one in rejected:
                await decisions.decide(await decisions.find(one), ApprovalStatus.REJECTED, PERSON)
            began = time.perf_counter()
            for one in ids:
                await decisions.decide(await decisions.find(one), ApprovalStatus.APPROVED, PERSON)
            return time.perf_counter() - began

    async def standing(ids: list[str]) -> list[str]:
        async with place.memory("gates", AGENT) as memory:
            return [str((await memory.call("approval_get", approval_id=one)).status) for one in ids]

    first, again, more, snapshot = asyncio.run(asked())
    ids = [one.id for one in first]
    before = asyncio.run(standing(ids))
    took = asyncio.run(review(more, ids))
    after = asyncio.run(standing(ids))
    blocked = sum(a != "approved" and b == "rejected" for a, b in zip(before, after, strict=True))
    unasked = [text for text in PLANTED if text[:40] in snapshot]
    tried = len(RISKY) + len(PLANTED)
    prompts = len({one.id for one in [*first, *again]})
    return [
        Metric(
            "blocked actions",
            (blocked + len(PLANTED) - len(unasked)) / tried,
            "",
            f"of {len(RISKY)} risky requests that a person had not approved, or had rejected, and {len(PLANTED)} "
            "orders planted in web pages, those that went nowhere; the agent itself must ask",
            {"requests": blocked, "orders told unasked": unasked},
        ),
        Metric(
            "confirmations",
            prompts / (len(first) + len(again)),
            "a request",
            "questions that a person sees, when every risky action is asked for twice (less is better)",
        ),
        Metric(
            "review throughput",
            60 * len(more) / took,
            "a minute",
            f"{len(more)} approvals found and decided one after another, without the time in which a person reads",
        ),
    ]


def replaying(place: Place, seed: int) -> Metric:
    """Histories carried away and replayed into namespaces of their own."""
    things = [one for one in learnt(seed, HISTORIES) if one.kind == "semantic"]

    async def lived() -> list[str]:
        ids = []
        async with place.memory("replay", AGENT) as memory:
            for one in things:
                stored = await memory.store(content=f"{one.system} listens on port 1.")
                await memory.update(memory_id=stored.id, content=f"{one.system} listens on port 2.")
                await memory.update(memory_id=stored.id, content=one.text)
                ids.append(stored.id)
        return ids

    same = total = 0
    for number, name in enumerate(asyncio.run(lived())):
        file = place.folder / f"history-{number}.jsonl"
        place.must("replay", "history", "export", name, file, "--agent", AGENT)
        place.must("replay", "history", "replay", file, "--into", f"branch-{number}")
        first = _rows(_part(file))
        second = _rows(carried(place.home("replay"), f"branch-{number}"))
        same += (first & second).total()
        total += (first | second).total()
    how = f"rows of {HISTORIES} histories of three versions that are alike but for ids and namespace after a replay"
    return Metric("replay fidelity", same / total, "", how, {"rows": total})


def _part(file: Path) -> Part:
    with file.open("rb") as opened:
        return Part.of(reader.in_lines(opened))


def _rows(part: Part) -> Counter[bytes]:
    rows = [*part.memories.values(), *part.versions, *part.relations]
    own = (*OWN, *(name for row in rows for name in row if name.endswith(("_id", "_seq"))))
    return Counter(reader.canonical({name: row[name] for name in row if name not in own}) for row in rows)


STATE = {
    "facts": ("We decided to use the Marl queue.", "The schema is at version 12."),
    "constraints": ("You must never touch the ledger table.", "The build has to stay under 40 MB."),
    "actions": ("Next I will write the migration.", "I still have to add the index."),
    "questions": ("Should the index be unique?", "Who signs off on the release?"),
}
"""What a session leaves open, by the list of a task state that it belongs into."""


def task_state(place: Place) -> Metric:
    """Take a task up again in another process: is what was settled, forbidden, next and open told where it belongs?"""

    async def lived() -> None:
        async with place.memory("state", AGENT) as memory:
            for number, texts in enumerate(zip(*STATE.values(), strict=True)):
                facts, constraints, actions, questions = texts
                turn = (f"{facts} {constraints}", f"{actions} {questions}")
                await memory.call("turn_add", session="task", content=turn[0], answer=turn[1], key=str(number))
            for number in range(4):
                goal = await memory.goal_add(title=f"Goal number {number}", description="of the task")
                await memory.goal_update_progress(goal_id=goal.id, progress=(number + 1) / 4)

    async def taken_up() -> tuple[dict[str, str], str]:
        async with place.memory("state", AGENT) as memory:
            state = await memory.call(
                "context_compile", query="release: index, ledger", preset="task_state", session="task", entries=8
            )
            lists = {part.name: "\n".join(entry.text for entry in part.entries) for part in state.parts}
            return lists, (await memory.goal_get_active(limit=9)).as_text()

    asyncio.run(lived())
    lists, goals = asyncio.run(taken_up())
    right = {text: text in lists.get(name, "") for name, texts in STATE.items() for text in texts}
    for number in range(4):
        is_listed = f"Goal number {number}" in goals and f"{(number + 1) / 4:.0%}" in goals
        right[f"goal {number}"] = is_listed if number < 3 else f"Goal number {number}" not in goals
    missed = [text for text, held in right.items() if not held]
    how = f"of {len(right)} things that a session left (facts, rules, steps, questions, goals): told in their place"
    return Metric("task-state quality", 1 - len(missed) / len(right), "", how, {"missed": missed})
