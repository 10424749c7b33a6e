"""The gate decides whether anything that a search found supports an answer, or nothing relevant is stored.

A few signals, each between the query and the best of what was found, make one number: a logistic model, whose weights
are in gate_weights.json. Docs and what was measured: docs/retrieval.md.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from .. import package_files
from ..records import dataclass
from ..text.scripts import is_foreign, is_piece, is_written
from . import formulas, late_interaction
from .features import Evidence, inverse_frequency
from .models import GateDecision, RankedTurn, SearchHit, SearchResult
from .query import Query, is_question
from .ranking import Model
from .words import StemCounts, first_name, token

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

READ = 10
"""The number of best hits that may support an answer."""
READ_CHARS = 4_000
"""Length of a content that is read word by word; what a longer one has beyond that is known from the text index."""
NEAR = 0.6
"""The weight of a word that a neighbour has, where there is no model to say how near it comes."""
PARAPHRASED = 0.45
"""The cosine that is worth as much as all words of a query: what a paraphrase has with what it paraphrases."""
SURE = 12.0
"""Log-odds of what needs no weighing: an exact term that is there as written. A look-up of one that nothing has loses
as much, less for what the best have of its parts as words."""
STATED, STATED_SURELY = 4.0, 0.5
"""Log-odds where the best hit states what a query asks for by its meaning, and how sure that must be to count."""
RELEVANCE, ANSWERED = 0.5, 1.5
"""The weight of the reranker's log-odds that the best hit answers, and what is added to them (docs/retrieval.md)."""
PIECES_A_WORD = 4
"""The pieces that count as one word in scripts without spaces: two characters, and as many pairs of them."""
ABSENT_ABROAD = 0.25
WORDS_MAX = 16
"""The words from which on a longer query is no likelier to have an answer: what is long resembles everything."""
NOT_WEIGHED = frozenset({"exact_term", "slot", "speakers_alone"})
"""Parts of a decision beside which the reranker's opinion does not count."""
LARGEST_ODDS = 8.0
"""The reranker's log-odds count as no greater, either way."""
UNREADABLE = -8.0
"""Log-odds of a query that is no language, or whose words nobody has ever said."""
MOSTLY = 0.5
BROKEN_PIECES, CHARS_A_PIECE = 3, 2.6
"""A word that the model's vocabulary has only in so many pieces, each so short, is hardly a word at all."""
WRITTEN = 0.6
"""The least share of letters and digits, of all characters that are no spaces, in what somebody would ask."""
EXACT = 0.75
"""The score of the exact-term channel from which a memory is what is looked up."""
NO_LETTERS = "\"'«»“”„‘’¿¡([-–—*"
SMALLEST, LARGEST = 5, 10_000
DECIMALS = 4

SIGNALS: Mapping[Model, tuple[str, ...]] = {
    Model.LATE_INTERACTION: ("coverage", "late", "weakest", "nearest", "identifier", "absent_name", "words"),
    Model.VECTORS: ("coverage", "nearest", "identifier", "absent_name", "words"),
    Model.WORDS: ("coverage_near", "identifier", "absent_name", "words"),
}
"""The signals whose weights are fitted, by what there is to judge from; `dialogue` is fitted for each model."""

FIXED: Mapping[Model, Mapping[str, float]] = {
    Model.LATE_INTERACTION: {"speaker": 1.0, "size": -2.6},
    Model.VECTORS: {"speaker": 1.0, "size": -2.6},
    Model.WORDS: {"speaker": 3.0, "size": -1.4},
}
"""Weights set by argument. Every question of the training data names its speaker, who would become the condition of
an answer; and what is found by chance grows with a store, whatever stores there are to train with."""


@dataclass(frozen=True)
class GateSettings:
    """The `threshold` that support must reach, 0 to 1 (0: nothing is withheld)."""

    threshold: float = 0.0


