"""Names that say that what follows is a secret: `DB_PASSWORD`, `apiKey`, "my PIN"; and those that only sound so."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache

MAX_NAME = 80


class Class(Enum):
    """How much a name says: after a password anything is one, a token has a form, a key may be any key."""

    PASSWORD = 1
    TOKEN = 2
    KEY = 3
    DIGITS = 4


@dataclass(frozen=True, slots=True)
class Name:
    """A name in a text, by characters, with the kind of secret that it announces."""

    begin: int
    end: int
    kind: str
    category: Class
    written: str
    upper: bool


_STEMS: tuple[tuple[str, str, Class], ...] = (
    *((stem, "password", Class.PASSWORD) for stem in (
        "password", "passwd", "passphrase", "passcode", "pwd", "passwort", "kennwort", "contraseña", "contrasena",
        "senha", "wachtwoord", "mot de passe", "пароль", "密码", "パスワード",
    )),
    *((stem, "secret", Class.TOKEN) for stem in ("secret", "credential")),
    *((stem, "token", Class.TOKEN) for stem in ("token",)),
    *((stem, "api-key", Class.TOKEN) for stem in ("apikey", "api_key", "api-key", "api key")),
    *((f"{word}{glue}key", "secret-key", Class.TOKEN)
      for word in ("access", "private", "signing", "encryption", "master", "account", "auth", "service", "license",
                   "webhook", "session", "storage", "deploy", "admin", "root")
      for glue in ("", "_", "-", " ")),
    *((stem, "pin", Class.DIGITS) for stem in ("pin", "pincode")),
    *((stem, "otp", Class.DIGITS) for stem in (
        "otp", "totp", "verification code", "2fa code", "mfa code", "one-time code", "backup code", "recovery code",
        "security code", "login code", "cvv", "cvc", "cvv2", "door code", "gate code", "alarm code", "unlock code",
        "vault code", "safe code", "lock code",
    )),
    *((stem, "password", Class.PASSWORD) for stem in ("pass", "pw")),
    *((stem, "secret-key", Class.KEY) for stem in ("key", "auth")),
)  # fmt: skip
"""What names contain, what they announce; of those that overlap the first one counts."""

_WHOLE = frozenset({"pass", "pw", "pin", "pincode", "otp", "totp", "cvv", "cvc", "cvv2", "key", "auth"})
"""Stems that must be a part of a name of their own: `db_pass`, not `passenger`."""

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


@cache
def _stems() -> tuple[re.Pattern[str], dict[str, tuple[str, Class]]]:
    known: dict[str, tuple[str, Class]] = {}
    for stem, kind, category in _STEMS:
        known.setdefault(stem, (kind, category))
    alternatives = "|".join(re.escape(stem) for stem in sorted(known, key=len, reverse=True))
    firsts = "".join(sorted({stem[0] for stem in known}))
    return re.compile(f"(?=[{firsts}])(?:{alternatives})"), known


_LEFT = r"[A-Za-z0-9_.$-]*$"
_RIGHT = r"[A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*"
_PARTS = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def find(text: str, lower: str) -> Iterator[Name]:
    """The names in a text that announce a secret, in order."""
    pattern, known = _stems()
    past = 0
    for match in pattern.finditer(lower):
        if match.start() < past:
            continue
        kind, category = known[match.group()]
        begin, end = _around(text, match.start(), match.end())
        head, tail = text[begin : match.start()], text[match.end() : end]
        if not _announces(match.group(), head, tail, text[match.start() : match.end()]):
            continue
        past = end
        written = text[begin:end]
        yield Name(begin, end, kind, category, written, written.isupper())


def _around(text: str, begin: int, end: int) -> tuple[int, int]:
    """The whole identifier that a stem is in."""
    left = begin
    least = max(0, begin - MAX_NAME)
    while left > least and (text[left - 1].isalnum() or text[left - 1] in "_.-"):
        left -= 1
    while left < begin and text[left] in ".-":
        left += 1
    right = _compiled(_RIGHT).match(text, end, end + MAX_NAME)
    return left, right.end() if right else end


def _announces(stem: str, head: str, tail: str, written: str) -> bool:
    before = _compiled(_PARTS).findall(head)
    after = _compiled(_PARTS).findall(tail)
    glued_before = bool(head) and head[-1].isalpha() and not (written[0].isupper() and head[-1].islower())
    glued_after = bool(tail) and tail[0].isalpha() and not (tail[0].isupper() and written[-1].islower())
    if stem in _WHOLE and (glued_before or glued_after):
        return False
    if glued_after and len(tail) > 0 and (tail.lower() in _NOT_AFTER or not stem.startswith(("passw", "apikey", "secret", "token"))):
        return False
    if any(part.lower() in _NOT_AFTER for part in after):
        return False
    return not (before and before[-1].lower() in _NOT_BEFORE)


def read(name: str) -> Name | None:
    """What a name by itself announces: the key of a JSON object."""
    from .plain import lowered

    return next(find(name, lowered(name)), None)
