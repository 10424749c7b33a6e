"""Updates: whether the stale fact is gone, the past is still answered, and undo restores it as it was."""

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ..figures import Bar, Figure
from ..wire import Refused
from .cases import DatedText, Split, Update, updates
from .server import Hit, Server, is_current, is_marked
from .surroundings import distractors

_READ_BY_USE = frozenset({"last_accessed", "access_count", "strength", "age"})
"""Fields that reading a memory changes."""

TRUST_SOURCES = ("web: https://example.org/profile", "import", "email from a stranger", "document: handbook.pdf")


@dataclass
class _Stored:
    """A stored update: the ids of both statements, and the earlier one as it was before the later one came."""

    case: Update
    namespace: str
    slot_given: bool
    old: str = ""
    new: str = ""
    before: str | None = None
    is_superseded: bool = False


def measure(server: Server, split: Split, seed: int, count: int, beside: int, groups: int) -> Iterator[Figure]:
    """Measure updates that the rules must find themselves, amid `beside` other memories in each store."""
    stored = [_Stored(case, f"updates-{case.group}", slot_given=False) for case in updates(split, seed, count, groups)]
    yield from _measured(server, stored, seed, beside, "")


def measure_given(server: Server, split: Split, seed: int, count: int, beside: int) -> Iterator[Figure]:
    """Measure updates for which the caller gives the slot: subject, attribute and value."""
    cases = updates(split, seed + 1, count, groups=2)
    stored = [_Stored(case, f"given-{case.group}", slot_given=True) for case in cases]
    yield from _measured(server, stored, seed, beside, "slot given: ")


def _measured(server: Server, stored: list[_Stored], seed: int, beside: int, name: str) -> Iterator[Figure]:
    _fill(server, stored, seed, beside)
    yield from _answers(server, stored, name)
    yield from _as_of(server, stored, name)
    yield from _undo(server, stored, name)


def _fill(server: Server, stored: list[_Stored], seed: int, beside: int) -> None:
    """Store the first statements, settle, then store the second ones; `beside` others come in between."""
    chance = random.Random(f"order {seed}")
    namespaces = sorted({one.namespace for one in stored})
    notes = [(namespace, text) for namespace in namespaces for text in distractors(chance, beside)]
    chance.shuffle(notes)
    for is_second in (False, True):
        share = notes[is_second::2]
        turns: list[_Stored | tuple[str, str]] = [*stored, *share]
        chance.shuffle(turns)
        for turn in turns:
            if isinstance(turn, _Stored):
                _store(server, turn, is_second)
            else:
                moment = datetime.fromisoformat("2025-01-01T00:00:00+00:00") + timedelta(hours=chance.randint(0, 8000))
                server.store(turn[0], DatedText(turn[1], moment))
        server.settle()
    for one in stored:
        after = server.get(one.namespace, one.old)
        by_another = after.get("superseded_by") not in (None, one.new)
        one.is_superseded = not is_current(after) and not by_another


def _store(server: Server, one: _Stored, is_second: bool) -> None:
    stores_old = is_second == one.case.backfilled
    if not stores_old and not one.case.backfilled:
        one.before = _canonical(server.get(one.namespace, one.old))
    case = one.case
    statement, value = (case.old, case.old_value) if stores_old else (case.new, case.value)
    slot = {"subject": case.subject, "attribute": case.attribute, "value": value} if one.slot_given else {}
    memory_id = str(server.store(one.namespace, statement, **slot)["id"])
    if stores_old:
        one.old = memory_id
    else:
        one.new = memory_id


def _canonical(memory: Hit) -> str:
    return json.dumps({name: value for name, value in memory.items() if name not in _READ_BY_USE}, sort_keys=True)


def _answers(server: Server, stored: Sequence[_Stored], name: str) -> Iterator[Figure]:
    stale, first, recalled, marked, wrongly = [], 0, 0, 0, 0
    kinds: Counter[str] = Counter()
    misses = []
    for one in stored:
        hits = server.search(one.namespace, one.case.question)
        found = {hit["id"]: place for place, hit in enumerate(hits)}
        is_stale = any(hit["id"] == one.old and is_current(hit) and not is_marked(hit) for hit in hits)
        marked += any(hit["id"] == one.old and is_current(hit) and is_marked(hit) for hit in hits)
        wrongly += any(hit["id"] != one.old and is_marked(hit) for hit in hits)
        is_first = found.get(one.new) == 0
        first += is_first
        recalled += one.new in found
        if is_stale:
            stale.append(one.case.id)
        if is_stale or not is_first:
            kinds[one.case.attribute] += 1
            misses.append(
                _miss(one.case, stale=is_stale, place_of_new=found.get(one.new), superseded=one.is_superseded)
            )
    total = len(stored)
    unread = [one.case.id for one in stored if not one.is_superseded]
    detail = {"cases": total, "by_attribute": dict(kinds.most_common()), "misses": misses}
    ended = total - len(unread)
    yield Figure(f"{name}stale fact in the top 5, unmarked", len(stale), "", bar=Bar(at_most=0), detail=detail)
    yield Figure(f"{name}stale fact in the top 5, marked as maybe outdated", marked, "")
    yield Figure(f"{name}stale fact ended", ended, "")
    yield Figure(f"{name}answers that mark another memory", 100 * wrongly / total, "%")
    yield Figure(f"{name}the new fact first", 100 * first / total, "%", bar=Bar(at_least=98))
    yield Figure(f"{name}the new fact in the top 5", 100 * recalled / total, "%")
    found_share = 100 * ended / total
    yield Figure(f"{name}updates found, of all", found_share, "%", detail={"not_found": unread})


