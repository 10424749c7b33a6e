"""What a sentence says of itself: that something changed, that it corrects, that it is unsure."""

import re
from functools import cache

from ..memory.date_spans import WEEKDAY

MAX_TEXT = 2_000


@cache
def regex(expression: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """A compiled expression, kept."""
    return re.compile(expression, flags)


def straightened(text: str) -> str:
    """One line, with plain quotes and single spaces."""
    text = text[:MAX_TEXT].translate(STRAIGHT)
    return " ".join(text.split())


STRAIGHT = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "→": "->", "–": "-", "—": "-", "`": None, "*": None}
)

_CHANGE = (
    r"\b(?:now|no longer|any ?more|any longer|nowadays|these days|as of|from now on|from here on|"
    r"going forward|henceforth|since|instead|recently|lately|"
    r"switched|switching|moved|moving|migrated|relocated|changed|changes|became|become|"
    r"replaced|replaces|replacement|new|newly|"
    r"just|finally|joined|left|quit|stopped|started|starting|began|gave up|given up|gone over|"
    r"went over|went from|gone from|raised|lowered|increased|"
    r"decreased|upgraded|downgraded|promoted|hired|appointed|took over|taken over|takes over|"
    r"taking over|pushed|postponed|"
    r"rescheduled|delayed|brought forward|renamed|reassigned|transferred|ported|rewritten|"
    r"converted|sold|bought|traded|swapped|"
    r"dropped|ditched|adopted|married|divorced|separated|broke up|split up|turned|got|grew|"
    r"shrank|rose|fell|scaled|rescaled|"
    r"rebound|effective|previously|formerly|used to|until now|so far|after all|in place of|rather than|over to|again|"
    r"extended|shortened|bumped|updated|corrected|from this (?:week|month|year) on|at last|in "
    r"the meantime|by now|meanwhile|"
    r"has been (?:moved|made|named|set)|was (?:moved|made|named|set|put|switched)|succeeded|"
    r"succeeds|reimplemented|recast|reworked|changed my mind|retired|"
    r"settled|picked up|purchased|acquired|went|gone|turns|took up|retrained|reached|outgrew|"
    r"today|this (?:week|month|year|spring|summer|autumn|fall|winter)|currently|at the moment|"
    r"rewrote|rewritten|wrote|rebuilt|merged|closed|finished|reopened|resolved|shipped|"
    r"cancelled|canceled|approved|cut|reduced|doubled|halved|relicensed|remarried|converted|"
    r"next (?:week|month|year)|"
    r"landed|shifted|swung|swapped|evolved|came back|returned|back (?:to|at|on|in)|modified|"
    r"amended|reset|rotated|redeployed|put|took|stepped|handed|assigned|enrolled|signed|carried|bumped|flashed|"
    r"shifted|named|made|redone|installed|issued|"
    r"lost (?:his|her|their|my) (?:old )?(?:job|position)|"
    r"(?:was|were|been) (?:fired|laid off|let go|sacked|made redundant)|"
    r"resigned|(?:is|are|am) (?:unemployed|out of work|between jobs))\b"
)
_CORRECTION = (
    r"^(?:no,|sorry,|oops|correction|actually,|to correct|i was wrong|my mistake|erratum|i "
    r"misspoke|that was wrong)|\b(?:correction|to be (?:precise|exact|correct)|i made a "
    r"mistake|by mistake|was (?:a mistake|wrong|an error|a typo|mistaken)|mistakenly|contrary "
    r"to what|never was|typo|misspoke|(?:is|are|am|not) actually (?!\w+ing\b)|i meant|i mean|in (?:actual )?fact|"
    r"wrongly|erroneously|"
    r"not .+? as (?:i|we) (?:said|wrote|noted|thought))\b|^actually\b"
)


def marks_change(text: str) -> bool:
    """Whether a text says that something is different from before."""
    return regex(_CHANGE).search(straightened(text)) is not None


