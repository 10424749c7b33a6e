"""Features: what ranking knows of each candidate, one row of numbers a memory, one column a feature of FEATURES.

Text and vectors are read with what was said around them: a turn of a conversation borrows from its neighbours in
the session, and a session with a good turn speaks for each of its turns. For a memory without a session all of
this is neutral: it is its own session and has no neighbours.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from ..records import dataclass
from . import formulas, late_interaction
from .calibration import FAMILIAR_SCALE, Scale
from .date_spans import has_time_expression
from .dates import distance_days
from .models import RankedTurn, WordFrequencies
from .passage_words import TEXT_CHARS, counted
from .query import Query
from .words import StemCounts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float32]

FEATURES: Mapping[str, str] = {
    "text": "text",
    "own": "text",
    "coverage": "text",
    "rare": "text",
    "vector": "vectors",
    "nearest": "vectors",
    "late": "late_interaction",
    "late_window": "late_interaction",
    "answer_text": "neighbours",
    "answer_late": "neighbours",
    "session_text": "session",
    "session_vector": "session",
    "session_late": "session",
    "speaker": "speaker",
    "role": "speaker",
    "question": "prior",
    "date": "time",
    "when": "time",
    "recent": "time",
    "identifier": "identifiers",
    "slot": "slots",
    "alive": "prior",
}
"""Each feature and the channel that it belongs to."""

RARE, RARE_SHARE = 2, 0.01
"""A word is rare in a store where no more memories have it than this, or than this share of them."""
UNWRITTEN = 3
"""The pieces from which on a word is one that the model has never seen, as a name."""
FIELD_WEIGHTS = (1.0, 0.5, 0.35)
"""The weight of a word in a turn itself, one place away, and two places away."""
DAY_WEIGHT = 0.5
"""The weight of a word that names the day of a memory, as "May" or "Monday"."""
K1, B, B_ALONE = 1.2, 0.4, 0.75
"""BM25's saturation and length normalisation: with what is around it a text's length says less than usual."""
BORROWED = 0.9
"""The share of a neighbour's similarity to a token of the query that counts."""
NEIGHBOUR_COSINE = 0.4
DATE_SCALE_DAYS = 7.0
RECENT_SCALE_DAYS = 30.0
WORTH_A_LOOK = 0.5
"""The least share of the best candidate's score by words or meaning for a text to be searched for a time."""
READ_CHARS = 1_500
"""The characters of a text that are searched for times and questions."""
DECIMALS = 4
"""Decimals to which features are rounded, below which two candidates are equal."""
FAMILIAR_LENGTH = 8.0
"""The least mean length in words that BM25 is given, so that a store of remarks does not punish a sentence."""


@dataclass(frozen=True)
class Evidence:
    """The scores of the channels by memory id, and what was read from the query.

    `words` are the telling words of the query without the names of those who speak, `speakers` those it names;
    `slots` has what states the attribute that is asked for, by how sure that is; `vector` is the query's (dimension ×
    float32), `tokens` its token vectors with a weight each, `signs` the sign bits of the candidates' tokens by passage;
    None and empty where there is no model or no late interaction.
    `absent` are the words that no memory of the namespace has, which has `memories` of them. Cosines are on the
    familiar scale, to which `scale` brings those of vectors.
    """

    words: Sequence[str]
    speakers: Sequence[str]
    frequencies: WordFrequencies
    text: Mapping[str, float] = field(default_factory=dict)
    cosine: Mapping[str, float] = field(default_factory=dict)
    identifiers: Mapping[str, float] = field(default_factory=dict)
    slots: Mapping[str, float] = field(default_factory=dict)
    vector: bytes | None = None
    tokens: bytes = b""
    token_words: Sequence[str] = ()
    signs: Mapping[str, Sequence[bytes]] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()
    memories: int = 0
    scale: Scale = FAMILIAR_SCALE

    def without(self, ids: Collection[str]) -> Evidence:
        """Return the same but for the scores of some memories."""

        def others(scores: Mapping[str, float]) -> Mapping[str, float]:
            return {one: score for one, score in scores.items() if one not in ids}

        return replace(
            self,
            text=others(self.text),
            cosine=others(self.cosine),
            identifiers=others(self.identifiers),
            slots=others(self.slots),
        )


def inverse_frequency(word: str, frequencies: WordFrequencies) -> float:
    """Return BM25's IDF: ln(1 + (N - n + .5) / (n + .5)) of N memories, n of which have the word."""
    count = min(frequencies.counts.get(word, 0), frequencies.memories)
    return math.log1p((frequencies.memories - count + 0.5) / (count + 0.5))


