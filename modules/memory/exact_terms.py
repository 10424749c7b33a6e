"""Exact terms of a text: quoted strings, paths, names of code, versions, error codes; not plain English."""

import errno
import re
import signal
from collections.abc import Iterator

from ..records import dataclass
from ..stop_words import STOP_WORDS
from .words import tokens

MAX_EXACT_TERMS = 16
MAX_LENGTH = 200
MAX_TEXT = 2_000
"""Length of the beginning of a text that is searched, so that a pasted log costs no more than a question."""


@dataclass(frozen=True)
class ExactTerm:
    """A string that a memory must contain as it stands.

    `strong` terms are hardly ever plain English and say by themselves that something exact is looked up; the others
    (`k8s`, `v2`, `src/app/models`, `GitHub`) may be.
    """

    text: str
    strong: bool = True


def exact_terms(text: str) -> tuple[ExactTerm, ...]:
    """Return the exact terms of a text, each once, quoted ones first, at most MAX_EXACT_TERMS; none for plain words."""
    text = text[:MAX_TEXT]
    found: dict[str, bool] = {}
    for term, strong in _found(text):
        if 1 < len(term) <= MAX_LENGTH and tokens(term):
            found[term] = found.get(term, False) or strong
    if not found and (alone := _alone(text)):
        found[alone] = False
    return tuple(ExactTerm(term, strong) for term, strong in list(found.items())[:MAX_EXACT_TERMS])


def _found(text: str) -> Iterator[tuple[str, bool]]:
    for match in _QUOTED.finditer(text):
        phrase = next(filter(None, match.groups())).strip().rstrip(".,;!?")
        if any(word not in STOP_WORDS for word in tokens(phrase)):
            yield phrase, True
    for match in _URL.finditer(text):
        yield match.group().rstrip(_AFTER), True
    text = _URL.sub(" ", text)
    for pattern in (_HTTP_STATUS, _VARIABLE, _CALL, _NUMBERED):
        for match in pattern.finditer(text):
            yield match.group(1), True
    for match in _RELEASE.finditer(text):
        yield match.group(1), False
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token.isalpha() and token.islower():
            continue  # most words: nothing below makes anything of them
        token = token.lstrip(_BEFORE).rstrip(_AFTER).removesuffix("'s").removesuffix("’s")
        if ":" in token:
            token = _PLACE_IN_FILE.sub(r"\1", token)
        strong = _strength(token)
        if strong is None and token.startswith("-"):
            token = token.lstrip("-")
            strong = _strength(token)
        if strong is not None:
            yield token, strong


def _alone(text: str) -> str | None:
    """Return a text that is a single token, of several pieces (`billing-worker`) or in capitals; None for any other.

    Such a text is looked up as it stands.
    """
    token = text.strip().rstrip(_AFTER)
    plain = re.search(r"[\s'’]", token) or len(token) > MAX_LENGTH
    return token if not plain and (len(tokens(token)) > 1 or _CAPITALS.fullmatch(token)) else None


def _strength(token: str) -> bool | None:
    """Return whether a token is a strong exact term or a weak one; None when it is a word, a number or a date."""
    if len(token) < 2 or len(token) > MAX_LENGTH or (token.isalpha() and (token.islower() or token.istitle())):
        return None
    if token.lower() in _PLAIN or _NUMBER_OR_DATE.fullmatch(token):
        return None
    if token.lower() in _PRODUCTS:
        return False
    if token in _SYSTEM_CODES or _STRONG.fullmatch(token) or (_CAMEL.search(token) and _NAME_IN_CODE.fullmatch(token)):
        return True
    for shape in (_path, _dotted, _hyphened):
        if (strong := shape(token)) is not None:
            return strong
    return False if _WEAK.fullmatch(token) else None


def _path(token: str) -> bool | None:
    pieces = [piece for piece in re.split(r"[/\\]", token) if piece]
    if not ("/" in token or "\\" in token) or all(piece.isdecimal() for piece in pieces):
        return None
    if token[0] in "/~.\\" or token[-1] == "/" or "\\" in token or token[1:3] == ":/":
        return True
    if any(_IN_PATHS.search(piece) for piece in pieces):
        return True
    # "src/app/models", but "he/she/they" and "TCP/IP" are words.
    return False if len(pieces) > 2 and not any(piece.lower() in STOP_WORDS for piece in pieces) else None


def _dotted(token: str) -> bool | None:
    if not _DOTTED.fullmatch(token):
        return None
    pieces = token.strip(".").split(".")
    words = all(len(piece) == 1 for piece in pieces) or any(piece.lower() in STOP_WORDS for piece in pieces)
    return None if words else True  # "e.g", "U.S.A", "it worked.Then" are words


def _hyphened(token: str) -> bool | None:
    if not _HYPHENED.fullmatch(token):
        return None
    pieces = token.lower().split("-")
    if any(character.isdigit() for character in token):
        ages = pieces[0].isdecimal() and all(piece.isalpha() or piece.isdecimal() for piece in pieces)
        return None if ages or pieces[0] in _PREFIXES else True  # "3-year-old", "9-5", "mid-2020" are words
    return None if len(pieces) < 3 or any(piece in STOP_WORDS or piece in _MEASURES for piece in pieces[1:]) else True


