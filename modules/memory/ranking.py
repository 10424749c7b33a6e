"""Ranking: a score a candidate, as a sum of named parts, by one of four profiles; near duplicates are lowered."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from .. import package_files
from ..records import dataclass
from . import features, formulas
from .features import FEATURES, Evidence
from .lifecycle import EXPLICIT_CONFIDENCE
from .models import RankedTurn, Status
from .query import Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHANNELS = tuple(dict.fromkeys(FEATURES.values()))
"""The channels of a search; each can be left out (the setting `search_without`) to see what it is worth."""

RRF_K = 60
"""The constant of Cormack, Clarke and Büttcher (SIGIR 2009); damps the weight of the very first ranks."""

NEAR_DUPLICATE = 0.95
"""Cosine from which two memories say the same, as far as a reader of the results is concerned."""
EMBEDDED_CHARS = 1_000
"""The characters of a content that its first vector covers."""
DUPLICATE_PENALTY = 6.0
SPREAD, SPREAD_PLACES = 1.0, 5.0
"""What a turn loses for a better one beside it, where several things are asked for, and the places that it reaches."""
IN_TIME = 10
"""The most hits that are put in the order in which they happened, where that is asked for."""
RECENCY_HOURS = 168.0
"""A memory a week old has half the recency of a new one, in the profile `weighted`."""


DECIMALS = 6
"""Decimals of scores and their parts: shown parts sum to the shown score, and what is shown as equal is equal."""


class RankingProfile(StrEnum):
    """The formula by which candidates are scored.

    `default`: a linear model over all features, whose weights are in ranking_weights.json. `weighted`: .30 vectors,
    .30 text, .25 exact terms, .15 recency. `rrf`: reciprocal rank fusion of text and vectors with k = 60.
    `agentos`: .5 similarity, .3 importance, .2 strength, as AgentOS 1.0.0 did.
    """

    DEFAULT = "default"
    WEIGHTED = "weighted"
    RRF = "rrf"
    AGENTOS = "agentos"


Weights = tuple[float, float, float, float]


@dataclass(frozen=True)
class ScoringSettings:
    """Settings of scoring: strength decays by `decay_rate` a day; `weights` are those of the profile `weighted`
    (vectors, text, exact terms, recency); `without` names channels that are left out, for measurements."""

    decay_rate: float = 0.01
    weights: Weights = (0.30, 0.30, 0.25, 0.15)
    without: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Scored:
    """Named parts of every candidate's score: float32, candidates × names."""

    names: tuple[str, ...]
    parts: NDArray[np.float32]


@dataclass(frozen=True)
class Ranked:
    """A candidate's row number and the parts that its score is the sum of; the log odds that it `answers` the query,
    where a model has said so, and the chance that it does by all that is known (`support`). `also` are the rows of
    those that tell the same (`once.py`)."""

    row: int
    parts: dict[str, float]
    answers: float | None = None
    support: float | None = None
    also: tuple[int, ...] = ()

    @property
    def score(self) -> float:
        """The value that orders candidates, rounded to DECIMALS; higher is better."""
        return round(sum(self.parts.values()), DECIMALS)


def by_channel(parts: Mapping[str, float]) -> dict[str, float]:
    """Sum the parts of a score by the channel they come from; a part that modifies a score stands for itself."""
    sums: dict[str, float] = {}
    for name, part in parts.items():
        channel = FEATURES.get(name, name)
        sums[channel] = round(sums.get(channel, 0.0) + part, DECIMALS)
    return sums


def reciprocal_rank_fusion(
    channels: Iterable[Sequence[str]], k: int = RRF_K, weights: Sequence[float] | None = None
) -> dict[str, float]:
    """Return Σ weight/(k + rank) over the channels that name an id; ranks count from 1, weights are 1 if not given."""
    fused: dict[str, float] = {}
    for index, channel in enumerate(channels):
        weight = 1.0 if weights is None else weights[index]
        for rank, memory_id in enumerate(channel, start=1):
            fused[memory_id] = fused.get(memory_id, 0.0) + weight / (k + rank)
    return fused


class Model(StrEnum):
    """The linear model that scores, by what there is to judge from."""

    LATE_INTERACTION = "late_interaction"
    VECTORS = "vectors"
    WORDS = "words"


