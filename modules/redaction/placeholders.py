"""Values that are no secrets (placeholders, references, names of technology), and values that look random."""

import math
from collections import Counter

from .spans import compiled

_WORDS = frozenset(
    """
    true false yes no on off none null nil undefined empty unset missing required optional default unknown n/a na
    str string text bytes char varchar int integer number bool boolean object any hidden password passwd pwd
    passphrase token key apikey value val pass pw username user email hash hashed plain plaintext encrypted example
    sample demo dummy fake placeholder changeme change-me change_me replaceme redacted masked removed omitted todo tbd
    fixme foo bar baz foobar test testing abc xyz input output self this env prompt getpass stdin file vault keychain
    bearer basic oauth oauth2 jwt saml private public
    """.split()
)
_REFERENCE = (
    r"(?i)[$%#]\{|\{[\w.!:]*\}(?![A-Za-z0-9])|\{\{|\$\(|(?-i:\$(?:[A-Z_][A-Z0-9_]*|[a-z_]+)$)|%(?:[A-Za-z_]\w*%|[A-Z_]+|[sdrif])$|<[^>\n]*>?$|\{[A-Za-z_]\w{0,40}\(|\[[A-Za-z _-]+\]?$"
    r"|(?:process\.env|import\.meta|os\.environ|os\.getenv|getenv|env|environ|secrets|config|settings|ctx|self|this"
    r"|vars?|local|data|args|opts|options|params|request|req|kwargs|props|state|context|input|form|event|body)[\[(]|(?:process\.env|import\.meta|env|environ|secrets|config|settings|ctx|self|this"
    r"|vars?|local|data|args|opts|options|params|request|req|kwargs|props|state|context|input|form|event|body)"
    r"(?:\.[A-Za-z_$]\w*)+(?:[^\w.]|$)"
    r"|(?:op|vault|ssm|arn|awssm|gcpsm|azurekv|keyring|https?|env|secretsmanager)(?:://|:aws:|:)|file:(?:[/.~]|$)"
    r"|(?:your|enter|insert|replace|change|example|sample|dummy|fake|placeholder|redacted|xxx+)(?:[-_ .]|$)(?!\S{0,80}\d[a-z])"
    r"|your[a-z]*(?:key|token|secret|pass)"
    r"|(?:my|some|the|put|add|test)[-_ ](?:[a-z]{1,20}[-_ ]){0,4}(?:pass|pwd|secret|token|key|cred|value|string|here|text|user)[a-z_ -]*$|!(?:ref|sub)\b|ENC\["
)
_SAMPLE = r"(?i)(?:example|sample|dummy|fake|test)[-_ .]"
_UNLIKE = r"\d[^\w.-]|[^\w\s.,:;-]\d"
"""Characters that no sample has: a digit beside a sign."""
_TECHNICAL = (
    r"(?i)(?:sha|hs|rs|es|ps|md|aes|rsa|ed|hmac|utf|base|bcrypt|scrypt|argon|pbkdf|oauth|x|win|log|http|ipv|ec|p|v|py"
    r"|python|node|web|k|s|i|l|u|f)-?\d[\d.]*(?:[-_/][A-Za-z0-9]*)*$"
)
_CALL = r"[A-Za-z_][\w.]*[(\[]"
_HASH = r"(?i)(?:sha(?:1|224|256|384|512)|md5|blake[23]\w?)[-:=]"


def is_placeholder(value: str) -> bool:
    """Return whether a value only stands for a secret: `YOUR_API_KEY`, `${TOKEN}`, `process.env.X`, `****`, `None`."""
    if "..." in value or "…" in value:
        return True
    bare = value.strip("\"'`.,;:!?()")
    if not bare or bare.startswith("[redacted"):
        return True
    lower = bare.lower()
    if lower in _WORDS or len(set(lower.replace("-", "").replace("_", ""))) <= 1:
        return True
    if "xxxx" in lower or "****" in lower or "•••" in lower:
        return True
    if "EXAMPLE" in value and value.isupper():  # as documentation writes them
        return True
    if compiled(_UNLIKE).search(value) and compiled(_SAMPLE).match(bare):
        return False
    return compiled(_REFERENCE).match(bare) is not None


