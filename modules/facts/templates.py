"""Templates: the few forms of an English sentence that state an attribute for certain. Any other gives nothing.

    X's A is V · The A of X is V          V a name, a number, a time or a quoted text
    X's A is now V · A of X is now V      V anything short
    X's A is no longer V                  a denial
    A of X changed from V to W            (also "X's A changed …", "changed to W")
    Correction: …                         before any of these; so does what doubts ("Unverified: …")

The plain form takes only values of which an attribute has one at a time, as it is written: "Maria's car is red" and
"Maria's car is a Volvo" are both true. Texts of more than one sentence, or with a comma, are left alone.
"""

import re

from ..records import dataclass
from ..text.sentences import sentences
from .slots import canonical_slot

MAX_CHARS = 300


@dataclass(frozen=True)
class TextReading:
    """The statement of a text: that `attribute` of `subject` is `value`, or no longer is (`polarity` False)."""

    subject: str
    attribute: str
    value: str
    polarity: bool = True


_WORD = r"[^\W_][\w.&+#/-]{0,40}+"
_NAME = rf"{_WORD}(?: {_WORD}){{0,3}}?"
_OWNER = rf"(?:(?P<owner>{_NAME})['’]s|(?P<own>[Mm]y|[Oo]ur))"
_SLOT = rf"(?:{_OWNER} (?P<attribute>{_NAME})|(?:[Tt]he )?(?P<of_attribute>{_NAME}) of (?P<of_owner>{_NAME}))"
_SHORT = r"[^\s,;:!?](?:[^,;!?\n]{0,78}[^\s,;!?])?"
_NOW = re.compile(rf"{_SLOT} (?:is|are) (?:now (?P<value>{_SHORT})|no longer (?P<former>{_SHORT}))")
_CHANGED = re.compile(rf"{_SLOT} (?:has )?changed (?:from [^\s,;:!?][^,;!?\n]{{0,78}}? )?to (?P<value>{_SHORT})")
_PLAIN = re.compile(rf"{_SLOT.replace('(?:[Tt]he )?', '[Tt]he ')} is (?P<value>{_SHORT})")  # "One of my friends is Tom"
_CORRECTION = re.compile(r"\s{0,5}correction\s?[:-]\s{0,5}", re.IGNORECASE)
_DOUBTS = re.compile(
    r"\b(?:unverified|unconfirmed|not (?:yet )?(?:verified|confirmed|certain|sure)|allegedly|reportedly|supposedly"
    r"|rumou?rs?|rumou?red|hearsay|speculation|draft|tentative(?:ly)?|to be (?:verified|confirmed)|tbc|guess"
    r"|perhaps|maybe|might|possibly)\b",
    re.IGNORECASE,
)
_LEADS = re.compile(r"(?:as of|since|from|effective|starting) ", re.IGNORECASE)
_DATED = re.compile(_LEADS.pattern + r"(?:\d{4}-\d\d-\d\d,?|[\w .]{0,16}\d{4},?|[\w .]{3,30},) (?=\S)", re.IGNORECASE)
_OF_A_MOMENT = re.compile(r"\bas of\b", re.IGNORECASE)
_ONE_VALUE = re.compile(
    r"[\"“`][^\"”`]{1,60}[\"”`]"
    r"|[$€£]?\d[\w.,:/+-]*(?: ?%| [^\W\d_]{1,12})?"
    r"|(?:[^\W\d_a-z][\w.&+#'’-]*)(?: (?:[^\W_a-z][\w.&+#'’-]*|\d[\w.]*)){0,3}"
    r"|(?=[\w./-]*[\d_/.])[\w./-]{2,60}"
)
_ADDS = re.compile(r"\b(?:also|too|as well|in addition|additionally)\b", re.IGNORECASE)


def read(text: str) -> TextReading | None:
    """Return what a text states by one of the templates; None for any other text."""
    if len(text) > MAX_CHARS:
        return None
    sentence = _CORRECTION.sub("", text.strip(), count=1) if corrects(text) else text.strip()
    lead, colon, rest = sentence.partition(": ")
    sentence = rest.strip() if colon and doubts_itself(lead) else sentence
    if _LEADS.match(sentence):
        dated = _DATED.match(sentence)
        sentence = sentence[dated.end() :] if dated else ""
    if len(sentences(sentence)) > 1:
        return None
    sentence = sentence.rstrip(".! ")
    for template in (_NOW, _CHANGED, _PLAIN):
        if (match := template.fullmatch(sentence)) and (found := _reading(match, sentence, template is _PLAIN)):
            return found
    return None


def _reading(match: re.Match[str], sentence: str, is_plain: bool) -> TextReading | None:
    found = match.groupdict()
    if is_plain and not _ONE_VALUE.fullmatch(found["value"]):
        return None
    owner = found["owner"] or found["own"] or found["of_owner"]
    attribute = found["attribute"] or found["of_attribute"]
    value = found["value"] or found.get("former") or ""
    subject, attribute = canonical_slot(owner, attribute)
    return TextReading(subject, attribute, value, polarity=not found.get("former"))


def corrects(text: str) -> bool:
    """Return whether a text calls itself a correction: what it replaces never held."""
    return _CORRECTION.match(text[:MAX_CHARS]) is not None


def is_of_a_moment(text: str) -> bool:
    """Return whether a text says how it is at a moment ("as of 2025-01-10"), not that it has been so ever since."""
    return _OF_A_MOMENT.search(text[:MAX_CHARS]) is not None


def adds(text: str) -> bool:
    """Return whether a text says that it comes in addition: nothing ends."""
    return _ADDS.search(text[:MAX_CHARS]) is not None


def denies(text: str, value: str) -> bool:
    """Return whether a text says that a value no longer holds."""
    folded = text[:MAX_CHARS].casefold()
    return f"no longer {value.casefold()}" in folded or f"not {value.casefold()} any more" in folded


def doubts_itself(text: str) -> bool:
    """Return whether a text calls what it states a rumour, a draft, unverified, or says that it might be so."""
    return _DOUBTS.search(text[:MAX_CHARS]) is not None
