"""The measures: pure functions of texts, vectors and counts.

CRS  context relevance: the cosine of a query and a context.
TES  token efficiency: what a summary saves, by what it keeps of the entities.
LCS  long-context recall: how many seeded facts a context holds.
"""

import math
import re
from collections.abc import Iterable, Sequence

CACHED_RATE = 0.1
"""The price of an input token that the provider has cached, relative to one that it has not."""
DROPPED = 0.3
"""The share of a conversation that the baseline of TES drops, the oldest first."""
LEAST_SHARE = 0.7
LONG = 3

_NAME = re.compile(r"\b[A-Z][\w-]*[a-z0-9][\w-]*(?:[ ](?:[A-Z][\w-]*[a-z0-9][\w-]*))*")
_EXACT = re.compile(r"`[^`\s]+`|\b[\w-]+(?:[./_-][\w-]+)+\b|\b[\w-]*\d[\w-]*\b|\b[A-Z]{2,}\b")
_WORD = re.compile(r"[^\W_]+")
_OPENS = re.compile(r"(?:^|[.!?:;]\s+|\n\s*(?:[-*]\s+)?|[\"“(]\s*)$")


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the cosine of two vectors; 0 if one of them has no direction."""
    lengths = math.sqrt(math.fsum(x * x for x in one)) * math.sqrt(math.fsum(y * y for y in other))
    return math.fsum(x * y for x, y in zip(one, other, strict=True)) / lengths if lengths else 0.0


def mean_direction(vectors: Sequence[Sequence[float]], weights: Sequence[float]) -> list[float]:
    """Return the vector of a text as the sum of its passages' vectors, weighted by length; [] without passages."""
    if not vectors:
        return []
    return [
        math.fsum(weight * vector[axis] for vector, weight in zip(vectors, weights, strict=True))
        for axis in range(len(vectors[0]))
    ]


def context_relevance(query: Sequence[float], passages: Sequence[Sequence[float]], lengths: Sequence[float]) -> float:
    """Return the CRS: the cosine (0..1) of a query and a context, whose passages are weighted by their lengths.

    An empty context is relevant to nothing.
    """
    return max(0.0, cosine(query, mean_direction(passages, lengths))) if passages else 0.0


def entities(text: str) -> frozenset[str]:
    """Return the names and exact terms of a text, in lower case.

    Capitalised words that do not open a sentence alone, code, paths, identifiers, numbers; by rules of this benchmark's
    own, independent of those that it measures.
    """
    found = {match.group().strip("`").lower() for match in _EXACT.finditer(text)}
    names = [(match.group().lower(), bool(_OPENS.search(text[: match.start()][-8:]))) for match in _NAME.finditer(text)]
    certain = {name for name, opens in names if not opens}
    words = {word for name in certain for word in name.split()}
    found |= certain | {name for name, opens in names if opens and (name in words or name.partition(" ")[2])}
    return frozenset(found)


def retained_entities(original: frozenset[str], text: str) -> frozenset[str]:
    """Return the entities of an original that a text has, as whole words."""
    words = f" {' '.join(_WORD.findall(text.lower()))} "
    return frozenset(one for one in original if f" {' '.join(_WORD.findall(one))} " in words)


def token_efficiency(tokens_before: int, tokens_after: int, entities_after: int, entities_before: int) -> float:
    """Return the TES: the geometric mean of the tokens saved and the entities kept, both shares clamped to 0..1.

    A summary that keeps every entity in next to no tokens comes near 1, an empty one gets 0. A text without entities
    has none to lose.
    """
    saved = min(1.0, max(0.0, 1.0 - tokens_after / tokens_before)) if tokens_before else 0.0
    share = min(1.0, entities_after / entities_before) if entities_before else float(tokens_after > 0)
    return math.sqrt(saved * share)


def dropped_oldest(turns: Sequence[str], share: float = DROPPED) -> Sequence[str]:
    """Return the baseline of TES: the turns without the oldest share."""
    return turns[math.ceil(len(turns) * share) :]


def holds(context: str, fact: str) -> bool:
    """Return whether a context has a fact: as it is written, or 70 % of its words of more than three letters."""
    if _plain(fact) in _plain(context):
        return True
    words = [word for word in _WORD.findall(fact.lower()) if len(word) > LONG]
    known = set(_WORD.findall(context.lower()))
    return bool(words) and sum(word in known for word in words) >= LEAST_SHARE * len(words)


def recalled(pairs: Iterable[tuple[str, str]]) -> float:
    """Return the LCS: the share of facts that their context has; pairs are (context, fact)."""
    hits = [holds(context, fact) for context, fact in pairs]
    return sum(hits) / len(hits) if hits else 0.0


def shared_prefix(one: str, other: str) -> int:
    """Return the length in characters of the common prefix of two prompts."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
