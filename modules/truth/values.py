"""Values: what a piece of a sentence holds of a type."""

import re
from functools import cache

from ..memory.date_spans import MONTH, WEEKDAY, YEAR
from .forms import FORMS
from .lexicon import gazetteer, names_in

_STATUSES = [
    *"open closed blocked done finished complete completed cancelled canceled paused merged "
    "live down deprecated resolved reopened approved rejected stalled "
    "archived active inactive shipped abandoned frozen released pending retired offline "
    "online ready unblocked delivered launched obsolete".split(),
    "in progress",
    "in review",
    "on hold",
    "under review",
    "on track",
    "at risk",
    "behind schedule",
    "up and running",
    "under way",
    "underway",
    "in development",
    "in beta",
    "in alpha",
    "in testing",
    "in qa",
    "won't fix",
    "to do",
    "in production",
    "on ice",
    "end of life",
    "decommissioned",
    "put on hold",
    "up",
    "back up",
    "green",
    "red",
    "in maintenance mode",
    "read-only",
]
_PROFESSION_SUFFIX = re.compile(r"(?:er|or|ist|ian|eer|ant|ent|man|woman|ess|eur|smith|wright|yst|ary)$")
_PROFESSIONS = frozenset(
    """nurse chef cook lead head director cto ceo cfo coo vp analyst intern architect pilot surgeon paralegal judge
    actuary clerk
    specialist associate officer consultant principal dean priest vet medic partner researcher freelancer nanny
    au-pair model
    barista butcher coach guide guard sre devops dba ux scrum master trainee apprentice therapist postdoc midwife
    bookkeeper tailor
    author artist journalist pharmacist representative rep agent staff president secretary treasurer
    assistant""".split()
)
_NO_PROFESSION = frozenset(
    """student major undergraduate manager-in-waiting member customer mother father brother sister daughter
    vegetarian owner beginner smoker runner reader believer lover riser
    speaker father grandmother grandfather user newcomer stranger other winner loser danger answer matter number
    computer server computer
    printer router worker-node letter paper river summer winter teenager foreigner supporter follower admirer
    teetotaler teetotaller listener
    better bigger smaller faster slower older younger later sooner taller stronger happier different important
    excellent patient present intolerant
    absent independent brilliant confident pleasant vegetarian christian presbyterian lutheran parent resident
    citizen container cluster drummer swimmer climber gamer cyclist pianist guitarist violinist optimist pessimist
    feminist
    perfectionist commuter early-riser morning-person night-owl hamster monster sober eager clever proper super
    bitter tender sleeper eater drinker worrier widower survivor donor pregnant impatient arrogant
    talker thinker learner hoarder procrastinator spender dreamer
    foodie homebody jogger kisser liar cuddler tourist newcomer expat
    hugger snorer cheater loner stoner important relevant distant vacant""".split()
)
_JUDGED = frozenset(
    """great good bad keen avid passionate hard picky terrible lousy decent amazing awesome hobby amateur
    volunteer""".split()
)
"""What stands before what somebody is besides the job: "a great cook", "a volunteer firefighter"."""
_MANNER = re.compile(
    r"^(?:(?:very|more|really|rather|quite|much) )?(?P<v>(?:short|concise|brief|terse|"
    r"detailed|long|verbose|thorough|formal|informal|casual|friendly|playful|direct|technical|"
    r"simple|plain|funny|humorous|serious|polite|blunt|elaborate|"
    r"extensive|in-depth|high-level|low-level|bullet-point|bulleted|structured|succinct|"
    r"compact|warm|neutral|professional|relaxed|crisp|chatty|dry|precise|exhaustive|"
    r"\w+-(?:sentence|length|word|line|paragraph|step)|medium|step-by-step|sarcastic|minimal|"
    r"longer|shorter|lengthy|encouraging|laconic|snappy|comprehensive|witty|"
    r"businesslike)(?:(?: and |, )\w+)?)\b"
)
_FLUFF = re.compile(
    r"^(?:(?:the|an?|his|her|their|my|our|its|the user's|some|version|new|about|around|"
    r"exactly|called|named|only|own|brand-new|brand new|yet another|good old|plain|plain old) "
    r")+",
    re.IGNORECASE,
)
_CAPITALS = r"(?:[^\W\d_a-z][\w'’.&+-]*|[a-z]+[A-Z]\w*|\d+[A-Z]\w*)"
_NAME = re.compile(
    rf"^(?:(?:Dr|Mr|Mrs|Ms|Prof|St)\.? )?{_CAPITALS}(?:(?: (?:of|the|de|da|do|dos|van|von|der|"
    rf"den|di|la|le|el|al|and|&))* (?:{_CAPITALS}|\d+))*"
)
_SCOPE = re.compile(
    r"^,? ?(?:in|on|at|for|under|during|when|if|only|as|of|from|to|until|or|and|via|by|"
    r"against|between|about|than|except|but|or|that|who|which|while|near|'s|\"|with|whose|"
    r"unless|because|after|before|without|behind|through|within)\b"
)
_LIGHT = re.compile(
    r"^,? ?(?:(?:in total|overall|altogether|at its disposal|so far|there|place|too|time|"
    r"o'clock|each|flat|max|in all|in the \w+ version|at the earliest|at the latest|sharp|per "
    r"(?:sprint|month|year|day|week)|a (?:month|year|week|day)|today|"
    r"with (?:his|her|their|the|a|two|three|some|my|our) [\w ]+|by the way|for (?:that|this|"
    r"it|now|years|ages|good)|as (?:his|her|their|the user's|its|the|a|an|our|my|main|default|"
    r"primary|standard|sole|only|new|daily)\b [\w -]+|as standard|as default|on (?:the "
    r")?(?:train|bus|side|road|go|way)|in (?:the )?(?:evenings?|end|process)|"
    r"following .+|after (?:the|a|his|her|their|that|this|years|much|some|long|\w+ing) .+|"
    r"since (?:the|his|her|their|then|that|\w+ing) .+|because .+|thanks to .+|due to .+|"
    r"together with .+|near .+|in the (?:city|town) cent(?:er|re)|in (?:Portugal|Germany|"
    r"Spain|France|Italy|the US|the UK|the Netherlands)|"
    r"and (?:is|was) (?:very |quite )?(?:happy|pleased|glad|content)|and (?:cancelled|left|"
    r"quit|dropped|gave up|sold|stopped) .+|subscription|account|license|licence|instance|"
    r"cluster|database|server|servers|editor|themselves|itself|city|area|region|programme|"
    r"terms|project|pipelines?|seat|too|everywhere|all by hand|all written by hand)\b ?,?)+",
    re.IGNORECASE,
)


