"""Retold: a sentence in fewer words where people tell more than they state.

"Keiko got poached, and the business card says Lufthansa", "The disk filled up, so records are wiped after a week",
"Forget the former tongue: give all output in Korean": things that say something are what they say, what led to a change
and what was before it go.
"""

from collections.abc import Iterator

from ..memory.date_spans import MONTH
from .marks import regex

_PAPERS = (
    r"(?:cards?|signs?|badges?|signatures?|plans?|charts?|lists?|labels?|sheets?|profiles?|director(?:y|ies)|"
    r"registers?|"
    r"calendars?|pages?|boards?|headers?|notices?|changelogs?|logs?|dashboards?|contracts?|passports?|certificates?|"
    r"forms?|files?|wiki|readme|configs?|configurations?|records?|roster|schedule|nameplate|door|display|screen|"
    r"tickets?|"
    r"manifest|lease|letter|invoice|bio|footer|tag|sticker|plate|menu|timetable|spreadsheet|tracker)"
)
_BEFORE = r"(?:former|previous|old|earlier|last|other|prior|first)"
_OVER = (
    r"(?:gone|closed|cancelled|canceled|deleted|terminated|dropped|off|out|over(?: and done with)?|history|archived|"
    r"read-only|empty|stale|removed|torn down|left|broken|broke|expired|shut|stopped|retired|frozen|uninstalled|ended|"
    r"switched off|done|finished|wiped|scrapped|sold|dead|no more|off the list|done with|replaced|dissolved|vacated|"
    r"disconnected|decommissioned|defunct|discontinued|abandoned|dismissed|unplugged|full|past)"
)
_THE_FORMER = rf"(?:the|that|his|her|its|their|my|our|what was the) {_BEFORE}(?: (?:one|ones|[\w-]+))?"
_RETELLINGS = (
    (r"^(?:by day|professionally|these days|work-wise|\w+-wise),? ", ""),
    (
        rf"\b({_PAPERS}(?: (?:under|on|of|at|in|for) [^,]+?)?) (?:has |have )?(?:says?|said|reads?|states?|"
        rf"stated|shows?)(?: that)? ",
        r"\1 is ",
    ),
    (
        rf",? (?:and |as |so |now that |since |because |with )?{_THE_FORMER}(?: having been| being| has been| "
        rf"have been| has|"
        rf" have| is| are| was| were| went| got)? {_OVER}(?=[,;.]|$)",
        "",
    ),
    (
        rf"^(?:now that |since |with |as )?{_THE_FORMER}(?: having been| being| has been| have been| has| have| "
        rf"is| are| was|"
        rf" were)? {_OVER}(?:, (?:so |and )?| and )",
        "",
    ),
    (
        rf",? (?:and |so )?(?:rather than|instead of|in place of|in the place of|over|in lieu of|as opposed to|"
        rf"unlike|not|no "
        rf"longer(?: on)?|replacing|(?:and )?(?:drop|dropped|delete|deleted|cancel|cancelled|close|closed|"
        rf"retired?|archived?|"
        rf"wiped?|left|scrapped|sold|removed|uninstalled|quit|gave up|ditched|shut|abandoned|replaced|ended|forget)) "
        rf"{_THE_FORMER}(?= |[,;.:]|$)",
        "",
    ),
    (
        rf"^(?:forget|archived|dropped|cancelled|closed|deleted|scrapped|sold|retired|wiped|left|quit|no "
        rf"more(?: of)?|enough of|"
        rf"goodbye to|gone (?:is|are)|ditched|threw out|done with) {_THE_FORMER}(?:, | and |: |; )",
        "",
    ),
    (r"^(?:forget|ignore|disregard|scrap) (?:what|everything|all) [^:;,]+(?:: |; |, )", ""),
    (
        rf"\bshould (?:be|say|read|go(?: to)?|have|use) (?=.*\b(?:from (?:{MONTH}|now|today|then) on|starting|"
        rf"as of|from now))",
        "is ",
    ),
    (r"\bI would (?:like|prefer|love|rather have)(?: it)?(?: if)?(?: to (?:see|have|get|receive|read))? ", "I want "),
    (
        r"^(?:please |kindly )?(?:phone|page|ring|call|wake|ping|alert|notify|contact|message|text|fetch|ask|tell) "
        r"(?P<v>(?-i:[A-Z])\w+(?: (?-i:[A-Z])\w+)?)(?: [a-z]+){0,3}? (?:if|when|whenever|as soon as|should) "
        r"(?P<s>.+?) (?:goes|is|breaks?|fails?|dies|crashes|falls|stops|misbehaves|has|acts|needs)\b.*$",
        r"on call for \g<s> is \g<v>",
    ),
    (
        r"^(?:if|when|should|whenever) (?:anybody|anyone|someone|somebody|people|you) (?:asks?|wonders?|needs? "
        r"to know|wants? to know),? ",
        "",
    ),
)


def retold(sentence: str) -> str:
    """A sentence without what was before, and with things that say something as what they say."""
    for expression, replacement in _RETELLINGS:
        sentence = regex(expression).sub(replacement, sentence)
    return sentence


def unfolded(sentence: str) -> Iterator[str]:
    """A sentence as a whole, and its parts: what follows from what led to it, what is told of somebody in passing."""
    yield sentence
    told = regex(r",? (?:and )?who (?!is )", 0).sub(" ", sentence)
    if told != sentence:
        yield regex(r"^(?:I|We|You|You'll) (?:[\w']+ ){1,3}?(?=[A-Z])", 0).sub("", told)
    parts = regex(
        r"(?:, so(?: that)?|, and so|, therefore|,? which is why|; |, that's why| - |, but|, and) (?=\w)"
    ).split(sentence)
    if len(parts) > 1:
        yield parts[-1]
        yield parts[0]