def table(
    query: Query,
    evidence: Evidence,
    turns: Sequence[RankedTurn],
    now: datetime,
    decay_rate: float,
    without: Collection[str],
) -> NDArray[np.float32]:
    """Return (candidates × FEATURES) values.

    Those of a channel that is left out are 0; without `neighbours` or `session` nobody has any. Blocks for
    milliseconds: not for an event loop.
    """
    import numpy as np

    candidates = _Candidates(turns, neighbours="neighbours" not in without, sessions="session" not in without)
    columns = {
        **_words(query.words, evidence, candidates),
        **_meaning(evidence, candidates),
        **_tokens(evidence, candidates),
        **_circumstances(query, evidence, turns, now, decay_rate),
    }
    if evidence.vector is not None or evidence.signs:
        _let_words_stand_in(columns, turns)
    columns["when"] = _says_when(turns, columns) if query.asks_when else columns["recent"] * 0
    asking = candidates.questions
    columns["question"] = asking
    asked_before = candidates.before(asking)
    columns["answer_text"] = asked_before * candidates.before(columns["text"])
    columns["answer_late"] = asked_before * candidates.before(columns["late"])
    for name in ("text", "vector", "late"):
        columns[f"session_{name}"] = candidates.best_of_session(columns[name])
    nothing = np.zeros(len(turns), dtype=np.float32)
    selected = [nothing if FEATURES[name] in without else columns[name] for name in FEATURES]
    # Rounded, since float32 noise would decide between equal texts.
    return np.stack(selected, axis=1).astype(np.float32).round(DECIMALS)


def _let_words_stand_in(columns: dict[str, Column], turns: Sequence[RankedTurn]) -> None:
    """Judge candidates without a vector by their words: they are new, or their store is being embedded anew."""
    import numpy as np

    waiting = np.array([turn.vector is None for turn in turns])
    if waiting.any():
        for name in ("vector", "nearest", "late", "late_window"):
            columns[name] = np.where(waiting, columns["text"], columns[name])


class _Candidates:
    """The positions of candidates: their neighbours and sessions as row numbers."""

    def __init__(self, turns: Sequence[RankedTurn], *, neighbours: bool, sessions: bool) -> None:
        import numpy as np

        self.turns = turns
        rows: dict[tuple[str | None, int | None], int] = (
            {(t.session, t.place): row for row, t in enumerate(turns) if t.session is not None} if neighbours else {}
        )
        self._at = {
            distance: np.array([_at(rows, t, distance) for t in turns], dtype=np.int64) for distance in (-2, -1, 1, 2)
        }
        names = [t.session if sessions and t.session is not None else row for row, t in enumerate(turns)]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        self._session = np.array([numbers[name] for name in names], dtype=np.int64)
        self._sessions = len(numbers)
        self.questions = np.array([_share_of_questions(t) for t in turns], dtype=np.float32)

    def around(self, values: NDArray[np.float32], distance: int) -> NDArray[np.float32]:
        """Return the values of the turns `distance` places away, 0 where there is none."""
        import numpy as np

        padded = np.concatenate((values, np.zeros((1, *values.shape[1:]), dtype=values.dtype)))
        return padded[self._at[distance]]

    def before(self, values: Column) -> Column:
        """Return the values of the turns one place earlier."""
        return self.around(values, -1)

    def best_of_session(self, values: Column) -> Column:
        """Return for each candidate the highest value in its session."""
        import numpy as np

        best = np.full(self._sessions, -np.inf, dtype=np.float32)
        np.maximum.at(best, self._session, values)
        return best[self._session]


def _at(rows: Mapping[tuple[str | None, int | None], int], turn: RankedTurn, distance: int) -> int:
    return -1 if turn.place is None else rows.get((turn.session, turn.place + distance), -1)


def of_best(values: Column) -> Column:
    """Scale values to shares of the best candidate's, which makes the channels comparable from query to query."""
    best = float(values.max()) if len(values) else 0.0
    return values / best if best > 0 else values * 0


