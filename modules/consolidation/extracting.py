"""A summary by rules: the most central sentences of its sources in their order, and every entity that they name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..text import entities
from ..text.sentences import sentences as sentences_of
from ..vectors import matrix
from .models import Source

SHARE = 0.35
"""How many of the sources' tokens a summary may take, its line of entities beside."""
TARGET_MIN, TARGET_MAX = 12, 300
ENTITY_WEIGHT = 0.5
REPEATED = 0.6
"""What counts against a sentence: how much it resembles one that is chosen."""
SENTENCES_MAX = 400
"""Of a long group only so many sentences are weighed, the longest of each source first."""

CountTokens = Callable[[str], int]


@dataclass(frozen=True)
class Sentence:
    """A sentence of a source: which one, and what it says."""

    source: int
    text: str


def target(source_tokens: int) -> int:
    """How many tokens a summary of sources of so many may take."""
    return max(TARGET_MIN, min(TARGET_MAX, round(SHARE * source_tokens)))


def split(sources: Sequence[Source]) -> list[Sentence]:
    """The sentences of sources in order, each once, without lines of entities and without who says them."""
    found: dict[str, Sentence] = {}
    for place, source in enumerate(sources):
        for text in sentences_of(said(source)):
            if not text.startswith(entities.KEY_LINE) and any(map(str.isalnum, text)):
                found.setdefault(entities.compared(text), Sentence(place, text))
    every = list(found.values())
    if len(every) <= SENTENCES_MAX:
        return every
    kept = {id(sentence) for sentence in sorted(every, key=lambda one: -len(one.text))[:SENTENCES_MAX]}
    return [sentence for sentence in every if id(sentence) in kept]


def said(source: Source) -> str:
    """What a source says, without the name of who says it."""
    return source.text.removeprefix(f"{source.speaker}:").strip() if source.speaker else source.text


def named(sources: Sequence[Source]) -> dict[str, str]:
    """The entities of sources, those who speak by their names included: as compared, to as written."""
    return entities.entities(source.text for source in sources)


def compose(
    sources: Sequence[Source], sentences: Sequence[Sentence], vectors: Sequence[bytes], tokens: CountTokens, limit: int
) -> str:
    """The extract: at most `limit` tokens of sentences (one at least), then what they do not name. Blocks, pure."""
    wanted = named(sources)
    chosen = _choose(sentences, vectors, wanted, tokens, limit)
    return with_entities(_told([sentences[place] for place in sorted(chosen)], sources), wanted)


def with_entities(text: str, wanted: dict[str, str]) -> str:
    """A text, and a line that names what it does not."""
    line = entities.key_line(entities.missing(wanted, text))
    return f"{text}\n{line}" if line else text


def _choose(
    sentences: Sequence[Sentence], vectors: Sequence[bytes], wanted: dict[str, str], tokens: CountTokens, limit: int
) -> list[int]:
    """Greedily what is central, names what is not named yet and resembles least what is chosen."""
    import numpy as np

    rows = matrix(vectors)
    centre = rows.mean(axis=0)
    length = float(np.linalg.norm(centre))
    central = rows @ (centre / length) if length else np.zeros(len(rows))
    names = [{key for key in entities.entities([one.text]) if key in wanted} for one in sentences]
    costs = [max(1, tokens(one.text)) for one in sentences]
    most = max(map(len, names), default=0) or 1
    chosen: list[int] = []
    covered: set[str] = set()
    alike = np.zeros(len(rows))
    room = limit
    while True:
        best, best_score = -1, -np.inf
        for place in range(len(sentences)):
            if place in chosen or (chosen and costs[place] > room):
                continue
            fresh = len(names[place] - covered) / most
            score = float(central[place]) + ENTITY_WEIGHT * fresh - REPEATED * float(alike[place])
            if score > best_score + 1e-9:
                best, best_score = place, score
        if best < 0:
            return chosen
        chosen.append(best)
        covered |= names[best]
        room -= costs[best]
        alike = np.maximum(alike, rows @ rows[best])


def _told(chosen: Sequence[Sentence], sources: Sequence[Source]) -> str:
    """Sentences in a row; who says them stands before the first of each."""
    parts: list[str] = []
    speaker = ""
    for sentence in chosen:
        by = sources[sentence.source].speaker
        if by != speaker:
            parts.append(("\n" if parts else "") + (f"{by}: " if by else "") + sentence.text)
        else:
            parts.append((" " if parts else "") + sentence.text)
        speaker = by
    return "".join(parts)
