"""Spans of a text that name a date ("8 May 2023", "last summer"), found by regular expressions alone."""

import re
from collections.abc import Iterator
from functools import cache

from ..records import dataclass

MAX_TEXT = 2_000
"""Length of the beginning of a text that is searched, in characters."""

_WORDS = "one two three four five six seven eight nine ten eleven twelve".split()
NUMBERS = {"a couple of": 2, "couple of": 2, "a couple": 2, "a few": 3, "few": 3, "several": 4, "an": 1, "a": 1} | {
    word: value for value, word in enumerate(_WORDS, start=1)
}
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
SEASON = "(?:spring|summer|autumn|fall|winter|q[1-4])"
YEAR = r"(?:19|20)\d\d"
UNIT = "(?:day|week|month|year)"
COUNT = rf"(?:\d{{1,3}}|{'|'.join(NUMBERS)})".replace(" ", r"\s+")


@dataclass(frozen=True)
class DateSpan:
    """A piece of a text that names a date, as written; with `last`, a range from one date to the other.

    `since` means from the date until now, `offset` how far before or after it ("2 weeks ago", "2 weeks from now");
    `relative` that it counts from another date, from now as a rule.
    """

    first: str
    last: str | None = None
    since: bool = False
    offset: str | None = None
    relative: bool = False


def date_spans(text: str) -> Iterator[DateSpan]:
    """Yield the spans of a text that name dates, in order."""
    head = _head(text)
    for match in _span().finditer(head) if _MAY_NAME_DATE.search(head) else ():
        if match["first"] is not None:
            yield DateSpan(match["first"], match["last"])
        else:
            one, since = match["one"], match["since"] is not None
            yield DateSpan(one, None, since, _offset(match), _relative_only().fullmatch(one) is not None)


def _head(text: str) -> str:
    """Return the beginning of a text with single spaces, which keep the expressions from rescanning long runs."""
    return " ".join(text[:MAX_TEXT].split())


def _offset(match: re.Match[str]) -> str | None:
    if match["unit"] is None:
        return None
    if match["unit"].lower() == "weekend":
        return "last weekend" if match["side"].lower() == "before" else "this weekend"
    count = "1" if match["count"].lower() == "the" else match["count"]
    return f"{count} {match['unit']} ago" if match["side"].lower() == "before" else f"{count} {match['unit']} from now"


def names_date(text: str) -> bool:
    """Return whether a text names a date; takes microseconds."""
    head = _head(text)
    return _MAY_NAME_DATE.search(head) is not None and _span().search(head) is not None


def has_time_expression(text: str) -> bool:
    """Return whether a text says when or for how long something was: a date, a weekday, "last week", "two years"."""
    return _time().search(_head(text)) is not None


def asks_when(text: str) -> bool:
    """Return whether a question asks for a time: "when did", "what year", "how long ago"; not "what did he do when"."""
    return _ASKS_WHEN.search(_head(text)) is not None