_BEFORE = "'‘’“”*!?&^|:;,–—•·+"
_AFTER = "'‘’“”*!?&^|:;,–—.~-"
_TOKEN = re.compile(r"[^\s\"`“”()\[\]{}<>,;=…$%]+")
_QUOTED = re.compile(
    r"`+([^`\n]{2,200})`+"
    r'|"([^"\n]{2,200})"'
    r"|“([^”\n]{2,200})”"
    r"|(?<![^\s(\[{])['‘]([^'‘’\n]{2,200})['’](?![^\s.,;:!?)\]}])"
)
_URL = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s\"'`<>()\[\]{}]+")
_HTTP_STATUS = re.compile(r"\b(HTTP(?:/[\d.]{1,3})? [1-5]\d\d)\b")
_VARIABLE = re.compile(r"[$%]\{?([A-Za-z_]\w{1,80})\b")
_CALL = re.compile(r"\b([A-Za-z_][\w.]{0,80}\w)\(\)")
_NUMBERED = re.compile(
    r"\b(?:(?i:error|errno|exit|status|sqlstate|codes?|ports?|issue|incident|ticket|pull request|bug|line|http|rfc)"
    r"|PR|MR|PID|UID)"
    r"(?: (?:number|code|status|no\.))? ?#?(\d{2,6})\b(?![.,]\d)"
)
_RELEASE = re.compile(
    r"\b(?:[A-Z][\w+-]{0,40}|version|release|python|node|java|ubuntu|postgres) (\d{1,3}\.\d{1,3})\b(?![.,]?\d)"
)
_PLACE_IN_FILE = re.compile(
    r"^(.*[\w/]\.(?:py|js|ts|tsx|jsx|go|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|swift|scala|sh|sql|md|ya?ml|json|toml))"
    r":\d+(?::\d+)?$"
)
_NUMBER_OR_DATE = re.compile(
    r"[-+€£]?\d[\d,]*(?:\.\d+)?%?|\d{1,2}\.\d{1,2}\.(?:19|20)\d\d"
    r"|\d{1,4}[-/]\d{1,2}(?:[-/]\d{1,4})?|\d{1,2}:\d\d(?::\d\d)?(?:[ap]m)?"
)
_STRONG = re.compile(
    r"""
      (?=.*[^\W\d_]) _* [^\W_]+ (?:_+[^\W_]+)+ _*                   # snake_case, MAX_POOL_SIZE
    | __\w+__ | _[^\W_]\w*[^\W_]                                    # __init__, _private
    | \w* (?:::~?\w+)+                                              # std::vector
    | [vV]\d+(?:\.\d+)+[\w.+-]* | \d+\.\d+\.\d+[\w.+-]*             # v2.3, 2.3.1-rc1
    | \d+\.\d+(?:-|rc|alpha|beta|a|b)[\w.]+
    | 0x[0-9A-Fa-f]+
    | [A-Z]{1,5}\d{3,6}[A-Z]?                                       # E1234, TS2345
    | (?=.*\d)(?=.*[a-f])[0-9a-f]{7,64}                             # a commit
    | [\w./-]*\#\d{2,7} | [A-Za-z]\w+\#[A-Za-z]\w+                  # #123, acme/shop#7, Order#total
    | [\w.+-]+@[\w-]+\.[\w.-]+ | @[A-Za-z][\w-]+                    # an address, @Transactional
    | \d{1,3}(?:\.\d{1,3}){3}(?::\d{2,5}|/\d{1,2})                  # 10.0.0.1:8080, 10.0.0.0/16
    | [A-Za-z][\w./-]*:(?=[\w.-]*\d)[\w.-]+                         # localhost:8080, python:3.12-slim
    | --[A-Za-z][\w-]+(?:\.[\w-]+)* | -[A-Za-z][\w.:]*[\d.:][\w.:]* # --no-cache, -Xmx2g
    """,
    re.VERBOSE,
)
_NAME_IN_CODE = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_CAMEL = re.compile(
    r"^(?!(?:Mac|Fitz|Van|Saint)[A-Z])"
    r"(?:.*[a-z][a-z0-9][A-Z]|.*[A-Z]{2,}[a-z]{3,}|[a-z]+[A-Z][a-z]*[A-Z])"
)
_DOTTED = re.compile(r"\.?[^\W\d]\w*(?:\.[\w-]+)+|\.[a-z][\w-]+")
_HYPHENED = re.compile(r"[^\W_]+(?:-[^\W_]+)+")
_IN_PATHS = re.compile(r"[_.@]|[a-z][a-z][A-Z]|[A-Za-z]\d")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9]{3,}")
_WEAK = re.compile(r"[A-Za-z]+\d\w*|\d+[A-Z]+\d+|[A-Za-z]\+\+|[A-Z]#")

_SYSTEM_CODES = frozenset(errno.errorcode.values()) | {each.name for each in signal.Signals}
_PREFIXES = frozenset(
    "mid pre post top under over late early sub non age aged level grade part day week year chapter season episode"
    " round phase pg".split()
)
_MEASURES = frozenset("minute hour day week month year old long term time half go mile star".split())
_PLAIN = frozenset("a/b w/o n/a and/or ph.d a.m p.m e.g i.e vs.the dr.who no.1 o.k".split())
_PRODUCTS = frozenset(
    """
    airpods bigquery bitbucket chatgpt clickhouse cloudflare cloudfront cloudwatch cockroachdb covid-19 devops doordash
    dynamodb elasticsearch facetime fastapi fedex github gitlab graphql hubspot influxdb intellij javascript jetbrains
    jquery junit nextjs langchain linkedin macbook macos mongodb mysql .net next.js node.js nodejs numpy onedrive
    onenote openai opentelemetry paypal playstation postgresql powerpoint quickbooks rabbitmq reactjs scipy sharepoint
    spacex sqlite stackoverflow tensorflow tiktok typescript vue.js vuejs watchos websocket whatsapp wordpress youtube
    """.split()
)
"""Names that are written like code and that people use like any other word."""