FIXED: Mapping[str, float] = {"identifier": 4.0, "slot": 8.0, "recent": 1.0, "alive": 0.1}
"""Weights set by argument, since no question of the training data asks for them: an exact term outweighs what words
and vectors say, twice as much where nothing else is asked for; so does the statement of the very attribute that is
asked for; recency counts where it is asked for; strength and importance decide between what fits equally well."""

STATUS_FACTORS: Mapping[Status, float] = {Status.CANDIDATE: 0.75, Status.CONTESTED: 0.7, Status.STALE: 0.9}
"""The share of its score that a memory keeps whose status is not active."""
SUPERSEDED_FACTOR = 0.75
"""The share of its score that a memory keeps where it does not hold at the time that is asked about."""
CONFIDENCE_RANGE = 0.1
"""The most that confidence adds or takes, as a share of the score: nothing at what an explicit store has."""
TRUST_RANGE = 0.1


class TalkKind(StrEnum):
    """The kind of a memory, as far as ranking goes: of a conversation of people, of one with an assistant, or none.

    Where a session does not say who speaks, long turns are of one with an assistant; entries of a log are like talk.
    """

    TALK = "talk"
    CHAT = "chat"
    NOTE = "note"


EQUAL: Mapping[Model, Mapping[str, float]] = {
    Model.LATE_INTERACTION: {"own": 3.0, "nearest": 3.0, "late": 1.5, "late_window": 1.5},
    Model.VECTORS: {"own": 3.0, "nearest": 3.0},
    Model.WORDS: {"own": 3.0, "text": 1.0},
}
"""Weights in chats with an assistant: words, meaning and tokens of the best passage say the same, and no prior of
friends' talk holds. Set by argument; fitted to nothing."""
OF_CHATS: Mapping[str, float] = {"role": 3.0, "speaker": 1.1, "date": 1.0, "when": 1.5}
"""What else counts in chats: never more than the words do."""

NOTES: Mapping[Model, Mapping[str, float]] = {
    Model.LATE_INTERACTION: {"nearest": 8.0, "late": 4.0},
    Model.VECTORS: {"own": 1.0, "nearest": 7.0},
    Model.WORDS: {"text": 4.2, "coverage": 1.5},
}
"""Weights of notes, which say all that they have to say: meaning and tokens tell, and in a question put in other words
a chance word must not decide. Picked from a grid of eleven by five sets of our own notes, none of them left out: what
is measured on those sets are development figures."""
OF_NOTES: Mapping[str, float] = {"date": 4.0, "when": 2.5, "rare": 8.0}
"""What else counts among notes."""


@cache
def trained(model: Model) -> Mapping[str, float]:
    """Load the weights for talk from ranking_weights.json, which `python -m training.train_ranking` makes."""
    text = package_files.text(Path(__file__).with_name("ranking_weights.json"))
    return {**FIXED, **json.loads(text)["models"][model]}


def kind_of(turn: RankedTurn) -> TalkKind:
    """Return what kind of memory a candidate is."""
    if turn.session is None:
        return TalkKind.NOTE
    is_long = turn.speaker is None and len(turn.content) > EMBEDDED_CHARS
    return TalkKind.CHAT if turn.role is not None or is_long else TalkKind.TALK


def weights_for(model: Model, shares: Mapping[TalkKind, float]) -> Mapping[str, float]:
    """Return the weights where so many of the candidates, as shares of all, are of each kind: a mean."""
    sets = {
        TalkKind.TALK: trained(model),
        TalkKind.CHAT: {**FIXED, **OF_CHATS, **EQUAL[model]},
        TalkKind.NOTE: {**FIXED, **OF_NOTES, **NOTES[model]},
    }
    names = dict.fromkeys(name for weights in sets.values() for name in weights)
    return {name: sum(share * sets[kind].get(name, 0.0) for kind, share in shares.items()) for name in names}


def by_model(
    query: Query, evidence: Evidence, turns: Sequence[RankedTurn], settings: ScoringSettings, now: datetime
) -> Scored:
    """Return the parts of the default profile: each feature's value times its weight."""
    import numpy as np

    kinds = Counter(map(kind_of, turns))
    weights = weights_for(_model_for(evidence), {kind: count / len(turns) for kind, count in kinds.items()})
    values = features.table(query, evidence, turns, now, settings.decay_rate, settings.without)
    row = np.array([weights.get(feature, 0.0) for feature in FEATURES], dtype=np.float32)
    return Scored(tuple(FEATURES), values * row)


