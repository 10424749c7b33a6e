"""Names that announce a secret: `DB_PASSWORD`, `apiKey`, "my PIN"; and those that only look like one."""

import re
from collections.abc import Iterator
from enum import Enum

from ..records import dataclass
from .spans import compiled, lowered, occurrences

MAX_NAME = 80


class Class(Enum):
    """The class of a name, by what it implies: any value is a password, a token has a form, a key may be any key."""

    PASSWORD = 1
    TOKEN = 2
    KEY = 3
    DIGITS = 4


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a text, by character offsets, with the kind of secret that it announces."""

    begin: int
    end: int
    kind: str
    category: Class
    written: str
    upper: bool


_STEMS: dict[str, tuple[str, Class]] = {
    **dict.fromkeys(
        ("password", "passwd", "passphrase", "passcode", "pass phrase", "secret phrase", "phrase secrète", "unlock phrase", "pwd", "passwort", "kennwort", "contraseña", "contrasena",
         "senha", "wachtwoord", "mot de passe", "пароль", "密码", "密碼", "パスワード", "비밀번호", "hasło", "heslo",
         "şifre", "lösenord", "adgangskode", "passord", "salasana", "jelszó", "pass", "pw"),
        ("password", Class.PASSWORD),
    ),
    **dict.fromkeys(("secret", "credential"), ("secret", Class.TOKEN)),
    "token": ("token", Class.TOKEN),
    "apikey": ("api-key", Class.TOKEN),
    **dict.fromkeys(("pin", "pincode"), ("pin", Class.DIGITS)),
    **dict.fromkeys(("otp", "totp", "cvv", "cvc", "cvv2"), ("otp", Class.DIGITS)),
    "auth": ("secret-key", Class.KEY),
}  # fmt: skip
"""Stems of names, and what they announce."""

_KEY_OF = (
    r"(api|(?:access|private|secret|signing|encryption|master|account|auth|service|license|webhook|session|storage"
    r"|deploy|admin|root|agentos[ _-]http))[ _-]?$"
)
_CODE_OF = r"(?:verification|entry|access|sms|2fa|mfa|one-time|backup|recovery|security|login|door|gate|alarm|unlock|vault|safe|lock)[ _-]$"
"""Words before "key" or "code" that make it a secret."""

_STANDALONE = frozenset({"pass", "pw", "pin", "pincode", "otp", "totp", "cvv", "cvc", "cvv2", "key", "auth"})
"""Stems that must be a whole part of a name: `db_pass`, not `passenger`."""

_NOT_BEFORE = frozenset(
    """
    max min num total prompt completion input output cached reserved context budget public primary foreign cache
    partition sort idempotency group row object shard next page continuation cursor eos bos pad unk sep cls mask stop
    publishable has is no requires show hide forgot forgotten hot short shift ctrl alt arrow function dict sorting
    map hash lookup natural composite surrogate unique candidate super i18n translation cancellation per rate
    """.split()
)
_NOT_AFTER = frozenset(
    """
    id ids name names url uri file filename path dir field fields column length len min max count counts limit budget
    policy ttl expiry expires expired expiration exp type types hint reset prompt label regex pattern format strength
    manager managers store vault provider rotation age usage used input output cache ring board ref version header
    headers prefix suffix var required enabled disabled validator validation validate placeholder help error errors is
    set missing size window bucket index per rate price cost endpoint service class kind source location algorithm alg
    scheme hash hashes hashed digest fingerprint salt s es stroke strokes words word ized izer izers ization izing
    ary aries ly less ful ers er bearer chain map generator parser handler handling stream based auth page change
    changed update check checks checking book port verify confirm confirmation visible toggle mode mgmt management
    """.split()
)


_OTHER_KEY = rf"(?<![a-z])(?:{'|'.join(sorted(_NOT_BEFORE))}) $"
"""A word before "key" that makes it an ordinary one."""
_RIGHT = r"[A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*"
_PARTS = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+"


def find(text: str, lower: str) -> Iterator[Name]:
    """Yield the names in a text that announce a secret, in order."""
    past = 0
    for at, stem, kind, category in sorted(_stems(lower), key=lambda found: (found[0], -len(found[1]))):
        if at < past:
            continue
        end_of_stem = at + len(stem)
        if stem == "key" and compiled(_OTHER_KEY).search(lower, max(0, at - 24), at):
            continue
        begin, end = _around(text, at, end_of_stem)
        if _announces(stem, text[begin:at], text[end_of_stem:end], text[at:end_of_stem]):
            past = end
            written = text[begin:end]
            yield Name(begin, end, kind, category, written, written.isupper())


def _stems(lower: str) -> Iterator[tuple[int, str, str, Class]]:
    spaced = lower.replace("_", " ").replace("-", " ")
    for stem, (kind, category) in _STEMS.items():
        for at in occurrences(spaced if " " in stem else lower, stem):
            yield at, stem, kind, category
    for at in occurrences(lower, "key"):
        owner = compiled(_KEY_OF).search(lower, max(0, at - 16), at)
        if owner is None:
            yield at, "key", "secret-key", Class.KEY
        else:
            kind = "api-key" if owner.group(1) == "api" else "secret-key"
            yield owner.start(), lower[owner.start() : at + 3], kind, Class.TOKEN
    for at in occurrences(lower, "code"):
        if (owner := compiled(_CODE_OF).search(lower, max(0, at - 14), at)) is not None:
            yield owner.start(), lower[owner.start() : at + 4], "otp", Class.DIGITS


def _around(text: str, begin: int, end: int) -> tuple[int, int]:
    """Return the begin and end of the identifier around a stem."""
    left = begin
    least = max(0, begin - MAX_NAME)
    while left > least and (text[left - 1].isalnum() or text[left - 1] in "_.-"):
        left -= 1
    while left < begin and text[left] in ".-":
        left += 1
    right = compiled(_RIGHT).match(text, end, end + MAX_NAME)
    return left, right.end() if right else end


def _announces(stem: str, head: str, tail: str, written: str) -> bool:
    before = compiled(_PARTS).findall(head)
    after = compiled(_PARTS).findall(tail)
    glued_before = bool(head) and head[-1].isalpha() and not (written[0].isupper() and head[-1].islower())
    glued_after = bool(tail) and tail[0].isalpha() and not (tail[0].isupper() and written[-1].islower())
    if stem in _STANDALONE and (glued_before or glued_after):
        return False
    if (
        glued_after
        and len(tail) > 0
        and (tail.lower() in _NOT_AFTER or not stem.startswith(("passw", "apikey", "secret", "token")))
    ):
        return False
    if any(part.lower() in _NOT_AFTER for part in after):
        return False
    if stem == "auth" and any(part.lower() in _STEMS or part.lower() == "key" for part in after):
        return False  # `X-Auth-Token` is a token
    return not (before and before[-1].lower() in _NOT_BEFORE)


def read(name: str) -> Name | None:
    """Return what a name announces by itself (the key of a JSON object, or an attribute in words), or None."""
    if _ABOUT_SECRETS.fullmatch(name):
        return None
    return next(find(name, lowered(name)), None)


_ABOUT_SECRETS = re.compile(
    r"(?:[a-z]+ ){0,2}(?:password|passphrase|secret|credential)s? (?:managers?|polic(?:y|ies)|length|strength|generator)",
    re.IGNORECASE,
)
"""Phrases about secrets that are not secrets themselves: "my password manager"."""
