"""Traits: counted evidence of somebody's needs, of what they want of an assistant, and of their interests.

A text counts once for a trait, for it or against it. A negated phrase counts against. Levels come from the difference:
High from 5 texts and 4 % of those that were read, Medium from 3 and 1.5 %, Low from 2, and Low too if 2 more speak
against than for. With less, there is no level.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from ...modules import package_files
from ...modules.records import dataclass
from ...modules.suspicion import is_suspicious
from ...modules.text.wording import contractions_undone
from .models import Level, Trait, UserText

HIGH, MEDIUM, LOW = 5, 3, 2
"""Thresholds of the difference: texts for a trait less those against it."""
HIGH_SHARE, MEDIUM_SHARE = 0.04, 0.015
"""Thresholds of that difference as a share of the texts: who says much mentions much."""
MAX_EVIDENCE = 8
MAX_TEXT_CHARS = 2_000
MAX_REMEMBERED = 10_000
_WORD = re.compile(r"[a-z0-9]+(?:[-'][a-z0-9]+)*(?:;dr)?")
_ASIDE = re.compile(r"\[[^\]\n]{0,300}\]")
_NEGATIONS = frozenset("not never no without hardly rarely neither".split())
_REACH = 3
"""Words before a phrase within which a negation negates it."""
_TO_FIRST_PERSON = (("the user's", "my"), ("the user is", "i am"), ("the user has", "i have"), ("the user", "i"))


@dataclass(frozen=True)
class _Cue:
    """A phrase that speaks for a trait or against it; its last word may be a prefix."""

    trait: str
    words: tuple[str, ...]
    is_prefix: bool
    is_for: bool

    def fits(self, spoken: Sequence[str], at: int) -> bool:
        """Return whether the phrase stands at an index."""
        end = at + len(self.words)
        if end > len(spoken) or tuple(spoken[at : end - 1]) != self.words[:-1]:
            return False
        last = spoken[end - 1]
        return last.startswith(self.words[-1]) if self.is_prefix else last == self.words[-1]


@dataclass(frozen=True)
class _Lexicon:
    groups: Mapping[str, str]
    exact: Mapping[str, tuple[_Cue, ...]]
    prefixes: Mapping[str, tuple[_Cue, ...]]
    shortest: int


class TraitCounter:
    """Counts evidence for traits, and caches the result for each text under its digest, so that recounting is cheap."""

    def __init__(self) -> None:
        self._votes: dict[bytes, dict[str, bool]] = {}

    def traits_in(self, texts: Iterable[UserText]) -> list[Trait]:
        """Return the traits that texts (the newest first) support; others are left out.

        Texts that look like instructions to their reader are no evidence.
        """
        lexicon = _lexicon()
        read = 0
        pro: dict[str, list[str]] = {}
        contra: dict[str, list[str]] = {}
        for text in texts:
            read += 1
            for trait, is_for in self._of(text.text).items():
                (pro if is_for else contra).setdefault(trait, []).append(text.memory_id)
        found = []
        for name, group in lexicon.groups.items():
            supporting, contrary = pro.get(name, []), contra.get(name, [])
            level = level_of(len(supporting), len(contrary), read)
            if level is not None:
                shown = supporting if len(supporting) >= len(contrary) else contrary
                found.append(Trait(name, group, level, len(supporting), len(contrary), tuple(shown[:MAX_EVIDENCE])))
        return found

    def _of(self, text: str) -> dict[str, bool]:
        digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
        known = self._votes.get(digest)
        if known is None:
            known = {} if is_suspicious(text) else _votes(text, _lexicon())
            if len(self._votes) >= MAX_REMEMBERED:
                self._votes.clear()
            self._votes[digest] = known
        return known


def level_of(supporting: int, contrary: int, read: int) -> Level | None:
    """Return the level for this many texts for and against a trait, of all that were `read`;

    None if they are too few.
    """
    net = supporting - contrary
    if net >= max(HIGH, HIGH_SHARE * read):
        return Level.HIGH
    if net >= max(MEDIUM, MEDIUM_SHARE * read):
        return Level.MEDIUM
    return Level.LOW if abs(net) >= LOW else None


def names() -> Mapping[str, str]:
    """Return every trait there is, with its group."""
    return _lexicon().groups


def _votes(text: str, lexicon: _Lexicon) -> dict[str, bool]:
    """Return, for each trait that a text mentions, whether it speaks for it; False if it also speaks against it."""
    votes: dict[str, bool] = {}
    for sentence in re.split(r"(?<=[.!?])\s+|\n+", _plain(text)):
        asks = sentence.rstrip().endswith("?")
        spoken = _WORD.findall(sentence)
        for at, word in enumerate(spoken):
            for cue in _beginning_with(word, lexicon):
                if not cue.fits(spoken, at) or (asks and lexicon.groups[cue.trait] == "psychology"):
                    continue
                negated = not _NEGATIONS.isdisjoint(spoken[max(0, at - _REACH) : at])
                if negated and not cue.is_for:
                    continue  # "I am not shy" says little of being outgoing
                is_for = cue.is_for and not negated
                votes[cue.trait] = votes.get(cue.trait, True) and is_for
    return votes


def _plain(text: str) -> str:
    spoken = _ASIDE.sub(" ", text[:MAX_TEXT_CHARS]).replace("’", "'")
    plain = contractions_undone(spoken).lower()
    for old, new in _TO_FIRST_PERSON:
        plain = plain.replace(old, new)
    return plain


def _beginning_with(word: str, lexicon: _Lexicon) -> Iterable[_Cue]:
    yield from lexicon.exact.get(word, ())
    for size in range(lexicon.shortest, len(word) + 1):
        yield from lexicon.prefixes.get(word[:size], ())


@cache
def _lexicon() -> _Lexicon:
    import tomllib

    read = tomllib.loads(package_files.text(Path(__file__).with_name("traits.toml")))
    groups = {name: group for group, traits in read.items() for name in traits}
    exact: dict[str, tuple[_Cue, ...]] = {}
    prefixes: dict[str, tuple[_Cue, ...]] = {}
    for traits in read.values():
        for name, cues in traits.items():
            for is_for, phrases in ((True, cues["for"]), (False, cues["against"])):
                for phrase in filter(None, phrases.split("|")):
                    words = tuple(phrase.rstrip("*").split())
                    cue = _Cue(name, words, phrase.endswith("*"), is_for)
                    table = prefixes if cue.is_prefix and len(words) == 1 else exact
                    table[words[0]] = (*table.get(words[0], ()), cue)
    return _Lexicon(groups, exact, prefixes, min(map(len, prefixes)))
