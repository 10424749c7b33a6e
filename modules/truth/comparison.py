"""When two values are the same: case, articles, numbers, units, dates and times in one form."""

import re
from functools import cache

from ..memory.date_spans import MONTH
from .forms import DAY, NUMBER_WORDS
from .lexicon import by_name

_SYNONYMS = {
    "postgresql": "postgres",
    "mongodb": "mongo",
    "k8s": "kubernetes",
    "vscode": "vs code",
    "visual studio code": "vs code",
    "golang": "go",
    "gcp": "google cloud",
    "google cloud platform": "google cloud",
    "amazon web services": "aws",
    "js": "javascript",
    "ts": "typescript",
    "nyc": "new york",
    "new york city": "new york",
    "bike": "bicycle",
    "cycles": "bicycle",
    "e-mail": "email",
    "mail": "email",
    "subway": "metro",
    "underground": "metro",
    "tube": "metro",
    "meat eater": "omnivore",
    "omnivorous": "omnivore",
    "no meat": "vegetarian",
    "mit license": "mit",
    "mit licence": "mit",
    "postgre sql": "postgres",
    "gpl-3.0": "gplv3",
    "apache-2.0": "apache 2.0",
    "apache license 2.0": "apache 2.0",
    "microsoft teams": "teams",
    "phone calls": "phone",
    "phone call": "phone",
    "telephone": "phone",
    "call": "phone",
    "text": "text message",
    "sms": "text message",
    "texts": "text message",
    "osx": "macos",
    "os x": "macos",
    "sublime text": "sublime",
    "color": "colour",
    "grey": "gray",
    "ms teams": "teams",
    "dark mode": "dark",
    "light mode": "light",
    "completed": "done",
    "complete": "done",
    "finished": "done",
    "canceled": "cancelled",
    "software developer": "software engineer",
    "munchen": "munich",
    "fortnight": "2 week",
    "gluten free": "gluten-free",
    "four-space indentation": "4 space",
    "two-space indentation": "2 space",
}
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


@cache
def canonical_value(value: str) -> str:
    """A value for comparison: case, articles, number words, units, dates and times in one form."""
    text = " ".join(value.lower().replace("’", "'").strip(" \t\"'.,;:!").split())
    text = _SYNONYMS.get(text, text)
    if re.fullmatch(r"\+?[\d ()./-]{6,}", text) and not re.fullmatch(
        r"\d{4}-\d\d-\d\d|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d+(?:\.\d+)+", text
    ):
        return re.sub(r"\D", "", text)
    text = re.sub(r"(?<=\d)[,' ](?=\d{3}\b)", "", text)
    text = re.sub(
        r"[$€£](?= ?\d)", lambda match: f"{ {'$': 'dollar', '€': 'euro', '£': 'pound'}[match.group()] } ", text
    )
    text = re.sub(r"(?<=\d)\s?(?:k|thousand|grand)\b", "000", text)
    text = re.sub(r"\b(?:eur|euros)\b|€", "euro", text)
    text = re.sub(r"\b(?:usd|dollars|bucks)\b|\$", "dollar", text)
    text = re.sub(r"\b(?:gbp|pounds|quid)\b|£", "pound", text)
    text = re.sub(
        r"\b(?:a|per|each|every|/) ?(?=(?:month|year|week|day|hour)\b)|/(?=(?:month|year|week|day|hour)\b)",
        "per ",
        text,
    )
    text = re.sub(
        rf"\b(?P<d>{DAY})(?: of)? (?P<m>{MONTH})\b\.?|\b(?P<m2>{MONTH})\.? (?:the )?(?P<d2>{DAY})\b", _day_month, text
    )
    text = re.sub(
        r"\b(\d{4})-(\d\d)-(\d\d)\b",
        lambda m: f"{int(m[3])} {_MONTHS[int(m[2]) - 1]} {m[1]}" if 0 < int(m[2]) < 13 else m.group(),
        text,
    )
    text = re.sub(r"\b(\d{1,2})(?:[:.](\d\d))?\s?(am|pm|a\.m\.|p\.m\.)(?!\w)", _clock, text)
    text = re.sub(r"\b(\d{1,2}):00\b", r"\1:00", text)
    text = re.sub(r"\b(\d{1,2}) ?(?:o'clock|h)\b", r"\1:00", text)
    text = re.sub(r"\bnoon\b", "12:00", text)
    words = []
    for word in re.findall(r"[\w#+@&:/\\-]+(?:\.[\w#+@-]+)*", text):
        if word in (
            "the",
            "a",
            "an",
            "of",
            "in",
            "at",
            "on",
            "at",
            "with",
            "about",
            "around",
            "roughly",
            "exactly",
            "version",
            "currently",
            "now",
            "my",
            "his",
            "her",
            "their",
            "years",
            "year",
            "old",
            "to",
            "dr",
            "port",
        ) and word not in (text,):
            continue
        word = NUMBER_WORDS.get(word, word)
        word = re.sub(r"^v(?=\d)", "", word)
        word = re.sub(r"(?<=\d)(?:s|secs?|seconds?)$", "", word)
        word = {"seconds": "", "second": "", "secs": "", "kilos": "kg", "kilograms": "kg", "gray": "grey"}.get(
            word, word
        )
        if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "os", "'s")):
            word = word[:-1]
        if word:
            words.append(word)
    joined = " ".join(words)
    if currency := [word for word in words if word in ("euro", "dollar", "pound")]:
        joined = " ".join([*(word for word in words if word not in currency), currency[0]])
    return _SYNONYMS.get(joined, joined) or text


