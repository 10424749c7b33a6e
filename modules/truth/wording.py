"""The wording of a sentence, made plain: contractions, auxiliaries and adverbs undone, marks and dates taken out."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from ..memory.date_spans import COUNT, MONTH, SEASON, UNIT, WEEKDAY, YEAR
from .marks import MAX_TEXT, STRAIGHT, is_additional, is_correction, is_lasting, marks_change, regex, straightened


@dataclass(frozen=True)
class Clause:
    """A sentence in plain wording; `full` with its dates, `bare` without.

    `negated`: it denies ("does not use"); `ended`: it says that something holds no more ("no longer uses").
    `lasting`: it says what holds from now on. `scope` is an environment that it names ("in staging"). `since` "
    "and `until` are phrases that name dates.
    """

    full: str
    bare: str
    marks_change: bool = False
    is_correction: bool = False
    negated: bool = False
    ended: bool = False
    future: bool = False
    additional: bool = False
    lasting: bool = False
    scope: str = ""
    since: str = ""
    until: str = ""


_ABBREVIATIONS = (
    r"(?<!\bDr\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bMrs\.)(?<!\bProf\.)"
    r"(?<!\bSt\.)(?<!\bNo\.)(?<!\btel\.)(?<!\bTel\.)(?<!\bext\.)(?<!\bvs\.)(?<!\be\.g\.)(?<!\bi\.e\.)"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, without their final marks but for question marks."""
    parts = regex(_ABBREVIATIONS + r"(?<=[.!?;])\s+(?=[\"'A-Z0-9#*(])|;\s+|\n+", 0).split(
        text[:MAX_TEXT].translate(STRAIGHT)
    )
    stripped = (" ".join(part.split()).rstrip(" .!;,") for part in parts if part)
    return [part for part in stripped if part]