def is_correction(text: str) -> bool:
    """Whether a text says that what was said before was never so."""
    return regex(_CORRECTION).search(straightened(text)) is not None


_FROM_THEN_ON = (
    r"\b(?:now|these days|nowadays|since|as of|from (?:now|here|today|this \w+|then) on|starting|effective|no longer|"
    r"any ?more|got (?:\w+ed|moved|given)|has been \w+ed|last (?:night|week|month)|yesterday|in future|"
    r"(?:switched|migrated|relocated|transferred|moved)(?: [\w-]+){0,4}? (?:to|over|house)\b(?! the wrong)|"
    r"took over|taken over|sold up|"
    r"from (?:january|february|march|april|may|june|july|august|september|october|november|december|20\d\d) on)\b"
)


def corrects(text: str) -> bool:
    """Whether a text says that what was said before was never so.

    What it says to be so since some moment, or to have come about ("Correction: Ana moved to Porto"), has changed.
    """
    return is_correction(text) and regex(_FROM_THEN_ON).search(straightened(text)) is None


def is_lasting(text: str) -> bool:
    """Whether a text says what holds from now on: then even what it asks for tells how things are."""
    return (
        regex(
            r"\b(?:from (?:now|here|today|this \w+) on(?:wards?)?|going forward|henceforth|in (?:the )?future|always|"
            r"by default|as of (?:now|today))\b"
        ).search(text)
        is not None
    )


def is_additional(text: str) -> bool:
    """Whether a text adds to what was said: "also", "another", "as well"."""
    if regex(r"\b(?:moved|switched|migrated|changed|replaced|gone over|went over) ").search(text):
        return False
    return says_also(text) or (
        regex(
            r"\b(?:too(?= *(?:[.,;!)]|$))|another|a second|besides|both|on top(?! of (?!what|that|this|it|all))|"
            r"an additional)\b"
        ).search(straightened(text))
        is not None
    )


def says_also(text: str) -> bool:
    """Whether a text says in so many words that it adds to something, or is so at times."""
    said = r"\b(?:also|as well(?! as)|in addition|additionally|sometimes|occasionally|part of the time)\b"
    return regex(said).search(straightened(text)) is not None


_ONE_OF_SEVERAL = (
    r" (?:is|are) (?:(?:my|our|his|her|their|(?:the )?[\w.-]+'s|one of (?:my|our|his|her|their)) "
    r"(?!(?:only|main|best|primary|sole|own|new) )|an? (?=.* of ))(?:\w+ )?"
    r"(?:customer|client|vendor|supplier|contractor|(?<=our )partner|(?<=their )partner|"
    r"sponsor|investor|competitor|reviewer|maintainer|contributor|"
    r"colleague|co-?worker|team-?mate|room-?mate|flat-?mate|house-?mate|neighbou?r|friend|mentee|student|pupil|teacher|"
    r"son|daughter|child|kid|brother|sister|sibling|cousin|uncle|aunt|nephew|niece|grand(?:son|daughter|child)|pet|cat|"
    r"dog)s?(?: (?:of|at|in|on|for) [^,]+)?[.!]?$|"
    r"^(?!.*\b(?:only|nothing|no)\b)(?:i|[\w'-]+(?: [\w-]+)?) drinks? "
    r"(?!(?:is|are|was|will|has|order|of)\b)[\w' -]+[.!]?$"
)


def is_one_of_several(text: str) -> bool:
    """Whether a text names one of those whom somebody may have several of: "Acme is our customer"."""
    return regex(_ONE_OF_SEVERAL).search(straightened(text)) is not None


