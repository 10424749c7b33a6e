"""Secrets announced by a name: `password=…`, `"apiKey": "…"`, `export X_TOKEN=…`, "the password is …"."""

import re
from collections.abc import Iterator, Sequence

from . import placeholders, vocabulary
from .names import Class, Name
from .placeholders import has_digit_and_letter, is_digest, is_placeholder, is_technical, looks_random
from .spans import SecretSpan, compiled

MAX_JUDGED = 160
"""Characters of a word that are judged; the rest of a longer secret is redacted with it."""

_TYPES = r"(?:str|string|String|bytes|&(?:'static )?str|char ?\*?|Final(?:\[str\])?|SecretStr|any)(?: ?\| ?None)?"
_CODE = (
    r"(?:\\?[\"'`]|[\])*]){0,4}(?:[ \t]{1,3}\([^(),\n]{1,40}\))?[ \t]{0,8}"
    rf"(?:\?:[ \t]{{0,4}}|{_TYPES}[ \t]{{0,4}}=(?!=)[ \t]{{0,4}}|:[ \t]{{0,4}}{_TYPES}[ \t]{{0,4}}=(?!=)[ \t]{{0,4}}|\?=|:=|=>|->|→|={{1,3}}|:(?!:)|\|(?!\|))"
    r"[*]{0,2}[ \t]{0,20}(?:[|>][+-]?\r?\n[ \t]{1,20}|\r?\n[ \t]{1,20}(?=[\"']))?"
)
_PAIR = r"(?:\\?[\"'])?[ \t]{0,4}(?:,|;|\r?\n)?[ \t]{0,20}-?[ \t]{0,4}(?:\\?[\"'])?value(?:\\?[\"'])?[ \t]{0,4}[:=][ \t]{0,4}"
_PAIR_HEAD = r"(?:name|key)(?:\\?[\"'])?[ \t]{0,4}[:=][ \t]{0,4}(?:\\?[\"'])?$"
_OPTION = r"[ \t=]{1,3}"
_FOR = "for|of|to|on|at|in|from|with|für|vom|von|zum|del|della|di|da|de|des|du|do|para|per|pour|til|till|voor|van|dla"
_ABOUT = rf"(?:[ \t]+(?:{_FOR})(?:[ \t]+[\w.'@:/-]{{1,40}}){{1,5}}?)"
_PROSE = (
    rf"(?:s|es)?[\"'`*]{{0,3}}(?:{_ABOUT}[ \t]=[ \t](?=[\"'`])|{_ABOUT}?[ \t]*(?:[ \t](?:is|was|are|were|reads|becomes|equals|will be|should be|must be|has been|"
    r"used to be|is set to|was set to|changed to|set to|to|ist|lautet|est|es|é|è|är|er|jest|este|je)[ \t:]+|:[ \t]+))"
    r"(?:(?:now|currently|still|just|simply|actually|always|set to|changed to|probably|this)[ \t:]+)?"
)
_COPULA_ABROAD = r"(?i)[ \t](?:ist|lautet|est|es|é|è|är|er|jest|este|je)[ \t:]+$"
_QUOTED = r"\\\"((?:[^\"\\\n]|\\[^\"\n]){1,2000})\\\"|\"((?:[^\"\\\n]|\\.){1,4000})\"|'((?:[^'\\\n]|\\.){1,4000})'|`([^`\n]{1,2000})`|[“„]([^”“\n]{1,500})[”“]|«([^»\n]{1,500})»"
_BARE = rf"[^\s\"'`<>|;]{{1,{MAX_JUDGED}}}"
_REST = r"[^\s\"'`<>|;]*"
_PHRASE = r"((?:[a-z]{3,12} ){3,23}[a-z]{3,12}(?: \d{1,6})?|(?:[A-Z][a-z]{2,11} ){3,23}[A-Z][a-z]{2,11}(?: \d{1,6})?|(?:[a-z]{3,12}\.){3,23}[a-z]{3,12})(?=[.;!]?[ \t]{0,20}(?:\r?\n|$))"
_DEFAULT = r"[\"'`]?[\])]{0,2}[ \t]{0,4}(?:,|\|\|=?|\?\?=?|\?:|or(?=[ \t]))[ \t]{0,4}"
_CALLED = r"\w\([\"'`]?[\w.-]{0,50}$"
_TAG_VALUE = r">([^<>\n]{1,500})</"