@cache
def _form(type_: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{FORMS[type_]})(?![\w@]|\.\d)", re.IGNORECASE)


def take(type_: str, text: str, *, lenient: bool = False) -> tuple[str, float] | None:
    """The value of a type at the beginning of a text and how sure that is (0..1), None where there is none.

    What follows the value must not narrow it ("email for invoices" is no contact channel) unless `lenient`.
    """
    text = text.strip(" ,\"'")
    if not text:
        return None
    if type_ in FORMS:
        return _taken_form(type_, text, lenient=lenient)
    taker = _TAKERS.get(type_)
    if taker is not None:
        return taker(text)
    return _taken_name_of(type_, text)


def _taken_form(type_: str, text: str, *, lenient: bool) -> tuple[str, float] | None:
    text = re.sub(r"^(?:about|around|roughly|exactly|approximately|only|just|up to|at) ", "", text)
    if type_ == "region" and not _form("region").match(text):
        found = _taken_place(text[:1].upper() + text[1:])
        return (text[: len(found[0])], 0.8) if found and found[1] > 0.8 else None
    match = _form(type_).match(text)
    if match is None or (type_ in ("money", "cash") and re.fullmatch(r"\d+(?:\.\d+){2,}", match.group())):
        return None
    if type_ == "url" and match.group().lower() in gazetteer():
        return None  # Fly.io
    rest = text[match.end() :]
    if not lenient and _narrows(rest, strict=type_ != "moment"):
        return None
    value = match.group().rsplit(":", 1)[-1].rsplit(" ", 1)[-1] if type_ == "port" else match.group()
    if type_ == "terms":
        value = f"{re.sub(r'[^0-9]', '', value)} days"
    return value.strip(), 0.9


