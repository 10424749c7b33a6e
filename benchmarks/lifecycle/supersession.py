"""Parallel pairs and updates in one store and one table: keeping facts current must not harm the notes beside them.

All older statements are stored, then all later ones. The query for a parallel pair names one of the two; an update has
its question. `seen` are the pairs that weights were fitted or thresholds chosen with.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from ..figures import Bar, Figure
from ..wire import Refused
from .cases import DatedText
from .server import Hit, Server, is_current, marked_by, named_in
from .supersession_cases import ParallelPair, Updated, parallel_pairs, updated

BEFORE, AFTER = datetime(2026, 1, 12, tzinfo=UTC), datetime(2026, 5, 4, tzinfo=UTC)
HOURS = 1_500
"""Hours after BEFORE and AFTER within which statements are made."""
GROUPS = ("English", "other languages")
FIRST_OF = "as without supersession"


@dataclass(frozen=True)
class Stored:
    """The answers to stores, by text."""

    answers: Mapping[str, Hit]

    def id(self, text: str) -> str:
        """Return the id of the memory stored with this text."""
        return str(self.answers[text]["id"])

    def named(self, newer: str) -> list[str]:
        """Return the ids that the answer to a store named."""
        return named_in(self.answers[newer])


def measure(server: Server, seed: int, step: int, *, with_seen: bool) -> Iterator[Figure]:
    """Measure one in `step` pairs and updates of the test split, and `with_seen` of the others too."""
    for group in GROUPS:
        for name, splits in (("test", ("test",)), ("kept", ("kept",)), ("seen", ("train", "validation"))):
            if name == "seen" and not with_seen:
                continue
            if name == "kept" and group == "English":
                continue
            pairs = [pair for split in splits for pair in parallel_pairs(split) if _group(pair) == group]
            updates = [one for split in splits for one in updated(split) if _group(one) == group]
            namespace = f"{name}-{group}".replace(" ", "-")
            yield from _measured(server, f"{name}, {group}", namespace, pairs[::step], updates[::step], seed)


def _group(one: ParallelPair | Updated) -> str:
    return GROUPS[one.language != "en"]


def _measured(
    server: Server,
    name: str,
    namespace: str,
    pairs: Sequence[ParallelPair],
    updates: Sequence[Updated],
    seed: int,
) -> Iterator[Figure]:
    chance = random.Random(f"supersession {seed}")
    answers: dict[str, Hit] = {}
    newer = [one.newer for one in (*pairs, *updates)] + [one.note for one in updates]
    for texts, since in (([one.older for one in (*pairs, *updates)], BEFORE), (newer, AFTER)):
        chance.shuffle(texts)
        for text in texts:
            answers[text] = server.store(namespace, DatedText(text, since + timedelta(hours=chance.randint(0, HOURS))))
        server.settle()
    stored = Stored(answers)
    yield from _of_pairs(server, name, namespace, pairs, stored)
    yield from _of_updates(server, name, namespace, updates, stored)
    yield from _once_answered(server, name, namespace, updates, stored)


def _of_pairs(
    server: Server, name: str, namespace: str, pairs: Sequence[ParallelPair], stored: Stored
) -> Iterator[Figure]:
    plainly_first = 0
    first: list[bool] = []
    labelled, ended, misses = [], [], []
    for pair in pairs:
        both = {stored.id(pair.older), stored.id(pair.newer)}
        right = stored.id(pair.older if pair.right == "older" else pair.newer)
        hits = server.search(namespace, pair.query)
        without = server.search(namespace, pair.query, include_superseded=True)
        first.append(_is_first(hits, right))
        plainly_first += _is_first(without, right)
        memories = [server.get(namespace, one) for one in both]
        shown = [hit for hit in hits if hit["id"] in both]
        if any(marked_by(each) for each in (*memories, *shown)):
            labelled.append([pair.older, pair.newer])
        if not all(is_current(each) for each in memories):
            ended.append([pair.older, pair.newer])
        if _is_first(without, right) and not _is_first(hits, right):
            misses.append([pair.query, pair.older, pair.newer])
    total = len(pairs)
    detail = {"pairs": total, "lost": misses, "by_language": _by_language(pairs, first)}
    reference = _percent(plainly_first, total)
    value = _percent(sum(first), total)
    bar = Bar(at_least=reference)
    yield Figure(f"parallel, {name}: the right one first", value, "%", reference, FIRST_OF, bar, detail)
    share = _percent(len(labelled), total)
    by_language = _by_language(pairs, [[pair.older, pair.newer] in labelled for pair in pairs])
    detail = {"pairs": total, "misses": labelled, "by_language": by_language}
    yield Figure(f"parallel, {name}: labelled outdated", share, "%", bar=Bar(at_most=3), detail=detail)
    yield Figure(f"parallel, {name}: ended or contested", len(ended), "", bar=Bar(at_most=0), detail={"misses": ended})
    asked = sum(stored.id(pair.older) in stored.named(pair.newer) for pair in pairs)
    yield Figure(f"parallel, {name}: asked about", _percent(asked, total), "%", bar=Bar(at_most=12))


def _of_updates(
    server: Server, name: str, namespace: str, updates: Sequence[Updated], stored: Stored
) -> Iterator[Figure]:
    first, stale = 0, []
    named, unnoticed = [], []
    for one in updates:
        older, newer = stored.id(one.older), stored.id(one.newer)
        hits = server.search(namespace, one.query)
        is_named = older in stored.named(one.newer)
        memory = server.get(namespace, older)
        shown = [hit for hit in hits if hit["id"] == older]
        is_labelled = any(marked_by(each) == newer for each in (memory, *shown))
        is_ended = not is_current(memory)
        first += _is_first(hits, newer)
        if is_named or is_ended:
            named.append(older)
        if not (is_named or is_labelled or is_ended):
            unnoticed.append([one.older, one.newer])
        if _is_stale(hits, older):
            stale.append([one.query, one.older, one.newer])
    total = len(updates)
    by_language = _by_language(updates, [[one.older, one.newer] not in unnoticed for one in updates])
    detail = {"updates": total, "misses": unnoticed, "by_language": by_language}
    yield Figure(
        f"updates, {name}: ended or named by the store's answer",
        _percent(len(named), total),
        "%",
        bar=Bar(at_least=80),
        detail=detail,
    )
    share = _percent(total - len(unnoticed), total)
    yield Figure(f"updates, {name}: ended, named or labelled", share, "%", bar=Bar(at_least=88), detail=detail)
    yield Figure(f"updates, {name}: the new one first", _percent(first, total), "%")
    yield Figure(f"updates, {name}: stale and unlabelled", _percent(len(stale), total), "%", detail={"misses": stale})
    asked = [[one.note, stored.answers[one.note].get("may_replace")] for one in updates if stored.named(one.note)]
    share = _percent(len(asked), total)
    yield Figure(f"other notes, {name}: asked about", share, "%", bar=Bar(at_most=3), detail={"misses": asked})


def _once_answered(
    server: Server, name: str, namespace: str, updates: Sequence[Updated], stored: Stored
) -> Iterator[Figure]:
    """Confirm each update that was asked about, and ask its question again."""
    refused = 0
    for one in updates:
        older, newer = stored.id(one.older), stored.id(one.newer)
        if older in stored.named(one.newer):
            try:
                server.call("memory_feedback", namespace, memory_id=older, verdict="supersede", by=newer)
            except Refused:  # it was ended meanwhile
                refused += 1
    stale = first = 0
    for one in updates:
        hits = server.search(namespace, one.query)
        first += _is_first(hits, stored.id(one.newer))
        stale += _is_stale(hits, stored.id(one.older))
    detail: dict[str, Any] = {"answers_refused": refused}
    share = _percent(stale, len(updates))
    label = f"updates, {name}, once the agent answered"
    yield Figure(f"{label}: stale and unlabelled", share, "%", bar=Bar(at_most=5), detail=detail)
    yield Figure(f"{label}: the new one first", _percent(first, len(updates)), "%")


def _is_first(hits: Sequence[Hit], memory_id: str) -> bool:
    return bool(hits) and hits[0]["id"] == memory_id


def _is_stale(hits: Sequence[Hit], older: str) -> bool:
    return any(hit["id"] == older and is_current(hit) and not marked_by(hit) for hit in hits)


def _by_language(cases: Sequence[ParallelPair | Updated], held: Sequence[bool]) -> dict[str, str]:
    """Return by language of how many cases something held."""
    found: dict[str, list[bool]] = {}
    for case, did in zip(cases, held, strict=True):
        found.setdefault(case.language, []).append(did)
    return {language: f"{sum(those)} of {len(those)}" for language, those in found.items()}


def _percent(count: int, total: int) -> float:
    return 100 * count / max(1, total)
