"""Near misses: whether the best hits answer a question, or share its topic and nothing else.

    model = near_misses.bundled()                        # reads a small file: once, where services are wired
    chance = model.of(known)          # of what `features` returned, unless that is None

A logistic model over what a search knows once the reranker has read its best hits. What is no question in English,
which the reranker reads best, or asks for several things, is not judged. The weights are in near_miss_weights.json,
which `python -m training.train_near_misses --write` fits to questions, to questions whose answer was taken away, and to
questions about what no note tells.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from .. import package_files
from ..records import dataclass
from . import gate, support
from .asked_times import LONGEST_QUESTION
from .date_spans import has_time_expression
from .features import Evidence
from .formulas import chance_of
from .models import RankedTurn
from .query import Query
from .ranking import Ranked, are_notes
from .support import EVERY_WORD, LEAST_ODDS, MOST_ODDS

WEIGHTS = Path(__file__).with_name("near_miss_weights.json")
READ, READ_CHARS = 5, 1_500
"""The hits that are looked at, and the characters of the first one."""
FEATURES = ("odds", "best_odds", "weakest", "coverage", "kind_missed")
LEAST_SHARED = 0.2
"""The least share of a question's words in the first hit with which it is judged: one that answers in other words has
none of them, and the reranker often does not see that it answers."""


@dataclass(frozen=True)
class NearMissModel:
    """Weights by feature, and the least chance with which the best hits count as an answer."""

    weights: Mapping[str, float]
    least: float

    def of(self, known: Mapping[str, float]) -> float:
        """Return how likely the best hits answer, given what `features` returned."""
        return chance_of(self.weights["bias"] + sum(self.weights[name] * known[name] for name in FEATURES))


def bundled() -> NearMissModel:
    """Load the model that comes with AgentOS."""
    written = json.loads(package_files.text(WEIGHTS))
    return NearMissModel(written["weights"], written["least"])


def features(
    query: Query, evidence: Evidence, turns: Sequence[RankedTurn], best: Sequence[Ranked]
) -> dict[str, float] | None:
    """Return what is known of the best hits; None where they are not judged.

    `odds`: the reranker's log odds that the first one answers; `best_odds` that any does. `weakest`: how near the best
    come to the word that they come least near to. `coverage`: the share of the question's words in the first one.
    `kind_missed`: whether it lacks what such a question asks for, a name, a number or a time.
    """
    respelt = not set(evidence.words) <= set(query.words)  # the reranker reads what was asked, letter for letter
    if respelt or not _is_judged(query, turns, best):
        return None
    (of_first,) = support.features(query, evidence, turns, best[:1])
    if not LEAST_SHARED <= of_first["coverage"] < EVERY_WORD:
        return None
    first = turns[best[0].row]
    answers = [max(LEAST_ODDS, min(MOST_ODDS, one.answers)) for one in best if one.answers is not None]
    return {
        "odds": answers[0],
        "best_odds": max(answers),
        "weakest": gate.token_signals(evidence, [turns[one.row] for one in best])["weakest"],
        "coverage": of_first["coverage"],
        "kind_missed": float(_lacks_what_is_asked(query.text, first.content[:READ_CHARS])),
    }


def _is_judged(query: Query, turns: Sequence[RankedTurn], best: Sequence[Ranked]) -> bool:
    if not best or best[0].answers is None or query.asks_for_several or len(query.text) > LONGEST_QUESTION:
        return False
    notes = [turns[one.row] for one in best]
    has_vectors = all(turn.vector is not None for turn in notes)
    return has_vectors and are_notes(notes) and _ASKS.search(query.text) is not None


def _lacks_what_is_asked(question: str, text: str) -> bool:
    """Return whether a question asks, in English, for a name, a number or a time, and a text has none."""
    if _WHO.search(question):
        asked = {word.casefold() for word in _CAPITALISED.findall(question)}
        return asked.issuperset(word.casefold() for word in _CAPITALISED.findall(text))
    if _HOW_MUCH.search(question):
        return _NUMBER.search(text) is None
    return _WHEN.search(question) is not None and not has_time_expression(text)


_ASKS = re.compile(r"^\W*(?:\w{2,5} )?(?:what|who|whom|whose|which|when|where|why|how)\b", re.IGNORECASE)
_WHO = re.compile(r"\b(?:who|whom|whose)\b", re.IGNORECASE)
_HOW_MUCH = re.compile(
    r"\bhow (?!(?:do|does|did|is|are|was|were|can|should|could|would|will|to)\b)\w{3,}\b"
    r"|\bwhat (?:share|number|percentage)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"\bwhen\b|\b(?:what|which) (?:time|days?|date|month|year)\b", re.IGNORECASE)
_CAPITALISED = re.compile(r"(?<![\w'’])[A-Z][\w]+")
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|ninety"
    r"|hundred|thousand|half|once|twice|dozen)\b",
    re.IGNORECASE,
)
