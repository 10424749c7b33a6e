"""Questions of memory_store: whether its answer names the older statement that the new one replaces, and nothing else;
and what searches return once an agent, who knows what is true, has answered it."""

import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from ..figures import Bar, Figure
from ..wire import Refused
from .cases import DatedText, Split, Update, near_pairs, updates
from .server import Hit, Server, is_current, is_marked
from .surroundings import distractors


def measure(
    server: Server, split: Split, seed: int, count: int, near: int, beside: int, groups: int
) -> Iterator[Figure]:
    """Measure, for stored updates and near pairs, what the answers name, and what that costs."""
    chance = random.Random(f"asking {seed}")
    cases = [case for case in updates(split, seed, count, groups) if not case.backfilled]
    pairs = near_pairs(split, seed, near)
    notes = [(f"updates-{group}", text) for group in range(groups) for text in distractors(chance, beside)]
    first = {case.id: (f"updates-{case.group}", case.old) for case in cases}
    first |= {pair.id: (f"near-{pair.group}", pair.first) for pair in pairs}
    second = {case.id: (f"updates-{case.group}", case.new) for case in cases}
    second |= {pair.id: (f"near-{pair.group}", pair.second) for pair in pairs}
    chance.shuffle(notes)
    ids = {name: str(answer["id"]) for name, answer in _stored(server, first, notes[::2], chance) if name}
    answers = list(_stored(server, second, notes[1::2], chance))
    of = {name: answer for name, answer in answers if name}
    note_answers = [answer for name, answer in answers if not name]
    left = [case for case in cases if ids[case.id] not in of[case.id].get("superseded", ())]
    missed = [case for case in left if ids[case.id] not in _named(of[case.id])]
    detail: dict[str, Any] = {
        "cases": len(cases),
        "not_ended": len(left),
        "misses": [[case.old.text, case.new.text] for case in missed],
    }
    share = 100 * (1 - len(missed) / max(1, len(left)))
    yield Figure("updates that no rule ended: the older one is named", share, "%", detail=detail)
    more = sum(bool(set(_named(of[case.id])) - {ids[case.id]}) for case in cases)
    yield Figure("updates: another memory is named", 100 * more / len(cases), "%")
    needless = [pair for pair in pairs if ids[pair.id] in _named(of[pair.id])]
    misses = {"misses": [[pair.first.text, pair.second.text] for pair in needless]}
    yield Figure("near pairs asked about needlessly", 100 * len(needless) / len(pairs), "%", detail=misses)
    asked = sum(bool(_named(answer)) for answer in note_answers)
    yield Figure("other notes asked about needlessly", 100 * asked / max(1, len(note_answers)), "%")
    sizes = [len(answer["may_replace"]) for answer in of.values() if _named(answer)]
    yield Figure("memories named in an answer that asks", sum(sizes) / max(1, len(sizes)), "")
    yield from _answered(server, cases, ids, of)


def _answered(
    server: Server, cases: Sequence[Update], ids: Mapping[str, str], of: Mapping[str, Hit]
) -> Iterator[Figure]:
    """Confirm each replacement that was asked about, and ask every case's question."""
    refused = 0
    for case in cases:
        if ids[case.id] in _named(of[case.id]):
            replaced = {"verdict": "supersede", "by": str(of[case.id]["id"])}
            try:
                server.call("memory_feedback", f"updates-{case.group}", memory_id=ids[case.id], **replaced)
            except Refused:  # the new one was itself ended meanwhile, wrongly
                refused += 1
    found = {case.id: server.search(f"updates-{case.group}", case.question) for case in cases}
    stale = sum(
        any(hit["id"] == ids[case.id] and is_current(hit) and not is_marked(hit) for hit in found[case.id])
        for case in cases
    )
    first = sum(bool(hits) and hits[0]["id"] == str(of[name]["id"]) for name, hits in found.items())
    detail = {"cases": len(cases), "answers_refused": refused}
    yield Figure("asked and answered: stale fact in the top 5, unmarked", stale, "", bar=Bar(at_most=0), detail=detail)
    share = 100 * first / max(1, len(cases))
    yield Figure("asked and answered: the new fact first", share, "%", bar=Bar(at_least=98))


def _stored(
    server: Server, statements: dict[str, tuple[str, DatedText]], notes: list[tuple[str, str]], chance: random.Random
) -> Iterator[tuple[str, Hit]]:
    """Store statements and notes in a random order, yield the answers, and wait for all vectors."""
    moments = [
        datetime.fromisoformat("2025-01-01T00:00:00+00:00") + timedelta(hours=chance.randint(0, 8000)) for _ in notes
    ]
    turns = [(name, namespace, one) for name, (namespace, one) in statements.items()]
    turns += [("", namespace, DatedText(text, at)) for (namespace, text), at in zip(notes, moments, strict=True)]
    chance.shuffle(turns)
    for name, namespace, one in turns:
        yield name, server.store(namespace, one)
    server.settle()


def _named(answer: Hit) -> list[str]:
    return [one["id"] for one in answer.get("may_replace", ())]
