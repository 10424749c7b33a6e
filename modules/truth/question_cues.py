"""What a question asks for by its words: an attribute's cues, and an asking word that fits its type."""

import re
from collections.abc import Mapping

from .attributes import belongs
from .by_cue import LIGHT
from .forms import FORMS
from .lexicon import Attribute, attributes
from .models import AskedSlot
from .subjects import PROJECT, USER, canonical_subject, is_subject

_FITS = {
    "who": {"name", "doctor"},
    "where": {"place", "place?", "room", "address", "school", "org", "gym", "bank", "hashtag", "url", "region", "team"},
    "when": {"time", "moment", "date", "weekday", "year"},
    "how long": {"duration"},
    "how many": {"count", "rate", "number"},
    "how much": {"money", "weight", "rate", "percent", "count"},
    "how old": {"age"},
    "how tall": {"length"},
    "how heavy": {"weight"},
    "how large": {"count", "number", "money"},
}
_ASKS = (
    (r"(?:who|whom|whose|to whom|by whom|for whom)\b", "who"),
    (r"(?:when|(?:at |from |until |by )?what time|(?:at|by|until|from|till|since) when|on (?:which|what) (?:day|"
     r"date))\b", "when"),
    (r"(?:for |after |within )?how long\b", "how long"),
    (r"(?:at |to |after |with )?how many\b", "how many"),
    (r"how (?:much|expensive|high)\b", "how much"),
    (r"how (?:large|big|strong)\b", "how large"),
    (r"how (?P<h>old|tall|heavy)\b", "how \\g<h>"),
    (r"(?:from |in |at )?where\b", "where"),
    (r"how\b", "how"),
    (r"(?:on |in |at |to |with |under |by |for |from |through )*(?:what|which)\b", ""),
)  # fmt: skip
_SUBJECT = re.compile(
    r"(?P<s>\bthe user(?:'s)?(?!\w)|\bProject [A-Z]\w+(?: [A-Z]\w+)?(?:'s)?|\b(?:the |"
    r"our )?[\w-]+(?: [\w-]+)? (?:service|team|website|"
    r"environment|printer|NAS|server|machine|router|app|project)(?:'s)?\b|(?<=\s)[A-Z][\w-]*(?: (?:van |de |"
    r"von )?[A-Z][\w-]*)*(?:'s)?"
    r"|\b[a-z]+\d*(?:-[a-z0-9]+)+(?:'s)?\b)"
)
_OF = re.compile(
    r"(?:\b(?:does|is|has|of|for|in|on|to|from|with|call|ring|phone|reach|at) |"
    r"^)(?P<s>(?:the )?[a-z][\w-]{3,}(?:'s)?)\b"
)
_ASKING = frozenset(
    """i one should can could may must would name names else something anything somebody kind type sort exactly say tell
    go goes do does did means method which what who how where when best right order currently there think know
    you me find found send use used using day date many much long have has got the is are am""".split()
)


def asking_word(text: str) -> str:
    """The kind of a question by how it begins: who, where, when, how many, …; "" for what, which and no question."""
    for expression, kind in _ASKS:
        if match := re.match(expression, text, re.IGNORECASE):
            return match.expand(kind).lower() if "\\g" in kind else kind
    return ""


_SHOWN = {
    "who": frozenset({"name", "doctor"}),
    "where": frozenset(_FITS["where"] | {"name", "city", "country"}),
    "when": frozenset({"time", "date", "weekday", "number", "duration"}),
    **dict.fromkeys(
        ("how many", "how much", "how long", "how old", "how tall", "how heavy", "how large"),
        frozenset({"number", "money", "percent", "duration", "size", "large number", "version"}),
    ),
}
"""Types of values, as a text shows them, that answer a kind of question."""


def fits(kind: str, types: frozenset[str]) -> bool | None:
    """Whether values of these types may answer that kind of question; None where the kind says nothing."""
    return None if kind not in _SHOWN else not types.isdisjoint(_SHOWN[kind])


def asked_by_cues(text: str) -> AskedSlot | None:
    """The slot of the only attribute whose cues account for all words of a question; None where that is unclear."""
    found_asking = next(
        ((one, kind) for expression, kind in _ASKS if (one := re.match(expression, text, re.IGNORECASE))), None
    )
    if found_asking is None:
        return None
    asking, kind = found_asking
    text = re.sub(
        r"\b(?:do|can|should|must|may|could) the user (?=.*\b(?:for|to|of|in|from|with|against|on) [A-Z])",
        "do one ",
        text,
    )
    kind = asking.expand(kind) if "\\g" in kind else kind.lower()
    rest = text[asking.end() :]
    found = _SUBJECT.search(rest)
    phrase = ""
    if found is None:
        others = [one for one in _OF.finditer(rest) if one["s"].split()[-1].removesuffix("'s") not in LIGHT | _ASKING]
        found = others[-1] if len(others) == 1 else None
    if found is not None:
        phrase = found["s"].removesuffix("'s")
        rest = f"{rest[: found.start('s')]} {rest[found.end('s') :]}"
        if _SUBJECT.search(rest) and " the user" not in f" {rest}":
            return None
    words = {word.removesuffix("'s") for word in re.findall(r"[a-z][\w'/-]*", rest.lower().replace("the user", ""))}
    words = {word for word in words if word not in _ASKING}
    forms_of = {word: frozenset((word, word.rstrip("s"), f"{word}s")) for word in words}
    rated = []
    for attribute in attributes():
        if attribute.cues and (score := _score(attribute, forms_of, kind)):
            rated.append((score + (0.5 if (attribute.owner == USER) == (phrase in ("", "the user")) else 0), attribute))
    if not rated:
        return None
    best = max(score for score, _ in rated)
    top = {attribute.name: attribute for score, attribute in rated if score == best}
    if len(top) > 1:
        return None
    attribute = next(iter(top.values()))
    if phrase and (not is_subject(phrase) or not belongs(attribute, phrase)):
        return None
    subject = canonical_subject(phrase) if phrase else PROJECT
    return AskedSlot(USER if subject == PROJECT and attribute.owner == USER else subject, attribute.name, 0.65)


def _score(attribute: Attribute, forms_of: Mapping[str, frozenset[str]], kind: str) -> float:
    """How many words of a question speak of an attribute; 0 where one does not, or where the asking word is another's.

    `forms_of` has each word's forms that cues may have.
    """
    known = {word for word, forms in forms_of.items() if not forms.isdisjoint(attribute.cues)}
    if not known or any(word not in LIGHT for word in forms_of.keys() - known):
        return 0
    if kind == "how" and attribute.type in FORMS:
        return 0
    if kind in _FITS:
        named = attribute.type in _FITS[kind]
        if not named and (kind != "where" or attribute.type in FORMS or attribute.type in ("name", "text")):
            return 0
        return len(known) + 1 if named else len(known)
    if attribute.type in ("duration", "count") and not known & {
        word for noun in attribute.nouns for word in noun.split()
    }:
        return 0
    return len(known) + 0.25 * len(known & {word for noun in attribute.nouns for word in noun.split()})
