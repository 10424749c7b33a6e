"""From the first person to the third: "I live in Porto" becomes "The user lives in Porto", which stands by itself."""

import re

from .vocabulary import words

_BE = re.compile(r"\bI (?P<adverb>(?:\w+ly |just |still |also |now |not )?)(?:am|was)\b")
_LATER = (
    (re.compile(r"\bI am\b"), "they are"),
    (re.compile(r"\bI was\b"), "they were"),
    (re.compile(r"\bI\b"), "they"),
    (re.compile(r"\bmyself\b", re.IGNORECASE), "themselves"),
    (re.compile(r"\bme\b(?!-)", re.IGNORECASE), "them"),
    (re.compile(r"\bmy\b(?!-)", re.IGNORECASE), "their"),
    (re.compile(r"\bmine\b", re.IGNORECASE), "theirs"),
    (re.compile(r"\bourselves\b", re.IGNORECASE), "themselves"),
    (re.compile(r"\b(?:we)\b", re.IGNORECASE), "they"),
    (re.compile(r"\bours\b", re.IGNORECASE), "theirs"),
    (re.compile(r"\bour\b", re.IGNORECASE), "their"),
    (re.compile(r"\bus\b"), "them"),
)
_FIRST = re.compile(r"\b(?P<who>I|[Mm]y|[Ww]e|[Oo]ur)\b")
ADVERBS = (
    r"(?:just|recently|finally|also|actually|really|already|always|usually|often|still|currently|now|once|absolutely|"
    r"totally|definitely|mostly|sometimes|never|even|mainly|lately|first|originally|officially|normally|generally|"
    r"typically|originally|both|all|personally|especially|simply|kind of|sort of|do)"
)
_VERB = re.compile(rf"(?P<adverbs>(?:{ADVERBS} )*)(?P<verb>[a-z]+)\b")


def singular(verb: str) -> str:
    """The form of a verb that follows a name: "has", "studies", "watches"."""
    irregular = {"have": "has", "do": "does", "am": "is", "go": "goes"}
    if verb in irregular:
        return irregular[verb]
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{verb}s"


def told_of(sentence: str, name: str, group: str) -> str:
    """A sentence in the first person, told of who said it; of "we", of their `group`.

    The sentence has no contractions. The first "I", "my", "we" or "our" becomes the name, later ones a pronoun.
    """
    sentence = re.sub(r"\b[Oo]ur team\b", "the team", sentence)
    first = _FIRST.search(sentence)
    if first is None:
        return _capitalised(sentence)
    before, after = sentence[: first.start()], sentence[first.end() :]
    who = first["who"].lower()
    called = name if who in ("i", "my") else group
    if before and called.startswith("The "):
        called = "t" + called[1:]
    if who == "i":
        after = _agreeing(after)
    elif who in ("my", "our"):
        called += "'" if called.endswith("s") and who == "our" else "'s"
    for expression, word in _LATER:
        before, after = expression.sub(word, before), expression.sub(word, after)
    return _capitalised(f"{before}{called}{after}")


def _agreeing(rest: str) -> str:
    """What follows "I", with its verbs in the form that follows a name."""
    text = re.sub(rf"^ ((?:{ADVERBS} )*)am\b", r" \1is", rest)
    text = re.sub(rf"^ ((?:{ADVERBS} )*)have\b", r" \1has", text)
    text = re.sub(rf"^ ((?:{ADVERBS} )*?)do\b", r" \1does", text)
    verb = _VERB.match(text[1:])
    if verb is None or verb["verb"] not in words().bases:
        return text
    text = f" {verb['adverbs']}{singular(verb['verb'])}{text[1 + verb.end() :]}"
    return re.sub(
        r"\b(?P<link>(?:and|but)(?: also)?) (?P<verb>[a-z]+)\b",
        lambda match: f"{match['link']} {singular(match['verb']) if match['verb'] in words().bases else match['verb']}",
        text,
        count=1,
    )


def _capitalised(text: str) -> str:
    text = " ".join(text.split())
    return text[:1].upper() + text[1:]
