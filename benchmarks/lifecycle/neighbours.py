"""Statements beside others: near ones that must stay apart, contradictions, and paraphrases."""

import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from ..figures import Bar, Figure
from .cases import DatedText, Duplicate, Pair, Split, conflicts, duplicates, near_pairs
from .server import Hit, Server, is_current, is_marked

_TAKES_SIDES = ("supersedes", "contradicts", "evidence_of")
"""Relation types that two true and different statements never have."""

LINKING_S = 60.0
"""Time limit of the job that links near duplicates, once all vectors are there."""


def measure_near(server: Server, split: Split, seed: int, count: int) -> Iterator[Figure]:
    """Measure pairs that look alike and are both true: both must stay as they are, and the right one be found."""
    cases = near_pairs(split, seed, count)
    ids = _stored(server, "near", cases)
    server.settle()
    related = _relations(server)
    wrong: list[dict[str, Any]] = []
    kinds: Counter[str] = Counter()
    answered = first = 0
    marked = []
    for case in cases:
        namespace = f"near-{case.group}"
        pair = ids[case.id]
        views = [server.get(namespace, memory_id) for memory_id in pair]
        is_asked = [case.asked == "first", case.asked == "second"]
        faults = [
            _fault(view)
            for view, asked in zip(views, is_asked, strict=True)
            if not (_is_history(case, view) and not asked)
        ]
        faults += [f"{kind} one another" for kind in sorted(related.get(frozenset(pair), ()))]
        faults += ["one memory"] if pair[0] == pair[1] else []
        found = [fault for fault in faults if fault]
        if found:
            kinds[case.kind] += 1
            wrong.append(_miss(case, faults=found))
        hits = server.search(namespace, case.question)
        right = pair[is_asked.index(True)]
        answered += any(hit["id"] == right and is_current(hit) for hit in hits)
        first += bool(hits) and hits[0]["id"] == right
        # Statements about the past are outdated indeed.
        true = {memory_id for memory_id in pair if case.kind != "past" or memory_id == right}
        if any(hit["id"] in true and is_marked(hit) for hit in hits):
            marked.append(_miss(case, question=case.question))
    total = len(cases)
    detail = {"cases": total, "wrong": len(wrong), "by_kind": dict(kinds.most_common()), "misses": wrong}
    yield Figure("near pairs joined or judged", 100 * len(wrong) / total, "%", bar=Bar(at_most=1), detail=detail)
    yield Figure("near pairs: the one asked for is in the top 5", 100 * answered / total, "%")
    yield Figure("near pairs: the one asked for is first", 100 * first / total, "%")
    marks = 100 * len(marked) / total
    yield Figure("near pairs: marked as maybe outdated", marks, "%", bar=Bar(at_most=3), detail={"misses": marked})


def _is_history(case: Pair, view: Hit) -> bool:
    """Return whether it was closed only as history, as is allowed for statements about the past."""
    return case.kind == "past" and bool(view.get("valid_to")) and view.get("status", "active") == "active"


def _fault(view: Hit) -> str:
    if is_current(view) and not view.get("valid_to"):
        return ""
    return f"{view.get('status')}, valid to {view.get('valid_to')}: {view['content']}"


def measure_conflicts(server: Server, split: Split, seed: int, count: int) -> Iterator[Figure]:
    """Measure contradictions that nothing settles: both must be contested, labelled in the answer, and rank lower."""
    cases = conflicts(split, seed, count)
    ids = _stored(server, "conflict", cases)
    server.settle()
    kinds: Counter[str] = Counter()
    misses = []
    contested = labelled = lowered = 0
    for case in cases:
        namespace = f"conflict-{case.group}"
        status = [server.get(namespace, memory_id).get("status") for memory_id in ids[case.id]]
        if status != ["contested", "contested"]:
            kinds[case.kind] += 1
            misses.append(_miss(case, status=status))
            continue
        contested += 1
        hits = [hit for hit in server.search(namespace, case.question) if hit["id"] in ids[case.id]]
        labelled += len(hits) == 2 and all(hit.get("status") == "contested" for hit in hits)
        lowered += len(hits) == 2 and all(_is_lowered(hit) for hit in hits)
    detail = {"cases": len(cases), "missed_by_kind": dict(kinds.most_common()), "misses": misses}
    yield Figure("contradictions contested", 100 * contested / len(cases), "%", detail=detail)
    shown = max(1, contested)
    yield Figure("contested: both in the answer, labelled", 100 * labelled / shown, "%", bar=Bar(at_least=100))
    yield Figure("contested: ranked lower for it", 100 * lowered / shown, "%", bar=Bar(at_least=100))


def measure_duplicates(server: Server, split: Split, seed: int, count: int) -> Iterator[Figure]:
    """Measure duplicates: the same text is one memory; a paraphrase is linked to it as evidence."""
    cases = duplicates(split, seed, count)
    ids: dict[str, tuple[str, str]] = {}
    same = 0
    for case in cases:
        namespace = f"duplicate-{case.group}"
        first, again, second = (
            str(server.call("memory_store", namespace, content=text)["id"])
            for text in (case.first, case.first, case.second)
        )
        same += first == again
        ids[case.id] = first, second
    server.settle()
    linked = _wait_for_links(server, cases, ids)
    misses = [[case.first, case.second] for case in cases if case.id not in linked]
    total = len(cases)
    yield Figure("the same text twice is one memory", 100 * same / total, "%", bar=Bar(at_least=100))
    detail = {"cases": total, "misses": misses}
    yield Figure("paraphrases linked as evidence", 100 * len(linked) / total, "%", detail=detail)


def _is_lowered(hit: Hit) -> bool:
    """Return whether a hit's score was lowered for being contested."""
    return any(part < 0 and ("contested" in name or "status" in name) for name, part in hit["parts"].items())


def _wait_for_links(server: Server, cases: Sequence[Duplicate], ids: dict[str, tuple[str, str]]) -> set[str]:
    """Return the cases whose two memories are linked; waits until all are, or until LINKING_S is over."""
    give_up_at = time.monotonic() + LINKING_S
    while True:
        related = _relations(server)
        linked = {case.id for case in cases if "evidence_of" in related.get(frozenset(ids[case.id]), ())}
        if len(linked) == len(cases) or time.monotonic() > give_up_at:
            return linked
        time.sleep(1.0)


def _stored(server: Server, name: str, cases: Sequence[Pair]) -> dict[str, tuple[str, str]]:
    ids = {}
    for case in cases:
        both: tuple[DatedText, DatedText] = (case.first, case.second)
        first, second = (str(server.store(f"{name}-{case.group}", one)["id"]) for one in both)
        ids[case.id] = first, second
    return ids


def _relations(server: Server) -> dict[frozenset[str], set[str]]:
    """Return the relations between any two memories that take sides; empty on a store without relations."""
    with closing(sqlite3.connect(server.home.database, timeout=10)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'relations'").fetchone():
            return {}
        rows = connection.execute("SELECT from_id, to_id, type FROM relations").fetchall()
    found: dict[frozenset[str], set[str]] = {}
    for one, other, kind in rows:
        if kind in _TAKES_SIDES:
            found.setdefault(frozenset((one, other)), set()).add(kind)
    return found


def _miss(case: Pair, **more: Any) -> dict[str, Any]:
    return {
        "id": case.id,
        "kind": case.kind,
        "first": f"{case.first.at:%Y-%m-%d} {case.first.text}",
        "second": f"{case.second.at:%Y-%m-%d} {case.second.text}",
        **more,
    }