def decide(
    query: Query, evidence: Evidence, best: Sequence[RankedTurn], turns: Sequence[RankedTurn], settings: GateSettings
) -> GateDecision:
    """Decide whether the `best` of the found `turns` support an answer. Blocks for a millisecond.

    What has no vector yet is judged by its words as well, and the kinder judgement stands.
    """
    if settings.threshold == 0:
        return GateDecision(answered=True, support=1.0, threshold=0.0)
    if not best:
        return GateDecision(answered=False, support=0.0, threshold=settings.threshold)
    known = signals(query, evidence, best, turns)
    parts = max((log_odds(model, known) for model in _models(evidence, best)), key=lambda one: sum(one.values()))
    if _is_exact(query, evidence):
        parts["exact_term"] = SURE
    elif looks_up_unknown(query, evidence):
        parts["unknown_term"] = round(-SURE * max(0.0, 1 - known["coverage"]), DECIMALS)
    if (sure := evidence.slots.get(best[0].id, 0.0)) >= STATED_SURELY:
        parts["slot"] = round(STATED * sure, DECIMALS)
    if _names_speakers_alone(query, evidence):
        parts["speakers_alone"] = SURE
    if (share := unreadable(query, evidence)) >= MOSTLY:
        parts["unreadable"] = round(UNREADABLE * share, DECIMALS)
    return _decided(parts, settings.threshold)


def with_relevance(decision: GateDecision, query: Query, answers: Sequence[float]) -> GateDecision:
    """Return the decision once a model has read the best, given the log-odds that each answers: the highest are added.

    The decision stays where it needed no weighing, or the best states what is asked for; and a query that is no
    question loses nothing for having no answer.
    """
    if decision.threshold == 0 or not answers or not NOT_WEIGHED.isdisjoint(decision.parts):
        return decision
    best = max(-LARGEST_ODDS, min(LARGEST_ODDS, max(answers)))
    part = round(RELEVANCE * best + ANSWERED, DECIMALS)
    if part < 0 and not is_question(query.text):
        return decision
    return _decided({**decision.parts, "relevance": part}, decision.threshold)


def with_near_miss(decision: GateDecision) -> GateDecision:
    """Return the decision where the best hits share no more than the topic of a question: doubtful at most.

    It stays where it needed no weighing, or the best states what is asked for.
    """
    if decision.threshold == 0 or not NOT_WEIGHED.isdisjoint(decision.parts):
        return decision
    lost = formulas.log_odds(decision.threshold / 2) - sum(decision.parts.values())
    return _decided({**decision.parts, "near_miss": round(min(0.0, lost), DECIMALS)}, decision.threshold)


def _decided(parts: Mapping[str, float], threshold: float) -> GateDecision:
    support = 1 / (1 + math.exp(-max(-30.0, min(30.0, sum(parts.values())))))
    return GateDecision(support >= threshold, round(support, DECIMALS), threshold, parts)


def passed(found: SearchResult) -> SearchResult:
    """Return the result as it may go out: where nothing supports an answer, its hits are withheld as nearest misses."""
    return found if found.gate.answered else with_misses(replace(found, hits=()), found.hits)


def with_misses(found: SearchResult, misses: Sequence[SearchHit]) -> SearchResult:
    """Return a result with these nearest misses, which its decision counts where nothing is answered."""
    withheld = 0 if found.gate.answered else len(misses)
    return replace(found, misses=tuple(misses), gate=replace(found.gate, withheld=withheld))


def unreadable(query: Query, evidence: Evidence) -> float:
    """Return the share of a query's words that no memory of the namespace has and the model's vocabulary hardly knows.

    1 where most of the characters are neither letters nor digits.
    """
    written = [character for character in query.text if not character.isspace()]
    if sum(map(is_written, written)) < WRITTEN * len(written):
        return 1.0
    pieces = Counter(evidence.token_words)
    broken = [
        word
        for word in evidence.words
        if word in evidence.absent and pieces[word] >= BROKEN_PIECES and len(word) < CHARS_A_PIECE * pieces[word]
    ]
    return len(broken) / max(1, len(evidence.words))