def _model_for(evidence: Evidence) -> Model:
    if evidence.signs:
        return Model.LATE_INTERACTION
    return Model.WORDS if evidence.vector is None else Model.VECTORS


def by_formula(
    profile: RankingProfile,
    query: Query,
    evidence: Evidence,
    turns: Sequence[RankedTurn],
    settings: ScoringSettings,
    now: datetime,
) -> Scored:
    """Return the parts of one of the other profiles, each a short formula over the channels' own scores."""
    import numpy as np

    def column(values: Iterable[float]) -> NDArray[np.float32]:
        return np.array(list(values), dtype=np.float32)

    text = column(evidence.text.get(turn.id, 0.0) for turn in turns)
    cosine = column(max(0.0, evidence.cosine.get(turn.id, 0.0)) for turn in turns)
    exact = column(evidence.identifiers.get(turn.id, 0.0) for turn in turns)
    match profile:
        case RankingProfile.RRF:
            fused = [reciprocal_rank_fusion([list(channel)]) for channel in (evidence.text, evidence.cosine)]
            parts = {
                name: column(ranks.get(turn.id, 0.0) for turn in turns)
                for name, ranks in zip(("text", "vectors"), fused, strict=True)
            }
        case RankingProfile.WEIGHTED:
            hours = [max(0.0, (now - turn.occurred_at).total_seconds()) / 3600 for turn in turns]
            recency = column(1 / (1 + age / RECENCY_HOURS) for age in hours)
            values = (features.of_best(cosine), features.of_best(text), exact, recency)
            weights = _for_identifiers(settings.weights) if query.identifier_first else settings.weights
            names = ("vectors", "text", "identifiers", "recency")
            parts = {name: weight * value for name, weight, value in zip(names, weights, values, strict=True)}
        case _:
            strengths = [formulas.strength(settings.decay_rate, t.importance, t.accessed_at, now) for t in turns]
            parts = {
                "similarity": 0.5 * cosine,
                "importance": 0.3 * column(turn.importance for turn in turns),
                "strength": 0.2 * column(strengths),
            }
    return Scored(tuple(parts), np.stack(list(parts.values()), axis=1))


def _for_identifiers(weights: Weights) -> Weights:
    """Return the weights of a query that looks up an identifier: exact terms and text gain on vectors; same sum."""
    vectors, text, exact, recency = weights
    shifted = (vectors * 0.68, text * 1.2, exact * 1.55, recency)
    scale = sum(weights) / (sum(shifted) or 1.0)
    return (shifted[0] * scale, shifted[1] * scale, shifted[2] * scale, shifted[3] * scale)


def by_standing(scored: Scored, turns: Sequence[RankedTurn], at: datetime) -> Scored:
    """Add three parts, each a share of the score: what status, confidence and trust add or take.

    A memory that is contested, unconfirmed, stale or superseded at `at` falls behind an equal one that is not.
    """
    import numpy as np

    factors = np.array(
        [
            (
                STATUS_FACTORS.get(turn.status, 1.0) * (1.0 if _holds(turn, at) else SUPERSEDED_FACTOR) - 1.0,
                CONFIDENCE_RANGE * (turn.confidence - EXPLICIT_CONFIDENCE),
                TRUST_RANGE * (turn.trust - 1.0),
            )
            for turn in turns
        ],
        dtype=np.float32,
    ).reshape(len(turns), 3)
    size = np.abs(scored.parts.sum(axis=1, keepdims=True))
    return Scored((*scored.names, "status", "confidence", "trust"), np.hstack((scored.parts, size * factors)))


def _holds(turn: RankedTurn, at: datetime) -> bool:
    return turn.valid_to is None or turn.valid_to > at


def ordered(scored: Scored, turns: Sequence[RankedTurn], answers: frozenset[str] | None, limit: int) -> list[Ranked]:
    """Return the best `limit` candidates (of `answers`, if given) by the sum of their parts; of equals newer first."""
    parts = scored.parts.astype(float).round(DECIMALS)
    totals = parts.sum(axis=1).round(DECIMALS)
    rows = [row for row, turn in enumerate(turns) if answers is None or turn.id in answers]
    rows.sort(key=lambda row: (totals[row], turns[row].occurred_at, turns[row].seq), reverse=True)
    return [
        Ranked(row, {name: float(p) for name, p in zip(scored.names, parts[row], strict=True) if p})
        for row in rows[:limit]
    ]


