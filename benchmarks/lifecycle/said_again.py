"""One fact in many wordings takes one place of a search; facts that differ in one word stay apart.

A line of `same/*.jsonl` has wordings of one fact, or two facts that stay `apart`. `dev` was there when the rules were
written; `kept` was read after that only.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from ..figures import Bar, Figure
from .server import Server

SAME = Path(__file__).with_name("same")
HITS, ALSO = 20, "also said"


def measure(server: Server) -> Iterator[Figure]:
    """Store each group, and each two that stay apart, in a store of its own, and search for the first text."""
    for half in ("dev", "kept"):
        lines = [json.loads(line) for line in (SAME / f"{half}.jsonl").read_text("utf-8").splitlines()]
        ids: dict[str, dict[str, str]] = {}
        for number, line in enumerate(lines):
            name = f"said-again-{half}-{number}"
            texts = line.get("same") or line["apart"]
            ids[name] = {str(server.call("memory_store", name, content=text)["id"]): text for text in texts}
        server.settle()
        hits = {name: server.search(name, next(iter(known.values())), HITS) for name, known in ids.items()}
        places = {name: sum(str(hit["id"]) in known for hit in hits[name]) for name, known in ids.items()}
        joined = {name for name in ids if any(ALSO in str(hit.get("label")) for hit in hits[name])}
        groups = {f"said-again-{half}-{at}" for at, line in enumerate(lines) if "same" in line}
        once = [name for name in groups if places[name] == 1]
        detail = {"groups": [[*ids[name].values(), places[name]] for name in sorted(groups.difference(once))]}
        yield Figure(f"one fact, {half}: takes one place", 100 * len(once) / len(groups), "%", detail=detail)
        mean = sum(places[name] for name in groups) / len(groups)
        yield Figure(f"one fact, {half}: places that it takes", mean, "")
        lost = [list(ids[name].values()) for name in sorted(joined - groups)]
        two = len(ids) - len(groups)
        share = 100 * len(lost) / two
        yield Figure(f"two facts, {half}: told as one", share, "%", bar=Bar(at_most=0), detail={"misses": lost})
