"""The chance that a newer memory replaces an older one: a logistic model over the pair model's opinion, the cosine of
the two, and what their texts share.

    model = supersession_chance.bundled()                        # reads a small file: once, where services are wired
    chance = model.chance(older, newer, cosine, opinion)         # 0..1
    chance >= model.asked                                        # whether to ask, and to keep it for every read

`opinion` is what the pair model says of the two, 0..1. Of a text that it does not know the language of (`judges`) it
says nothing, None: there weights for the texts' `differences` decide, which depend on no language, or nothing where
these were fitted to none of its script (`can_compare`).

The weights, and on what they were fitted, are in supersession_weights.json. `python -m training.train_supersession
--write` makes those with an opinion, and those that choose what the pair model reads; `python -m
training.train_languages --write` makes those for differences.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import package_files
from ..records import dataclass
from ..stop_words import STOP_WORDS
from .differences import differences
from .exact_terms import exact_terms
from .formulas import chance_of, log_odds

WEIGHTS = Path(__file__).with_name("supersession_weights.json")
LEAST = 0.0025
"""The least chance that an opinion counts as, and the distance from 1 of the greatest."""
LATIN = 0.95
"""The least share of letters without marks in a text that the pair model knows the language of."""
SHORT = 4
"""The fewest words from which on an English text can be expected to have one of the commonest."""
MAX_CHARS = 600
"""The characters of a text that are compared: a longer text says more than one thing."""

_WORD = re.compile(r"[぀-ヿ㐀-鿿]|[^\W_぀-ヿ㐀-鿿]+")
"""A word, or one character of a script that is written without spaces."""
_LETTERS = re.compile(r"[^\W\d_]+")
_COMPARED_SCRIPTS = re.compile(
    r"[A-Za-z\u00aa-\u024f\u1e00-\u1eff\u0400-\u052f\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
)
"""A letter of a script that the weights for differences were fitted to: Latin, Cyrillic, Chinese, Japanese, Korean."""
_MAY_BE_EXACT = re.compile(r"[\d_/#@`\"'“«「]|\w[.:-]\w|[a-z][A-Z]|[A-Z]{2}| -")
"""A quick test that every exact term passes: most sentences need no full search for them, which takes a while."""


@dataclass(frozen=True)
class SupersessionModel:
    """Weights by feature, with an opinion and without one, for differences, and the least chance at which to ask."""

    with_opinion: Mapping[str, float]
    without_opinion: Mapping[str, float]
    of_differences: Mapping[str, float]
    asked: float

    def chance(self, older: str, newer: str, cosine: float, opinion: float | None) -> float:
        """Return how likely the newer text replaces the older one, 0..1; takes a tenth of a millisecond."""
        if opinion is None:
            return self.in_any_language(older, newer, cosine)
        return self.of(features(older, newer, cosine, opinion), has_opinion=True)

    def in_any_language(self, older: str, newer: str, cosine: float) -> float:
        """Return the chance by the differences of the texts alone; 0 in a script that these were not fitted to."""
        if not (can_compare(older) and can_compare(newer)):
            return 0.0
        known = {"bias": 1.0, **differences(older, newer, cosine)}
        return chance_of(sum(weight * known[name] for name, weight in self.of_differences.items()))

    def of(self, known: Mapping[str, float], *, has_opinion: bool) -> float:
        """Return the chance, given what `features` returned."""
        weights = self.with_opinion if has_opinion else self.without_opinion
        return chance_of(sum(weight * known[name] for name, weight in weights.items()))


def bundled() -> SupersessionModel:
    """Load the model that comes with AgentOS."""
    written: dict[str, Any] = json.loads(package_files.text(WEIGHTS))
    names = ("with_opinion", "without_opinion", "of_differences", "asked")
    return SupersessionModel(*(written[name] for name in names))


def can_compare(text: str) -> bool:
    """Return whether differences say something of a text: whether all of its letters are of scripts that they know."""
    return all(map(_COMPARED_SCRIPTS.match, filter(str.isalpha, text)))


def judges(text: str) -> bool:
    """Return whether the pair model's opinion of a text says something: it was trained with English alone.

    True of 96 in 100 English texts, of 6 French, 10 Spanish and 25 German ones.
    """
    letters = [sign for sign in text if sign.isalpha()]
    words = _LETTERS.findall(text.casefold())
    is_latin = sum(map(str.isascii, letters)) >= LATIN * len(letters)
    return is_latin and (len(words) < SHORT or any(len(word) > 1 and word in STOP_WORDS for word in words))


def features(older: str, newer: str, cosine: float, opinion: float | None) -> dict[str, float]:
    """Return the features that the weights are for; they depend on words of no language.

    `odds`: the opinion's log-odds. `other_key`: each text has an exact term (an identifier, a path, a flag) in its
    first half that the other one has not. `shared`: the share of letters that stand in words of both.
    """
    older, newer = older[:MAX_CHARS], newer[:MAX_CHARS]
    one, other = (set(_WORD.findall(text.lower())) for text in (older, newer))
    plain = {
        "bias": 1.0,
        "cosine": cosine,
        "other_key": float(_has_own_key(older, newer) and _has_own_key(newer, older)),
        "shared": 2 * _letters(one & other) / max(1, _letters(one) + _letters(other)),
    }
    return with_opinion(plain, opinion)


def with_opinion(known: Mapping[str, float], opinion: float | None) -> dict[str, float]:
    """Return the features with those of an opinion, or without one."""
    odds = 0.0 if opinion is None else log_odds(opinion, LEAST)
    return {**known, "odds": odds, "odds_cosine": odds * known["cosine"]}


def _has_own_key(text: str, other: str) -> bool:
    half = len(text) / 2
    found = [term.text for term in exact_terms(text)] if _MAY_BE_EXACT.search(text) else []
    # A text without spaces is a term by itself, and no key.
    return any(len(term) < half and term not in other and text.find(term) < half for term in found)


def _letters(words: set[str]) -> int:
    return sum(map(len, words))