def _narrows(rest: str, *, strict: bool = False) -> bool:
    rest = rest.strip(" ,.\"'")
    while rest:
        shorter = _LIGHT.sub("", rest, count=1).strip(" ,")
        if shorter == rest:
            break
        rest = shorter
    return bool(rest) and (strict or _SCOPE.match(rest) is not None or len(rest.split()) > 4)


def _taken_name_of(type_: str, text: str) -> tuple[str, float] | None:
    open_, type_ = type_.endswith("?"), type_.removesuffix("?")
    stripped = _FLUFF.sub("", text)
    for named in names_in(stripped):
        if named.begin == 0 and type_ in named.lists:
            end = extended(stripped, named.end)
            if _narrows(stripped[end:]):
                return None
            return stripped[:end], 0.9
    if type_ == "drink" and (
        found := re.match(
            r"^(?:\w+ ){0,2}(?:tea|coffee|latte|espresso|cappuccino|americano|macchiato|juice|mocha|"
            r"milk|(?<=hot )chocolate|brew|white|black)\b",
            stripped,
        )
    ):
        return found.group(), 0.8
    if open_ and is_capitalised(stripped):
        return _taken_proper(stripped, 0.75)
    return None


def extended(text: str, end: int) -> int:
    """Where a name of the gazetteer that ends at `end` really ends: with its version or model ("Postgres 14")."""
    match = re.compile(
        r"(?: (?:v?\d+(?:\.\d+)*(?:\.x)?|Pro|Max|Plus|Ultra|Mini|Air|Lite|LTS|Enterprise|"
        r"Community|Cloud|Actions|CI|Model \w|[A-Z]{1,3}\d+\w*|Corolla|Octavia|Zoe|Fiesta|Panda|"
        r"Outback|Niro|Yaris|Civic|Golf|Polo|Clio|Leaf|Focus|Prius|[A-Z][a-z]+(?=$|,| now)))*"
    ).match(text, end)
    return match.end() if match else end


def is_capitalised(text: str) -> bool:
    """Whether a text begins like a proper name."""
    return _NAME.match(text) is not None


def _taken_proper(text: str, sure: float) -> tuple[str, float] | None:
    text = re.sub(r"^(?:the|a|an) (?=[A-Z])", "", text)
    match = _NAME.match(text)
    if match is None or _narrows(text[match.end() :]):
        return None
    name = match.group().strip()
    if re.fullmatch(rf"{MONTH}|{WEEKDAY}|{YEAR}", name, re.IGNORECASE) or name in (
        "I",
        "The",
        "A",
        "We",
        "Our",
        "My",
        "His",
        "Her",
        "Their",
        "Its",
        "All",
        "No",
        "Every",
        "One",
        "Old",
        "New",
        "There",
        "These",
        "What",
        "Who",
        "It",
        "He",
        "She",
        "They",
        "This",
        "That",
    ):
        return None
    return name.rstrip("."), sure


def _taken_person(text: str) -> tuple[str, float] | None:
    found = _taken_proper(text, 0.85)
    if (
        found
        and any(set(named.lists) & {"place"} and named.text == found[0] for named in names_in(found[0]))
        and found[0]
        not in (
            "Florence",
            "Victoria",
            "Jordan",
            "Georgia",
            "Sydney",
            "Austin",
            "Charlotte",
            "Madison",
            "Brooklyn",
            "Orlando",
            "Chester",
            "Dallas",
            "Washington",
            "Lima",
            "Santiago",
            "Salvador",
            "Houston",
            "Virginia",
            "Adelaide",
            "Rosario",
            "Sofia",
        )
    ):
        return None
    return found


def _taken_org(text: str) -> tuple[str, float] | None:
    found = _taken_proper(
        re.sub(r"^(?:a|an|the) (?:company|firm|startup|start-up|bank|consultancy|agency) (?:called|named) ", "", text),
        0.8,
    )
    if found is None or _place(found[0]) or re.search(r"\bteam\b", text) or found[0].startswith("Project "):
        return None
    if any(
        set(named.lists) & {"editor", "programming language"} and len(named.text) == len(found[0])
        for named in names_in(found[0])
    ):
        return found[0], 0.6
    return found


def _place(text: str) -> bool:
    return "place" in gazetteer().get(text.lower(), ())