_UNSURE = (
    r"(?<![\w-])(?:if|whether|unless|maybe|perhaps|possibly|probably|presumably|supposedly|"
    r"allegedly|reportedly|apparently|hypothetically|"
    r"might|could|should|would|(?<!what )(?-i:may) (?!(?:take|allocate|consume)\b|now\b|\d|spend\b|be "
    r"(?:reached|contacted|called)\b)|shall|ought|must have|"
    r"considering|considers?|considered|thinking (?:of|about)|thinks? (?:of|about|that|he|she|"
    r"it|they|we)|thought|thinks|toying|mulling|contemplat\w+|evaluat\w+|explor(?:e|es|ing)|"
    r"wants? to|wanted to|hopes?|hoping|hoped|plans? to|planning (?:to|on)|planned to|"
    r"intends?|intending|aims? to|dreams?|dreamt|dreamed|dreaming|wish(?:es|ed)?|wondering|"
    r"wonders?|"
    r"is tempted|fancies|(?:looks?|looking) (?:at|into|for) (?!after)|is applying|applied "
    r"(?:to|for|at)|interview(?:s|ed|ing)?|offered|offers|"
    r"rumou?rs?|rumou?red|gossip|seems?|appears? to|looks? like|sounds? like|suppos(?:e|ing) "
    r"(?:that|we|he|she|they)|pretend|assum(?:e|es|ing)|assuming|"
    r"what if|in case|let's say|as if|almost|nearly|(?:is|was) about to|"
    r"for example|an example|for instance|e\.g|hypothetical|in theory|fiction(?:al)?|in "
    r"(?:the|a|my|his|her) (?:novel|dream|story|film|movie|game|book|series|play|sketch)|on april "
    r"fool|joked?|joking|kidding|"
    r"suggest(?:s|ed|ing|ion)?|propos(?:es|ed|al|ing)|recommend(?:s|ed)?|advis(?:es|ed)|argued?|insists?|"
    r"said|says|saying|(?<!was )told|tells|claim(?:s|ed|ing)?(?! (?:for|of|from)\b)|heard|hears|asked whether|"
    r"asked if|asks "
    r"if|believes?|believed|guess(?:es|ed)?|according to|wrote|writes that|mention(?:s|ed)|"
    r"reports that|stated|announced that|quoted|quoting|"
    r"tried|tries|trying|try|attempt(?:s|ed|ing)?|experiment(?:s|ed|ing)?|trial|piloting|"
    r"prototyp\w+|test(?:s|ed|ing)? out|demo of|"
    r"remind(?:s|ed)?|forgot|forgets|pretends?|unlikely|likely|doubts?|in doubt|not sure|"
    r"unsure|unclear|undecided|uncertain|either|or not|"
    r"temporarily|for the time being|on (?:vacation|holiday|a trip|leave)|visiting|visits?(?! at\b)|"
    r"(?<!\bbe )visited|vacationing|just for (?:today|now)|today only|as a guest|on loan|"
    r"but (?:has|have|did|does|do) not|(?:(?:many|several|some|a few|long) )?(?:decades|years|ages|centuries) ago|"
    r"at first|initially|in the beginning|back in the day|(?<!accepted )an? (?:job )?offer|"
    r"previous(?:ly)?|former(?:ly)?|ex-\w+|once (?:lived|worked|used|had|owned|was)|back "
    r"(?:then|when)|in the past|as a (?:child|kid|student|teenager|boy|girl)|at the time|long "
    r"ago|"
    r"hate(?:s|d)? (?:that|when)|miss(?:es|ed)|compar(?:es|ed|ing)|versus|(?-i:vs\.?)|"
    r"nobody|no one|people (?:say|think)|some(?:body|one)|would-be|"
    r"per(?:haps)|candidates?|alternatives?|options?|backup plan|plan b|eventual|some ?day|one day|"
    r"fail(?:s|ed) to|refus(?:es|ed) to|declin(?:es|ed)|reject(?:s|ed) the|turned down|"
    r"(?:opened|ran|tested|checked|looked at|debugged|pasted|typed|read|edited|saved) (?:it|this|that|them|these)|"
    r"decided against|not yet|yet to)(?![\w-])"
)
_TEMPORARY = (
    r"\b(?:for (?:a|one|two|three|the) (?:day|days|week|weeks|weekend|night|nights|few days|"
    r"few weeks|couple of \w+|holidays?|conference|meeting|visit))\b"
)
_LASTS = (
    r"\b(?:logs?|records|traces|history|retention|kept|retains?|sprints?|iterations?|backups?|"
    r"cached?|sessions?|tokens?)\b"
)