_IRREGULAR = (
    "been gone become taken got gotten bought sold left begun chosen grown made put sent set "
    "cut quit found met built written "
    "rewritten given kept let lost read run spent stood told worn won come done held led brought taught shrunk risen "
    "fallen driven eaten drunk known shown spoken stuck stopped swapped split paid went "
    "outgrown overtaken laid rebuilt "
    "dug slipped rebound frozen broken woken wed torn thrown hit bid shut lent understood taken"
)
_PARTICIPLE = rf"(?:\w+ed|{'|'.join(_IRREGULAR.split())})"
_ADVERBS = (
    r"now|currently|just|recently|already|finally|officially|presently|nowadays|lately|"
    r"meanwhile|actually|again|instead|"
    r"at the moment|these days|at present|for the moment|right now|since then|in the end|"
    r"eventually|permanently|for good|"
    r"as it happens|by the way|henceforth|going forward|as of now|from now on|from here on|from today on|still|"
    r"in the meantime|of late|by now|once more|yet again|anew|definitely|really|newly|mainly|mostly|usually|normally|"
    r"generally|typically|primarily|exclusively|completely|fully|entirely|ultimately|always|all the time|by default|"
    r"at last|after all|apparently not|in fact|as a matter of fact|in future|in the future|"
    r"directly|effectively|simply|any longer"
)
NEVER_MIND = (
    (
        r"\b(?:wants?|wishes|asked|asks|would like|likes) to (?=(?:be (?:contacted|reached|called|addressed|"
        r"known)|hear|get|receive) )",
        "prefers to ",
    ),
    (r"\bhear from (?:us|me) ", "be contacted "),
    (r"^(?:everyone|everybody) (?=calls\b)", "people "),
    (r" by (?:everyone|everybody)\b", ""),
    (r"\bdaily (?:meeting|call|sync|huddle|catch-up)\b", "standup"),
    (r" at the (?:club|plant|factory)\b", ""),
    (r"\b(was|is) last (?=(?:released|updated) )", r"\1 "),
    (r"\b(?:has|have) become\b", "became"),
    (r"\bonly (?=(?:does|plays|drinks|eats|uses|works|listens|reads|takes|has) )", ""),
    (
        r"^in (\d{4}),? (?=.*\b(?:was|were|took place)\b(?! (?:moved|changed|switched|renamed)))",
        r"it is said that in \1 ",
    ),
    (r"\bwould (?:rather|prefer to|like to) (?=(?:get|have|receive|be (?:contacted|reached|called)) )", "prefers to "),
    (r"\bwould (?:rather (?:have )?|prefer |like )(?=[\w-]+ (?:answers|replies|responses))", "prefers "),
    (r"\bwould (?:rather|prefer|like)(?: it)? (?=if .*|by|via|an? (?:phone|text|email|call|message))", "prefers "),
    (r"\bshould be (?=(?:reached|contacted|called|emailed|messaged)\b)", "can be "),
    (r"\b(?:offers?|tests?) (?=(?:run|is|are)\b)", "tests "),
    (
        r",? (?:and |as |since |because |after |when |now that )?(?:the|his|her|their|my|our|its) (?:previous|"
        r"former|old|"
        r"earlier|last)(?: [\w-]+){1,3}? (?:is|are|was|has|had|got|broke|died|retired|closed|expired|left|quit|moved|"
        r"stopped|went|became|gave)\b.*$",
        "",
    ),
    (
        r"^it is (?P<v>(?!(?:not|no|a|an|said)\b)[^,]+?) (?:who|that|which) (?P<r>(?!is (?:not|no)\b).+)$",
        r"\g<v> \g<r>",
    ),
    (r"^where (?P<s>.+?) stands(?: now| today)?: ", r"status of \g<s>: "),
    (
        r"^(?P<p>(?:works|lives|drives|eats|banks|uses|runs|reports|sits|speaks|studies|plays|owns|trains|drinks|leads|"
        r"manages|heads|listens|stands|stays|wakes|goes|commutes) [^:]+): (?P<s>(?-i:[A-Z])[\w' -]+)$",
        r"\g<s> \g<p>",
    ),
    (
        r"^(?:if|when|whenever|should) (?P<c>[^,]+?),? (?:then )?(?:please |just )?(?P<r>(?:call|tell|ask|ping|"
        r"page|ring|"
        r"phone|contact|notify|alert|inform|message|talk to|write to|turn to|reach out to|go to) "
        r"(?-i:[A-Z#])[\w# .'-]*)$",
        r"\g<r> about \g<c>",
    ),
    (
        r"\b(took|taken|takes|handed|passed|switched) (?P<o>(?:the|his|her|their|our|my) [\w' -]+?|Project \w+) "
        r"over\b(?! to\b)",
        r"\1 over \g<o>",
    ),
    (r" (?:comes|hails|is) from (?P<v>[^,]+), born and (?:bred|raised)(?: there)?$", r" was born in \g<v>"),
    (r", (?:when|the year|the year when|the day) (?:it|he|she|they) (?:was|were) [a-z]+$", ""),
    (r"^if (?=you(?:'re| are)? )", "when "),
    (r"\b(?:does|do) not (?:work|come in|come to work|come to the office) (?=(?:on )?\w+days?\b)", "is off "),
    (r"^(?:please )?do not expect (?P<s>.+?) (?=(?:on )?\w+days?\b)", r"\g<s> is off "),
)