def is_technical(value: str) -> bool:
    """Return whether a value is a name of technology or a version: sha256, AES-256-GCM, base64-encoded, v2.3."""
    return compiled(_TECHNICAL).match(value) is not None


def is_call(value: str) -> bool:
    """Return whether a value is an expression of code: `getpass()`, `os.environ["X"]`."""
    return compiled(_CALL).match(value) is not None


def is_digest(value: str) -> bool:
    """Return whether a value is marked as a digest: `sha512-…`, `sha256:…`."""
    return compiled(_HASH).match(value) is not None


def has_digit_and_letter(value: str) -> bool:
    """Return whether a value mixes digits with letters."""
    return compiled(r"\d").search(value) is not None and compiled(r"[^\W\d_]").search(value) is not None


def entropy(value: str) -> float:
    """Return the entropy in bits per character, by the frequencies in the value itself."""
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values()) if value else 0.0


def looks_random(value: str, least: int = 16) -> bool:
    """Return whether a value of at least `least` characters has no form of a word, name, path, version or digest."""
    if len(value) < least or not has_digit_and_letter(value) or is_digest(value) or is_technical(value):
        return False
    if compiled(r"[\w.]+\.(?:py|js|ts|md|json|ya?ml|txt|com|org|io|net|sh|rs|go|html?|png|jpe?g)$").match(value):
        return False
    changes = len(compiled(r"[0-9]+|[a-z]+|[A-Z]+").findall(value))
    return changes >= max(4, len(value) // 8) and entropy(value) >= min(3.0, math.log2(len(value)) - 0.9)


def consists_of_words(value: str) -> bool:
    """Return whether most of a value of both cases is whole words: `introductionToTheNewApiVersion2`."""
    words = compiled(r"[a-z]{3,}").findall(value)
    return not value.islower() and 2 * sum(map(len, words)) > len(value)


def is_scrambled(value: str) -> bool:
    """Return whether letters and digits alternate as in a random value, and in no title of a page: `why-a-2-is-3`."""
    if compiled(r"(?=[a-f]*\d)[a-f0-9]{24,128}$").match(value):
        return True
    runs = compiled(r"[0-9]+|[a-z]+|[A-Z]+").findall(value)
    if consists_of_words(value):
        return False
    digits = sum(run.isdigit() for run in runs)
    return digits > 0 and (len(runs) >= 0.35 * len(value) or (value.isalnum() and digits >= 3))


def looks_chosen(value: str) -> bool:
    """Return whether a value looks like a password that somebody chose: `Tulip42!`, `gate7731OAK`, `red-kite-over-42`.

    Names of machines, versions, products, files and addresses do not.
    """
    if len(value) < 6 or is_placeholder(value) or is_technical(value) or is_digest(value) or is_call(value):
        return False
    if "/" in value or not has_digit_and_letter(value) or compiled(r"[^@\s]+@[\w-]+\.\w|.*\.[a-z]{2,4}$").match(value):
        return False
    if compiled(
        r"[A-Za-z]{4,30}(?:[-_.][A-Za-z]{3,30}){2,6}[-_.]?\d{1,6}$|[A-Za-z]{4,30}[-_.][A-Za-z]{3,30}[-_.]?\d{2,6}$|[A-Za-z]{4,30}_\d{2,6}$"
    ).match(value):
        return True
    if looks_random(value, 10) and not compiled(r"(?:(?>[A-Z]?[a-z]{2,30}+[\d.]{0,8}+[-_]?+)){1,12}$").match(value):
        return True
    if compiled(r"[A-Za-z]{2,30}[-_ ]?v?\d{1,4}(?:\.\d{1,4}){1,3}[+]?$|[A-Za-z]{2,30}\d{1,2}$").match(value):
        return False
    has_sign = compiled(r"[!@#$%^&*+?~]").search(value.rstrip("?")) is not None
    kinds = sum(compiled(kind).search(value) is not None for kind in ("[a-z]", "[A-Z]", r"\d")) + has_sign
    return kinds >= 3 and (has_sign or compiled(r"\d.*\d").search(value) is not None)
