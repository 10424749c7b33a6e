"""A second opinion on whether a statement replaces an older one: a model reads both texts at once.

Rules and weights say which older statements a newer one may replace. With the model, nearness decides what is marked
(`outdated_chance.py`) and weights what is asked about (`predecessors.py`), and no rule ends what it finds unlikely.
Without a model rules and weights decide alone.
"""

import asyncio
import logging
import math
import re
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache

from ..errors import AgentOSError
from ..stop_words import STOP_WORDS
from ..text.scripts import normal_form
from .logistic import chance_of
from .ports import PairJudge
from .stems import stem

CONSIDERED = 0.05
"""The least likelihood, by rules and weights, of what the model is asked about when something is stored."""
UNLIKELY = 0.5
"""What the model finds less likely no rule ends."""
MAX_CHARS = 300
"""A longer text says more than one thing, which the model was not trained for."""
ASKED_AT_ONCE = 8
"""More are not asked about: an answer waits for all of them."""
PORTION = 2
"""So many are asked about in one call: on a slow machine not all of them are answered in time."""
CACHED = 2_000
WAIT_S = 0.05
"""How long an answer waits for opinions at most: some milliseconds a pair."""
_LEAST = 1e-4
_WORD = re.compile(r"[^\W\d_][^\W_]*")

log = logging.getLogger(__name__)


def together(chance: float, opinion: float | None) -> float:
    """Two likelihoods of one thing as one, from 0 to 1: their log odds are added, as of independent evidence.

    Without an opinion the other one stands. See Genest and Zidek, "Combining Probability Distributions" (1986).
    """
    return chance if opinion is None else chance_of(log_odds(chance) + log_odds(opinion))


def log_odds(chance: float, least: float = _LEAST) -> float:
    """Of a chance from 0 to 1, that counts as no smaller than `least` and no greater than what that leaves."""
    bounded = min(max(chance, least), 1 - least)
    return math.log(bounded / (1 - bounded))


class SecondOpinion:
    """Asks the model, and knows for a while what it has said."""

    def __init__(self, model: PairJudge) -> None:
        self._model = model
        self._known: OrderedDict[tuple[str, str], float] = OrderedDict()

    async def begin(self) -> None:
        """Start to load the model, so that it is there for whoever asks next. Raises nothing; does not block."""
        try:
            await self._model.ready(0)
        except Exception as error:  # noqa: BLE001 - as no thread can be started: whoever asks is told so, or goes without
            log.warning("the second opinion is not loaded: %s: %s", type(error).__name__, error)

    async def of(self, newer: str, older: Sequence[str], *, of_same_words: bool = False) -> list[float | None]:
        """How likely a statement replaces each of the older ones, from 0 to 1.

        None where that is not known: the newer one says all the words of the older one again (of "I use Vim", "I use
        Helix" the model cannot tell whether both are so; not `of_same_words`), a text is too long, or the model is
        still loading, which this begins, has no time within WAIT_S, fails, or is not there.
        """
        fit = [text for text in dict.fromkeys(older) if max(len(text), len(newer)) <= MAX_CHARS]
        if not of_same_words:
            fit = [text for text in fit if not has_same_words(text, newer)]
        fit = fit[:ASKED_AT_ONCE]
        found = {text: self._known.get((text, newer)) for text in fit}
        missing = [text for text, opinion in found.items() if opinion is None]
        if missing:
            found |= await self._asked(newer, missing)
        return [found.get(text) for text in older]

    async def _asked(self, newer: str, older: Sequence[str]) -> dict[str, float]:
        """What it says of as many as there is time for, the first ones first."""
        said: dict[str, float] = {}
        try:
            if not await self._model.ready(0):
                return said
            async with asyncio.timeout(WAIT_S):
                for begin in range(0, len(older), PORTION):
                    portion = older[begin : begin + PORTION]
                    said |= dict(zip(portion, await self._model.scores(newer, portion), strict=True))
        except (TimeoutError, AgentOSError):
            pass  # what was said by then stands
        except Exception as error:  # noqa: BLE001 - whatever goes wrong in a library must not fail a search or a store
            log.warning("no second opinion: %s: %s", type(error).__name__, error)
        self._known |= {(text, newer): score for text, score in said.items()}
        while len(self._known) > CACHED:
            self._known.popitem(last=False)
        return said

    def close(self) -> None:
        """Let the model's thread end, and forget what was read. Does not block."""
        self._known.clear()
        self._model.close()


def has_same_words(older: str, newer: str) -> bool:
    """Whether the newer one says all the words of the older one again, names aside."""
    return _plain_words(older) <= _plain_words(newer)


@lru_cache(maxsize=4_096)
def _plain_words(text: str) -> frozenset[str]:
    """The stems of the words that say something, without names."""
    words = _WORD.findall(text)
    return frozenset(stem(normal_form(word)) for word in words if word.islower() and word not in STOP_WORDS)