WORDS_TO_MIND = (
    r"\b(?:wants?|wishes|asked|asks|would|likes|hear|everyone|everybody|daily|at the|last|become|only|in \d|should|"
    r"offers?|tests?|over|born|was|were|previous|former|old|earlier|it is|where|if|when|whenever|do not|does "
    r"not)\b|^\w+s [^:]+: "
)
"""A first look: without one of these words none of the above applies."""
_CONTRACTIONS = (
    (r"\bwon't\b", "will not"),
    (r"\bcan(?:no|')t\b", "can not"),
    (r"n't\b", " not"),
    (r"\bI'm\b", "I am"),
    (r"'re\b", " are"),
    (r"'ve\b", " have"),
    (r"'ll\b", " will"),
    (r"\bI'd (?=rather|like|prefer|love)", "I would "),
    (r"(?<=\w)'d (?=rather|like|prefer|love)", " would "),
    (
        r"\b(it|that|there|who|what|where|here|he|she)'s(?= (?:been|got|gone|moved|changed|"
        r"switched|become|left|joined)\b)",
        r"\1 has",
    ),
    (r"\b(it|that|there|who|what|where|here|he|she)'s\b", r"\1 is"),
    (
        rf"(?<=\w)'s(?= (?:(?:{_ADVERBS}) )?(?:been|got|gone|become|left|joined|moved|switched|"
        rf"changed|given|started|stopped|begun|relocated|quit|bought|sold|taken|gotten|migrated|"
        rf"upgraded|converted|retired to)\b)",
        " has",
    ),
    (
        rf"(?<=\w)'s(?= (?:(?:{_ADVERBS}|not|no longer) )*(?:an?|not|no|in|at|on|with|from|single|"
        rf"married|divorced|engaged|widowed|retired|based|living|working|dating|seeing|allergic|"
        rf"vegan|vegetarian|back|using|driving|called|due|led|run|hosted|written|out|off|down|up|"
        rf"under|there|the|\d+ years|turning|studying|reading|going|moving to|now)\b(?! (?:hand|"
        rf"house|car|phone|number|name)\b))",
        " is",
    ),
)


def contractions_undone(text: str) -> str:
    """`I've` as "I have", `Tom's moved` as "Tom has moved", `isn't` as "is not"; possessives stay."""
    if "'" not in text and "cannot" not in text.lower():
        return text
    for expression, plain in _CONTRACTIONS:
        text = regex(expression).sub(plain, text)
    return text


_ENVIRONMENTS = {
    "production": "",
    "prod": "",
    "live": "",
    "staging": "staging",
    "stage": "staging",
    "test": "test",
    "testing": "test",
    "qa": "qa",
    "development": "development",
    "dev": "development",
    "preview": "preview",
    "local": "local",
    "sandbox": "sandbox",
    "uat": "uat",
    "pre-production": "pre-production",
    "canary": "canary",
    "integration": "integration",
    "demo": "demo",
}
ENVIRONMENTS = frozenset(_ENVIRONMENTS)

_DAY_NUMBER = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_DATE = (
    rf"(?:(?:the )?{_DAY_NUMBER}(?: of)? {MONTH}(?:,? {YEAR})?|{MONTH} (?:the "
    rf")?{_DAY_NUMBER}(?![\d:])(?:,? {YEAR})?|{MONTH},? {YEAR}"
    rf"|{YEAR}-\d\d(?:-\d\d)?|\d{{1,2}}[./]\d{{1,2}}[./]{YEAR}|yesterday|today|tomorrow|"
    rf"{COUNT} {UNIT}s? ago|(?:last|this|next|past|previous|coming) (?:{UNIT}|weekend|"
    rf"{WEEKDAY}|{MONTH}|{SEASON}|quarter)"
    rf"|(?:the )?(?:beginning|start|end|middle|turn) of (?:the )?(?:{MONTH}|year|month|week|"
    rf"{YEAR}|last \w+|this \w+|next \w+)(?: {YEAR})?"
    rf"|(?-i:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)(?:\b\.?|(?-i:uary|ruary|ch|"
    rf"il|e|y|ust|tember|ober|ember)\b)|{WEEKDAY}(?!s)|{SEASON} (?:of )?{YEAR}|{YEAR})"
)
_PREPOSITION = (
    r"(?:ever since|as of|as from|since|from|starting(?: from| on| in| with)?|effective(?: "
    r"from| as of)?|beginning(?: in| on| with)?|in|on|until|till|by|during|over|back in|early "
    r"in|late in|earlier|around|after|with effect from|valid from)"
)
_DATED = (
    rf"(?:,? ?\b(?P<prep>{_PREPOSITION})(?: (?:early|late|mid|about|the(?= (?:beginning|start|"
    rf"end|middle|\d|last))))?[ -](?P<date>{_DATE})(?: on(?:wards?)?\b(?! \w+day)| onwards?)?|"
    rf",? ?\b(?P<alone>yesterday|today|tomorrow|{COUNT} {UNIT}s? ago|(?:last|this|next) "
    rf"(?:week(?:end)?|month|year|{SEASON}|{MONTH}|{WEEKDAY}|quarter)))\b(?!['\w-]),?"
)


