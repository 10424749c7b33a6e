"""Proper names in a sentence, by their capitals: "Maria Silva", but not the capital that begins a sentence."""

import re
from collections.abc import Iterator, Sequence

from ..records import dataclass
from .forms import MONTH, WEEKDAY
from .keys import key
from .models import EntityType
from .wordlists import WordLists, wordlists

MAX_NAME_WORDS = 6
SPEAKERS = frozenset({"user", "assistant", "human", "ai", "system", "tool", "bot", "agent", "me", "you"})
"""Speakers that are roles."""


@dataclass(frozen=True)
class NameSpan:
    """A stretch of a text that names something."""

    begin: int
    end: int
    label: str
    type: EntityType


_SENTENCE_END = re.compile(
    r"(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bMrs)(?<!\bProf)(?<!\bSt)(?<!\bvs)(?<!\be\.g)(?<!\bi\.e)(?<![\s.][A-Z])"
    r"[.!?…]{1,20}+[\"'”’)\]]{0,20}+\s+|\n+|(?<=\w):\s+(?=[^\W\d_a-z])|;\s+"
)
_WORD = re.compile(r"[^\W\d_][\w'’.&+-]*[\w+]|[^\W\d_]|&|\d[\w.]*")
_JOINS = frozenset("de da do dos das del di du la le el al bin ibn van von der den ten ter of & zu zum".split())
_NOT_AT_THE_ENDS = frozenset("the a an i my our i'm i've i'll i’m i’ve i’ll 's and of".split())
_NO_NAME = re.compile(rf"(?:{MONTH}|{WEEKDAY}|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)s?\Z", re.IGNORECASE)
_NOUNISH = re.compile(r".{3,}(?:tion|tions|ment|ments|ness|ing|ity|ed|ly|able|ive|ous|ful|less|ers|ism|ance|ence)\Z")


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a text with their offsets; lines, and what follows a colon, are sentences of their own."""
    begin = 0
    for match in _SENTENCE_END.finditer(text):
        if text[begin : match.start()].strip():
            yield begin, text[begin : match.end()].rstrip()
        begin = match.end()
    if text[begin:].strip():
        yield begin, text[begin:].rstrip()


def names(sentence: str, elsewhere: frozenset[str] = frozenset()) -> list[NameSpan]:
    """Return the proper names of one sentence, in order and without overlaps.

    `elsewhere` are words that are capitalised within a sentence of the text, or are known names: they count as names
    at the beginning of a sentence too.
    """
    lists = wordlists()
    if len(sentence) > 12 and sentence.upper() == sentence:
        return []  # all in capitals: they distinguish nothing
    found = [span for run in _runs(sentence) if (span := _name(sentence, run, lists, elsewhere)) is not None]
    found += [
        NameSpan(match.start(), match.end(), match.group(), EntityType.PRODUCT)
        for match in _WORD.finditer(sentence)
        if match.group() in lists.small
        and not any(span.begin < match.end() and match.start() < span.end for span in found)
    ]
    return sorted(found, key=lambda span: span.begin)


def capitalised(sentence: str) -> set[str]:
    """Return the words capitalised within a sentence, where only a name has a capital."""
    return {key(match.group()) for match in list(_WORD.finditer(sentence))[1:] if _is_capital(match.group())}


def _is_capital(word: str) -> bool:
    return word[0].isupper() or (word[0].isalpha() and len(word) > 2 and word[1].isupper() and word[0].islower())


def _runs(sentence: str) -> Iterator[list[re.Match[str]]]:
    """Yield runs of capitalised words, with the small words that join them ("University of Porto")."""
    run: list[re.Match[str]] = []
    joins: list[re.Match[str]] = []
    for match in _WORD.finditer(sentence):
        word = match.group()
        gap = sentence[run[-1].end() if run and not joins else joins[-1].end() if joins else 0 : match.start()]
        if run and gap.strip(" ") != "":
            yield run
            run, joins = [], []
        if run and run[-1].group().endswith(("'s", "’s")):
            yield run
            run, joins = [], []
        if _is_capital(word) and not _NO_NAME.match(word):
            run = [*run, *joins, match]
            joins = []
        elif run and word in _JOINS and len(joins) < 3:
            joins.append(match)
        elif run and word[0].isdigit() and not joins and len(word) < 5:
            run.append(match)  # "Windows 11", "Apollo 13"
        else:
            if run:
                yield run
            run, joins = [], []
    if run:
        yield run


def _name(sentence: str, run: Sequence[re.Match[str]], lists: WordLists, elsewhere: frozenset[str]) -> NameSpan | None:
    words = list(run)
    starts = not sentence[: words[0].start()].strip(" \"'“‘(*-#>•\t")
    if starts and len(words) > 1 and not _opens_a_name(words, lists):
        words, starts = words[1:], False
    while words and _outer(words[0].group()):
        words, starts = words[1:], False
    while words and _outer(words[-1].group()):
        words = words[:-1]
    if not words or len(words) > MAX_NAME_WORDS or words[0].group()[0].isdigit():
        return None
    begin, end = words[0].start(), words[-1].end()
    label = re.sub(r"['’]s?$", "", sentence[begin:end]).rstrip(".")
    plain = [_plain(match.group(), lists) for match in words if match.group() not in _JOINS]
    if all(plain) or len(label) < 2:
        return None
    if (
        len(words) == 1
        and words[0].group().lower() not in lists.small
        and not _alone(label, sentence[end:], lists, elsewhere, starts=starts)
    ):
        return None
    return NameSpan(begin, begin + len(label), label, _type(sentence, begin, label, lists))


def _opens_a_name(words: Sequence[re.Match[str]], lists: WordLists) -> bool:
    """Return whether the first word of a sentence belongs to the name that follows: "Ann Lee", but not "Aww John"."""
    first, second = words[0].group(), words[1].group()
    if key(first) in lists.given:
        return True
    if _plain(first, lists) or key(second) in lists.given:
        return False
    return not re.fullmatch(r".{3,}(?:ly|ing)", first) or len(words) > 2


def _outer(word: str) -> bool:
    """Return whether a word may stand inside a name, but not at its ends."""
    return word in _JOINS or word.lower() in _NOT_AT_THE_ENDS


def _plain(word: str, lists: WordLists) -> bool:
    """Return whether a word is too common to be a name."""
    bare = re.sub(r"(?:n['’]t|['’](?:s|m|ve|ll|re|d|t)?)$", "", word).rstrip(".")
    lowered = bare.lower()
    if lowered in lists.given:
        return False
    if word.isupper():
        return lowered in lists.acronyms or len(bare) < 2 or lowered in lists.common
    return lowered in lists.common or lowered in lists.honorifics or len(bare) < 2


def _alone(label: str, after: str, lists: WordLists, elsewhere: frozenset[str], *, starts: bool) -> bool:
    """Return whether a single capitalised word is a name."""
    folded = key(label)
    if folded in lists.given or not starts:
        return True
    if folded in elsewhere or (label.isupper() and len(label) > 1):
        return True
    if _NOUNISH.match(label.lower()):
        return False
    if after.startswith(("'s ", "’s ")):
        return True
    following = re.match(r"(?:,)? (?:(?:now|no longer|currently|recently|just) )?([a-z]+)", after)
    return following is not None and following[1] in lists.after_a_name


def _type(sentence: str, begin: int, label: str, lists: WordLists) -> EntityType:
    words = [word.lower().strip(".,") for word in label.split()]
    before = re.search(r"\b(\w++)\.? $", sentence[:begin])
    if before is not None and before[1].lower() in lists.honorifics:
        return EntityType.PERSON
    if words[-1] in lists.organization_endings or words[0] in lists.organization_beginnings:
        return EntityType.ORGANIZATION
    if len(words) > 1 and (words[-1] in lists.place_endings or words[0] in lists.place_beginnings):
        return EntityType.PLACE
    if key(words[0]) in lists.given and len(words) < 5:
        return EntityType.PERSON
    if words[0] in lists.honorifics and len(words) > 1:
        return EntityType.PERSON
    if not lists.small.isdisjoint(words):
        return EntityType.PRODUCT
    return EntityType.NAME