_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_ABSOLUTE = rf"""(?:
    {_DAY}\s+(?:of\s+)?{MONTH}\b\.?(?:(?:,\s*|\s+){YEAR})?
  | {MONTH}\.?\s+(?:the\s+)?{_DAY}(?![\d:])(?:(?:,\s*|\s+){YEAR})?
  | {MONTH}\.?,?\s+(?:of\s+)?{YEAR}
  | {YEAR}[-/]\d{{1,2}}(?:[-/]\d{{1,2}})?
  | \d{{1,2}}/\d{{1,2}}/{YEAR} | \d{{1,2}}-\d{{1,2}}-{YEAR} | \d{{1,2}}\.\d{{1,2}}\.{YEAR}
)"""
_RELATIVE = rf"""(?:
    day\s+before\s+yesterday | yesterday | today | tonight | tomorrow | last\s+night
  | this\s+(?:morning|afternoon|evening)
  | {COUNT}\s+(?:{UNIT}s?|fortnights?|weekends?|decades?)\s+ago
  | (?:week|month|year)\s+before\s+last
  | (?:last|past)\s+{COUNT}\s+{UNIT}s?
  | (?:last|past|previous|this|next)\s+(?:week(?:end)?|month|year|{SEASON})
  | (?:last|past)\s+(?:{WEEKDAY}|{MONTH})
)"""
_NO_DAY = r"(?![.,]?\s+(?:the\s+|of\s+)?\d)"  # with a day or a year it is an absolute one
# "may", "march", "spring" and names of persons are dates only after certain words.
_CUED = rf"""(?:
    (?:(?:in|until|during|early|late|mid|of)[\s-]{{1,3}}){{1,4}}{MONTH}{_NO_DAY}
  | (?:the|our|their|his|her|my|['’]s|before|after|through)\s+(?=(?-i:[A-Z])){MONTH}{_NO_DAY}
  | january | february | july | september | october | november | december
  | (?:on|until|this|next)\s+{WEEKDAY}
  | (?:in|during|early|late|mid|over)(?:\s+the)?(?:\s+(?:early|late|mid))?[\s-]+{SEASON}
    (?:\s+(?:of\s+)?{YEAR})?
  | {SEASON}\s+(?:of\s+)?{YEAR}
  | (?:in|during|of|before|after|until|by|the|year|early|late|mid|['’]s)[\s-]+{YEAR}
  | {YEAR}(?=\W*$)
)"""
_POINT = rf"(?:{_ABSOLUTE}|{_RELATIVE}|{MONTH}|{WEEKDAY}|{YEAR}|{SEASON}\s+(?:of\s+)?{YEAR})"
_MAY_NAME_DATE = re.compile(
    rf"""\d | \b(?:ago | last | past | previous | this | next | yesterday | today | tonight | tomorrow
      | {MONTH} | {WEEKDAY} | {SEASON})\b""",
    re.VERBOSE | re.IGNORECASE,
)
"""A quick test that every text with a date passes."""


@cache
def _span() -> re.Pattern[str]:
    """Compile the expression for a date, alone or in a range: 30 ms, which a store without dates need not pay."""
    return re.compile(
        rf"""(?<![\w./:\#$-])(?:
            (?:between|from)\s+(?P<first>{_POINT})\s+(?:and|to|until|till|through|-|–)\s+(?P<last>{_POINT})
          | (?:(?P<count>the|{COUNT})\s+(?P<unit>{UNIT}|weekend)s?\s+(?P<side>before|after)\s+(?={_ABSOLUTE}))?
            (?P<since>since\s+)?(?P<one>{_ABSOLUTE}|{_RELATIVE}|(?(since){_POINT}|{_CUED}))
        )(?!\w|[-/.:]\d)""",
        re.VERBOSE | re.IGNORECASE,
    )


@cache
def _relative_only() -> re.Pattern[str]:
    return re.compile(_RELATIVE, re.VERBOSE | re.IGNORECASE)


@cache
def _time() -> re.Pattern[str]:
    return re.compile(
        rf"""\b(?:
            (?:to|yester)day | tonight | tomorrow | ago | {WEEKDAY}s? | {YEAR} | o'clock | \d{{1,2}}(?::\d\d)?\s?[ap]m
          | (?:last|next|this|past|previous|every|each|coming)\s
            (?:{UNIT}|weekend|night|morning|afternoon|evening|{SEASON}|decade)s?
          | (?:\d{{1,3}}|few|several|couple|of|an?|{"|".join(_WORDS)})\s(?:{UNIT}|hour|minute|weekend|decade)s?
          | (?=(?-i:[A-Z])){MONTH} | \d{{1,2}}/\d{{1,2}}/\d{{2,4}}
        )\b""",
        re.VERBOSE | re.IGNORECASE,
    )


_ASKS_WHEN = re.compile(
    r"""\bwhen\s+(?:exactly\s+|precisely\s+)?(?:did|was|were|is|are|will|do|does|has|have|had|should|would|can|could)\b
      | \b(?:know|remember|recall|tell\s+me|find\s+out|sure|exactly|since|until)\s+when\b
      | \b(?:and|or)\s+when\W*$
      | ^\W*(?:since\s+|until\s+)?when\W*$
      | \b(?:what|which|whats|what's|what’s)\s+(?:is\s+|was\s+)?(?:the\s+)?(?:exact\s+)?
        (?:date|day|month|year|week|weekend|season|time\s+of|century|decade)s?\b
      | \bwhat\s+time\b | \b(?:the|exact)\s+date\b
      | \bhow\s+(?:long\s+(?:ago|has|have|had|since)|recently)\b
      | \bhow\s+many\s+(?:days|weeks|months|years)\s+(?:ago|since|passed)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