def log_odds(model: Model, known: Mapping[str, float]) -> dict[str, float]:
    """Return the terms of the log-odds of support: each signal times its weight, and the bias."""
    weights = _weights(model)
    terms = {name: round(weight * known[name], DECIMALS) for name, weight in weights.items() if name != "bias"}
    return {**terms, "bias": weights["bias"]}


@cache
def _weights(model: Model) -> Mapping[str, float]:
    """Load the weights of one model, which `python -m training.train_gate` makes."""
    text = package_files.text(Path(__file__).with_name("gate_weights.json"))
    return {**FIXED[model], **json.loads(text)["models"][model]}


def _models(evidence: Evidence, best: Sequence[RankedTurn]) -> list[Model]:
    if evidence.vector is None:
        return [Model.WORDS]
    # The nearness of single tokens was fitted with the familiar model alone.
    has_tokens = bool(evidence.signs) and evidence.scale.is_familiar
    models = [Model.LATE_INTERACTION if has_tokens else Model.VECTORS]
    return [*models, Model.WORDS] if any(turn.vector is None for turn in best) else models


def _is_exact(query: Query, evidence: Evidence) -> bool:
    """Return whether an exact term of the query occurs as written."""
    named = query.identifier_first or any(term.strong for term in query.identifiers)
    return named and max(evidence.identifiers.values(), default=0.0) >= EXACT


def looks_up_unknown(query: Query, evidence: Evidence) -> bool:
    """Return whether a query looks up exact terms, of which no memory has any as written.

    What is named beside other matters, as the path of a file in a task, is no look-up.
    """
    return query.identifier_first and any(term.strong for term in query.identifiers) and not evidence.identifiers


def _names_speakers_alone(query: Query, evidence: Evidence) -> bool:
    """Return whether a query is nothing but the names of speakers: then their turns are what is looked for."""
    first_names = {first_name(name) for name in evidence.speakers}
    return bool(query.words) and first_names.issuperset(query.words)


def signals(
    query: Query, evidence: Evidence, best: Sequence[RankedTurn], turns: Sequence[RankedTurn]
) -> dict[str, float]:
    """Return what is known of the support, by name; which of it counts is a matter of the model.

    `coverage`: the share of the query's words, by IDF, that the best memory has; words that no memory of the
    namespace has are charged as the rarest. `coverage_near` counts its neighbours' too. `late`: how near the best
    memory's tokens come to the query's; `weakest`: to the word that they come least near to. `nearest`: the highest
    cosine, or coverage if that says more. `absent_name`: a name that no memory has. `identifier`: exact terms.
    `words`: the logarithm of their number; `size`: of the memories', base 10. `dialogue`: the share of turns.
    """
    text = StemCounts(evidence.words)
    found = _text(query, evidence, text, best, turns)
    names = _certain_names(query)
    cosine = max(0.0, *evidence.cosine.values(), 0.0)
    tokens = token_signals(evidence, best)
    return {
        **found,
        **tokens,
        "nearest": max(cosine / PARAPHRASED, found["coverage"]),
        "cosine": cosine,
        "identifier": min(1.0, max(evidence.identifiers.values(), default=0.0)),
        "absent_name": float(any(word in evidence.absent and word in names for word in text.words)),
        "speaker": float(bool(evidence.speakers)),
        "words": math.log1p(_telling(text.words, evidence)),
        "size": math.log10(min(LARGEST, max(SMALLEST, evidence.memories))),
        "dialogue": sum(turn.session is not None for turn in turns) / len(turns),
    }


def _certain_names(query: Query) -> frozenset[str]:
    """Return the names of a query without its first word, which may have its capital from there, if others are left."""
    first = query.text.split(maxsplit=1)[:1]
    others = {token(name) for name in query.names if not (first and first[0].strip(NO_LETTERS).startswith(name))}
    return frozenset(others or {token(name) for name in query.names})


