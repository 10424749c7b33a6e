"""Aliases: how many pairs of names of one thing are joined or suggested, and how many of two things, over lists.

python -m benchmarks --only aliases
"""

import asyncio
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from agentos import config, database
from agentos.modules.graph.keys import key
from agentos.modules.graph.likeness import NEAR_IN_MEANING, likeness, speaks_against

from .figures import Bar, Figure
from .run import Run

PAIRS = Path(__file__).with_name("alias_pairs.toml")
COSINE_ALONE = 0.95


def measure(run: Run) -> Iterator[Figure]:
    """Yield shares for the pairs that the rules were chosen by, and for those that were written afterwards."""
    lists = tomllib.loads(PAIRS.read_text(encoding="utf-8"))
    for name, pairs in (("", lists), (", fresh", lists["fresh"])):
        yield from asyncio.run(_measured(run.scratch / "aliases", name, pairs["same"], pairs["distinct"]))


async def _measured(home: Path, name: str, same: Sequence[list[str]], distinct: Sequence[list[str]]) -> list[Figure]:
    embedder = database.open_embedder(config.load(home=home))
    try:
        if not await embedder.ready(60):
            raise RuntimeError(embedder.problem)
        found = []
        for what, pairs, bar in (("one thing", same, None), ("two things", distinct, Bar(at_most=0))):
            encoded = await embedder.encode([label for one, other, _ in pairs for label in (one, other)])
            cosines = _cosines([passages[0].vector for passages in encoded])
            counts = Counter(_verdict(*pair, cosine) for pair, cosine in zip(pairs, cosines, strict=True))
            counts["by cosine alone"] = sum(cosine >= COSINE_ALONE for cosine in cosines)
            for verdict in ("joined", "suggested by form", "suggested by meaning", "by cosine alone"):
                held = bar if verdict == "joined" else None
                figure = f"aliases: {what}, {verdict}{name}"
                found.append(Figure(figure, float(counts[verdict]), f"of {len(pairs)}", bar=held))
        return found
    finally:
        embedder.close()


def _verdict(one: str, other: str, type_: str, cosine: float) -> str:
    like = likeness(one, type_, other, type_)
    if key(one) == key(other) or (like is not None and like.is_sure):
        return "joined"
    if like is not None:
        return "suggested by form"
    near = cosine >= NEAR_IN_MEANING and not speaks_against(one, type_, other, type_)
    return "suggested by meaning" if near else "nothing"


def _cosines(vectors: Sequence[bytes]) -> list[float]:
    """Return the cosines of the first vector with the second, the third with the fourth, and so on."""
    import numpy as np

    matrix = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1)
    return [float(cosine) for cosine in (matrix[::2] * matrix[1::2]).sum(axis=1)]
