"""Realistic stores: what is told in one life, project or team over months, all of it about the same subjects.

Every fact of a world (`scenes.py`) is told as it was; for half of them a replacement follows later, for a third a
statement that sounds alike and leaves them true. Each fact has its question. So most hits are unchanged, and the
statements beside a fact are much like what would replace it.
"""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ..figures import Bar, Figure
from .cases import DatedText
from .scenes import WORLDS, Scene, scenes
from .server import Hit, Server, is_current, is_marked

UPDATED, BESIDE = 0.5, 0.35
"""Shares of facts for which a replacement follows, and a statement that leaves them true."""
FIRST_DAY = datetime(2025, 9, 1, tzinfo=UTC)
BEFORE, AFTER = (0, 3_000), (3_001, 7_000)
"""Hours after FIRST_DAY in which facts are told, and later statements."""


@dataclass(frozen=True)
class FactStatement:
    """A statement about a fact, which is a `place` in its world: the `older` one, a replacement, or neither."""

    namespace: str
    place: int
    which: str
    text: str
    at: datetime


@dataclass(frozen=True)
class Asked:
    """The question for a fact."""

    namespace: str
    place: int
    question: str


def statements_in(
    folder: Path, chance: random.Random, at_most: int | None = None
) -> tuple[list[FactStatement], list[Asked]]:
    """Return all statements, in order of time, and every question; another `chance` gives other wordings.

    A world is one namespace, or several of at most `at_most` facts each.
    """
    statements: list[FactStatement] = []
    asked: list[Asked] = []
    for path, own in zip(sorted(folder.glob("*.jsonl")), scenes(folder), strict=True):
        for place, scene in enumerate(own):
            part = f"-{place // at_most}" if at_most else ""
            namespace = f"{path.stem}-{scene.world}{part}".replace(" ", "-")
            statements += (FactStatement(namespace, place, *each) for each in _statements_of(scene, chance))
            asked.append(Asked(namespace, place, scene.asks[0]))
    return sorted(statements, key=lambda one: one.at), asked


def _statements_of(scene: Scene, chance: random.Random) -> Iterator[tuple[str, str, datetime]]:
    yield "older", chance.choice(scene.older), FIRST_DAY + timedelta(hours=chance.randint(*BEFORE))
    for which, texts, share in (("newer", scene.newer, UPDATED), ("beside", scene.beside, BESIDE)):
        if chance.random() < share:
            yield which, chance.choice(texts), FIRST_DAY + timedelta(hours=chance.randint(*AFTER))


def measure(server: Server, seed: int, count: int) -> Iterator[Figure]:
    """Measure at most `count` questions to the worlds of writers to whom nothing was fitted."""
    statements, asked = statements_in(WORLDS, random.Random(f"worlds {seed}"))
    ids = {
        (one.namespace, one.place, one.which): str(server.store(one.namespace, DatedText(one.text, one.at))["id"])
        for one in statements
    }
    server.settle()
    stale, misses = [], []
    found: dict[str, int] = dict.fromkeys(("updated", "first", "marked", "ended", "kept", "kept first", "needless"), 0)
    for one in asked[:: math.ceil(len(asked) / count)]:
        older, newer = (ids.get((one.namespace, one.place, which)) for which in ("older", "newer"))
        hits = server.search(one.namespace, one.question)
        by_id = {hit["id"]: hit for hit in hits}
        is_right = newer is not None and older in by_id and by_id[older].get("maybe_outdated_by") == newer
        is_stale = newer is not None and older in by_id and is_current(by_id[older]) and not is_right
        is_first = bool(hits) and hits[0]["id"] == (newer or older)
        needless = [hit for hit in hits if is_marked(hit) and not _replaces(ids, hit)]
        found["updated" if newer else "kept"] += 1
        found["first" if newer else "kept first"] += is_first
        found["marked"] += is_right
        found["ended"] += newer is not None and not is_current(server.get(one.namespace, str(older)))
        found["needless"] += bool(needless)
        if is_stale:
            stale.append(one.question)
        if is_stale or needless or not is_first:
            misses.append({"asked": one.question, "stale": is_stale, "first": is_first, "hits": _shown(hits)})
    yield from _figures(found, stale, misses)


def _figures(found: dict[str, int], stale: Sequence[str], misses: Sequence[dict[str, Any]]) -> Iterator[Figure]:
    updated, unchanged = max(1, found["updated"]), max(1, found["kept"])
    detail = {"cases": found["updated"], "misses": misses}
    yield Figure("worlds: stale fact in the top 5, unmarked", len(stale), "", bar=Bar(at_most=0), detail=detail)
    yield Figure("worlds: stale fact in the top 5, marked as maybe outdated", found["marked"], "")
    yield Figure("worlds: stale fact ended", found["ended"], "")
    yield Figure("worlds: the new fact first", 100 * found["first"] / updated, "%", bar=Bar(at_least=98))
    yield Figure("worlds: the fact first where it still holds", 100 * found["kept first"] / unchanged, "%")
    yield Figure("worlds: answers with a needless mark", 100 * found["needless"] / (updated + unchanged), "%")


def _replaces(ids: dict[tuple[str, int, str], str], hit: Hit) -> bool:
    """Return whether the memory that marks a hit has really replaced it."""
    by_name = {memory_id: key for key, memory_id in ids.items()}
    older, newer = by_name.get(hit["id"]), by_name.get(hit.get("maybe_outdated_by", ""))
    return older is not None and newer == (*older[:2], "newer") and older[2] == "older"


def _shown(hits: Sequence[Hit]) -> list[str]:
    return [f"{hit['content']}{' (marked)' if is_marked(hit) else ''}" for hit in hits]