_ENGLISH = frozenset(
    """
    a an the this that these those not no never always also only just now still already wrong right correct incorrect
    invalid valid weak strong short long too very same different empty missing required optional needed necessary
    stored saved kept hashed encrypted salted sent given shown hidden visible known unknown unique random secure unsafe
    insecure safe protected rotated generated expired leaked compromised changed reset set unset updated rejected
    accepted refused denied used unused passed read written checked verified validated case in on at by for from to of
    with without and or but if when where who what how why because as it its they them we you he she i there here
    compulsory mandatory disabled enabled available unavailable sensitive everything nothing something anything his her
    our your my their mine yours important fine ok okay good bad great done ready gone lost broken old new default
    plaintext plain text string word key secret public private shared blank simple complex easy hard trivial obvious
    being going getting taking having making about between under over after before during per via like than then so
    must should can may might will would could shall do does did has have had been be was were are is am
    characters chars letters digits symbols bytes bits days hours minutes years weeks months times
    field form page policy manager prompt reset flow screen dialog box file hint vault store strength meter length
    """.split()
)
_SENTENCE = frozenset(
    "a an the is are was must be to of for your enter please not no can cannot should with has".split()
)
_ADJECTIVE = r"(?i).*(?:ed|ing|able|ible|ly|ive|ful|less|ous|ic|ent|ant|ory|ary|tion|sion|ment|ness|ity|ism)$"
_CUE = r"(?i)(?:with|use|using|the|my|our|their|his|her|and|default|new|old|current|root|admin|temp|temporary|login \S{1,60}|user \S{1,60})[ \t]+$"
_CLAUSE_END = r"[.!,;)\"']*(?:\s*$|\s*\n|[.!,;)]\s|\s+(?:and|but|or|for|on|please|everywhere|again|if|when|so)\b)"


def find(text: str, announced: Sequence[Name]) -> Iterator[SecretSpan]:
    """Yield the spans of values whose names announce a secret."""
    past = 0
    for name in announced:
        span = None if name.begin < past else _value_of(text, name)
        if span is not None:
            past = _value_end(text, span)
            yield SecretSpan(span.begin, past, span.kind)


def _value_end(text: str, span: SecretSpan) -> int:
    """Return the end of a value; only the beginning of a long one was judged."""
    if span.end - span.begin < MAX_JUDGED:
        return span.end
    rest = compiled(_REST).match(text, span.end)
    return span.end if rest is None else rest.end()


def announced(name: Name, value: str) -> bool:
    """Return whether a value under this name, as in a JSON object, is a secret."""
    return _is_secret(name, value.strip(), quoted=True, colon=True, alone=True)


def stands_under(name: Name, value: str) -> bool:
    """Return whether a value in a column under this name is a secret; judged more strictly than an assigned value."""
    return _is_secret(name, value, quoted=False, colon=True, alone=True)


def _value_of(text: str, name: Name) -> SecretSpan | None:
    code = compiled(_CODE).match(text, name.end)
    if code is not None and (span := _words_of_phrase(text, name, code.end())) is not None:
        return span
    if code is not None:
        span = _assigned(text, name, code)
        if span is not None:
            return span
    if (span := _default(text, name)) is not None:
        return span
    if text[name.begin - 1 : name.begin] == "<":
        return _within(text, name, _TAG_VALUE)
    if (
        name.begin >= 2
        and text[name.begin - 2 : name.begin] == "--"
        and (option := compiled(_OPTION).match(text, name.end))
    ):
        return _option(text, name, option.end())
    if compiled(_PAIR_HEAD).search(text, max(0, name.begin - 24), name.begin) and (
        pair := compiled(_PAIR).match(text, name.end)
    ):
        return _assigned(text, name, pair)
    return _value_in_prose(text, name)


def _within(text: str, name: Name, pattern: str) -> SecretSpan | None:
    match = compiled(pattern).match(text, name.end)
    if match is None or not _is_secret(name, match.group(1).strip(), quoted=True, colon=True, alone=True):
        return None
    return SecretSpan(match.start(1), match.end(1), name.kind)