def _telling(words: Sequence[str], evidence: Evidence) -> float:
    """Return how many words say what is asked for: where there are vectors, at most WORDS_MAX."""
    count = sum(1 / PIECES_A_WORD if is_piece(word) else 1 for word in words)
    return count if evidence.vector is None else min(WORDS_MAX, count)


def charged_frequency(word: str, evidence: Evidence) -> float:
    """Return BM25's IDF; a word that other namespaces alone have is as rare as one that nobody has.

    Of other alphabets there is no list of stop words: an absent word is charged ABSENT_ABROAD of that. A pair of
    characters that no memory has is not charged: half of a question's pairs are only where two words meet.
    """
    if word not in evidence.absent:
        return inverse_frequency(word, evidence.frequencies)
    charged = 1.0
    if is_piece(word):
        charged = float(len(word) == 1)
    elif is_foreign(word):
        charged = ABSENT_ABROAD
    return charged * inverse_frequency(word, replace(evidence.frequencies, counts={}))


def _text(
    query: Query, evidence: Evidence, counts: StemCounts, best: Sequence[RankedTurn], turns: Sequence[RankedTurn]
) -> dict[str, float]:
    """Return the share of the query's words that the best memory has, alone and with its neighbours."""
    import numpy as np

    weights = np.array([charged_frequency(word, evidence) for word in counts.words], dtype=np.float32)
    ideal = float(weights.sum()) or 1.0
    at = {(turn.session, turn.place): turn for turn in turns if turn.place is not None}
    beside = [
        (row, other)
        for row, turn in enumerate(best)
        for step in (-1, 1)
        if turn.place is not None and (other := at.get((turn.session, turn.place + step))) is not None
    ]
    read_turns = [*best, *(other for _, other in beside)]
    has = counts.of([turn.text_with_attribute[:READ_CHARS] for turn in read_turns])
    if query.dates:
        has += counts.of_days([turn.occurred_at for turn in read_turns])
    has = np.minimum(has, 1.0)
    known = np.array([word not in evidence.absent for word in counts.words])
    for row, turn in enumerate(best):
        if turn.id in evidence.text and (len(turn.content) > READ_CHARS or not has[row].any()):
            # The text index found it, so it has words of the query where nobody has looked: far below, or as tags.
            has[row] = np.maximum(has[row], known & ~has.any(axis=0))
    own, near = has[: len(best)], has[: len(best)].copy()
    for (row, _), others in zip(beside, has[len(best) :], strict=True):
        near[row] = np.maximum(near[row], NEAR * others)
    return {
        "coverage": float((own * weights).sum(axis=1).max()) / ideal,
        "coverage_near": float((near * weights).sum(axis=1).max()) / ideal,
    }


def token_signals(evidence: Evidence, best: Sequence[RankedTurn]) -> dict[str, float]:
    """Return how near the best memory's tokens come to the query's, weighted by IDF, and to its weakest word."""
    import numpy as np

    if not evidence.signs or not evidence.token_words:
        return {"late": 0.0, "weakest": 0.0}
    pieces = Counter(evidence.token_words)
    telling = {word: charged_frequency(word, evidence) for word in evidence.words}
    weights = np.array([telling.get(word, 0.0) / pieces[word] for word in evidence.token_words], dtype=np.float32)
    if not weights.any():
        weights = np.ones_like(weights)
    found = late_interaction.token_similarities(evidence.tokens, weights, [turn.id for turn in best], evidence.signs)
    weighted = [word for word, weight in zip(evidence.token_words, weights, strict=True) if weight > 0]
    weights = weights[weights > 0]
    return {"late": float((found @ weights).max() / weights.sum()), "weakest": _weakest(found, weighted)}


def _weakest(found: NDArray[np.float32], words: Sequence[str]) -> float:
    """Return how near any of the best comes to the word that they come least near to."""
    columns: dict[str, list[int]] = {}
    for column, word in enumerate(words):
        columns.setdefault(word, []).append(column)
    return min(float(found[:, of_word].mean(axis=1).max()) for of_word in columns.values())
