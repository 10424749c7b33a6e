"""`python -m benchmarks.ask [development|kept|another]`: shares of sentences borne, answers right, unknowns refused."""

import asyncio
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from agentos import config, model_files
from agentos.library import AgentOS

HERE = Path(__file__).parent
STORES = ("development", "kept", "another")
LEAST = {"borne": 0.98, "answered": 0.8, "refused": 0.9, "asked which": 0.9}


class Case(NamedTuple):
    """A question: what its answer must say, and the memories that it may name."""

    kind: str
    question: str
    wanted: tuple[str, ...]
    keys: frozenset[str]


def read(store: str) -> tuple[list[list[str]], list[Case]]:
    """Return the memories and the questions of a store."""
    rows = [
        line for line in (HERE / f"{store}.txt").read_text(encoding="utf-8").splitlines() if line[:2] in ("m ", "q ")
    ]
    cells = [(row[0], [cell.strip() for cell in row[2:].split("|")]) for row in rows]
    cases = [
        Case(kind, question, tuple(wanted.split(";")), frozenset(keys.split()))
        for letter, each in cells
        if letter == "q"
        for kind, question, wanted, keys in [each]
    ]
    return [each for letter, each in cells if letter == "m"], cases


async def answers(folder: Path, memories: list[list[str]], cases: list[Case]) -> Counter[str]:
    """Ask every question of a home of its own, and count; say what went wrong."""
    model_files.lend_model(config.load(), folder)
    counts: Counter[str] = Counter()
    async with AgentOS(home=folder) as memory:
        ids: dict[str, str] = {}
        contents: dict[str, str] = {}
        for key, day, text, *replaced in memories:
            older = [ids[one] for one in " ".join(replaced).split()]
            stored = await memory.call("memory_store", content=text, occurred_at=day, supersedes=older or None)
            ids[key], contents[stored.id] = stored.id, text
        for case in cases:
            found = await memory.call("memory_ask", question=case.question)
            count(case, found, {ids[key] for key in case.keys}, contents, counts)
    return counts


def count(case: Case, found: Any, allowed: set[str], contents: dict[str, str], counts: Counter[str]) -> None:
    """Count one answer: a sentence is borne if its quotation stands in what it names, and that is about the question.

    What is quoted must be a memory's own words; what is computed must name no memory but those that it is made of.
    """
    text = "\n".join(one.text for one in found.sentences)
    outcome = {"-": "unknown", "?": "which"}.get(case.wanted[0], "answered")
    right = found.outcome == outcome
    if outcome == "answered":
        right = right and all(says(text, one) for one in case.wanted)
        right = right and (case.kind != "count" or text.startswith(f"{case.wanted[0]}:"))
    for one in found.sentences:
        quoted = one.text.partition('"')[2].rpartition('"')[0]
        borne = quoted in "\n".join(contents[each] for each in one.memories)
        counts["sentences"] += 1
        counts["sentences borne"] += borne and bool(one.memories) and set(one.memories) <= allowed
    name = {"answered": "answered", "unknown": "refused", "which": "asked which"}[outcome]
    counts[f"{name} of"] += 1
    counts[name] += right
    counts[f"{case.kind} of"] += 1
    counts[case.kind] += right
    if not right or not {each for one in found.sentences for each in one.memories} <= allowed:
        sys.stdout.write(f"  {case.kind}: {case.question} -> {found.outcome} {text[:200]!r} {found.which}\n")


def says(text: str, wanted: str) -> bool:
    """Return whether an answer says something: the number of a count at its beginning is looked at apart."""
    return wanted.lower() in text.lower()


def main() -> int:
    """Measure the stores that are named, or all; return 1 where a share is below its least."""
    missed = False
    for store in sys.argv[1:] or STORES:
        with tempfile.TemporaryDirectory(prefix="agentos-ask-") as folder:
            counts = asyncio.run(answers(Path(folder), *read(store)))
        shares = {
            "borne": counts["sentences borne"] / counts["sentences"],
            **{name: counts[name] / counts[f"{name} of"] for name in LEAST if name != "borne"},
        }
        missed |= any(shares[name] < least for name, least in LEAST.items())
        kinds = ("single", "list", "count", "change", "unknown", "people")
        said = ", ".join(f"{name} {share:.3f} (at least {LEAST[name]})" for name, share in shares.items())
        each = ", ".join(f"{kind} {counts[kind]}/{counts[f'{kind} of']}" for kind in kinds)
        sys.stdout.write(f"{store}: {said}\n  {each}\n")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
