"""Text-index queries from user text: every token is quoted, so that nothing in it is ever syntax."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations

from ..engine.text_ranking import COLUMN_WEIGHTS as COLUMN_WEIGHTS
from ..engine.text_ranking import MAX_FREQUENCY as MAX_FREQUENCY
from ..engine.text_ranking import MAX_MATCHES as MAX_MATCHES
from ..engine.text_ranking import TOKENIZER as TOKENIZER
from ..engine.text_ranking import rarest as rarest

MAIN, ASIDE = "memory_text", "memory_text_aside"
"""The text index, and that of memories left aside unless asked for; BM25 has separate statistics for each."""


def indexes(*, with_aside: bool) -> tuple[str, ...]:
    """Return the tables that a search reads."""
    return (MAIN, ASIDE) if with_aside else (MAIN,)


def score(index: str) -> str:
    """Return the SQL expression of BM25; higher is better."""
    return f"-bm25({index}, {', '.join(map(str, COLUMN_WEIGHTS))})"


@dataclass(frozen=True)
class Plan:
    """A query plan for a large store, where scoring all that has just one common word costs much and tells little.

    `rare` words are searched for by themselves, and match at most `alone` memories; common ones where all words that
    are not rare meet (`together`), or two common ones (`pairs`).
    """

    words: tuple[str, ...]
    rare: tuple[str, ...]
    alone: int
    together: str | None
    pairs: tuple[str, ...]

    @property
    def conjunctions(self) -> list[str]:
        """The expressions whose matches must be counted, each once, before it is known what to search for."""
        return list(dict.fromkeys([*filter(None, [self.together]), *self.pairs]))

    def expressions(self, counts: Mapping[str, int], wanted: int) -> list[str]:
        """Return FTS5 expressions, to be tried in order until there are as many matches as wanted.

        `counts` gives the number of memories that match each of the conjunctions. The first expression matches a rare
        word, or all words that are not rare; the second a rare word, or one of the rarest pairs, as long as few enough
        memories are scored; the last any of the words. One that cannot give enough is left out, except the last.
        """
        together = [] if self.together is None else [self.together]
        meeting, pairs = sum(counts[each] for each in together), self._few(counts)
        steps = (
            (expression(self.rare, together), self.alone + meeting),
            (expression(self.rare, pairs), self.alone + sum(counts[each] for each in pairs)),
        )
        enough = [each for each, count in steps if each and count >= wanted]
        return list(dict.fromkeys([*enough, expression(self.words)])) if self.words else []

    def _few(self, counts: Mapping[str, int]) -> list[str]:
        chosen: list[str] = []
        matches = self.alone
        for pair in sorted(self.pairs, key=lambda pair: counts[pair]):
            matches += counts[pair]
            if chosen and matches > MAX_MATCHES:
                break
            chosen.append(pair)
        return chosen


def plan(frequencies: Sequence[tuple[str, int]]) -> Plan:
    """Return the plan for a large store; `frequencies` gives the number of memories in which a word occurs."""
    words = rarest(frequencies)
    frequency = dict(frequencies)
    matches = list(accumulate(frequency[word] for word in words))
    rare = [word for word, count in zip(words, matches, strict=True) if count <= MAX_MATCHES]
    common = words[len(rare) :]
    others = [word for word in frequency if word not in rare]
    return Plan(
        tuple(words),
        tuple(rare),
        sum(frequency[word] for word in rare),
        all_of(others) if len(others) > 1 else None,
        tuple(all_of(pair) for pair in combinations(common, 2)),
    )


def all_of(words: Iterable[str]) -> str:
    """Return the FTS5 expression for texts that have all of these words."""
    return f"({' AND '.join(map(_quoted, words))})"


def expression(words: Sequence[str], others: Sequence[str] = ()) -> str:
    """Return the FTS5 expression for texts that have any of the words, quoted, or match any of `others`."""
    return " OR ".join([*map(_quoted, words), *others])


def words_in(expression: str) -> list[str]:
    """Return the words of an expression of this module, each once."""
    return list(dict.fromkeys(re.findall('"([^"]*)"', expression)))


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
