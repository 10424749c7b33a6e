"""From the first person to the third: "I live in Porto" becomes the self-contained "The user lives in Porto"."""

import re

from .words import PREFERENCES, STATES

ADVERBS = (
    r"(?:just|recently|finally|also|actually|really|already|always|usually|often|still|currently|now|only|mostly|"
    r"sometimes|never|mainly|lately|first|originally|normally|generally|typically|both|all|personally|kind of)"
)
_FIRST = re.compile(r"\b(?:I|[Mm]y|[Ww]e|[Oo]ur)\b")
_LATER = {
    **{"i am": "they are", "i was": "they were", "i": "they", "we": "they", "me": "them", "us": "them", "my": "their"},
    **{"our": "their", "mine": "theirs", "ours": "theirs", "myself": "themselves", "ourselves": "themselves"},
}
_SPEAKER = re.compile(r"\b(?:I am|I was|I|[Ww]e|me|us|[Mm]y|[Oo]ur|[Mm]ine|ours|myself|ourselves)\b(?!-)")
_VERB = re.compile(rf"^ (?P<adverbs>(?:{ADVERBS} )*)(?P<verb>[a-z]+)\b")
_SECOND = re.compile(r"\b(?P<link>(?:and|but)(?: also)?) (?P<verb>[a-z]+)\b")
_IRREGULAR = {"have": "has", "do": "does", "am": "is", "are": "is", "go": "goes"}


def in_third_person(sentence: str, name: str, group: str) -> str:
    """Return a sentence of the first person in the third: about its speaker, for "we" about their `group`.

    The sentence has no contractions. The first "I", "my", "we" or "our" becomes the name, later ones a pronoun.
    """
    sentence = re.sub(r"\b[Oo]ur team\b", "the team", sentence)
    first = _FIRST.search(sentence)
    if first is None:
        return _capitalised(sentence)
    before, after, who = sentence[: first.start()], sentence[first.end() :], first.group().lower()
    called = name if who in ("i", "my") else group
    if before and called.startswith("The "):
        called = "t" + called[1:]
    if who in ("my", "our"):
        called += "'" if called.endswith("others") else "'s"
    elif not called.endswith("others"):
        after = _agreeing(after)
    return _capitalised(f"{_of_others(before)}{called}{_of_others(after)}")


def _of_others(text: str) -> str:
    return _SPEAKER.sub(lambda match: _LATER[match.group().lower()], text)


def _agreeing(rest: str) -> str:
    """Return what follows the name, with its verbs in the third person singular: "has", "studies", "watches"."""
    verb = _VERB.match(rest)
    if verb is None or (is_of := _singular(verb["verb"])) == verb["verb"]:
        return rest
    rest = f" {verb['adverbs']}{is_of}{rest[verb.end() :]}"
    return _SECOND.sub(lambda match: f"{match['link']} {_singular(match['verb'])}", rest, count=1)


def _singular(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb not in PREFERENCES | STATES:
        return verb
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{verb}s"


def _capitalised(text: str) -> str:
    text = " ".join(text.split())
    return text[:1].upper() + text[1:]
