"""Decomposition of a query of many parts: the sub-queries to search for, and the fusion of what each of them found."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from ..stop_words import STOP_WORDS
from . import standing
from .models import Reading, SearchHit, SearchMode, SearchResult
from .words import tokens

ORDINARY_CHARACTERS = 300
"""A query up to this length is one query, whatever it says."""
PART_CHARACTERS = 800
"""The longest part, which is about what the model reads of a text."""
SUB_QUERIES_MAX = 8
ASKS = ("?", "？", "؟")
"""What a sentence that asks ends with."""
ASKED_WORDS = 2
"""The fewest content words of a question within a message that asks for something by itself."""
TOLD_MAX = 6
"""The most sentences of a message without a question that are looked at, each by itself."""
FEW_WORDS = 3
"""A part with fewer content words than this asks for nothing of its own."""
RRF_K = 60

_SENTENCE_END = re.compile(r"(?<=[.!?…]) |(?<=[。！？])")


def sub_queries(text: str) -> tuple[str, ...]:
    """Return what to search for instead of a long text, in its order, 1 to SUB_QUERIES_MAX; a short text as it is.

    Several questions are one sub-query each, with what stands before each of them; too many share sub-queries. A
    message that tells more than it asks is one query, as long as the model reads it whole. A
    document is cut at sentences; one that is too long for that is represented by one part of each eighth of it.
    """
    if len(text) <= ORDINARY_CHARACTERS:
        return (text,)
    parts = list(dict.fromkeys(_parts(text, by_question=True)))
    if len(text) <= PART_CHARACTERS and (len(parts) < 2 or not _mostly_asks(text)):
        return (text,)
    if len(parts) <= SUB_QUERIES_MAX:
        return tuple(parts)
    fuller = list(dict.fromkeys(_parts(text, by_question=False)))
    return tuple(fuller if len(fuller) <= SUB_QUERIES_MAX else _telling(parts))


def asked(text: str) -> str | None:
    """Return the sentences of a message that ask, where most of its words are of others; None for any other text.

    Whether anything answers is a matter of these: what is told around them always resembles something.
    """
    sentences = list(_sentences(text)) if len(text) <= PART_CHARACTERS else []
    asking = " ".join(sentence for sentence in sentences if sentence.endswith(ASKS))
    telling = _telling_words(" ".join(sentence for sentence in sentences if not sentence.endswith(ASKS)))
    of_asking = _telling_words(asking)
    return asking if ASKED_WORDS <= len(of_asking) < len(telling) else None


def told(text: str) -> list[str]:
    """Return the sentences of a message that asks with no mark, each telling something; none of any other text.

    At most TOLD_MAX, of its beginning and its end: what is wanted stands there as a rule.
    """
    sentences = list(_sentences(text)) if len(text) <= PART_CHARACTERS else []
    if any(sentence.endswith(ASKS) for sentence in sentences):
        return []
    telling = [sentence for sentence in sentences if len(_telling_words(sentence)) >= ASKED_WORDS]
    half = TOLD_MAX // 2
    chosen = telling if len(telling) <= TOLD_MAX else [*telling[:half], *telling[-half:]]
    return chosen if len(chosen) > 1 else []


def _parts(text: str, *, by_question: bool) -> list[str]:
    """Cut a text into stretches of whole sentences, at most PART_CHARACTERS; `by_question` also after questions."""
    parts: list[str] = []
    part = ""
    for sentence in _sentences(text):
        if part and len(part) + 1 + len(sentence) > PART_CHARACTERS:
            parts.append(part)
            part = ""
        part = f"{part} {sentence}" if part else sentence
        if by_question and part.endswith(ASKS) and len(_telling_words(part)) >= FEW_WORDS:
            parts.append(part)
            part = ""
    if part and parts and len(_telling_words(part)) < FEW_WORDS:
        parts[-1] = f"{parts[-1]} {part}"
    elif part:
        parts.append(part)
    return parts


def _mostly_asks(text: str) -> bool:
    """Return whether at least half of a text's sentences end as questions do."""
    asks = [sentence.endswith(ASKS) for sentence in _sentences(text)]
    return 2 * sum(asks) >= len(asks)


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text; one that is longer than a part in pieces of whole words."""
    for line in text.splitlines():
        for sentence in filter(None, _SENTENCE_END.split(" ".join(line.split()))):
            if len(sentence) <= PART_CHARACTERS:
                yield sentence
                continue
            piece: list[str] = []
            length = 0
            for word in (word[:PART_CHARACTERS] for word in sentence.split(" ")):
                if piece and length + len(word) > PART_CHARACTERS:
                    yield " ".join(piece)
                    piece, length = [], 0
                piece.append(word)
                length += len(word) + 1
            yield " ".join(piece)


def _telling_words(text: str) -> set[str]:
    return set(tokens(text)) - STOP_WORDS


def _telling(parts: Sequence[str]) -> list[str]:
    """Return one part of each of SUB_QUERIES_MAX sections: a question, else the one with most of the section's subject.

    A word belongs to a section's subject when it comes back in it, and the more the fewer other sections have it.
    """
    words = [_telling_words(part) for part in parts]
    bounds = [len(parts) * number // SUB_QUERIES_MAX for number in range(SUB_QUERIES_MAX + 1)]
    sections = [range(*pair) for pair in pairwise(bounds)]
    counts = [Counter(word for index in section for word in words[index]) for section in sections]
    spread = Counter(word for count in counts for word in count)

    def subject(index: int, count: Mapping[str, int]) -> float:
        return sum(math.log(count[word]) * math.log((1 + len(sections)) / spread[word]) for word in words[index])

    return [
        parts[max(section, key=lambda index: (parts[index].endswith(ASKS), subject(index, count)))]
        for section, count in zip(sections, counts, strict=True)
    ]


def fused(results: Sequence[SearchResult], limit: int) -> SearchResult:
    """Fuse the hits of several searches into one list, the best of each search first.

    A score is the reciprocal of the best rank plus the reciprocal rank fusion of all ranks: what several searches found
    goes before what one did, but the answer to one part is not outvoted by what fits every part a little. If any search
    is answered, only answered ones count; the decision returned is that of the best supported.
    """
    decision = max((result.gate for result in results), key=lambda gate: (gate.answered, gate.support))
    best: dict[str, tuple[int, SearchHit]] = {}
    parts: dict[str, dict[str, float]] = {}
    similar: dict[str, float] = {}
    for number, result in enumerate(results, start=1):
        if result.gate.answered is not decision.answered:
            continue
        for rank, hit in enumerate(result.hits, start=1):
            key = hit.memory.id
            parts.setdefault(key, {})[f"sub_query_{number}"] = 1 / (RRF_K + rank)
            if standing.KEPT in hit.parts:
                parts[key][standing.KEPT] = 0.0
            if key not in best or rank < best[key][0]:
                best[key] = rank, hit
            if hit.similarity is not None:
                similar[key] = max(hit.similarity, similar.get(key, -1.0))
    for key, (rank, _) in best.items():
        parts[key]["best_rank"] = 1 / rank
    scores = {key: sum(of_one.values()) for key, of_one in parts.items()}
    ordered = sorted(best, key=lambda key: -scores[key])
    hits = [
        replace(
            best[key][1],
            score=scores[key],
            similarity=similar.get(key),
            parts=parts[key],
        )
        for key in ordered
    ]
    lexical = all(result.mode is SearchMode.LEXICAL for result in results)
    return SearchResult(
        standing.in_sight(hits, standing.instruction_among(hits), limit),
        SearchMode.LEXICAL if lexical else SearchMode.HYBRID,
        tuple(dict.fromkeys(note for result in results for note in result.notes)),
        _together([result.reading for result in results]),
        gate=decision,
        elsewhere={key: project for result in results for key, project in result.elsewhere.items()},
    )


def _together(readings: Sequence[Reading]) -> Reading:
    def each(field: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(value for reading in readings for value in getattr(reading, field)))

    return Reading(
        profile=readings[0].profile,
        words=each("words"),
        speakers=each("speakers"),
        identifiers=each("identifiers"),
        identifier_first=all(reading.identifier_first for reading in readings),
        dates=each("dates"),
        asks_when=any(reading.asks_when for reading in readings),
        asks_latest=any(reading.asks_latest for reading in readings),
        candidates=sum(reading.candidates for reading in readings),
    )