_PAST = re.compile(
    r"\b(?:[a-z]{2,}ed|was|were|had|has|have|did|been|became|began|bought|brought|came|chose|cut|fell|found|gave|gone|got|"
    r"grew|grown|hit|left|lost|made|met|put|quit|rebuilt|redone|rewrote|rose|set|sold|split|swung|took|went|won|wrote)\b"
)
"""Where nothing tells of the past, a day or a month without its year is the next one: "Ana takes over on 1 July"."""


def _without_dates(text: str) -> tuple[str, str, str]:
    """A sentence without its dates, the phrase since when it holds and the one until when."""
    since = until = ""

    def taken(match: re.Match[str]) -> str:
        nonlocal since, until
        preposition = (match["prep"] or "").lower()
        date = match["date"] or match["alone"]
        if preposition in ("until", "till", "by"):
            until = until or date
        elif not since:
            ahead = preposition.startswith(
                ("from", "as of", "as from", "starting", "effective", "beginning", "with", "valid")
            )
            ahead = ahead or (preposition in ("on", "in") and not _PAST.search(text))
            since = f"from {date}" if ahead else date
        return " "

    bare = regex(_DATED).sub(taken, text)
    return " ".join(bare.split()).strip(" ,"), since, until


_LEADING = (
    r"^(?:(?:fyi|note|update|news|reminder|heads[- ]up|psa|info|memo|for the record|just so "
    r"you know|just to let you know|please note|note that|remember|remember that|keep in mind|"
    r"good to know|good news|bad news|"
    r"big news|for your information|as you know|btw|by the way|ok|okay|so|well|hey|hi|anyway|"
    r"also|and|but|oh|no|sorry|correction|actually|to be precise|in fact|quick (?:note|"
    r"update)|status update|as an update|small update|change of plans?|"
    r"it turns out|turns out|as it turns out|it is official|it's official|finally|meanwhile|"
    r"long story short|to confirm|confirmed|attention|announcement|important|edit|p\.?s\.?|"
    r"remember this|the latest|latest|i changed my mind|i have changed my mind|changed my "
    r"mind|i was wrong|my mistake|oops|yes|please remember|"
    r"can you remember|you should know|let it be known)(?:,| -|:| that|!|\.)* )+(?:that )?"
)
_LEADING_ADVERB = (
    rf"^(?:(?:{_ADVERBS}|at home|privately|professionally|like many|as planned|as expected|as "
    rf"agreed|surprisingly|sadly|happily|luckily|unfortunately|fortunately|of course|naturally|"
    rf"interestingly|incidentally|evidently|clearly|thankfully|admittedly),? )+"
)
_ADVERB = rf"(?<![\w'-]),? ?\b(?:{_ADVERBS})\b(?<!command is just)(?! (?:and|or) )(?!['-])(?= |,|$)"
_LEADING_EVENT = (
    r"^(?:since|after|following|because of|due to|thanks to|with|as part of|in the course of|"
    r"owing to|given|upon|starting with|as a result of|in the wake of|ever since|having|"
    r"beginning with|once|as decided (?:at|in|by)|as agreed (?:in|at)|at|per) "
    r"(?!i\b|we\b)(?P<event>(?:the|his|her|their|my|our|its|a|an|some|much|last|this|long|"
    r"many|years|that|popular|all|lots|several|\w+ing)\b[^,]{0,60}?),? (?=(?:the user|(?-i:I)|"
    r"we|the|our|my|(?-i:[A-Z])[\w'-]*|[a-z]+-[a-z]+|there)\b)"
)
_ENVIRONMENT = (
    rf"\b(?:in|on|for|at) (?:the |our |its )?(?P<name>{'|'.join(_ENVIRONMENTS)})(?: "
    rf"(?:environment|system|server|servers|cluster|setup|stage|env))?\b(?! (?:server|database|"
    rf"db|mode|frame|suite|team))"
)
_LIGHT_TAIL = (
    r"(?:,? (?:please|to replace (?:the|his|her|my|our|their|its) [\w ]{1,40}|as always|for (?:ages|years|long|good|"
    r"now|quite a while|a long time|some time|a "
    r"while|decades|months|about [\w ]+? (?:years|months)|over [\w ]+? (?:years|months)|"
    r"(?:\w+ ){1,3}(?:years|months)(?: now)?)|in total|altogether|overall|all along|"
    r"for sure|as planned|as before|as usual|as agreed|as promised|so far|too|as well|there|"
    r"with (?:his|her|their|my|our|two|three|a|an|some) (?:\w+ )?(?:cats?|dogs?|kids|family|"
    r"wife|husband|partner|parents|children|friends?|brother|sister|roommates?|mother|father|"
    r"girlfriend|boyfriend|sons?|daughters?|baby|colleagues)\b|all (?:written|done|made) by "
    r"hand|at all|alone|by the way|by hand|everywhere|on the train|at the university|at "
    r"university|at uni|on the network|"
    r"at the earliest|at the latest|at most|sharp|each morning|as a replacement|in the "
    r"meantime|ever since(?: [\w ]{1,40})?|(?:since|(?<!look )(?<!looks )(?<!looked )(?<!looking )after|following|"
    r"because of|due to|thanks to|as a result of) (?:the|his|her|their|my|our|its|a|an|last|that|this|marrying|"
    r"moving|much|"
    r"several|graduation|graduating|work)\b[\w' -]*|"
    r"on weekdays and weekends(?: alike)?|(?:once|twice|\w+ times) (?:an?|per|each|every) (?:week|day|month)|"
    r"every single day|seven days a week|all week(?: long)?|all year round|"
    r"around the clock|on (?:the |his |her |their )?\w+'s (?:advice|orders|recommendation|request)|of choice|"
    r"in the end|if i remember correctly|these days|for cost reasons|for (?:performance|"
    r"security|simplicity|speed|convenience)(?: reasons)?|these last \w+|all day long|all day|"
    r"every day|daily|on the whole|to everyone's (?:surprise|delight|relief)|last i checked|"
    r"and (?:is|was) (?:very |quite )?(?:happy|pleased|glad|content|delighted|thrilled|"
    r"satisfied|loving it|enjoying it)(?: \w+)*|and (?:loves?|likes?|enjoys?) it|in (?:his|"
    r"her|my|their) (?:free|spare) time|without (?:any )?(?:problems|issues|downtime)|at the "
    r"company|in the company|internally|of late|through and through))$"
)
_SUBORDINATE = (
    r"(?:,? (?:because|so that|so|although|though|even though|while|whereas|since (?=he |she |"
    r"they |we |it |i |the |that )|as (?=he |she |they |it is |it was |we |i )|where (?=he|"
    r"she|it|they|we)|who (?!is )|whom|and (?=that is (?:that|final|fine|it))|"
    r"despite|in order to|to (?=(?:save|be closer|cut|reduce|improve|get away|escape|avoid|"
    r"simplify|support|make room|live with|keep up|comply) )|which (?=is |was |has |means|"
    r"makes|will ))\b.*| \([^)]*\)|,? (?:effective immediately|with immediate effect)| - .*)$"
)
_CONTRAST = (
    r",? (?:instead of|rather than|in place of|and not|, not|but not|in lieu of|as opposed to|"
    r"replacing|not(?= (?-i:[A-Z\d]))) .+$"
)
_VERBS_OF_ING = {
    "using": "uses",
    "drinking": "drinks",
    "eating": "eats",
    "working": "works",
    "living": "lives",
    "playing": "plays",
    "seeing": "sees",
    "dating": "dates",
    "taking": "takes",
    "driving": "drives",
    "going": "goes",
    "speaking": "speaks",
    "studying": "studies",
    "attending": "attends",
    "reporting": "reports",
    "leading": "leads",
    "running": "runs",
    "listening": "listens",
    "wearing": "wears",
    "liking": "likes",
    "preferring": "prefers",
    "practising": "practises",
    "commuting": "commutes",
    "training": "trains",
    "banking": "banks",
    "reading": "reads",
    "writing": "writes",
    "hosting": "hosts",
    "storing": "stores",
    "coding": "codes",
    "following": "follows",
    "managing": "manages",
    "cycling": "cycles",
    "walking": "walks",
    "riding": "rides",
    "biking": "bikes",
    "ordering": "orders",
}


