"""Passwords, PINs and tokens in texts of other languages than English: a word for the secret, then its value.

No grammar of any language: a name, few words, a copula or a colon, and a value that looks like no word.
"""

import re
from collections.abc import Iterator

from . import vocabulary
from .placeholders import has_digit_and_letter, is_digest, is_placeholder, is_technical, looks_chosen, looks_random
from .spans import SecretSpan, compiled, occurrences

_REACH = 160
"""Characters within which a value begins after its name."""

_WORD = r"[^\s:：=—–,.;!?。、，\"`“”„«»「」()]{1,30}"
_FEW = rf"(?:[ \t]+{_WORD}){{0,8}}?"
_IS = "|".join(map(re.escape, sorted(vocabulary.IS, key=len, reverse=True)))
_JOINED = "|".join(map(re.escape, vocabulary.JOINED_IS))
_SIGN = rf"(?:[ \t]{{0,4}}(?P<colon>[:：=]|->|→|—|–)[ \t]{{0,4}}|[ \t]{{1,4}}(?:{_IS})[ \t:：]{{1,4}}|[ \t]{{0,2}}(?:{_JOINED})[ \t]{{0,2}})"
_VALUE = r"(?:[\"'`“„«「『‘][ \u00a0]?(?P<quoted>[!#-&(-~]{3,100})[ \u00a0]?[\"'`”“»」』’]|(?P<bare>[!#-&(-~]{4,100}))"
_BARE = rf"[ \t]{{1,4}}{_VALUE}"
_NOW = "|".join(vocabulary.NOW_OR_TO)
_CHANGED = rf"{_FEW}[ \t]{{1,4}}(?:{_NOW})[ \t]{{1,4}}{_VALUE}"
_LATER = rf"(?:[ \t]+{_WORD}){{1,8}}?[ \t]{{1,4}}(?=(?:[«„] ?)?[^\s]{{0,40}}[!@#$%^&*+~\d]){_VALUE}"
_RESUMED = rf"{_FEW}[ \t]{{0,2}}[,;.:][ \t]{{1,2}}(?:{_WORD}[ \t]{{1,2}})?(?:{_IS})[ \t]{{1,4}}(?:(?:{_NOW})[ \t]{{1,4}})?{_VALUE}"
_LATER_IS = rf"(?:[ \t]+{_WORD}){{1,3}}?[ \t]{{1,4}}(?:{_IS})[ \t]{{1,4}}{_VALUE}"
_BEFORE = r"(?<!\S)[\"'`]?([!#-&(-~]{6,100})[\"'`]? (?:als|comme|como|come|jako|ca|som|как) (?:[^\W\d_]{1,20} ){0,2}$"
_NEXT_IS = rf"[ \t]+{_WORD}{_SIGN}{_VALUE}"
_CODE = rf"(?:[ \t]+[ck][oó]d\w{{0,6}})?[ \t:]{{1,4}}{_VALUE}"
_INFLECTED = r"[^\W\d_]{0,6}(?![^\W_])"
_UNIT = r"\d[\d.,]*(?:[-–]?[^\W\d_]{1,9})?$"
_NAME_OF_CODE = (
    r"[a-z]+(?:[_.][a-z]+)+$|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,4}$|[~.]{0,2}/[\w./-]+$|[^@\s]+@[^@\s]+\.[a-z]{2,}$|\w+\("
)


def find(text: str, lower: str) -> Iterator[SecretSpan]:
    """Yield the spans of values that a word of another language announces."""
    for words, kind, least in _KINDS:
        for word in words:
            for at in occurrences(lower, word):
                if (span := _value_of(text, lower, at, word, kind, least)) is not None:
                    yield span


_KINDS = (
    (vocabulary.PASSWORD, "password", 0),
    (vocabulary.UNINFLECTED, "password", 0),
    (vocabulary.NETWORK, "password", 0),
    (vocabulary.OF_ANYTHING, "password", 0),
    (vocabulary.BORROWED, "password", 0),
    (vocabulary.TOKEN, "token", 12),
    (vocabulary.PIN, "pin", 0),
)
"""Words, the kind of secret that they announce, and its least length."""
IN_ASCII = tuple(word for words, _, _ in _KINDS for word in words if word.isascii())
"""Of which a text in ASCII has one where it announces a value."""