def _words(asked: Collection[str], evidence: Evidence, candidates: _Candidates) -> dict[str, Column]:
    """Return BM25 of the best passage, alone and with what is around it, and the share of words that are met.

    With neighbours and day the counts are jointly saturated (BM25F).
    """
    import numpy as np

    turns = candidates.turns
    counts = StemCounts(evidence.words)
    weights = np.array([inverse_frequency(word, evidence.frequencies) for word in counts.words], dtype=np.float32)
    ideal = float(weights.sum()) or 1.0
    pieces = Counter(evidence.token_words)
    passages = counted(counts, [turn.text_with_attribute for turn in turns], _likely(evidence, turns))
    own, lengths = passages.of_texts(len(turns))
    term, length = DAY_WEIGHT * counts.of_days([t.occurred_at for t in turns]), lengths * 0
    for distance, weight in ((-1, 1), (1, 1), (-2, 2), (2, 2)):
        term = term + FIELD_WEIGHTS[weight] * candidates.around(own, distance)
        length = length + FIELD_WEIGHTS[weight] * candidates.around(lengths, distance)
    usual = max(FAMILIAR_LENGTH, float(lengths[lengths > 0].mean()) if (lengths > 0).any() else 0.0)
    around = FIELD_WEIGHTS[0] + 2 * FIELD_WEIGHTS[1] + 2 * FIELD_WEIGHTS[2]
    term, length = passages.counts + term[passages.rows], passages.lengths + length[passages.rows]
    text = passages.best(_saturated(term, length / (usual * around), B) @ weights / ideal, len(turns))
    alone = passages.best(_saturated(passages.counts, passages.lengths / usual, B_ALONE) @ weights / ideal, len(turns))
    coverage = ((own > 0) * weights).sum(axis=1) / ideal
    rare = weights * [_is_rare(word, evidence) for word in counts.words]
    # What is looked for instead of a word of the query is as unknown as that; of another the model has said nothing.
    instead = max((count for word, count in pieces.items() if word not in counts.words), default=1)
    unlisted = {word: UNWRITTEN if pieces and word in asked else instead for word in counts.words}
    decisive = rare * [_unknown(pieces.get(word, unlisted[word])) for word in counts.words]
    # The text index has read what nobody else has: the end of a very long text.
    indexed = [evidence.text.get(t.id, 0.0) / (ideal * (K1 + 1)) if len(t.content) > TEXT_CHARS else 0.0 for t in turns]
    unread = np.minimum(np.array(indexed, dtype=np.float32), 1.0)
    return {
        "text": of_best(np.maximum(text, unread)),
        "own": of_best(np.maximum(alone, unread)),
        "coverage": np.maximum(coverage, unread),
        "rare": ((own > 0) * decisive).sum(axis=1) / (float((rare * (decisive > 0)).sum()) or 1.0),
    }


def _is_rare(word: str, evidence: Evidence) -> bool:
    """Return whether a few memories have a word, and nearly all have not."""
    count = evidence.frequencies.counts.get(word, 0)
    return 0 < count <= max(RARE, RARE_SHARE * evidence.frequencies.memories)


def _unknown(pieces: int) -> float:
    """Return how sure it is that the model cannot know what a word means, 0 to 1, by the pieces that it has it in."""
    return min(1.0, (pieces - 1) / (UNWRITTEN - 1))


def _saturated(counts: NDArray[np.float32], lengths: Column, b: float) -> NDArray[np.float32]:
    """Return BM25's saturated counts, for lengths as shares of the usual one."""
    return (counts / (counts + K1 * (1 - b + b * lengths)[:, None])).astype("float32", copy=False)


def _likely(evidence: Evidence, turns: Sequence[RankedTurn]) -> list[int]:
    """Return the row numbers of candidates that a channel named, in the order of their best ranks."""
    ranks: dict[str, int] = {}
    for channel in (evidence.text, evidence.cosine):
        for rank, memory_id in enumerate(sorted(channel, key=lambda one: -channel[one])):
            ranks[memory_id] = min(rank, ranks.get(memory_id, rank))
    named = [row for row, turn in enumerate(turns) if turn.id in ranks]
    return sorted(named, key=lambda row: ranks[turns[row].id])


def _meaning(evidence: Evidence, candidates: _Candidates) -> dict[str, Column]:
    """Return the cosine of each candidate's best passage to the query, with its neighbours' smoothed in and alone."""
    import numpy as np

    cosines = np.zeros(len(candidates.turns), dtype=np.float32)
    if evidence.vector is not None:
        query = np.frombuffer(evidence.vector, dtype="<f4")
        known = [row for row, turn in enumerate(candidates.turns) if turn.vector is not None]
        if known:
            stored = b"".join(candidates.turns[row].vector or b"" for row in known)
            exact = np.frombuffer(stored, dtype="<f4").reshape(len(known), -1) @ query
            cosines[known] = evidence.scale.of_all(exact)
        best = [evidence.cosine.get(turn.id, -1.0) for turn in candidates.turns]  # of all the passages
        cosines = np.maximum(cosines, np.array(best, dtype=np.float32))
        if not evidence.scale.is_familiar:
            cosines = np.maximum(cosines, 0.0)
    near = candidates.around(cosines, -1) + candidates.around(cosines, 1)
    return {"vector": of_best(cosines + NEIGHBOUR_COSINE * near), "nearest": of_best(np.maximum(cosines, 0.0))}