@lru_cache(maxsize=64)
def plain(sentence: str) -> Clause:
    """A sentence in plain wording. What it means is for the patterns to find out; the last ones are kept."""
    text = contractions_undone(straightened(sentence))
    text = text.strip(" .!,")
    clause = Clause(
        "", "", marks_change(text), is_correction(text), additional=is_additional(text), lasting=is_lasting(text)
    )
    while (shorter := regex(_LEADING).sub("", text)) != text:
        text = shorter
    text, scope = _environment(text)
    clause = replace(clause, scope=scope)
    text = regex(r"(?<!\d )(?<!\d)\b(?:am|are)\b", 0).sub("is", text)
    text = regex(r"\bwere\b", 0).sub("was", text)
    text, clause = _negations(text, clause)
    text, clause = _tense(text, clause)
    text = _started(text)
    text = regex(_CONTRAST).sub("", text)
    text = regex(_SUBORDINATE).sub("", text)
    text = _people(text)
    text = regex(r"^(?:all of|all) (?=(?:the|our)\b)").sub("", text)
    full = _light(text, tail=False)
    dated = _light(full) if regex(_LIGHT_TAIL).search(full) else full
    bare, since, until = _without_dates(dated)
    if bare != dated:
        bare = _light(bare)
    return replace(clause, full=full, bare=bare, since=since, until=until)