def _option(text: str, name: Name, at: int) -> SecretSpan | None:
    """Return the value of a command's option: `--password hunter2`."""
    span, quoted = _value_at(text, at)
    if span is None or text[span.begin] == "-":
        return None
    value = text[span.begin : span.end]
    sure = quoted or has_digit_and_letter(value) or "=" in text[name.end : at]
    return (
        SecretSpan(span.begin, span.end, name.kind)
        if sure and _is_secret(name, value, quoted=True, colon=False, alone=True)
        else None
    )


def _value_at(text: str, at: int) -> tuple[SecretSpan | None, bool]:
    """Return the span at an offset, and whether it is quoted: a quoted string without its quotes, or one word."""
    quoted = compiled(_QUOTED).match(text, at)
    if quoted is not None:
        return SecretSpan(*quoted.span(quoted.lastindex or 0), ""), True
    bare = compiled(_BARE).match(text, at)
    return (None if bare is None else SecretSpan(*bare.span(), "")), False


def _assigned(text: str, name: Name, sign: re.Match[str]) -> SecretSpan | None:
    span, quoted = _value_at(text, sign.end())
    if span is None:
        return None
    written = sign.group()
    colon = "=" not in written
    value = text[span.begin : span.end]
    if quoted:
        return (
            SecretSpan(span.begin, span.end, name.kind)
            if _is_secret(name, value, quoted=True, colon=colon, alone=True)
            else None
        )
    end = span.end
    if text[name.begin - 1 : name.begin] in ("?", "&") and "&" in value:
        end = span.begin + value.index("&")
    elif (following := compiled(r",(?=[A-Za-z_]\w*[ \t]?[:=])").search(value)) is not None:
        end = span.begin + following.start()
    if is_placeholder(value) or (colon and text[name.begin - 1 : name.begin] == ":"):
        return None
    value = (
        _trimmed(text[span.begin : end], ".,:)]}*\\")
        if colon
        else text[span.begin : end].rstrip(",)]}\\" + (":" if "==" in written else ""))
    )
    if not value or (name.category is not Class.PASSWORD and placeholders.is_call(value)):
        return None
    end = span.begin + len(value)
    alone = compiled(r"[.,:!?)\]}*\\]*[ \t]*(?:[#/][^\n]*)?(?:\r?\n|$)").match(text, end) is not None
    spaced = written[:1].isspace() and not colon
    if not colon and _is_code(name, value, text[end : end + 1], spaced=spaced):
        return None
    return (
        SecretSpan(span.begin, end, name.kind)
        if _is_secret(name, value, quoted=False, colon=colon, alone=alone)
        else None
    )


def _default(text: str, name: Name) -> SecretSpan | None:
    """Return what code takes where a variable is unset: `getenv("TOKEN", "…")`, `env.PW || "…"`."""
    sign = compiled(_DEFAULT).match(text, name.end)
    if sign is not None and "," in sign[0] and not compiled(_CALLED).search(text, max(0, name.begin - 60), name.begin):
        return None  # names in a list
    span, quoted = (None, False) if sign is None else _value_at(text, sign.end())
    if span is None or not quoted:
        return None
    value = text[span.begin : span.end]
    is_label = name.written.lower() in value.lower() and compiled("[._]").search(value) is not None
    is_likely = not is_label and " " not in value and (looks_random(value) or placeholders.looks_chosen(value))
    return SecretSpan(span.begin, span.end, name.kind) if is_likely and not is_placeholder(value) else None


def _words_of_phrase(text: str, name: Name, at: int) -> SecretSpan | None:
    """Return the words that a passphrase of no quotes consists of: up to the end of the line, and no sentence."""
    words = compiled(_PHRASE).match(text, at) if "phrase" in name.written.lower() else None
    if words is None or not {*words[1].lower().replace(".", " ").split()}.isdisjoint(
        _ENGLISH | _SENTENCE | _NAMES_OF_SECRETS
    ):
        return None
    return SecretSpan(*words.span(1), name.kind)


def _trimmed(value: str, punctuation: str) -> str:
    """Return a word without the punctuation that ends a sentence; `!` and `?` belong to a word with a digit."""
    return value.rstrip(punctuation if any(character.isdigit() for character in value) else punctuation + "!?")