def _day_month(match: re.Match[str]) -> str:
    day, month = match["d"] or match["d2"], match["m"] or match["m2"]
    return f"{int(re.sub(r'[^0-9]', '', day))} {month[:3].lower()}"


def _clock(match: re.Match[str]) -> str:
    hour = int(match[1]) % 12 + (12 if match[3].startswith("p") else 0)
    return f"{hour}:{match[2] or '00'}"


def same_value(one: str | None, other: str | None, attribute: str = "") -> bool:
    """Whether two values are the same in other words, or one names the other more closely ("Postgres", "Postgres
    14").

    Numbers, dates and times must be equal; a name may be the beginning of the longer one.
    """
    if one is None or other is None:
        return one is other
    first, second = canonical_value(one), canonical_value(other)
    if first == second:
        return True
    if first.replace(" ", "") == second.replace(" ", ""):
        return True
    rest = _added(first, second)
    kind = by_name()[attribute].type if attribute in by_name() else ""
    if not rest or kind in ("profession", "count", "number", "money", "version", "port", "duration", "text", "drink"):
        return False
    if is_of_tools(attribute) and not _says_no_more(rest, attribute):
        return False
    return not re.fullmatch(r"[\d.:, ]+", min(first, second, key=len))


def is_another_product(one: str, other: str, attribute: str) -> bool:
    """Whether the name of one tool begins that of another one, which is used with it: "React", "React Query"."""
    rest = _added(canonical_value(one), canonical_value(other))
    return bool(rest) and is_of_tools(attribute) and not _says_no_more(rest, attribute)


def is_of_tools(attribute: str) -> bool:
    """Whether its values are names of tools, not of things somebody owns: a "Golf GTI" is a Golf."""
    known = by_name().get(attribute)
    return known is not None and known.type == attribute and bool(known.hints) and known.kind != "attribute"


def _added(one: str, other: str) -> list[str]:
    """The words by which one value is longer than the other, where that begins it."""
    shorter, longer = sorted((one.split(), other.split()), key=len)
    return longer[len(shorter) :] if shorter and longer[: len(shorter)] == shorter else []


def _says_no_more(words: list[str], attribute: str) -> bool:
    """Whether these words behind the name of a tool leave it the same one: a version, "database"; "macOS Sonoma"."""
    return attribute == "operating system" or all(
        word in _GENERIC or re.fullmatch(r"v?\d[\w.]*", word) for word in words
    )


_GENERIC = frozenset(
    "database db server cluster cloud instance account app framework ci linux browser code lts pro plus max enterprise "
    "community edition license licence terms idea js .js pipeline format style action queue topic stack "
    "theme mode unit clock time api file channel licensed model engine service hosting".split()
)
"""What may follow the name of a tool and mean the same one."""