def _tokens(evidence: Evidence, candidates: _Candidates) -> dict[str, Column]:
    """Return late interaction: the best match of each content token, weighted by IDF, in the text and around it."""
    import numpy as np

    nothing = np.zeros(len(candidates.turns), dtype=np.float32)
    weights = _token_weights(evidence)
    if not evidence.signs or not weights.any():
        return {"late": nothing, "late_window": nothing}
    ids = [turn.id for turn in candidates.turns]
    best = late_interaction.token_similarities(evidence.tokens, weights, ids, evidence.signs)
    weights = weights[weights > 0] / weights.sum()
    near = np.maximum(candidates.around(best, -1), candidates.around(best, 1))
    return {
        "late": of_best(best @ weights),
        "late_window": of_best(np.maximum(best, BORROWED * near) @ weights),
    }


def _token_weights(evidence: Evidence) -> Column:
    """Return the IDF of each token's word, shared among its pieces; 0 for stop words and the names of speakers."""
    import numpy as np

    telling = set(evidence.words)
    pieces = Counter(evidence.token_words)
    weights = [
        inverse_frequency(word, evidence.frequencies) / pieces[word] if word in telling else 0.0
        for word in evidence.token_words
    ]
    if not any(weights):
        weights = [1.0] * len(evidence.token_words)
    return np.array(weights, dtype=np.float32)


def _circumstances(
    query: Query, evidence: Evidence, turns: Sequence[RankedTurn], now: datetime, decay_rate: float
) -> dict[str, Column]:
    """Return the features that say who spoke, when, how exactly terms match, and how alive a memory is."""
    import numpy as np

    def column(values: Sequence[float]) -> Column:
        return np.array(values, dtype=np.float32)

    person = evidence.speakers[0] if len(evidence.speakers) == 1 else None
    days = [
        max((math.exp(-distance_days(dates, t.occurred_at) / DATE_SCALE_DAYS) for dates in query.dates), default=0.0)
        for t in turns
    ]
    newest = min(now, max((t.occurred_at for t in turns), default=now))  # a plan for later makes nothing old
    ages = [max(0.0, (newest - t.occurred_at).total_seconds() / 86_400) for t in turns]
    return {
        "speaker": column([_is_by(person, t) for t in turns]),
        "role": column([_is_by_asker(t) if query.asks_of_asker else 0.0 for t in turns]),
        "date": column(days),
        "recent": column([math.exp(-age / RECENT_SCALE_DAYS) if query.asks_latest else 0.0 for age in ages]),
        "identifier": column([evidence.identifiers.get(t.id, 0.0) * (1 + query.identifier_first) for t in turns]),
        "slot": column([evidence.slots.get(t.id, 0.0) for t in turns]),
        "alive": column(
            [formulas.strength(decay_rate, t.importance, t.accessed_at, now) + t.importance - 1.0 for t in turns]
        ),
    }


def _says_when(turns: Sequence[RankedTurn], columns: Mapping[str, Column]) -> Column:
    """Return 1 for candidates that fit and have an expression of time, else 0; only those that fit are searched."""
    import numpy as np

    fit = np.maximum.reduce([columns[name] for name in ("text", "vector", "late_window")]) >= WORTH_A_LOOK
    found = [ok and has_time_expression(turn.content[:READ_CHARS]) for ok, turn in zip(fit, turns, strict=True)]
    return np.array(found, dtype=np.float32)


def _is_by(person: str | None, turn: RankedTurn) -> float:
    """Return ½ for a turn by the one person whom the query names, -½ for one by another, 0 where that is unknown."""
    if person is None or turn.speaker is None:
        return 0.0
    return 0.5 if turn.speaker == person else -0.5


def _is_by_asker(turn: RankedTurn) -> float:
    """Return ½ for what the user of an assistant said, -½ for what was said to the user, 0 where nobody knows."""
    role = turn.role
    if role is None:
        return 0.0
    return 0.5 if role == "user" else -0.5


_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")


def _share_of_questions(turn: RankedTurn) -> float:
    """Return the share of a turn's sentences that ask: among friends, who asks seldom answers.

    0 outside of conversations, and in those with an assistant, whose user tells much while asking.
    """
    if turn.session is None or "?" not in turn.content or turn.role is not None:
        return 0.0
    sentences = _SENTENCE_END.split(turn.content.strip()[:READ_CHARS])
    return len([sentence for sentence in sentences if sentence.endswith("?")]) / len(sentences)
