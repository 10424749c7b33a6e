"""Abstention: questions without an answer get none, and questions with one keep theirs."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from ..figures import Bar, Figure
from ..retrieval import notes
from .cases import DatedText, Split, updates
from .server import Server
from .surroundings import distractors, off_topic

GATE = "AGENTOS_SEARCH_GATE"
DEPTH = 10
_SEEN = datetime(2025, 3, 3, tzinfo=UTC)


@dataclass(frozen=True)
class _Question:
    """A question to a store, and the ids of the memories that answer it."""

    namespace: str
    text: str
    answers: frozenset[str]


def measure(server: Server, split: Split, seed: int, count: int, sizes: tuple[int, ...]) -> Iterator[Figure]:
    """Measure both kinds of questions on stores of several sizes; ends with a server without the gate."""
    questions = [*_notes(server), *_generated(server, split, seed, sizes)]
    server.settle()
    chance = random.Random(f"off topic {seed}")
    stores = sorted({question.namespace for question in questions})
    asked: Counter[str] = Counter()
    empty: Counter[str] = Counter()
    answered = defaultdict(list)
    for kind, text in off_topic(chance, count):
        namespace = chance.choice(stores)
        hits = server.search(namespace, text)
        asked[kind] += 1
        empty[kind] += not hits
        if hits:
            answered[kind].append(f"{namespace}: {text!r} → {hits[0]['content'][:80]!r}")
    share = 100 * sum(empty.values()) / sum(asked.values())
    detail = {"cases": sum(asked.values()), "answered": dict(answered)}
    yield Figure("off-topic and gibberish answered with nothing", share, "%", bar=Bar(at_least=95), detail=detail)
    for kind in sorted(asked):
        yield Figure(f"{kind} answered with nothing", 100 * empty[kind] / asked[kind], "%")
    gated = _recall(server, questions)
    free = server.restarted({**server.settings, GATE: "0"})
    try:
        free.settle()
        ungated = _recall(free, questions)
    finally:
        free.close()
    lost = [text for text, found in gated.items() if found < ungated[text]]
    with_gate, without = (100 * sum(found.values()) / len(found) for found in (gated, ungated))
    yield Figure("answerable recall@10", with_gate, "%", without, "without the gate")
    detail_lost = {"questions": len(questions), "lost": lost}
    yield Figure(
        "points of recall@10 lost to the gate", without - with_gate, "", bar=Bar(at_most=2), detail=detail_lost
    )


def _recall(server: Server, questions: list[_Question]) -> dict[str, float]:
    found = {}
    for question in questions:
        ids = {hit["id"] for hit in server.search(question.namespace, question.text, limit=DEPTH)}
        found[f"{question.namespace}: {question.text}"] = len(ids & question.answers) / len(question.answers)
    return found


def _notes(server: Server) -> Iterator[_Question]:
    """Yield questions to the one-shot notes of the retrieval benchmark, which are stored first."""
    for store in notes.load()["stores"]:
        namespace = f"abstain-{store['name']}"
        ids = {}
        for item in store["items"]:
            given = {"occurred_at": item["occurred_at"]} if item["occurred_at"] else {}
            ids[item["id"]] = str(server.call("memory_store", namespace, content=item["content"], **given)["id"])
        for question in store["questions"]:
            answers = frozenset(ids[name] for name in question["evidence"])
            yield _Question(namespace, question["text"], answers)


def _generated(server: Server, split: Split, seed: int, sizes: tuple[int, ...]) -> Iterator[_Question]:
    """Yield questions to stores of each size: statements with unique attributes, amid notes on other things."""
    for size in sizes:
        chance = random.Random(f"abstention {seed} {size}")
        namespace = f"abstain-{size}"
        cases = updates(split, seed + size, min(100, size // 3), groups=1)
        for text in distractors(chance, size - len(cases)):
            server.store(namespace, DatedText(text, _SEEN))
        for case in cases:
            memory = server.store(namespace, case.new)
            yield _Question(namespace, case.question, frozenset({str(memory["id"])}))