def _light(text: str, *, tail: bool = True) -> str:
    before = None
    while before != text:
        before = text
        text = regex(_LEADING_ADVERB).sub("", text)
        text = regex(_LEADING_EVENT).sub("", text)
        text = regex(r"^when (?:we|they|the user) [a-z ]+?,? (?=(?-i:[A-Z]))").sub("", text)
        text = regex(_ADVERB).sub("", text)
        if tail:
            text = regex(_LIGHT_TAIL).sub("", text)
        text = regex(
            r"^(?:on average|as a rule|at work|at home|in general|in total|these days|as the (?:new )?standard)?,? "
        ).sub("", text)
        text = " ".join(text.split()).replace(" ,", ",").strip(" ,.")
    return text


def _environment(text: str) -> tuple[str, str]:
    match = regex(_ENVIRONMENT).search(text)
    named = None if match is None else _ENVIRONMENTS.get(match["name"].lower())
    if match is None or named is None:
        return text, ""
    rest = f"{text[: match.start()]} {text[match.end() :]}".strip(" ,")
    return " ".join(rest.split()), named


def _started(text: str) -> str:
    return regex(r"\b(?:started|began|taken to|took to) (?P<verb>\w+ing)\b").sub(
        lambda match: _VERBS_OF_ING.get(match["verb"].lower(), match.group()), text
    )


_HAS_NONE = (
    r"\b(?:has|have) no (?=(?:\w+ )?(?:contract|account|subscription|membership|licence|license|insurance|"
    r"policy|job|car|"
    r"desk|phone|card|dog|cat|children|kids|landline|mobile|email)\b)"
)


