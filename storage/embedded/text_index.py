"""Text-index queries from user text: every token quoted, so that nothing in it is ever syntax."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations

MAIN, ASIDE = "memory_text", "memory_text_aside"
"""The text index, and that of what a search leaves aside unless it is asked for: BM25 counts each by itself."""
MAX_MATCHES = 3_000
MAX_FREQUENCY = 10_000
MIN_RAREST = 3
COMMON = 2_000
"""A word that so many memories have, of whatever namespace, tells nothing by its absence from one."""
COLUMN_WEIGHTS = (2.0, 1.0, 1.5, 0.5)
"""BM25 weights of summary, content, tags, parts: a rare word in the headline outranks the same in the body."""


def indexes(*, with_aside: bool) -> tuple[str, ...]:
    """The tables that a search looks into."""
    return (MAIN, ASIDE) if with_aside else (MAIN,)


def score(index: str) -> str:
    """The SQL expression of BM25, higher is better."""
    return f"-bm25({index}, {', '.join(map(str, COLUMN_WEIGHTS))})"


def rarest(frequencies: Sequence[tuple[str, int]]) -> list[str]:
    """The terms to search for in a large store: the rarest first, while they match few enough memories.

    `frequencies` says in how many memories a term occurs. Scoring every match of a common word costs much
    and tells little; the MIN_RAREST rarest terms are always used.
    """
    chosen: list[str] = []
    matches = 0
    for term, frequency in sorted(frequencies, key=lambda pair: pair[1]):
        matches += frequency
        if len(chosen) >= MIN_RAREST and matches > MAX_MATCHES:
            break
        chosen.append(term)
    return chosen


@dataclass(frozen=True)
class Plan:
    """What to look for in a large store, where scoring all that has just one common word costs much and tells little.

    `rare` words are looked for by themselves, in `alone` memories at most; `common` ones where all of the `others`
    meet, or pairs of them.
    """

    words: tuple[str, ...]
    rare: tuple[str, ...]
    alone: int
    together: str | None
    pairs: tuple[str, ...]

    @property
    def conjunctions(self) -> list[str]:
        """What has to be counted, each once, before it is known what to look for."""
        return list(dict.fromkeys([*filter(None, [self.together]), *self.pairs]))

    def expressions(self, counts: Mapping[str, int], wanted: int) -> list[str]:
        """FTS5 expressions to be asked in order until there are as many matches as wanted.

        `counts` says how many memories match each of the conjunctions. First comes what has a rare word, or all the
        common ones; then what has a rare word, or two of the common ones: of the pairs the rarest, while few enough
        memories are scored; then what has any of the words. What cannot give enough is left out, but for the last.
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
    """What to look for in a large store; `frequencies` says in how many memories a word occurs."""
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
    """An FTS5 expression for what has all of these words."""
    return f"({' AND '.join(map(_quoted, words))})"


def expression(words: Sequence[str], others: Sequence[str] = ()) -> str:
    """An FTS5 expression for what has any of the words, each quoted, or matches any of the other expressions."""
    return " OR ".join([*map(_quoted, words), *others])


def _quoted(word: str) -> str:
    return f'"{word}"'