def _is_code(name: Name, value: str, following: str, *, spaced: bool) -> bool:
    """Return whether an assigned value is an expression of code: `password = user.password`, `f(token=token)`."""
    if placeholders.is_call(value):
        return value.endswith((")", "]", "(", "[", ",")) or following not in ("", "\n", "\r", "&", ";")
    if not compiled(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$").match(value):
        return False
    if following in (")", ",", "(", "["):
        return not any(character.isdigit() for character in value)
    if name.upper and not spaced:
        return False
    if looks_random(value):
        return False
    if any(character.isdigit() for character in value):
        numbered = r"(?:[a-z]{1,30}[_.]){0,4}(?:pass(?:word|wd)?|pwd?|secret|token|key|value|arg|param)_?v?\d$"
        return spaced and compiled(numbered).match(value) is not None
    words = _words(value)
    return spaced or "." in value or (len(words) > 1 and not _NAMES_OF_SECRETS.isdisjoint(words))


_NAMES_OF_SECRETS = frozenset(
    "pass passwd password passphrase pwd pw secret token key apikey cred creds credential credentials value val arg param".split()
)


def _words(identifier: str) -> list[str]:
    """Return the words of an identifier, as `db_password` and `userToken` have them, in lower case."""
    return [word.lower() for word in compiled(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])").findall(identifier)]


def _value_in_prose(text: str, name: Name) -> SecretSpan | None:
    """Return a value in prose: "the password for staging is hunter2", "with password hunter2"."""
    short = name.written.lower() in ("pass", "pw")  # "the pass is closed" is none, "the pw is tulip44x" is
    prose = compiled(_PROSE).match(text, name.end)
    if prose is not None and (span := _words_of_phrase(text, name, prose.end())) is not None:
        return span
    if prose is not None and prose.group().strip() != ":":
        span, quoted = _value_at(text, prose.end())
        if span is not None:
            value = text[span.begin : span.end]
            if not quoted:
                value = _trimmed(value, ".,:;)]}*")
            foreign = compiled(_COPULA_ABROAD).search(prose.group()) is not None
            rest = text[span.begin + len(value) : span.end + 24]
            mixed = has_digit_and_letter(value) and not _is_ordinary(value)
            if (mixed or not short) and _is_secret_in_prose(name, value, rest, quoted=quoted, foreign=foreign):
                return SecretSpan(span.begin, span.begin + len(value), name.kind)
    space = compiled(r"[ \t]{1,3}").match(text, name.end)
    if space is None or short:
        return None
    span, quoted = _value_at(text, space.end())
    if span is None:
        return None
    value = text[span.begin : span.end]
    if quoted:
        sure = (
            name.category is Class.PASSWORD
            and " " not in value
            and _is_secret(name, value, quoted=True, colon=True, alone=True)
        )
        return SecretSpan(span.begin, span.end, name.kind) if sure else None
    value = _trimmed(value, ".,:;)]}*")
    if name.category is Class.PASSWORD:
        cue = compiled(_CUE).search(text, max(0, name.begin - 80), name.begin)
        ends = compiled(r"[ \t]*(?:\r?\n|$)").match(text, span.begin + len(value)) is not None
        sure = (
            (cue is not None or (name.upper and ends))
            and len(value) >= 6
            and (_mixed(value) or value.count("-") > 2)
            and not _is_ordinary(value)
        )
    elif name.category is Class.DIGITS:
        least = 3 if name.written.lower().startswith("cv") else 4
        ends = compiled(r"[.,;!]?[ \t]*(?:\r?\n|$)").match(text, span.begin + len(value)) is not None
        sure = value.isdigit() and least <= len(value) <= 8 and (name.upper or name.kind != "pin" or ends)
    else:
        is_column = value.startswith("(")  # a database says `Key (email)=(eva@…)`
        sure = (
            not is_column
            and looks_random(value, 20)
            and not (name.category is Class.KEY and compiled(r"(?i)[0-9a-f]{32,128}$|[\w.-]+/[\w./-]+$").match(value))
        )
    return SecretSpan(span.begin, span.begin + len(value), name.kind) if sure and not is_placeholder(value) else None


def _is_secret_in_prose(name: Name, value: str, rest: str, *, quoted: bool, foreign: bool) -> bool:
    if is_placeholder(value) or is_digest(value):
        return False
    if name.category is Class.DIGITS:
        return _is_code_number(name, value)
    if name.category is Class.KEY:
        return _is_key(name, value)
    if quoted:
        return _is_secret(name, value, quoted=True, colon=True, alone=True)
    if name.category is Class.TOKEN:
        return (
            len(value) >= 8
            and _mixed(value)
            and not _is_ordinary(value)
            and (looks_random(value, 8) or (not value.isalnum() and has_digit_and_letter(value)))
        )
    if _is_ordinary(value):
        return False
    if value.isdigit():
        return 4 <= len(value) <= 20 and not compiled(
            r"[ \t]+(?:char|letter|digit|byte|bit|day|hour|minute|time|user|of)"
        ).match(rest)
    if _mixed(value):
        return len(value) >= 4
    ends = compiled(_CLAUSE_END).match(rest) is not None and not (foreign or _is_of_another_language(name))
    word = value.isalpha() and len(value) >= 6 and not compiled(_ADJECTIVE).match(value)
    camel = value.isalpha() and len(value) >= 8 and compiled(r".*[a-z][A-Z]").match(value) is not None
    phrase = compiled(r"[a-z]+(?:-[a-z]+){2,}$").match(value) is not None
    return ends and (word or camel or phrase)


def _is_of_another_language(name: Name) -> bool:
    """Return whether a name is of another language, whose ordinary words no list here has."""
    return any(word in name.written.lower() for word in vocabulary.PASSWORD)


def _mixed(value: str) -> bool:
    """Return whether a value mixes digits with letters, or has a sign that words do not have."""
    return has_digit_and_letter(value) or compiled(r".*[!@#$%^&*+=~?\\|_].*[^.]").match(value) is not None


def _is_ordinary(value: str) -> bool:
    """Return whether a value is no secret: a word of prose, a technology, a number with a unit, a path or a version."""
    lower = value.lower()
    return (
        lower in _ENGLISH
        or is_technical(value)
        or compiled(r"[~.]{0,2}/[\w./-]+$|[\w-]+(?:\.[\w-]+)*\.(?:py|js|ts|md|json|ya?ml|txt|sh|env|com|org|io|net)$").match(value) is not None
        or compiled(r"(?i)\d[\d.,]*(?:[-–]?(?:th|st|nd|rd|days?|chars?|characters?|bits?|bytes?|min|s|ms|h|k|kb|mb|gb|x|%|\+)){1,3}$").match(value) is not None
        or (compiled(r"\d{4}-\d\d-\d\d|\d[\d.,]*$|#\d+$|v?\d+\.\d+").match(value) is not None and not (value.isdigit() and len(value) >= 4))
        or (compiled(r"(?i)(?:[a-z]{2,}[-/])+(?:\d{1,4}|[a-z]+\d?)$").match(value) is not None and "-" in value and value.count("-") < 2 and lower.split("-")[0] in _ENGLISH)
    )  # fmt: skip


def _is_code_number(name: Name, value: str) -> bool:
    least = 3 if name.written.lower()[:2] == "cv" or "security" in name.written.lower() else 4
    digits = value.replace("-", "").replace(" ", "")
    if digits.isdigit():
        return least <= len(digits) <= 10
    return name.kind == "otp" and 6 <= len(digits) <= 24 and has_digit_and_letter(digits) and not is_technical(value)


def _is_secret(name: Name, value: str, *, quoted: bool, colon: bool, alone: bool) -> bool:
    """Return whether a value assigned to a name is a secret, and neither a placeholder nor prose."""
    if is_placeholder(value) or (quoted and placeholders.is_call(value) and value.endswith((")", "]"))):
        return False
    match name.category:
        case Class.DIGITS:
            return _is_code_number(name, value)
        case Class.KEY:
            return _is_key(name, value)
        case Class.TOKEN:
            return _is_token(name, value, quoted=quoted, colon=colon, alone=alone)
        case Class.PASSWORD:
            return _is_password(name, value, quoted=quoted, colon=colon, alone=alone)


def _is_key(name: Name, value: str) -> bool:
    named = len(name.written) > len("key")
    if compiled(r"(?i)[0-9a-f]{32,128}$").match(value):
        return named and (name.upper or compiled(r"(?:[A-Z][A-Za-z]{1,20}-){1,5}Key$").match(name.written) is not None)
    return (
        " " not in value
        and not compiled(
            r"(?i)[a-z][\w.-]{0,60}[-_/:][0-9a-f]{32,128}$|[\w.-]+/.*\.[a-z]{2,8}(?:\.[a-z]{1,7})?$|(?-i:[A-Z]{2,20}#)"
        ).match(value)  # what is cached under a digest
        and looks_random(value, 20 if not named else 16)
        and not compiled(r"(?i)[0-9a-f-]{36}$").match(value)
    )


def _is_token(name: Name, value: str, *, quoted: bool, colon: bool, alone: bool) -> bool:
    if " " in value or len(value) < 6 or is_digest(value) or is_technical(value) or _is_ordinary(value):
        return False
    if value.isdigit():
        return name.kind == "api-key" and len(value) >= 10
    if compiled(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$").match(value) or (
        compiled(r"[a-z]+(?:_[a-z]+)+$").match(value) and not _SECRET_PARTS.isdisjoint(value.split("_")[1:])
    ):
        return False  # the name of a variable, a method or a kind
    if ":" in value and max(map(len, value.split(":"))) < 16:
        return False
    if value.startswith(("/", "./", "~/")):
        return looks_random(value, 24) and "/" not in value[2:12]
    if has_digit_and_letter(value):
        return len(value) >= 8 and (
            looks_random(value, 8) or not compiled(r"[a-z]+[_-]?\d{1,2}$").match(value) or name.upper
        )
    if name.upper and not colon:
        return len(value) >= 6
    if quoted and not colon:
        return len(value) >= 12
    mixed = all(compiled(letter).search(value) for letter in ("[a-z]", "[A-Z]"))
    return (
        quoted
        and len(value) >= 20
        and mixed
        and compiled(r"[A-Za-z+/=]+$").match(value) is not None
        and entropy_high(value)
    )


_SECRET_PARTS = frozenset({"secret", "token", "key"})


def entropy_high(value: str) -> bool:
    """Return whether the letters of a value are as mixed as those of a random one (entropy of 3.8 bits or more)."""
    return placeholders.entropy(value) >= 3.8


_PATH = r"(?:~|\.{1,2})/[\w./-]{1,300}$|/[\w.-]{1,100}(?:/[\w.-]{1,100}){1,20}$"


def _is_password(name: Name, value: str, *, quoted: bool, colon: bool, alone: bool) -> bool:
    short = name.written.lower() in ("pass", "pw")
    if " " in value:
        return quoted and _is_phrase(value)
    if quoted:
        return len(value) >= (4 if short else 1) and not _is_label(value)
    if compiled(_PATH).match(value) and not looks_random(value):
        return False
    if short and compiled(r"(?i)(?:[\w/.]{0,200}::)?test[\w:.]{0,200}$").match(value):
        return False  # what passed
    if _mixed(value):
        return len(value) >= 4 and not (colon and _is_ordinary(value))
    if value.isdigit():
        return len(value) >= 4 and not short and not (colon and not alone)
    if short:
        return False
    if not colon:
        return len(value) >= 4 or name.upper
    typed = compiled(r"[A-Z][a-z]+(?:[A-Z][a-z]+)+$").match(value) is not None  # `password: SecretStr`
    return (
        alone
        and not typed
        and len(value) >= 6
        and value.lower() not in _ENGLISH
        and not (value.count("-") < 2 and compiled(_ADJECTIVE).match(value))
    )


def _is_phrase(value: str) -> bool:
    """Return whether several words are a secret, and no sentence or label of a form."""
    words = value.lower().split()
    if any(word.strip(".,:") in _SENTENCE or "password" in word or "secret" in word for word in words):
        return False
    return _mixed(value) or (len(words) >= 3 and value == value.lower())


def _is_label(value: str) -> bool:
    """Return whether a value is a label of a form: `Password:`, `NewPassword`, `password_confirmation`, `Passwort`."""
    return (
        value.lower() in vocabulary.PASSWORD
        or compiled(r"(?i)(?>[a-z_.-]*?(?:password|passwd|passphrase))[a-z_.: -]*$").match(value) is not None
        or value.endswith(":")
    )
