"""How likely a newer memory replaces an older one: one logistic model over the pair model's opinion, the cosine of the
two, and what their texts share.

    model = supersession_chance.bundled()                        # reads a small file: once, where services are wired
    chance = model.chance(older, newer, cosine, opinion)         # 0..1
    chance >= model.asked                                        # whether to ask about it
    model.labels(chance, opinion)                                # whether to keep it as a relation that reads show

`opinion` is what the pair model says of the two, 0..1, or None where it says nothing: while it loads, or of a text that
it does not know the language of (`judges`). Without it other weights decide, and nothing is labelled.

The weights, and on what they were fitted, are in supersession_weights.json, which
`python -m training.train_supersession --write` makes.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..stop_words import STOP_WORDS
from .exact_terms import exact_terms
from .logistic import chance_of, log_odds

WEIGHTS = Path(__file__).with_name("supersession_weights.json")
LEAST = 0.0025
"""An opinion counts as no surer than that, either way."""
LATIN = 0.95
"""The least share of letters without marks in a text that the pair model knows the language of."""
SHORT = 4
"""A text of fewer words may be English without having any of its commonest ones."""
MAX_CHARS = 600
"""Only so much of a text is compared: what is longer says more than one thing."""

_WORD = re.compile(r"[぀-ヿ㐀-鿿]|[^\W_぀-ヿ㐀-鿿]+")
"""A word, or one character of a script that is written without spaces."""
_LETTERS = re.compile(r"[^\W\d_]+")
_MAY_BE_EXACT = re.compile(r"[\d_/#@`\"'“«「]|\w[.:-]\w|[a-z][A-Z]|[A-Z]{2}| -")
"""What any exact term has: most sentences need not be searched for them, which takes a while."""


@dataclass(frozen=True)
class SupersessionModel:
    """Weights by feature, with an opinion and without one; and from which chance on to ask and to label."""

    with_opinion: Mapping[str, float]
    without_opinion: Mapping[str, float]
    asked: float
    labelled: float

    def chance(self, older: str, newer: str, cosine: float, opinion: float | None) -> float:
        """How likely the newer text replaces the older one, 0..1; a tenth of a millisecond."""
        return self.of(features(older, newer, cosine, opinion), has_opinion=opinion is not None)

    def labels(self, chance: float, opinion: float | None) -> bool:
        """Whether a chance is worth a label: never what texts alone make likely."""
        return opinion is not None and chance >= self.labelled

    def of(self, known: Mapping[str, float], *, has_opinion: bool) -> float:
        """The same of `features`."""
        weights = self.with_opinion if has_opinion else self.without_opinion
        return chance_of(sum(weight * known[name] for name, weight in weights.items()))


def bundled() -> SupersessionModel:
    """The model that comes with AgentOS."""
    written: dict[str, Any] = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return SupersessionModel(written["with_opinion"], written["without_opinion"], written["asked"], written["labelled"])


def judges(text: str) -> bool:
    """Whether the pair model's opinion of a text says something: it was trained with English alone.

    It holds of 96 in 100 English texts, of 6 French, 10 Spanish and 25 German ones.
    """
    letters = [sign for sign in text if sign.isalpha()]
    words = _LETTERS.findall(text.casefold())
    is_latin = sum(map(str.isascii, letters)) >= LATIN * len(letters)
    return is_latin and (len(words) < SHORT or any(len(word) > 1 and word in STOP_WORDS for word in words))


def features(older: str, newer: str, cosine: float, opinion: float | None) -> dict[str, float]:
    """What the weights are of; without words of any language.

    `odds`: the opinion's log odds. `other_key`: each text has an exact term (an identifier, a path, a flag) in its
    first half that the other one has not. `shared`: the share of letters that stand in words of both.
    """
    older, newer = older[:MAX_CHARS], newer[:MAX_CHARS]
    one, other = (set(_WORD.findall(text.lower())) for text in (older, newer))
    odds = 0.0 if opinion is None else log_odds(opinion, LEAST)
    return {
        "bias": 1.0,
        "odds": odds,
        "cosine": cosine,
        "odds_cosine": odds * cosine,
        "other_key": float(_has_own_key(older, newer) and _has_own_key(newer, older)),
        "shared": 2 * _letters(one & other) / max(1, _letters(one) + _letters(other)),
    }


def _has_own_key(text: str, other: str) -> bool:
    half = len(text) / 2
    found = [term.text for term in exact_terms(text)] if _MAY_BE_EXACT.search(text) else []
    # A text without spaces is a term by itself, and no key.
    return any(len(term) < half and term not in other and text.find(term) < half for term in found)


def _letters(words: set[str]) -> int:
    return sum(map(len, words))