def _taken_place(text: str) -> tuple[str, float] | None:
    stripped = re.sub(
        r"^(?:the (?:city|town|village|area|outskirts|centre|center|suburbs) of |central |"
        r"downtown |north |south |east |west |nearby |sunny |beautiful |rainy )",
        "",
        text,
    )
    for named in names_in(stripped):
        if named.begin == 0 and "place" in named.lists:
            rest = re.sub(r"^(?:, [A-Z][\w ]*|,? (?:a|the) \w+ (?:city|town).*)", "", stripped[named.end :])
            if re.match(r"^-|^ [A-Z]", rest) or _narrows(rest):
                return None
            return stripped[: named.end + len(stripped[named.end :]) - len(rest)], 0.9
    found = _taken_proper(stripped, 0.55)
    if found is None:
        return None
    lists = gazetteer().get(found[0].lower(), ())
    if (
        lists
        or re.search(
            r"\b(?:Inc|Corp|Ltd|GmbH|LLC|AG|Labs?|University|Bank|School|College|Hospital|Street|Road|"
            r"Avenue|Team)\b|\d",
            found[0],
        )
        or re.search(r"\bteam\b|\bdepartment\b", text)
    ):
        return None
    return found


def _taken_channel(text: str) -> tuple[str, float] | None:
    stripped = _FLUFF.sub("", text)
    match = re.match(
        r"^(?:e-?mails?|phone(?: calls?)?|text(?: messages?)?|texts|sms|calls?|telephone|letter|"
        r"post|fax|video calls?|voice (?:message|mail)s?|chat|DMs?|direct messages?|in person|"
        r"carrier pigeon|pager|mail)\b",
        stripped,
        re.IGNORECASE,
    )
    if match:
        return None if _narrows(stripped[match.end() :]) else (match.group(), 0.9)
    return _taken_name_of("chat tool", text) or _taken_name_of("meeting tool", text)


def _taken_profession(text: str) -> tuple[str, float] | None:
    value = clean(text)
    value = _FLUFF.sub("", value)
    value = re.split(
        r" (?:at|in|for|with|by|on|and|who|from|there|here|under|responsible|instead|over|since)\b|,", value
    )[0].strip()
    words = value.lower().split()
    if re.match(r"\w+ing (?:the|an?|my|our|his|her|their|this|that)\b", value, re.IGNORECASE):
        return None  # what somebody is doing just now
    if words and (words[0] in ("living", "eating", "dating", "going") or re.search(r"\b(?:Dr|Mr|Mrs|Ms)\b", value)):
        return None
    if "'s " in value or not words or len(words) > 5 or not re.match(r"^[a-z]", value, re.IGNORECASE):
        return None
    if len(words) > 1 and words[0] in _JUDGED:
        return None
    head = words[0] if len(words) > 2 and words[1] == "of" else words[-1]
    if (
        "diet" in gazetteer().get(head, ())
        or value.lower() in gazetteer()
        or (len(words) == 1 and value[0].isupper() and not value.isupper())
    ):
        return None
    if value.lower() in (
        "retired",
        "unemployed",
        "self-employed",
        "a freelancer",
        "between jobs",
        "out of work",
        "freelance",
    ):
        return value, 0.85
    if (
        re.search(r"\b(?:behind|of the|of Project)\b", value)
        or head in _NO_PROFESSION
        or " ".join(words) in _NO_PROFESSION
    ):
        return None
    if head in _PROFESSIONS or (len(head) > 4 and _PROFESSION_SUFFIX.search(head) and head not in _NO_PROFESSION):
        return value, 0.8
    return None


def _taken_team(text: str) -> tuple[str, float] | None:
    match = re.match(
        r"^(?:the |our )?(?P<v>(?:[\w&/-]+ ){1,3}(?:team|squad|department|group|division|guild|"
        r"chapter|crew|unit|tribe)|(?:team|squad|group|department) [\w-]+|(?-i:HR|IT|QA|R&D|SRE|"
        r"DevOps|PR|UX)|marketing|sales|finance|engineering|design|legal|support|operations|"
        r"platform|infrastructure|security|procurement|accounting|controlling|research|customer "
        r"success|product|human resources|logistics|purchasing|quality assurance|customer support|"
        r"product management|business development)\b",
        text,
        re.IGNORECASE,
    )
    if (
        match is None
        or "shift" in gazetteer().get(match["v"].split()[0].lower(), ())
        or _narrows(text[match.end() :])
        or re.match(r"^ (?!team|squad|department)\w", text[match.end() :])
    ):
        return None
    return re.sub(r" (?:team|squad|department|group|division|crew|unit)$", "", match["v"]), 0.85