def _miss(case: Update, **more: Any) -> dict[str, Any]:
    return {
        "id": case.id,
        "attribute": case.attribute,
        "old": f"{case.old.at:%Y-%m-%d} {case.old.text}",
        "new": f"{case.new.at:%Y-%m-%d} {case.new.text}",
        "question": case.question,
        "backfilled": case.backfilled,
        **more,
    }


def _as_of(server: Server, stored: Sequence[_Stored], name: str) -> Iterator[Figure]:
    """Measure, for every update that was found, searches as of then, as of later, and over all times."""
    known = [one for one in stored if one.is_superseded]
    right: Counter[str] = Counter()
    misses = []
    for one in known:
        case = one.case
        between = case.old.at + (case.new.at - case.old.at) / 2
        then = _found(server, one, as_of=between.isoformat())
        later = _found(server, one, as_of=(case.new.at + timedelta(days=10)).isoformat())
        whenever = _found(server, one, include_superseded=True)
        is_right = then == {one.old} and later == {one.new}
        right.update(as_of=is_right, both=whenever == {one.old, one.new})
        if not is_right or len(whenever) < 2:
            found = {"then": then, "later": later, "whenever": whenever}
            names = {one.old: "old", one.new: "new"}
            misses.append(_miss(case, **{when: sorted(names[each] for each in ids) for when, ids in found.items()}))
    total = max(1, len(known))
    detail = {"cases": len(known), "misses": misses}
    share = 100 * right["as_of"] / total
    yield Figure(f"{name}as of then and later, of those found", share, "%", bar=Bar(at_least=100), detail=detail)
    both = 100 * right["both"] / total
    yield Figure(f"{name}include_superseded: both in the top 5", both, "%", bar=Bar(at_least=100))


def _found(server: Server, one: _Stored, **asked: Any) -> set[str]:
    """Return which of the two statements are among a search's first five."""
    hits = server.search(one.namespace, one.case.question, **asked)
    return {hit["id"] for hit in hits} & {one.old, one.new}


def _undo(server: Server, stored: Sequence[_Stored], name: str) -> Iterator[Figure]:
    """Undo each update that the rules found: the earlier statement must be as it was, and be found."""
    cases = [one for one in stored if one.is_superseded and one.before is not None]
    identical, answered = 0, 0
    misses = []
    for one in cases:
        try:
            server.call("memory_revert", one.namespace, memory_id=one.new)
        except Refused as refusal:
            misses.append(_miss(one.case, refused=str(refusal)))
            continue
        after = _canonical(server.get(one.namespace, one.old))
        hits = server.search(one.namespace, one.case.question)
        is_answered = any(hit["id"] == one.old and is_current(hit) for hit in hits)
        answered += is_answered
        identical += after == one.before
        if after != one.before or not is_answered:
            misses.append(_miss(one.case, answered=is_answered, before=one.before, after=after))
    total = max(1, len(cases))
    detail = {"cases": len(cases), "misses": misses}
    yield Figure(
        f"{name}undone: as it was, byte for byte", 100 * identical / total, "%", bar=Bar(at_least=100), detail=detail
    )
    yield Figure(f"{name}undone: answered again", 100 * answered / total, "%", bar=Bar(at_least=100))


def measure_low_trust(server: Server, split: Split, seed: int, count: int) -> Iterator[Figure]:
    """Measure known facts followed by another value from a source of low trust, or from an unsure caller.

    For every second case the caller gives the slot; the others are left to the rules.
    """
    chance = random.Random(f"trust {seed}")
    cases = updates(split, seed + 2, count, groups=8)
    slots: list[dict[str, Any]] = [{"subject": case.subject, "attribute": case.attribute} for case in cases]
    slots[::2] = [{} for _ in slots[::2]]
    known: dict[str, str] = {}
    for case, slot in zip(cases, slots, strict=True):
        given = {**slot, "value": case.old_value} if slot else {}
        known[case.id] = str(server.store(f"trust-{case.group}", case.old, **given)["id"])
    for case, slot in zip(cases, slots, strict=True):
        given = {**slot, "value": case.value} if slot else {}
        doubt = {"source": chance.choice(TRUST_SOURCES)} if chance.random() < 0.5 else {"confidence": 0.3}
        server.store(f"trust-{case.group}", case.new, **given, **doubt)
    closed, contested = [], Counter[str]()
    for case in cases:
        memory = server.get(f"trust-{case.group}", known[case.id])
        if memory.get("valid_to") or memory.get("superseded_by") or memory.get("status") in ("archived", "forgotten"):
            closed.append(_miss(case, standing={name: memory.get(name) for name in ("status", "valid_to")}))
        contested[f"trust-{case.group}"] += memory.get("status") == "contested"
    detail: dict[str, Any] = {"cases": len(cases), "misses": closed}
    yield Figure("closed by a source of low trust", len(closed), "", bar=Bar(at_most=0), detail=detail)
    yield Figure("of low trust, met and contested", 100 * sum(contested.values()) / len(cases), "%")
    asked = {namespace: server.call("approval_list", namespace, limit=200)["total"] for namespace in contested}
    wrong = sum(abs(asked[namespace] - contested[namespace]) for namespace in contested)
    detail = {"contested": dict(contested), "requests": asked}
    yield Figure("requests to decide beside one for each contest", wrong, "", bar=Bar(at_most=0), detail=detail)
