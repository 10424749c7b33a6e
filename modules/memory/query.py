"""A query read from its text alone: its words, names, exact terms and dates, and whether it asks when."""

import re
from dataclasses import replace
from datetime import datetime

from ..records import dataclass
from ..stop_words import STOP_WORDS
from .asked_times import times_asked_for
from .date_spans import asks_when
from .dates import DateRange
from .exact_terms import MAX_TEXT, ExactTerm, exact_terms
from .words import terms, tokens

FEW_WORDS = 4
FEW_WORDS_BESIDE_QUOTES = 2
"""The most content words beside a strong exact term with which the term is what is looked up."""


@dataclass(frozen=True)
class Query:
    """A query, understood without a model.

    `words` are its content words, names included; `names` those that may be a person's, as written (whoever knows the
    speakers decides); `identifier_first` says that what contains the exact terms is the answer; `asks_when` that a
    time is wanted, `asks_latest` the most recent state of something, `asks_of_asker` what the asker said or did,
    `asks_for_several` several things or their order, `asks_order` their order in time; the last three are read in
    English alone.
    """

    text: str
    words: tuple[str, ...]
    names: tuple[str, ...]
    identifiers: tuple[ExactTerm, ...]
    dates: tuple[DateRange, ...]
    identifier_first: bool
    asks_when: bool
    asks_latest: bool
    asks_of_asker: bool = False
    asks_for_several: bool = False
    asks_order: bool = False


def read(text: str, now: datetime) -> Query:
    """Read a query; dates count from `now`.

    The first query that names a date loads dateparser (a third of a second).
    """
    return replace(read_without_dates(text), dates=times_asked_for(text, now))


def read_without_dates(text: str) -> Query:
    """Read all of a query but its dates, which alone may take long."""
    identifiers = exact_terms(text)
    return Query(
        text=text,
        words=tuple(terms(text)),
        names=_names(text, identifiers),
        identifiers=identifiers,
        dates=(),
        identifier_first=_identifier_first(text, identifiers),
        asks_when=asks_when(text),
        asks_latest=_LATEST.search(text[:MAX_TEXT]) is not None,
        asks_of_asker=_asks_of_asker(text[:MAX_TEXT]),
        asks_for_several=_SEVERAL.search(text[:MAX_TEXT]) is not None,
        asks_order=_ORDER.search(text[:MAX_TEXT]) is not None,
    )


def is_question(text: str) -> bool:
    """Return whether an English sentence asks, by its first word or its end."""
    return _QUESTION.search(text) is not None


def _asks_of_asker(text: str) -> bool:
    """Return whether a text asks, in English, about the asker ("me").

    A message that tells something and then asks is no such question: it goes on with a conversation. A summary is of
    what both sides said.
    """
    sentences = [sentence for sentence in _SENTENCE_END.split(text) if sentence.strip()]
    stated = [sentence for sentence in sentences if not is_question(sentence)]
    if _SUMMARY.search(text):
        return False
    return len(stated) <= 1 and _ASKER.search(text) is not None and not any(map(_ASKER.search, stated))


def _identifier_first(text: str, identifiers: tuple[ExactTerm, ...]) -> bool:
    """Return whether a query is a look-up: a strong exact term among few other words, or nothing but exact terms."""
    if not identifiers:
        return False
    inside = {token for term in identifiers for token in tokens(term.text)}
    others = set(tokens(text)) - inside - STOP_WORDS
    strong = [term.text for term in identifiers if term.strong]
    named = any(" " not in term for term in strong)  # what is quoted may be the title of a book
    return len(others) <= (FEW_WORDS if named else FEW_WORDS_BESIDE_QUOTES if strong else 0)


def _names(text: str, identifiers: tuple[ExactTerm, ...]) -> tuple[str, ...]:
    """Return the capitalised words that may be names, each once: no stop words, all capitals, months or weekdays."""
    words = (match.group().removesuffix("'s").removesuffix("’s") for match in _NAME.finditer(text[:MAX_TEXT]))
    exact = {term.text for term in identifiers}
    return tuple(dict.fromkeys(word for word in words if _is_name(word) and word not in exact))


def _is_name(word: str) -> bool:
    """Return whether a word begins with a capital, which many scripts lack, and is no stop word, month or the like."""
    return word[0] != word[0].lower() and word.lower() not in _NO_NAMES


_NAME = re.compile(r"(?<![\w./_-])[^\W\d_a-z][^\W\d_]*[^\W\d_A-Z](?:['’]s)?(?![\w/_]|[.-]\w)")
_NO_NAMES = STOP_WORDS | frozenset(
    """
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday tell find show give list explain describe remember please
    """.split()
)
_QUESTION = re.compile(
    r"\?\s*$|^\W*(?:what|who|whom|whose|which|when|where|why|how|is|are|am|was|were|do|does|did|has|have|had|can|could|"
    r"should|will|would|may|at what|on which|in which|to whom|with whom)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")
_ASKER = re.compile(r"\b(?:I|me|my|mine|myself|we|us|our|ours)\b", re.IGNORECASE)
_SEVERAL = re.compile(
    r"^\W*(?:what|which)(?: \w+)? (?!(?:is|was|does|has)\b)\w{3,}s\b (?:did|do|does|has|have|are|were|is)\b"
    r"|\b(?:list|order|how many times|(?:kind|type)s? of)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?:in (?:what|which) (?:\w+ )?order|in the (?:time|right|correct) order|order (?:of events|in which)"
    r"|chronolog\w+|timeline of|sequence of events)\b",
    re.IGNORECASE,
)
_SUMMARY = re.compile(r"\b(?:summar(?:y|ies|i[sz]e)|recap|overview)\b", re.IGNORECASE)
_LATEST = re.compile(
    r"\b(?:latest|newest|lately|recently|most recent|currently|right now|nowadays|these days|at the moment|last time"
    r"|(?:is|are|does|do) [\w' ]{1,40} (?:now|any ?more))\b",
    re.IGNORECASE,
)