def are_notes(best: Sequence[RankedTurn]) -> bool:
    """Return whether no more than half of the best are turns of conversations."""
    return 2 * sum(turn.session is not None for turn in best) <= len(best)


def spread(ranked: Sequence[Ranked], turns: Sequence[RankedTurn], limit: int) -> list[Ranked]:
    """Return the best `limit` where several things are asked for: they seldom stand side by side.

    Each turn loses for every better one near it in its session, the more the nearer: one more part of its score.
    """
    left = list(ranked)
    lost = [0.0] * len(left)
    chosen: list[Ranked] = []
    while left and len(chosen) < limit:
        best = max(range(len(left)), key=lambda number: left[number].score - lost[number])
        one, taken = left.pop(best), round(lost.pop(best), DECIMALS)
        chosen.append(replace(one, parts={**one.parts, "spread": -taken}) if taken else one)
        for number, other in enumerate(left):
            lost[number] += SPREAD * math.exp(-_apart(turns[one.row], turns[other.row]) / SPREAD_PLACES)
    return chosen


def in_time_order(ranked: Sequence[Ranked], turns: Sequence[RankedTurn]) -> list[Ranked]:
    """Return the best IN_TIME as they happened, before what fits less: for a question that asks for an order."""

    def when(one: Ranked) -> tuple[datetime, int]:
        return turns[one.row].occurred_at, turns[one.row].seq

    return [*sorted(ranked[:IN_TIME], key=when), *ranked[IN_TIME:]]


def _apart(one: RankedTurn, other: RankedTurn) -> float:
    """Return how many places two turns of one session are apart; infinity where they are not of one."""
    if one.session is None or one.session != other.session or one.place is None or other.place is None:
        return math.inf
    return abs(one.place - other.place)


def without_repetition(ranked: Sequence[Ranked], turns: Sequence[RankedTurn], limit: int) -> list[Ranked]:
    """Return the best `limit`, where one that says the same as a better one gives way.

    It loses DUPLICATE_PENALTY, which is one more part of its score: a step of maximal marginal relevance, after
    Carbonell and Goldstein (SIGIR 1998), that leaves what is merely similar alone.
    """
    repeats = _repeats([turns[one.row] for one in ranked])
    lowered = [
        replace(one, parts={**one.parts, "repetition": -DUPLICATE_PENALTY}) if is_repeat else one
        for one, is_repeat in zip(ranked, repeats, strict=True)
    ]
    return sorted(lowered, key=lambda one: -one.score)[:limit]


def _repeats(turns: Sequence[RankedTurn]) -> list[bool]:
    """Return for each turn whether one before it, by the same speaker and with the same numbers, says the same.

    Of a content longer than EMBEDDED_CHARS the vector knows the beginning alone: it says the same word for word or not.
    """
    import numpy as np

    groups: dict[tuple[str | None, ...], int] = {}
    alike = np.array([groups.setdefault(_particulars(turn), len(groups)) for turn in turns])
    repeats = np.zeros(len(turns), dtype=bool)
    known = [row for row, turn in enumerate(turns) if turn.vector is not None and len(turn.content) <= EMBEDDED_CHARS]
    if known:
        matrix = np.frombuffer(b"".join(turns[row].vector or b"" for row in known), dtype="<f4").reshape(len(known), -1)
        same = (matrix @ matrix.T >= NEAR_DUPLICATE) & (alike[known][:, None] == alike[known])
        repeats[known] = np.triu(same, k=1).any(axis=0)
    for row, turn in enumerate(turns):
        if len(turn.content) > EMBEDDED_CHARS:
            repeats[row] = any(alike[:row] == alike[row])
    return [bool(is_repeat) for is_repeat in repeats]


_NUMBER = re.compile(r"\d+")


def _particulars(turn: RankedTurn) -> tuple[str | None, ...]:
    """Return what two memories must have in common to say the same, and what their vectors hardly know."""
    if len(turn.content) > EMBEDDED_CHARS:
        return (turn.speaker, turn.content)
    return (turn.speaker, *_NUMBER.findall(turn.content))