_STATUS = re.compile(
    rf"^(?:the )?(?P<v>{'|'.join(re.escape(status) for status in sorted(_STATUSES, key=len, reverse=True))})"
    r"(?: (?:state|phase|stage))?(?=$|,| (?:as|after|since|and (?:deployed|done|closed)|to production)\b)|"
    r"^(?P<w>(?:(?:currently |still )?(?:waiting for|blocked by|held up by|pending|stuck in|stuck at|waiting "
    r"on) [\w -]{2,30}|"
    r"(?:in|under) (?:the )?(?:\w+ )?(?:\w+ )?(?:phase|stage|testing|review|development|construction|"
    r"maintenance|planning|"
    r"discovery|preparation|beta|production)|ready (?:for|to) \w+|(?:fully |almost )?(?:rolled out|feature-complete|"
    r"signed off|handed over|wrapped up|shelved|stopped|suspended|postponed|terminated|discontinued)))$",
    re.IGNORECASE,
)


def _taken_status(text: str) -> tuple[str, float] | None:
    match = _STATUS.match(text)
    return ((match["v"] or match["w"]).lower(), 0.85) if match else None


def _taken_manner(text: str) -> tuple[str, float] | None:
    match = _MANNER.match(_FLUFF.sub("", text))
    return (match["v"], 0.85) if match else None


def _taken_title(text: str) -> tuple[str, float] | None:
    text = re.sub(r"^(?:the (?:book|novel|biography|memoir) |a (?:book|novel) (?:called|named) )", "", text).strip(
        " '\""
    )
    text = re.split(r" by (?=[A-Z])", text)[0]
    found = _taken_proper(text, 0.75) or (_taken_proper(text[4:], 0.75) if text.startswith("The ") else None)
    return (text[: text.index(found[0]) + len(found[0])], found[1]) if found else None


def _taken_room(text: str) -> tuple[str, float] | None:
    match = re.match(
        r"^(?:the |our |a )?(?P<v>(?:(?-i:[A-Z][\w'-]*|\d+[A-Z]?)(?: (?-i:[A-Z][\w'-]*|\d+))*|"
        r"(?:[\w'-]+ ){0,3}(?:room|kitchen|hall|hallway|basement|cellar|attic|garage|office|lobby|"
        r"floor|closet|cupboard|rack|corner|shelf|drawer|storage|library|lab|studio|garden|shed|"
        r"warehouse|loft|corridor|building|wing|entrance|cabinet|desk|canteen|cafeteria|lounge|"
        r"foyer|reception|bathroom|bedroom|living room|workshop|bunker|greenhouse|boardroom|"
        r"mezzanine|terrace|balcony|pantry)(?: \w?\d+\w?)?|room [\w.-]+|(?:rack|shelf|bay|row|"
        r"slot|level|floor|building|hall) [\w.-]+))\b",
        text,
        re.IGNORECASE,
    )
    if match is None or re.match(r"\.\w", text[match.end() :]) or _narrows(text[match.end() :]):
        return None
    value = match["v"]
    if re.fullmatch(r"\d+", value) or any(
        named.text == value and "place" not in named.lists for named in names_in(value)
    ):
        return None
    return value, 0.75


def _taken_text(text: str) -> tuple[str, float] | None:
    value = clean(text)
    if re.match(r"(?:in|at|on|to|from|by|with|of|for|under|\w+ed (?:by|into|under)) ", value):
        return None
    return (value, 0.6) if value and not re.search(r"[\[\]{}<>|=]", value) and len(value.split()) <= 8 else None


_SORT_OF_STUDENT = re.compile(
    r"(?:an? )?(?:an?|phd|ph\.d\.?|doctoral|graduate|grad|postgraduate|undergraduate|master'?s?|bachelor'?s?|exchange|"
    r"working|college|university|uni|high school|transfer|international|foreign|mature|visiting|guest|former|current|"
    r"new|old|good|bad|model|straight-a|(?:first|second|third|fourth|final|last)[- ]year)",
    re.IGNORECASE,
)
"""What says which sort of student somebody is, and not of what."""


