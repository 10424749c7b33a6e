"""What narrows a statement: when, where, for what, in which environment and for which edition alone it holds."""

import re

from .lexicon import gazetteer
from .marks import regex
from .wording import ENVIRONMENTS

DATE_SCOPE = re.compile(
    r"^(?:in|on|since|from|as of|by|at) (?:(?:early|late|mid|last|this|the|start of|end of|beginning of) )*(?:january|"
    r"february|march|april|may|june|july|august|september|october|november|december|spring|autumn|\d|(?:now|then|here|"
    r"today|yesterday|week|month|year|moment|present)\b)",
    re.IGNORECASE,
)


LEADING_SCOPE = re.compile(
    r"^(?:for|on|in|at|during|under|with|while|outside|inside|besides?) "
    r"(?P<what>[\w' -]{2,40}?)(?:,| (?=(?:i|we|the|he|she|they|it|my|our|[A-Z]\w+|[a-z]+-[a-z]+) ))",
    re.IGNORECASE,
)


_OCCASION = re.compile(
    r"\b(?:at (?:work|home|school|night)|on (?:the )?(?:weekends?|weekdays|holidays?|\w+days)|"
    r"on (?:my|his|her|the) (?:phone|mobile|laptop|tablet|desktop|work \w+|private \w+)|"
    r"in (?:the )?(?:mornings?|afternoons?|evenings?|summer|winter|autumn)|"
    r"(?:(?<=the )|(?<=in )|(?<=on )|(?<=our ))(?:beta|alpha|nightly)|(?-i:EU|US|APAC)|(?<=in the )(?:eu|us)|"
    r"(?:android|ios|weekends?|mobile app|desktop app))\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"\b(?P<hour>\d{1,2}(?:[:.]\d\d)?|o'clock|half past \w+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|"
    r"twelve) (?:in the (?:morning|afternoon|evening)|at night)\b",
    re.IGNORECASE,
)
"""An hour with its half of the day, which is no occasion."""


_OWNED_FOR = re.compile(
    r"\b(?P<what>private|personal|business|company|corporate|work|office|old|home|second)"
    r"(?= (?:phone|laptop|computer|e-?mail|mail|number|account|machine|address|card|mobile)\b)",
    re.IGNORECASE,
)


_FOR = re.compile(
    r"\bfor (?P<what>(?i:[a-z]+ing|java|python|work|fun))\b|"
    r"\bfor (?!(?:ages|years|months|weeks|days|now|good|sure|ever|free|life|short|long|once|every\w+|all)\b)"
    r"(?P<noun>[a-z]{3,}(?: and [a-z]{3,})?)[.!]?$"
)


def occasion(text: str) -> frozenset[str]:
    """At what times, and where, a sentence holds: on weekends, at work, on the phone."""
    return frozenset(match.group().lower() for match in _OCCASION.finditer(_CLOCK.sub(r"\g<hour>", text)))


_HALF_OF_A_DAY = re.compile(r"in (?:the )?(?:morning|afternoon|evening)s?|at night")


def is_half_of_a_day(found: str) -> bool:
    """Whether an occasion is when one does what one does at a time of day anyway: "in the morning"."""
    return _HALF_OF_A_DAY.fullmatch(found) is not None


def without_occasion(text: str) -> str:
    """A value or what follows it without the time and the place alone at which it holds: "Vim at work" is Vim."""
    return re.sub(rf" (?:{_OCCASION.pattern})$", "", text, flags=re.IGNORECASE)


_PART = re.compile(
    r"(?: only)? (?:(?P<adverb>locally)|(?:in|for|on) (?:(?:the|our|my|all) )?(?P<what>"
    r"(?:(?:web|mobile|native|desktop|api|admin|ios|android|server|client) )?(?:front-?end|back-?end|client|server|web|"
    r"api|cli|admin|mobile|docs|ui|editor|terminal|browser|ide|app|repo)(?: (?:part|code|side))?|database|"
    r"[\w-]+ (?:app|package|module|folder|directory)|(?-i:CI)|(?!ci/cd)(?-i:[a-z\d._-]+(?:/[a-z\d._-]*)+)|"
    r"(?P<name>(?-i:[A-Z])[\w.+#-]*(?: (?-i:[A-Z])\w*)?)(?: code| files?| projects?)?))$",
    re.IGNORECASE,
)
_SCOPING = frozenset(
    {
        *("programming language", "data format", "editor", "terminal", "shell", "browser", "operating system"),
        *("chat tool", "notes app", "email client"),
    }
)
"""The lists of names in which something may hold alone: "in Python", "in Slack"."""
_MARKUP = frozenset("markdown html css sass scss latex restructuredtext asciidoc jsx tsx sql".split())
_WINDOWS = frozenset({"browser", "editor", "terminal", "ide", "web browser"})
_LOOKS = r"\b(?:theme|mode|font|colou?rs?|zoom|keybindings|shortcuts)\b"


def part(text: str) -> frozenset[str]:
    """For which part of the software, in which language or application alone a sentence holds: "in the backend"."""
    found = _part(text)
    return frozenset({(found["adverb"] or found["name"] or found["what"]).lower()} if found else ())


def without_part(text: str) -> str:
    """A value without the part, the language, the application or the purpose for which alone it holds."""
    found = _part(text) or _FOR.search(text)
    return text[: found.start()].rstrip() if found and found.start() else text


def _part(text: str) -> re.Match[str] | None:
    found = _PART.search(text.rstrip(" .!"))
    if found is not None and (found["what"] or "").lower() in _WINDOWS and not regex(_LOOKS).search(text):
        return None  # "runs in the browser" says nothing of where alone
    if found is None or found["name"] is None:
        return found
    name = found["name"].lower()
    return found if name in _MARKUP or _SCOPING.intersection(gazetteer().get(name, ())) else None


_EDITION = re.compile(
    r"\b(?:first|second|third|fourth|1st|2nd|3rd|(?:last|this|next) (?:year|month|week|quarter|season)'s|"
    r"(?:the|our) (?:spring|summer|autumn|winter|upcoming|previous|main|primary|secondary|old|older|other|alternate|"
    r"regional|eastern|western|northern|southern|european|american|asian))\b",
    re.IGNORECASE,
)


def edition(text: str) -> frozenset[str]:
    """Which of several of its kind a sentence is about: the first one, this year's, the old one."""
    return frozenset(match.group().lower() for match in _EDITION.finditer(text))


_CADENCE = re.compile(
    r"\b(?:daily|weekly|bi-?weekly|fortnightly|monthly|quarterly|yearly|annual)"
    r"(?= (?!(?:on|at|in|now|and|or)\b)[a-z])",
    re.IGNORECASE,
)


def cadence(text: str) -> frozenset[str]:
    """Which of several that come again a sentence is about: the weekly meeting."""
    return frozenset(match.group().lower() for match in _CADENCE.finditer(text))


_ORGANISATION = re.compile(r"\b(?i:at|works? for|working for) (?P<what>[A-Z][\w&-]*)")


def organisation(text: str) -> frozenset[str]:
    """Where, by the name, somebody has the job of which a sentence speaks: "an engineer at Acme"."""
    return frozenset(match["what"].lower() for match in _ORGANISATION.finditer(text))


_AT_OR_FOR = re.compile(r"\b(?i:at|for) (?P<what>[A-Z][\w&-]*)")


def at_or_for(text: str) -> frozenset[str]:
    """Where, or in what, somebody has the job of which a sentence speaks: "a teacher for Math"."""
    return frozenset(match["what"].lower() for match in _AT_OR_FOR.finditer(text))


def owned_for(text: str) -> frozenset[str]:
    """Which of two such things of one owner it is: the private phone."""
    return frozenset(match["what"].lower() for match in _OWNED_FOR.finditer(text)) - {"old"}


def purpose(text: str) -> frozenset[str]:
    """What for a sentence holds: "for coding"."""
    match = _FOR.search(text)
    return frozenset({(match["what"] or match["noun"]).lower()} if match else ())


def environments(text: str) -> frozenset[str]:
    """Where software runs of which a sentence speaks: staging."""
    named = {word for word in re.findall(r"[a-z-]+", text.lower()) if word in ENVIRONMENTS}
    named -= {"live", "local", "test", "testing", "stage", "demo", "integration", "production", "prod"}
    if regex(r"\b(?:in|on|the) (?:test|testing|demo|integration|local|live)\b|test environment").search(text):
        named.add("test")
    return frozenset(named)
