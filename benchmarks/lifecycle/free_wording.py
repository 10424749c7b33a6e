"""Updates told as people and agents tell them: pairs that writers thought up one by one, each with its own question.

A line of `told/*.jsonl` is an `update` (`old`, `new`, `question`), a `near` pair of which both hold, or a `note` of the
same life or project. The writers had seen nothing of this project, and nothing is trained with their texts; rules were
fixed after every second update of three of them.
"""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ..figures import Bar, Figure
from .cases import DatedText
from .server import Hit, Server, is_current, is_marked

FOLDER = Path(__file__).with_name("told")
BEFORE, AFTER, UPDATE = (datetime(2026, month, day, tzinfo=UTC) for month, day in ((2, 1), (4, 20), (6, 1)))
BESIDE = 12
"""Notes that are stored with each update, half of them before it."""
OF_ONE_SUBJECT = ("templates",)
"""Writers who state one property of one subject more than once, so that their statements do not all hold together."""


@dataclass(frozen=True)
class Writer:
    """The texts of one writer."""

    name: str
    updates: Sequence[dict[str, str]]
    near: Sequence[dict[str, str]]
    notes: Sequence[str]

    @property
    def holding(self) -> list[str]:
        """All texts that hold once everything has been told."""
        pairs = [text for pair in self.near for text in (pair["old"], pair["new"])]
        return [*(one["new"] for one in self.updates), *pairs, *self.notes]


def writers(folder: Path = FOLDER) -> list[Writer]:
    """Return the texts of every writer, by name."""
    found = []
    for path in sorted(folder.glob("*.jsonl")):
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        of = {kind: [line for line in lines if line["kind"] == kind] for kind in ("update", "near", "note")}
        found.append(Writer(path.stem, of["update"], of["near"], [note["text"] for note in of["note"]]))
    return found


def measure(server: Server, seed: int, count: int) -> Iterator[Figure]:
    """Measure `count` updates of each writer, each in its own store with a dozen notes.

    Then store all texts that hold in one store, where nothing is outdated.
    """
    chance = random.Random(seed)
    several = writers()
    cases = [(of, f"{of.name}-{place}", one) for of in several for place, one in enumerate(of.updates[:count])]
    ids: dict[str, list[str]] = {}
    pairs = [(f"{of.name}-near-{place}", one) for of in several for place, one in enumerate(of.near[:count])]
    notes = {namespace: chance.sample(of.notes, BESIDE) for of, namespace, _ in cases}
    both = [*((namespace, one) for _, namespace, one in cases), *pairs]
    for half, which, since, moment in ((0, "old", BEFORE, BEFORE), (1, "new", AFTER, UPDATE)):
        for namespace, one in both:
            for note in notes.get(namespace, [])[half::2]:
                _stored(server, namespace, note, since, chance)
            ids.setdefault(namespace, []).append(_stored(server, namespace, one[which], moment, chance))
        server.settle()
    yield from _answers(server, [(namespace, one) for _, namespace, one in cases], ids)
    judged = [one for namespace, one in pairs if _is_judged(server, namespace, ids[namespace])]
    detail: dict[str, Any] = {"cases": len(pairs), "misses": judged}
    share = 100 * len(judged) / max(1, len(pairs))
    yield Figure("told: near pairs joined or judged", share, "%", bar=Bar(at_most=1), detail=detail)
    yield from _in_one_store(server, several, count, chance)


def _answers(
    server: Server, cases: Sequence[tuple[str, dict[str, str]]], ids: dict[str, list[str]]
) -> Iterator[Figure]:
    stale, first, marked, ended, other = [], 0, 0, 0, 0
    misses = []
    for namespace, one in cases:
        old, new = ids[namespace]
        hits = server.search(namespace, one["question"])
        by_id = {hit["id"]: hit for hit in hits}
        is_right = old in by_id and by_id[old].get("maybe_outdated_by") == new
        is_stale = old in by_id and is_current(by_id[old]) and not is_right
        is_first = bool(hits) and hits[0]["id"] == new
        marked += is_right
        ended += not is_current(server.get(namespace, old))
        other += any(is_marked(hit) and (hit["id"], hit.get("maybe_outdated_by")) != (old, new) for hit in hits)
        first += is_first
        if is_stale:
            stale.append(namespace)
        if is_stale or not is_first:
            misses.append({**one, "stale": is_stale, "first": is_first})
    total = max(1, len(cases))
    detail = {"cases": len(cases), "misses": misses}
    yield Figure("told: stale fact in the top 5, unmarked", len(stale), "", bar=Bar(at_most=0), detail=detail)
    yield Figure("told: stale fact in the top 5, marked as maybe outdated", marked, "")
    yield Figure("told: stale fact ended", ended, "")
    yield Figure("told: answers that mark another memory", 100 * other / total, "%")
    yield Figure("told: the new fact first", 100 * first / total, "%", bar=Bar(at_least=98))


def _in_one_store(server: Server, several: Sequence[Writer], count: int, chance: random.Random) -> Iterator[Figure]:
    questions = first = 0
    marked, judged = [], []
    for of in [one for one in several if one.name not in OF_ONE_SUBJECT]:
        namespace = f"{of.name}-all"
        texts = of.holding
        chance.shuffle(texts)
        ids = {text: _stored(server, namespace, text, BEFORE, chance, hours=2_000) for text in texts}
        server.settle()
        for one in of.updates[:count]:
            hits = server.search(namespace, one["question"])
            questions += 1
            first += bool(hits) and hits[0]["id"] == ids[one["new"]]
            marked += [{"question": one["question"], "marked": _named(hit, hits)} for hit in hits if is_marked(hit)]
        judged += [text for text, one in ids.items() if not is_current(server.get(namespace, one))]
    asked = {mark["question"] for mark in marked}
    total = max(1, questions)
    detail = {"questions": questions, "marks": marked, "judged": judged}
    yield Figure("told: answers with a mark where all holds", 100 * len(asked) / total, "%", detail=detail)
    yield Figure("told: ended or contested where all holds", len(judged), "")
    yield Figure("told: the fact first where all holds", 100 * first / total, "%")


def _named(hit: Hit, hits: Sequence[Hit]) -> tuple[str, str]:
    by = next((other["content"] for other in hits if other["id"] == hit.get("maybe_outdated_by")), "")
    return hit["content"], by


def _is_judged(server: Server, namespace: str, pair: Sequence[str]) -> bool:
    return pair[0] == pair[1] or not all(is_current(server.get(namespace, one)) for one in pair)


def _stored(
    server: Server, namespace: str, text: str, since: datetime, chance: random.Random, *, hours: int = 400
) -> str:
    moment = since + timedelta(hours=chance.randint(0, hours))
    return str(server.store(namespace, DatedText(text, moment))["id"])