def _taken_study(text: str) -> tuple[str, float] | None:
    value = re.sub(r" (?:at|in) (?:the )?(?:university|college|uni|school|[A-Z]).*$", "", clean(text)).strip()
    if (
        not value
        or len(value.split()) > 4
        or re.search(r"^(?:at|in|for|the |a |hard|how|every|with|abroad|to|on|full|part)", value)
        or re.fullmatch(r"\d.*", value)
        or _SORT_OF_STUDENT.fullmatch(value)
    ):
        return None
    return value, 0.75


def _taken_school(text: str) -> tuple[str, float] | None:
    found = _taken_proper(text, 0.75)
    if (
        found
        and not _place(found[0])
        and re.search(
            r"Uni|School|Elementary|High$|Kindergarten|Primary|Prep|College|Academy|Institut|Polytech|MIT|ETH|TU|KTH|EPFL|Oxford|Cambridge|"
            r"Harvard|Stanford|Yale|Princeton|Caltech|Gymnasium|Lyc|LMU|UCL|LSE|NYU|UCLA|Berkeley",
            text,
        )
    ):
        return found
    match = re.match(r"^(?:the )?(?P<v>University of [A-Z][\w ]+|(?:Technical )?University [\w ]+)", text)
    return (match["v"], 0.85) if match else None


def _taken_pet(text: str) -> tuple[str, float] | None:
    match = re.match(
        r"^(?:an?|one|two|three|four|\d+) (?:\w+ )?(?:dogs?|cats?|beagle|parrot|tortoise|goldfish|"
        r"hamster|rabbits?|horse|bird|budgie|poodle|labrador|snake|lizard|ferret|guinea pigs?|"
        r"turtle|pupp(?:y|ies)|kittens?|terrier|retriever|dachshund|fish|canary|gecko|hens?|"
        r"chickens?|pony|donkey|mouse|rat|chinchilla|corgi|spaniel|husky|bulldog|pug|collie)\b(?: "
        r"(?:called|named) [A-Z]\w+)?",
        text,
    )
    return (match.group(), 0.8) if match else None


def _taken_doctor(text: str) -> tuple[str, float] | None:
    return _taken_proper(text, 0.85) if re.match(r"^(?:Dr|Doctor)\b", text) else None


def _taken_hobby(text: str) -> tuple[str, float] | None:
    if re.match(r"(?:his|her|their|its|my|our|the user's|that|this|it|there|everything|all|both)\b", text) or re.search(
        r"\b(?:and|or|to|for|at|in|with|job|work|school|team|company|position|role|post)\b", text
    ):
        return None
    return _taken_text(text)


def _taken_theme(text: str) -> tuple[str, float] | None:
    match = re.match(
        r"^(?:the )?(?P<v>dark|light|high-contrast|solari[sz]ed|sepia|night|black|bright|monokai|"
        r"dracula|nord|gruvbox|\w+)(?: (?:theme|mode|colours?))?$",
        text,
        re.IGNORECASE,
    )
    return (match["v"], 0.8) if match else None


_TAKERS = {
    "name": _taken_person, "org": _taken_org, "place": _taken_place, "place?": _taken_place,
    "channel": _taken_channel, "profession": _taken_profession,
    "team": _taken_team, "status": _taken_status, "manner": _taken_manner, "title": _taken_title, "room": _taken_room,
    "text": _taken_text, "study": _taken_study, "school": _taken_school,
    "pet": _taken_pet, "doctor": _taken_doctor, "hobby": _taken_hobby,
    "theme": _taken_theme,
}  # fmt: skip


def clean(text: str) -> str:
    """A value without what only surrounds it: quotes, articles, subordinate clauses."""
    text = re.split(
        r",? (?:because|so that|although|though|which|who|where|while|since|but|instead|rather)\b|"
        r", (?!\d)(?=and |so |it |he |she )",
        text,
    )[0]
    return _FLUFF.sub("", text.strip(" \"'.,;:!")).strip(" \"'.,;:!")