def is_name(cell: str) -> bool:
    """Return whether a column heading is a word for a password, and nothing else."""
    bare = cell.strip("\"'*_` ").lower()
    return bare in vocabulary.PASSWORD or bare in vocabulary.UNINFLECTED


def _value_of(text: str, lower: str, at: int, word: str, kind: str, least: int) -> SecretSpan | None:
    joined = word in vocabulary.UNINFLECTED or not _has_spaces(word)
    end = at + len(word)
    if word == "pin":  # no word, and the beginning of many
        shouted = compiled(r"PIN(?:['’]?[a-zı]{1,4}|-[A-Za-z]{1,10})?(?![\w-])").match(text, at)
        if shouted is None or (at and lower[at - 1].isalnum()):
            return None
        end = shouted.end()
    elif not joined:
        if at and (lower[at - 1].isalnum() or lower[at - 1] == "_"):
            return None
        inflected = compiled(_INFLECTED).match(lower, end)
        if inflected is None:
            return None
        end = inflected.end()
    until = text.find("\n", end, end + _REACH)
    until = min(len(text), end + _REACH + 100) if until < 0 else until
    near = word in vocabulary.OF_ANYTHING
    later = (_LATER_IS,) if word in vocabulary.BORROWED else (_LATER, _RESUMED)
    sign = (
        None
        if word in vocabulary.BORROWED
        else compiled(f"(?i){'' if near else _FEW}{_SIGN}{_VALUE}").match(text, end, until)
    )
    if sign is not None and sign["colon"] == "=" and not text[sign.start("colon") - 1].isspace():
        sign = None if sign.start("colon") > end else sign  # `id=pass1` after other words is code
    if sign is not None and (span := _judged(sign, text, kind, least)) is not None:
        return span
    for pattern in (_BARE, _RESUMED, _NEXT_IS) if near else (_CODE,) if kind == "pin" else (_BARE, _CHANGED, *later):
        bare = compiled(f"(?i){pattern}").match(text, end, until)
        if bare is not None and (span := _judged(bare, text, kind, max(least, 6), without_sign=True)) is not None:
            return span
    before = compiled(_BEFORE).search(text, max(0, at - _REACH), at)
    is_part = compiled(r"-[^\W\d]").match(text, end) is not None  # of another word: Passwort-Tresor
    if before is not None and kind == "password" and not is_part and looks_chosen(before[1]):
        return SecretSpan(*before.span(1), kind)
    return None


def _has_spaces(word: str) -> bool:
    """Return whether a word is of a script that puts spaces between words."""
    return not any("\u3000" <= letter <= "\u9fff" or "\uac00" <= letter <= "\ud7af" for letter in word)


def _judged(match: re.Match[str], text: str, kind: str, least: int, *, without_sign: bool = False) -> SecretSpan | None:
    group = "quoted" if match["quoted"] is not None else "bare"
    begin, value = match.start(group), match[group]
    if group == "bare":
        value = value.rstrip(".,:;)]}" + ("!?" if not any(map(str.isdigit, value)) else ""))
    is_near = not without_sign and "colon" in match.re.groupindex and match["colon"] is not None
    if kind == "pin":
        value = value.rstrip("#*")
        is_pin = value.isdigit() and 4 <= len(value) <= 10
        return SecretSpan(begin, begin + len(value), kind) if is_pin else None
    if len(value) < max(4, least) or not _is_secret(value, quoted=group == "quoted", near=is_near):
        return None
    if without_sign and not looks_chosen(value):
        return None
    if kind == "token" and not looks_random(value, least):
        return None
    return SecretSpan(begin, begin + len(value), kind)


def _is_secret(value: str, *, quoted: bool, near: bool) -> bool:
    if is_placeholder(value) or is_digest(value) or is_technical(value) or "://" in value:
        return False
    if value.isdigit():
        return len(value) >= (4 if near or quoted else 5)
    if compiled(_UNIT).match(value) or compiled(_NAME_OF_CODE).match(value):
        return False
    has_letter, has_sign = (compiled(kind).search(value) is not None for kind in ("[A-Za-z]", r"[!@#$%^&*+=?~\\]"))
    mixed = has_digit_and_letter(value) or (has_letter and has_sign)
    return mixed and (near or quoted or len(value) >= 6)