_ONCE = (
    r"(?:^(?:today|tonight|tomorrow|this (?:week|weekend|morning|afternoon|evening|\w+day)|"
    rf"on {WEEKDAY}),? (?!is )|"
    r"(?<!\bis )(?<!\bare )(?<!\bfor )(?<!\bto )(?<!\bby )(?<!\bfrom )(?<!\bsince )(?<!\buntil )(?<!\bof )(?<!\bwas )"
    r"(?<!\bon )(?<!\bplace )(?<!\bheld )(?<!\bafter )(?<!\bbefore )(?<!\bstarting )(?<!\bbeginning )"
    r"(?<!\beffective )(?<!^)"
    r"\b(?:today|tonight|tomorrow|this (?:week|weekend|morning|afternoon|evening|\w+day)|"
    rf"on {WEEKDAY}))\b|"
    r"\b(?:while|as long as|until|because) [^,.]{1,40}? (?:is|are|am|gets?) (?:still |back )?(?:away|ill|sick|out|off|"
    r"back|on (?:leave|holiday|vacation|parental leave|sick leave)|being \w+ed|fixed|repaired)\b"
)
"""What is said of a day or a week alone, or of a stand-in: "The standup is at 10:00 today", "while Ana is away"."""
_BEGINS = (
    r"\b(?:join(?:s|ing)|start(?:s|ing)|begin(?:s|ning)|mov(?:es|ing)|tak(?:es|ing) over|switch(?:es|ing)|"
    r"becom(?:es|ing))\b"
)
_DUE = (
    r"\b(?:deadline|due|release|launch(?:es)?|ships?|expires?|appointment|flight|delivery|exam|wedding|birthday|ends|"
    r"arrives?|leaves?|departs?)\b"
)
"""Words of what happens on one day anyway."""


def is_for_once(text: str) -> bool:
    """Whether a sentence says how something is on a day or in a week, and not that this changed then."""
    rest, found = regex(_ONCE).subn(" ", text)
    return found > 0 and not (regex(_DUE).search(text) or marks_change(rest) or regex(_BEGINS).search(rest))


def is_for_now(text: str) -> bool:
    """Whether a sentence says so of these days alone: "today", "this week"; a weekday may be when something changed."""
    return is_for_once(regex(rf"\bon {WEEKDAY}\b").sub(" ", text))


_OF_ALL = r"(?:^|, |\b(?:and|but|because|that) )(?:everybody|everyone|anyone|anybody) (?!on |in |at |from |who )"


def is_unsure(text: str) -> bool:
    """Whether a sentence states nothing of its own: a question, a wish, a rumour, someone's words, an example."""
    if text.endswith("?") or _is_question(text):
        return True
    if '"' in text and regex(r'"[^"\s]*+\s[^"\s]*+\s[^"]*+"').search(text):
        return True
    if regex(_TEMPORARY).search(text) and not regex(_LASTS).search(text):
        return True
    return regex(_UNSURE).search(text) is not None or regex(_OF_ALL).search(text) is not None


def _is_question(text: str) -> bool:
    first = text.split(" ", 1)[0].lower()
    return first in {
        "who",
        "what",
        "where",
        "which",
        "why",
        "how",
        "whose",
        "is",
        "are",
        "am",
        "do",
        "does",
        "did",
        "can",
        "could",
        "would",
        "should",
        "shall",
        "was",
        "were",
    }
