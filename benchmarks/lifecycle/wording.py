"""The parts of wordings, how they are filled in, and whether two of them echo one another."""

import re
from dataclasses import dataclass

from Stemmer import Stemmer

FUNCTION_WORDS = frozenset(
    """a about after again all also am an and any anymore are as at be became because been before being both but by can
    cannot could d did do does doing done down dr each else example even ever every few for from further get gets
    getting go goes going gone got had has have having he her here hers him his how i if in instead into is it
    its itself just ll m may me might mine more most much must my myself no nor not now of off on once one only
    or other our ours out over own rather re s same shall she should since so some soon still such t than that
    the their them then there these they this those though through till to today too towards under until up upon
    us user very ve was we were what when where whether which while who whom whose why will with within without
    would yet you your currently""".split()
)
"""Words that carry no subject matter: sharing one is no echo. The user is a subject, as a name is;
example ends the names that are reserved for addresses, dr begins titles."""

_WORD = re.compile(r"[^\W_]+(?:[.:,][0-9]+)*", re.UNICODE)
_ARTICLE = re.compile(r"\b([Aa])(?= [aeioAEIO])")
_STEMMER = Stemmer("english")


@dataclass(frozen=True)
class Attribute:
    """One property: wordings of an earlier statement, of a later one that replaces it, and of a question about it.

    `{s}` stands for the subject's name, `{v}` for the value, `{month}` for the month in which it is said. Statements
    of "self" name nobody.
    """

    name: str
    about: str
    values: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    ask: tuple[str, ...]


@dataclass(frozen=True)
class NearPair:
    """Two statements that are both true at once, though they look alike.

    `{s}`: the subject; `{t}`: another one with a similar name; `{x}`: a third person;
    `{v}`, `{w}`: two values of the list. The question asks for what the first one says.
    """

    kind: str
    about: str
    values: str
    first: str
    second: str
    ask: str


@dataclass(frozen=True)
class ConflictPair:
    """Two statements of which one must be false, and nothing says which. `same_moment`: both are dated alike."""

    kind: str
    about: str
    values: str
    first: str
    second: str
    ask: str
    same_moment: bool = False


@dataclass(frozen=True)
class Paraphrase:
    """The same statement twice, in another order or with other function words."""

    about: str
    values: str
    first: str
    second: str


def filled(template: str, **names: str) -> str:
    """Fill in a wording: an initial `the` or `my` is capitalised, `a` before a vowel becomes `an`."""
    text = _ARTICLE.sub(r"\1n", template.format(**names))
    return text[0].upper() + text[1:] if text.startswith(("the ", "my ")) else text


def content_stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that carry subject matter."""
    words = (match[0].lower() for match in _WORD.finditer(text.replace("’", "'")))
    return frozenset(_stem(word) for word in words if word not in FUNCTION_WORDS)


def echo(old: str, new: str, subject: str) -> frozenset[str]:
    """Return the stems that two statements share besides those of their subject's name."""
    return (content_stems(old) & content_stems(new)) - content_stems(subject)


def _stem(word: str) -> str:
    stem: str = _STEMMER.stemWord(word)
    return stem