def _negations(text: str, clause: Clause) -> tuple[str, Clause]:
    gone = regex(
        r"\b(?:no longer|not (?=.*\b(?:any ?more|any longer)\b)|(?:does|do|is|has) not "
        r"(?=.*\b(?:any ?more|any longer)\b))"
    ).search(text)
    if gone:
        text = regex(r"\b(?:(?:does|do) not|no longer|not)\b ?|,? ?\b(?:any ?more|any longer)\b").sub("", text)
        return " ".join(text.split()), replace(clause, ended=True, negated=True, marks_change=True)
    used = regex(r"\b(?:used to|stopped|quit|ceased|gave up|finished|done with) (?P<verb>\w+)\b").search(text)
    if used and "used to" in used.group().lower():
        text = text[: used.start()] + used["verb"] + text[used.end() :]
        return text, replace(clause, ended=True, negated=True, marks_change=True)
    if used and used["verb"].lower() in _VERBS_OF_ING:
        text = text[: used.start()] + _VERBS_OF_ING[used["verb"].lower()] + text[used.end() :]
        return text, replace(clause, ended=True, negated=True, marks_change=True)
    text, has_none = regex(_HAS_NONE).subn("has a ", text, count=1)
    if has_none:
        return text, replace(clause, negated=True)
    denied = regex(r"\b(?:(?:does|do) not|is not|was not|has not|have not|can not|will not|did not|never)\b").search(
        text
    )
    if denied:
        word = denied.group().lower()
        keep = {
            "is not": "is",
            "was not": "was",
            "has not": "has not",
            "have not": "has not",
            "did not": "did not",
            "can not": "can not",
            "will not": "will not",
        }.get(word, "")
        text = " ".join(f"{text[: denied.start()]} {keep} {text[denied.end() :]}".split())
        return text, replace(clause, negated=True)
    return text, clause


_TENSES = (
    (
        r"\b(?:has|have) been (?=(?:happily |newly )?(?:married|divorced|widowed|engaged|separated|single|retired)\b)",
        "is ",
    ),
    (rf"\b(?:has|have)(?: (?:{_ADVERBS}))? been(?: (?:{_ADVERBS}))* (?=\w+ing\b)", "is "),
    (rf"\b(?:has|have)(?: (?:{_ADVERBS}))? been(?: (?:{_ADVERBS}))* (?={_PARTICIPLE}\b)", "was "),
    (rf"\b(?:has|have)(?: (?:{_ADVERBS}))? been\b(?! to\b)", "is"),
    (r"\b(?:has|have) since (?=\w+(?:ed|ne|ft|en|de)\b)", "has "),
    (r"\b(?:has|have) got\b(?! (?:\w+ed|married|engaged|divorced)\b)", "has"),
    (
        rf"(?<!\bto )\b(?:has|have)(?: (?:{_ADVERBS}))* (?={_PARTICIPLE}\b)"
        r"(?!(?:put|set|read|cut|let) \w+ (?:to|for)\b)",
        "",
    ),
    (r"(?<!\bto )\bhave\b", "has"),
    (r"\bis being (?=\w+ed\b)", "was "),
)


_EVER_SINCE = re.compile(
    r"\b(?:has|have) (?:lived|worked|used|played|driven|banked|run|led|taught|studied)\b"
    r"(?!.*\b(?:before|until|but|then)\b)(?=.*\bsince\b)"
)
_LASTING = {
    **{"lived": "lives", "worked": "works", "used": "uses", "played": "plays", "driven": "drives", "banked": "banks"},
    **{"run": "runs", "led": "leads", "taught": "teaches", "studied": "studies"},
}
"""What has been done since then is done still."""


def _tense(text: str, clause: Clause) -> tuple[str, Clause]:
    text = _EVER_SINCE.sub(lambda match: _LASTING[match.group().split()[-1]], text)
    if regex(r"\b(?:will|is going to|is due to)\b").search(text):
        clause = replace(clause, future=True)
        text = regex(r"\b(?:is going to|is due to) (?=[a-z])").sub("will ", text)
        text = regex(r"\bwill be (?=[a-z\d])").sub("is ", text)
        text = regex(
            r"\bwill (?=(?:move|change|switch|take over|meet|gather|start|run|use|live|work|join|"
            r"report|lead|cost|happen|take place|be|reside|head|listen|become)\b)"
        ).sub("", text)
    if regex(r"\b(?:has|have|is being)\b").search(text):
        for expression, plainer in _TENSES:
            text = regex(expression).sub(plainer, text)
    return " ".join(text.split()), clause


def _third(match: re.Match[str]) -> str:
    verb = match[1].lower()
    if verb == "have":
        return "the user has"
    if verb.endswith(("y",)) and verb[-2] not in "aeiou":
        return f"the user {verb[:-1]}ies"
    return f"the user {verb}{'es' if verb.endswith(('o', 'sh', 'ch', 's')) else 's'}"


_FIRST_PERSONS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\b(?-i:I) (?:is|am)\b", "the user is"),
    (r"(?<![\w.])(?-i:I)(?![\w./-])(?!'|\.)", "the user"),
    (r"^User(?='s|\s)", "the user"),
    (r"\bUser(?='s|\s(?:is|has|prefers|likes|uses|lives|works|wants)\b)", "the user"),
    (r"^(?:this|the) user\b", "the user"),
    (r"\bmyself\b", "themselves"),
    (r"\bmy own\b", "the user's"),
    (r"\bmy\b", "the user's"),
    (r"\bthe the user\b", "the user"),
    (r"\bme\b", "the user"),
    (
        r"\bthe user (prefer|like|use|want|live|work|drive|drink|eat|report|lead|commute|bank|"
        r"speak|study|own|get|wake|go|take|keep|run|write|sit|play|pay|earn|love|enjoy|weigh|"
        r"attend|train|code|order|dislike|hate|listen|manage|browse|indent|wear|do|have|write|"
        r"surf|install|test|sleep|need|stay|fly|start|rise|see|follow|know|turn|watch|wish|expect|"
        r"ask|avoid|walk|cycle|travel|develop|program|call|book|host|deploy|track|collect|watch|"
        r"subscribe|carry|plan|build|process|fetch|rely|depend|save|record|edit|design|draw|meet|"
        r"pull|push|monitor|format|lint|authenticate)\b",
        _third,
    ),
)


def _people(text: str) -> str:
    """First persons of the singular as "the user"."""
    if not regex(r"\b(?:i|me|my|myself|user)\b").search(text):
        return text
    for expression, plainer in _FIRST_PERSONS:
        text = regex(expression).sub(plainer, text)
    return text


def clauses(sentence: str) -> Iterator[str]:
    """The parts of a sentence that may stand alone, each with the subject of the first where it names none."""
    parts = [
        part.strip()
        for part in regex(
            r",? (?:and|but|so) (?:now |then )?(?=(?:he|she|they|it|we|i|is|has|was|now|joined|bought|"
            r"got|moved|works?|lives?|started|switched|took|became|runs|uses?|goes|eats?|drives?|"
            r"reports|installs?|codes?|writes?|keeps?|stores?|drinks?|reads?|takes?|gets|owns?|leads?|"
            r"listens?|answers?|studies|banks?|trains?|prefers?|likes?|sits|wakes?|flies|speaks)\b)|, "
            r"(?=(?:it|he|she|they|we|i|that|now) )| - (?=(?:it|he|she|they|we|i|now) )|, (?:and|so) "
            r"(?=(?-i:[A-Z])\w+ )|: (?=(?:it|he|she|they|we|i) )"
        ).split(sentence)
        if part.strip()
    ]
    if len(parts) < 2:
        return
    yield from parts
